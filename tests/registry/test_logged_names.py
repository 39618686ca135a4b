"""A reward that would log two things under one name is refused where it is decorated."""

from __future__ import annotations

from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def judges(completion: str, answer: str) -> gr.Verdict:
    return gr.Verdict(0.0, "good")


async def waits(completion: str) -> gr.Verdict:
    return gr.Verdict(0.0, "good")


def counter() -> float:
    return 0.0


@each_row(
    "metadata, name",
    [
        *TABLES["two_things_under_one_name_are_refused"],
        ({"reasons": ["fast"], "meters": {"fast": counter}}, "fast"),
        ({"means": ["fast"], "meters": {"fast": counter}}, "fast"),
    ],
)
def test_two_things_under_one_name_are_refused(metadata: dict[str, Any], name: str) -> None:
    with pytest.raises(gr.RewardError, match=f"would log two .* as 'twice_logged/{name}'"):
        gr.reward(judges, name="twice_logged", **metadata)
    with pytest.raises(gr.RewardError, match="as 'twice_logged/timeout'"):  # which every async reward has
        gr.reward(waits, name="twice_logged", means=["timeout"])
    assert "twice_logged" not in gr.list_rewards()


@pytest.mark.parametrize(
    "metadata",
    [
        {"reasons": ["good", "good"], "means": ["words"], "table": ["answer", "words"]},
        {"reasons": ["exact"], "shares": {"step": ["exact"]}, "means": ["seconds"], "meters": {"spent": counter}},
        {"shares": {"reason": ["x"]}, "table": ["answer"]},  # name/reason/x is no name/reason
    ],
)
def test_distinct_names_are_taken(metadata: dict[str, Any]) -> None:
    assert gr.reward(judges, name="once_logged", **metadata).score("a", answer="b") == 0.0
