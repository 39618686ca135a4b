"""How TRL shuffles the rows of a batch and parts them, with all that belongs to a row: texts, numbers and images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.report import Report
from whole_step.comparing import Findings

SHUFFLED_ROWS = "rows shuffled and parted"
LEAST_OF_ROWS = {SHUFFLED_ROWS: 1374}
SIZES_AND_PARTS = ((1, 1), (4, 2), (6, 3), (6, 6), (7, 3), (12, 4))  # 7 rows in 3 parts: an odd one is left out
# How many images each row has: none, one or several. All of them or each, by its rows of pixels: 1, 2 or 4 of them.
IMAGES_OF_ROWS = (2, 0, 1, 3, 1, 1, 0, 2)
GRIDS = ((1, 1, 1), (1, 2, 1), (1, 2, 2))
PARTS_OF_IMAGES = 4

Batch = dict[str, Any]


def check_rows(report: Report) -> None:
    """Adds to a report where rows, and the images of rows, are once TRL shuffled and parted them."""
    findings = Findings(SHUFFLED_ROWS)
    with report.failing(SHUFFLED_ROWS), torch.random.fork_rng(devices=[]):
        for size, parts in SIZES_AND_PARTS:
            for seed in range(3):
                _check_batch(findings, size, parts, seed)
        for seed in range(3):
            for layout, batch, rows in image_batches():
                _check_images(findings, layout, batch, rows, seed)
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


def image_batches() -> Iterator[tuple[str, Batch, list[Batch]]]:
    """Yields each layout that models have for images, a batch of it, and the same row by row."""
    images = [[4 * row + at for at in range(count)] for row, count in enumerate(IMAGES_OF_ROWS)]
    grids = [[GRIDS[image % 3] for image in some] for some in images]
    tiles = [[int(torch.tensor(grid).prod()) for grid in some] for some in grids]

    def pixels(row: int, rows_of_image: list[Any]) -> Tensor:
        flat = [
            [float(image), float(at)]
            for image, many in zip(images[row], rows_of_image, strict=True)
            for at in range(many)
        ]
        return torch.tensor(flat).view(-1, 2)

    def each(**columns: Any) -> list[Batch]:
        found = [{name: make(row) for name, make in columns.items()} for row in range(len(images))]
        return [
            {"number": torch.tensor([row]), **one, "num_images": [len(images[row])]} for row, one in enumerate(found)
        ]

    def by_tiles(row: int) -> Tensor:
        return pixels(row, tiles[row])

    def by_images(row: int) -> Tensor:
        return pixels(row, [1] * len(images[row]))

    def numbered(row: int) -> Tensor:
        return torch.tensor(images[row], dtype=torch.long)

    def counted(row: int) -> list[int]:
        return [sum(tiles[row])]

    def shaped(row: int) -> Tensor:
        return by_tiles(row).long() + 1

    layouts = {
        "grids": each(pixel_values=by_tiles, image_grid_thw=lambda row: torch.tensor(grids[row]).view(-1, 3).long()),
        "positions": each(pixel_values=by_images, image_position_ids=numbered),
        "shapes": each(pixel_values=by_tiles, pixel_attention_mask=by_tiles, spatial_shapes=shaped, num_tiles=counted),
        "tiles": each(pixel_values=by_tiles, num_tiles=counted),
        "one by one": each(pixel_values=by_images),
        "one by one, with sizes": each(pixel_values=by_images, image_sizes=lambda row: numbered(row).view(-1, 1)),
        "filled up": each(pixel_values=lambda row: torch.tensor([[float(row), 0.0]])),
        "no images": each(),
    }
    for layout, rows in layouts.items():
        yield layout, _joined(rows), rows


def _joined(rows: list[Batch]) -> Batch:
    """Returns the batch of some rows, in their order."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {name: _join(column) for name, column in columns.items()}


def _join(column: list[Any]) -> Any:
    return torch.cat(column) if isinstance(column[0], Tensor) else [one for some in column for one in some]


def _check_images(findings: Findings, layout: str, batch: Batch, rows: list[Batch], seed: int) -> None:
    """As TRL has it: images are given to their rows, these shuffled and parted, and each part's images put together."""
    from trl.trainer.utils import shuffle_sequence_dict, split_pixel_values_by_grid, split_tensor_dict
    from trl.trainer.utils import unsplit_pixel_values_by_grid as put_together

    where = f"images, {layout}, shuffle {seed}"
    of_rows = split_pixel_values_by_grid(dict(batch))
    _compare(findings, f"{where}, together again", put_together(of_rows), batch)
    torch.manual_seed(seed)
    parts = split_tensor_dict(shuffle_sequence_dict(of_rows), PARTS_OF_IMAGES)
    for at, part in enumerate(put_together(one) for one in parts):
        chosen = [rows[number] for number in part["number"].tolist()]
        _compare(findings, f"{where}, part {at}", part, _joined(chosen))
