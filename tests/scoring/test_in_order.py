"""Work over several processes: results in order, errors as they were raised, no process started in vain."""

import os
import time
from collections.abc import Iterator
from multiprocessing import active_children

import pytest
from forked_scoring import forked_scoring  # noqa: F401  # a fixture

from grpo_rewards.registry import RewardError
from grpo_rewards.scoring.pool import in_order


def slow_first(given: int) -> int:
    """Every fourth result comes later than all others."""
    time.sleep(0.02 if given % 4 == 0 else 0)
    return given


def who(given: bytes) -> tuple[int, bytes]:
    return os.getpid(), given * 2


def fails(given: int) -> int:
    if given == 3:
        raise KeyError("three")
    return given


def dies(given: int) -> int:
    if given == 3:
        os._exit(1)
    return given


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_the_order_of_the_work(processes: int) -> None:
    assert list(in_order(slow_first, range(40), processes)) == list(range(40))


@pytest.mark.usefixtures("forked_scoring")
def test_one_piece_of_work_starts_one_process_and_none_starts_none() -> None:
    assert list(in_order(who, [], 4)) == []
    ((process, result),) = in_order(who, [b"x" * 300_000], 4)
    assert process != os.getpid()
    assert result == b"x" * 600_000


@pytest.mark.usefixtures("forked_scoring")
def test_work_larger_than_a_pipe_holds_does_not_stop_the_others() -> None:
    pieces = [bytes([at]) * 500_000 for at in range(20)]
    found = list(in_order(who, pieces, 2))
    assert [result for _, result in found] == [piece * 2 for piece in pieces]


@pytest.mark.usefixtures("forked_scoring")
def test_who_ends_early_waits_for_no_result_that_is_being_written() -> None:
    results = in_order(who, [bytes(5_000_000)] * 8, 2)
    next(results)
    results.close()  # type: ignore[attr-defined]  # a generator
    for process in active_children():
        process.join(20)
        assert not process.is_alive()


@pytest.mark.usefixtures("forked_scoring")
def test_what_was_done_before_an_error_is_given_and_the_error_says_where_it_was_raised() -> None:
    seen: list[int] = []
    with pytest.raises(KeyError, match="three") as raised:
        seen.extend(in_order(fails, [*range(4, 20), 3], 2))
    assert "in fails" in str(raised.value.__cause__)
    assert seen[:5] == [4, 5, 6, 7, 8]


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
    assert read < 50
    results.close()  # type: ignore[attr-defined]  # a generator
