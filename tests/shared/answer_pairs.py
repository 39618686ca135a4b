"""What tests assert of a pair of answers. The verdicts are what a teacher of mathematics would say; the tables of pairs
stand with the tests of the module that decides on them, each row for a class of answers."""

from __future__ import annotations

from typing import Any

import pytest

from grpo_rewards.answers import compare

Table = dict[str, list[tuple[str, str]]]


def rows(table: Table) -> list[Any]:
    """A parameter for each pair of a table, called by its class and its two answers."""
    return [pytest.param(*pair, id=f"{name}: {pair[0]} | {pair[1]}") for name, pairs in table.items() for pair in pairs]


def assert_equal_both_ways(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"
    if "." not in prediction:  # a decimal stands for a repeating gold, not the other way round
        assert compare(answer, prediction).outcome == "correct"


def assert_equal(prediction: str, answer: str) -> None:
    found = compare(prediction, answer)
    assert found.outcome == "correct"
    assert found.step != "symbolic"


def assert_different(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "wrong"


def assert_different_by_value(prediction: str, answer: str) -> None:
    found = compare(prediction, answer)
    assert (found.outcome, found.step) == ("wrong", "value")
    assert found.why
