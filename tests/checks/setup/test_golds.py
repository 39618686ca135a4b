"""Rows whose gold a reward cannot read are found before the run, by their index."""

from __future__ import annotations

from typing import Any

import pytest

import grpo_rewards as gr
from grpo_rewards import RewardError, check_answers
from grpo_rewards.checks.setup.trials import as_list

ROWS = {"answer": ["4", "", None, r"\frac{1}{2}", "nan", 5, [], r"\frac{1}{", True]}
UNREADABLE = [1, 2, 4, 6, 7, 8]  # nothing, nothing, nothing, no alternatives, broken LaTeX, a truth value


POINTS = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward as TRL takes it, without this package."""
    return [0.0 for _ in completions]


def test_rows_whose_gold_cannot_be_read_are_found_by_their_index() -> None:
    assert check_answers([gr.boxed_answer], ROWS) == {"boxed_answer": UNREADABLE}


def test_rows_whose_gold_is_not_understood_have_a_list_of_their_own() -> None:
    rows = {"answer": ["4", "see @ figure 7", r"\text{yes}", "x = 7 @ noon, 5", ["see @ figure 7", "5"]]}
    found = check_answers([gr.boxed_answer], rows)
    assert (found, found.as_spelled) == ({}, {"boxed_answer": [1, 3]})
    # what is said of them: such a gold is met by its own spelling, and by nothing else
    assert gr.boxed_answer.score(r"\boxed{see @ figure 7}", answer=rows["answer"][1]) == 1.0


def test_rows_are_looked_at_for_every_reward_that_reads_a_gold_and_for_parts() -> None:
    funcs = [gr.final_answer, plain, gr.boxed_format, POINTS, gr.cosine_length.bind(max_tokens=9, name="cosine")]
    found = check_answers(funcs, ROWS)
    assert found == {"final_answer": UNREADABLE, "boxed_answer": UNREADABLE, "cosine": UNREADABLE}


@pytest.mark.parametrize("rows", [{"answer": ["4", 5]}, {"answer": []}])
def test_a_dataset_that_can_be_read_has_nothing_to_report(rows: dict[str, list[Any]]) -> None:
    assert check_answers([gr.boxed_answer, gr.boxed_format], rows) == {}


def test_rows_without_the_column_are_reported_so() -> None:
    with pytest.raises(RewardError, match=r'rename_column\("solution", "answer"\)'):
        check_answers([gr.boxed_answer], {"solution": ["4"]})


def test_a_row_that_is_reported_is_one_that_a_call_does_not_score() -> None:
    size = len(ROWS["answer"])
    scored = gr.boxed_answer(completions=[r"\boxed{4}"] * size, **ROWS)
    assert [index for index, value in enumerate(scored) if value is None] == UNREADABLE


def test_a_part_is_called_of_its_own_rows_alone_and_they_keep_their_index() -> None:
    routed = gr.routed({"math": gr.boxed_answer, "words": gr.boxed_format}, by="task")
    rows = {"task": ["words", "math", "math"], "answer": ["", "4", ""]}  # row 0 needs no gold
    assert check_answers(routed, rows) == {"boxed_answer": [2]}


@pytest.mark.parametrize("given", [plain, [plain], (plain,)])
def test_one_reward_or_several_become_a_fresh_list(given: Any) -> None:
    found = as_list(given)
    assert found == [plain]
    assert found is not given
