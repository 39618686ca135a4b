"""TRL keeps all that belongs to a row together, and each mistake that is planted in how it does so is noticed."""

from importlib.metadata import version

import torch
from mutants import some_and_all, unnoticed
from step_mutants import MUTANTS, plant
from whole_step.shuffled_rows import LEAST_OF_ROWS, SHUFFLED_ROWS, check_rows, image_batches

from grpo_rewards.loss.trl_check.report import Report


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


@some_and_all(MUTANTS["of_rows"], 5)
def test_a_row_that_loses_something_is_noticed(mutants):
    assert unnoticed(mutants, plant, is_noticed) == []
