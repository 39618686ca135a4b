"""TRL shuffles the rows of a batch and parts them, and keeps all that belongs to a row together."""

from typing import Any

import torch
from mutants import some_and_all, unnoticed
from step_mutants import MUTANTS, plant
from torch import Tensor

SIZES_AND_PARTS = ((1, 1), (4, 2), (6, 3), (6, 6), (7, 3), (12, 4))  # 7 rows in 3 parts: an odd one is left out

Batch = dict[str, Any]


def batch_of(size: int) -> Batch:
    """A batch of all kinds of columns in which each row's values have its number."""
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


def assert_rows_stay_together(size: int, parts: int, seed: int) -> None:
    from trl.trainer.utils import shuffle_sequence_dict, split_tensor_dict

    batch = batch_of(size)
    torch.manual_seed(seed)
    shuffled = shuffle_sequence_dict(dict(batch))
    order = shuffled["number"].tolist()
    torch.manual_seed(seed)
    assert order == torch.randperm(size).tolist()
    assert plain(shuffled) == plain(chosen(batch, order))
    each = size // parts
    found = split_tensor_dict(shuffled, parts)
    assert plain(found) == plain([chosen(batch, order[at * each : (at + 1) * each]) for at in range(parts)])


def chosen(batch: Batch, rows: list[int]) -> Batch:
    """Some rows of a batch, in an order."""
    whole = [name for name, column in batch.items() if column is None or getattr(column, "shape", None) == ()]
    return {name: column if name in whole else [column[row] for row in rows] for name, column in batch.items()}


def plain(value: Any) -> Any:
    """Lists of plain values, for TRL makes a list or a tensor of them."""
    if isinstance(value, Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return [(name, plain(column)) for name, column in value.items()]
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def test_rows_stay_together() -> None:
    with torch.random.fork_rng(devices=[]):
        for size, parts in SIZES_AND_PARTS:
            for seed in range(3):
                assert_rows_stay_together(size, parts, seed)


def is_noticed() -> bool:
    try:
        test_rows_stay_together()
    except Exception:  # noqa: BLE001  # whatever the mistake leads to
        return True
    return False


@some_and_all(MUTANTS["of_rows"], 5)
def test_a_row_that_loses_something_is_noticed(mutants):
    assert unnoticed(mutants, plant, is_noticed) == []
