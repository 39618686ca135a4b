"""How TRL shuffles the rows of a batch and parts them, with the texts and numbers that belong to a row."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.report import Report
from whole_step.comparing import Findings

SHUFFLED_ROWS = "rows shuffled and parted"
LEAST_OF_ROWS = {SHUFFLED_ROWS: 804}
SIZES_AND_PARTS = ((1, 1), (4, 2), (6, 3), (6, 6), (7, 3), (12, 4))  # 7 rows in 3 parts: an odd one is left out

Batch = dict[str, Any]


def check_rows(report: Report) -> None:
    """Adds to a report where rows are once TRL shuffled and parted them."""
    findings = Findings(SHUFFLED_ROWS)
    with report.failing(SHUFFLED_ROWS), torch.random.fork_rng(devices=[]):
        for size, parts in SIZES_AND_PARTS:
            for seed in range(3):
                _check_batch(findings, size, parts, seed)
    report.differences += findings.found


def _batch(size: int) -> Batch:
    """Returns a batch of all kinds of columns in which each row's values have its number."""
    number = torch.arange(size)
    return {
        "nothing": None,
        "number": number,
        "tokens": number.unsqueeze(1) * 10 + torch.arange(3),
        "mask": number.unsqueeze(1) % 2 == torch.arange(2),
        "advantage": number / 7,
        "in all": torch.tensor(5.0),
        "texts": [f"row {one}" for one in range(size)],
        "tensors": [torch.full((one % 3, 2), float(one)) for one in range(size)],
        "nothing again": None,
    }


def _check_batch(findings: Findings, size: int, parts: int, seed: int) -> None:
    from trl.trainer.utils import shuffle_sequence_dict, split_tensor_dict

    batch, where = _batch(size), f"{size} rows, shuffle {seed}"
    torch.manual_seed(seed)
    shuffled = shuffle_sequence_dict(dict(batch))
    order = shuffled["number"].tolist()
    findings.same(SHUFFLED_ROWS, f"{where}: each once", sorted(order), list(range(size)))
    torch.manual_seed(seed)
    findings.same(SHUFFLED_ROWS, f"{where}: by torch's random state", order, torch.randperm(size).tolist())
    _compare(findings, where, shuffled, _chosen(batch, order))
    each = size // parts
    found = split_tensor_dict(shuffled, parts)
    findings.same(SHUFFLED_ROWS, f"{where}: how many parts", len(found), parts)
    for at, part in enumerate(found):
        _compare(findings, f"{where}, part {at}", part, _chosen(batch, order[at * each : (at + 1) * each]))


def _chosen(batch: Batch, rows: list[int]) -> Batch:
    """Returns some rows of a batch, in an order."""
    return {name: _rows_of(column, rows) for name, column in batch.items()}


def _rows_of(column: Any, rows: list[int]) -> Any:
    if column is None or (isinstance(column, Tensor) and column.dim() == 0):
        return column
    return [column[row] for row in rows]


def _compare(findings: Findings, where: str, theirs: Batch, mine: Batch) -> None:
    """Compares all columns at once: each of their values, and whether TRL made a list or a tensor of them."""
    findings.same(SHUFFLED_ROWS, f"{where}: the names", list(theirs), list(mine))
    for name in mine:
        findings.same(SHUFFLED_ROWS, f"{where}: {name}", _plain(theirs.get(name)), _plain(mine[name]))


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
