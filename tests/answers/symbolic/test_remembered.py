"""Which outcomes are remembered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tables import each_row

from grpo_rewards.answers.symbolic import schedule
from grpo_rewards.answers.symbolic.pool import Found
from grpo_rewards.answers.symbolic.schedule import forget, keep, recall

PAIR = ("x", "y")


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    forget()
    yield
    forget()


@each_row("outcome", ["equal", "different", "undecided", "timeout", "crashed"])
def test_what_a_pair_did_itself_is_remembered_with_its_time(outcome: str) -> None:
    keep(PAIR, 1.0, Found(outcome, 0.3))
    assert recall(PAIR, 1.0) == Found(outcome, 0.3)
    assert recall(("y", "x"), 1.0) is None
    assert recall(PAIR, 5.0) is None  # another deadline is another question


@pytest.mark.parametrize("outcome", ["worker_killed", "call_timeout"])
def test_what_befell_a_pair_from_outside_is_not(outcome: str) -> None:
    keep(PAIR, 1.0, Found(outcome))
    assert recall(PAIR, 1.0) is None


def test_long_pairs_are_not_remembered() -> None:
    most = "x" * (schedule.KEPT_CHARACTERS - 1)
    for length, kept in ((0, Found("equal")), (1, None)):
        keep((most, "y" + "y" * length), 1.0, Found("equal"))
        assert recall((most, "y" + "y" * length), 1.0) == kept


def test_when_there_are_too_many_all_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "KEPT_PAIRS", 2)
    for prediction in ("a", "b", "c"):  # the third empties the memory
        keep(("x", prediction), 1.0, Found("equal"))
    assert [recall(("x", one), 1.0) is not None for one in "abc"] == [False, False, True]
