"""TRL keeps all that belongs to a row together, and each mistake that is planted in how it does so is noticed."""

from importlib.metadata import version

import torch
from mutants import some_and_all, unnoticed
from step_mutants import MUTANTS, plant
from whole_step.shuffled_rows import LEAST_OF_ROWS, SHUFFLED_ROWS, check_rows

from grpo_rewards.loss.trl_check.report import Report


def checked():
    report = Report(trl=version("trl"))
    check_rows(report)
    return report


def test_rows_stay_together():
    before = torch.get_rng_state()
    report = checked()
    assert (report.failed, report.mismatches) == ({}, [])
    assert len(report.differences) == LEAST_OF_ROWS[SHUFFLED_ROWS]
    assert torch.equal(torch.get_rng_state(), before)  # which a run of the user's goes on from


def is_noticed():
    report = checked()
    return report.failed or report.mismatches


@some_and_all(MUTANTS["of_rows"], 5)
def test_a_row_that_loses_something_is_noticed(mutants):
    assert unnoticed(mutants, plant, is_noticed) == []
