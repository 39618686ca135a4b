"""Which pairs go to the workers, which are remembered, and which are tried again. No worker runs here."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grpo_rewards.answers.symbolic import remembered
from grpo_rewards.answers.symbolic.remembered import Patience, settle

Asked = list[tuple[list[tuple[str, str]], float, int | None]]
TWO = Patience(workers=2)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The calls of the workers, whose outcome for a pair is what its gold says."""
    calls: Asked = []

    def compare(pairs: Sequence[tuple[str, str]], *, deadline: float, workers: int | None) -> list[str]:
        calls.append((list(pairs), deadline, workers))
        return [gold.partition(" ")[0] for gold, _ in pairs]

    monkeypatch.setattr(remembered, "compare_symbolically", compare)
    monkeypatch.setattr(remembered, "_kept", {})
    return calls


def test_new_pairs_go_in_one_round_trip_and_old_ones_not_again(asked: Asked) -> None:
    assert settle([("equal", "a"), ("different", "b")], TWO) == {
        ("equal", "a"): "equal",
        ("different", "b"): "different",
    }
    assert settle([("equal", "a"), ("timeout", "c")], TWO) == {("equal", "a"): "equal", ("timeout", "c"): "timeout"}
    assert settle([("timeout", "c")], TWO) == {("timeout", "c"): "timeout"}  # the deadline was reached once
    assert asked == [([("equal", "a"), ("different", "b")], 1.0, 2), ([("timeout", "c")], 1.0, 2)]


def test_another_deadline_is_another_question(asked: Asked) -> None:
    for deadline in (1.0, 5.0, 1.0, 5.0):
        settle([("timeout", "a")], Patience(deadline, 2))
    assert [deadline for _, deadline, _ in asked] == [1.0, 5.0]


@pytest.mark.parametrize("gold", ["worker_killed", "equal " + "x" * remembered.KEPT_CHARACTERS], ids=["killed", "long"])
def test_what_is_not_kept_is_asked_again(gold: str, asked: Asked) -> None:
    for _ in range(2):
        assert settle([(gold, "a")], TWO) == {(gold, "a"): gold.partition(" ")[0]}
    assert len(asked) == 2


def test_when_there_are_too_many_all_are_forgotten(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "KEPT_PAIRS", 2)
    for prediction in ("a", "b", "c", "a", "c"):  # the third empties the memory, in which a is then kept beside c
        settle([("equal", prediction)], TWO)
    assert [pairs[0][1] for pairs, _, _ in asked] == ["a", "b", "c", "a"]
    remembered.forget()
    settle([("equal", "c")], TWO)
    assert len(asked) == 5


def test_without_workers_nobody_is_asked_and_nothing_kept(asked: Asked) -> None:
    assert settle([("equal", "a")], Patience(workers=0)) == {("equal", "a"): "undecided"}
    assert settle([("equal", "a")], TWO) == {("equal", "a"): "equal"}
    assert len(asked) == 1
