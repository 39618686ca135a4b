"""TRL keeps all that belongs to a row together, and each mistake that is planted in how it does so is noticed."""

# ruff: noqa: E501 - the pieces are as long as TRL's lines
from importlib.metadata import version

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from mutants import some_and_all, unnoticed
from step_mutants import plant, planted_in
from whole_step.shuffled_rows import LEAST_OF_ROWS, SHUFFLED_ROWS, check_rows, image_batches

from grpo_rewards.loss.trl_check.report import Report

MISTAKES = planted_in(
    "utils",
    # shuffled
    ("return [v[i] for i in permutation]", "return v", "lists left behind by the shuffle"),
    ("return [v[i] for i in permutation]", "return [v[i] for i in permutation.flip(0)]"),
    ("return v[permutation]", "return v[permutation] if v.ndim > 1 else v", "numbers left behind by the shuffle"),
    ("return v[permutation]", "return v[torch.randperm(batch_size)]", "each column shuffled by itself"),
    ("torch.randperm(batch_size)", "torch.randint(batch_size, (batch_size,))", "a row twice, and another never"),
    (
        "torch.randperm(batch_size)",
        "torch.randperm(batch_size, generator=torch.Generator().manual_seed(0))",
        "always the same shuffle",
    ),
    # parted
    (
        "if tensor is not None and (isinstance(tensor, list) or tensor.ndim > 0)",
        "if isinstance(tensor, list):\n                chunk_dict[key] = tensor\n            elif tensor is not None and tensor.ndim > 0",
        "a list whole in each part",
    ),
    ("chunk_dict[key] = tensor\n", "chunk_dict[key] = tensor[None]\n", "what is of the whole batch made a row"),
    (
        "            else:\n                chunk_dict[key] = None",
        "            else:\n                pass",
        "nothing is left out",
    ),
    ("first_tensor.shape[0] // num_chunks", "-(-first_tensor.shape[0] // num_chunks)", "the odd rest in the parts"),
    # images
    ("boundaries = [0, *accumulate(num_images)]", "boundaries = list(range(len(num_images) + 1))"),
    ('lengths = batch["image_grid_thw"].prod(-1)', 'lengths = batch["image_grid_thw"].prod(-1).flip(0)'),
    ("torch.split(image_grid_thw, num_images, dim=0)", "image_grid_thw[:, None].repeat(1, 2, 1)[: len(num_images)]"),
    ("list(torch.split(spatial_shapes, num_tiles, dim=0))", "list(spatial_shapes[: len(num_tiles)].unsqueeze(1))"),
    (
        'return {**batch, "pixel_values": list(torch.split(pixel_values, num_tiles, dim=0))}',
        'return {**batch, "pixel_values": list(torch.split(pixel_values, sorted(num_tiles), dim=0))}',
    ),
    ("if pixel_values.size(0) != sum(num_images):", "if True:", "images one by one not given to their rows"),
    ('torch.split(batch["image_sizes"], num_images, dim=0)', 'torch.split(batch["image_sizes"], num_images[::-1])'),
    ("merged = torch.cat(image_position_ids, dim=0)", "merged = torch.cat(sorted(image_position_ids, key=len))"),
)


def checked():
    report = Report(trl=version("trl"))
    check_rows(report)
    return report


def test_rows_and_their_images_stay_together():
    before = torch.get_rng_state()
    report = checked()
    assert (report.failed, report.mismatches) == ({}, [])
    assert len(report.differences) == LEAST_OF_ROWS[SHUFFLED_ROWS]
    assert torch.equal(torch.get_rng_state(), before)  # which a run of the user's goes on from


def test_the_images_of_rows_are_of_several_sizes_and_numbers():
    """Counted by hand: image 4 · row + place has 1, 2 or 4 rows of pixels, by its remainder of three."""
    layouts = {layout: batch for layout, batch, _ in image_batches()}
    assert layouts["grids"]["num_images"] == [2, 0, 1, 3, 1, 1, 0, 2]
    assert layouts["shapes"]["num_tiles"] == [3, 0, 4, 7, 2, 4, 0, 6]
    assert layouts["grids"]["pixel_values"].shape == layouts["tiles"]["pixel_values"].shape == (26, 2)
    assert layouts["positions"]["image_position_ids"].tolist() == [0, 1, 8, 12, 13, 14, 16, 20, 28, 29]
    assert layouts["filled up"]["pixel_values"].shape == (8, 2)


def is_noticed():
    report = checked()
    return report.failed or report.mismatches


@some_and_all(MISTAKES, 5)
def test_a_row_that_loses_something_is_noticed(mutants):
    assert unnoticed(mutants, plant, is_noticed) == []
