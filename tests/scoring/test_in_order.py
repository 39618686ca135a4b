"""Work over several processes: results in order, errors as they were raised, no process started in vain."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pickle import PickleBuffer
from typing import Any

import pytest
from forked_scoring import forked_scoring  # noqa: F401  # a fixture

from grpo_rewards.registry import RewardError
from grpo_rewards.scoring.in_order import in_order


def slow_first(given: int) -> Iterator[tuple[int, int]]:
    """Three results of each, those of every fourth later than all others."""
    for part in range(3):
        time.sleep(0.02 if given % 4 == 0 else 0)
        yield given, part


def who(given: bytes) -> Iterator[tuple[int, Any]]:
    yield os.getpid(), PickleBuffer(given * 2)


class Unportable(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def fails(given: int) -> Iterator[int]:
    if given == 3:
        raise Unportable(1, 2)
    if given == 9:
        raise ZeroDivisionError("by nothing")
    yield given


def dies(given: int) -> Iterator[int]:
    yield os._exit(1) if given == 3 else given


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_the_order_of_the_work(processes: int) -> None:
    expected = [(given, part) for given in range(40) for part in range(3)]
    assert list(in_order(slow_first, range(40), processes)) == expected


@pytest.mark.usefixtures("forked_scoring")
def test_one_piece_of_work_starts_one_process_and_none_starts_none() -> None:
    assert list(in_order(who, [], 4)) == []
    ((process, result),) = in_order(who, [b"x" * 300_000], 4)
    assert process != os.getpid()
    assert bytes(result) == b"x" * 600_000


@pytest.mark.usefixtures("forked_scoring")
def test_work_larger_than_a_pipe_holds_does_not_stop_the_others() -> None:
    pieces = [bytes([at]) * 500_000 for at in range(20)]
    found = list(in_order(who, pieces, 2))
    assert [bytes(result) for _, result in found] == [piece * 2 for piece in pieces]


@pytest.mark.usefixtures("forked_scoring")
def test_what_was_done_before_an_error_is_given_and_the_error_says_where_it_was_raised() -> None:
    seen: list[int] = []
    with pytest.raises(ZeroDivisionError, match="by nothing") as raised:
        seen.extend(in_order(fails, [4, 5, 9], 2))
    assert "in fails" in raised.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Unportable: 1 and 2"):
        list(in_order(fails, [3], 2))


@pytest.mark.usefixtures("forked_scoring")
def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(RewardError, match="a process that scores was killed"):
        list(in_order(dies, range(40), 2))


@pytest.mark.usefixtures("forked_scoring")
def test_no_more_is_read_than_is_soon_done() -> None:
    read = 0

    def given() -> Iterator[int]:
        nonlocal read
        for read in range(1000):  # how far it came
            yield 4 * read

    results = in_order(slow_first, given(), 2)
    next(results)
    assert read < 20
    results.close()  # type: ignore[attr-defined]  # a generator
