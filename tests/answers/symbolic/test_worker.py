"""What a pair can do to a worker, and that it harms no other."""

import os
import signal
import time
from pathlib import Path

import pytest
from processes import broker, in_thread, is_at_work, processor_time, wait_until
from symbolic_outcomes import compare_symbolically
from tables import each_row, tables_beside

from grpo_rewards.answers.symbolic import pool as workers
from grpo_rewards.answers.symbolic.pool import compare_in_time

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork no pair is compared")


BOMB = ("x+1", r"(10^{9}+1)!+x")


def test_bombs_among_formulas_are_stopped_and_the_order_is_kept() -> None:
    workers.close()
    pairs = [(f"{i}x", f"x*{i if i % 2 else i + 1}") for i in range(64)]
    for index in (3, 4, 40, 63):
        pairs[index] = (f"x+{index}", BOMB[1])
    outcomes = compare_symbolically(pairs, deadline=0.5, workers=2)
    expected = ["equal" if i % 2 else "different" for i in range(64)]
    for index in (3, 4, 40, 63):
        expected[index] = "timeout"
    assert outcomes == expected
    # half a second of the processor for each of four bombs, and a few to start; minutes if they were left to end
    assert processor_time() < 30


@pytest.mark.usefixtures("decider")
@each_row("action, deadline, outcome", TABLES["a_pair_harms_no_other"])
def test_a_pair_harms_no_other(action: str, deadline: float, outcome: str, capfd: pytest.CaptureFixture[str]) -> None:
    pairs = [("equal", ""), (action, ""), ("different", ""), (action, "again"), ("neither", ""), ("equal", "again")]
    expected = ["equal", outcome, "different", outcome, "undecided", "equal"]
    for count in (1, 2):
        assert compare_symbolically(pairs, deadline=deadline, workers=count) == expected
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("decider")
def test_a_batch_ends_when_it_must_and_blames_nobody() -> None:
    pairs = [("equal", ""), ("spin_in_c", ""), ("spin_in_c", "2"), ("different", "")]
    found = compare_in_time(pairs, deadline=100, workers=1, until=time.monotonic() + 1)
    assert [one.outcome for one in found] == ["equal", "call_timeout", "call_timeout", "call_timeout"]
    assert processor_time() < 30  # a hundred if it were not stopped
    assert compare_symbolically([("equal", "again")], workers=1) == ["equal"]
    gone = compare_in_time(pairs, deadline=1, workers=1, until=time.monotonic())
    assert {one.outcome for one in gone} == {"call_timeout"}


@pytest.mark.usefixtures("decider")
def test_the_processor_time_of_each_pair_is_reported() -> None:
    pairs = [("equal", ""), ("spin_for", "0.3"), ("spin_in_c", ""), ("equal", "2"), ("spin_for", "0.2")]
    found = compare_in_time(pairs, deadline=0.6, workers=1)
    assert [one.outcome for one in found] == ["equal", "equal", "timeout", "equal", "equal"]
    for one, seconds in zip(found, (0.0, 0.3, 0.6, 0.0, 0.2), strict=True):
        assert seconds - 0.2 <= one.seconds <= seconds + 0.2  # other work on the machine blurs what the kernel counts


@pytest.mark.usefixtures("decider")
def test_a_worker_ends_by_itself_where_its_broker_cannot_end_it() -> None:
    # an alarm after 2 s: the kernel keeps it where nothing dies with its parent
    assert compare_symbolically([("has_alarm", "2")], deadline=0.01) == ["equal"]


def test_a_worker_cannot_write_to_files(decider: Path) -> None:
    written = decider.with_name("written")
    assert compare_symbolically([("can_write", str(written))]) == ["different"]
    assert not written.exists() or not written.read_text()


@pytest.mark.usefixtures("decider")
def test_no_pair_leaves_anything_behind_for_another() -> None:
    pairs = [("is_first", str(i)) for i in range(50)]
    assert compare_symbolically(pairs, workers=1) == ["equal"] * 50
    assert compare_symbolically([("grow", ""), ("grown", "")], deadline=10, workers=1) == ["equal", "different"]


@pytest.mark.usefixtures("decider")
def test_any_text_arrives() -> None:
    pairs = [("is_of_length", "x" * 3_000_000), ("is_surrogate", "\ud800"), ("is_of_length", "é" * 3_000_000)]
    assert compare_symbolically(pairs, workers=2) == ["equal"] * 3


@pytest.mark.usefixtures("decider")
def test_processor_time_decides_also_where_the_parent_ignores_or_blocks_the_signal() -> None:
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN), signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])
    try:
        pairs = [("spin_in_c", ""), ("equal", "")]
        assert compare_symbolically(pairs, deadline=0.5, workers=1) == ["timeout", "equal"]
        assert processor_time() < 5  # by the clock it would be stopped after 15 s
    finally:
        workers.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGCHLD, before[1])


@pytest.mark.usefixtures("decider")
def test_a_killed_worker_is_replaced() -> None:
    outcomes: list[str] = []
    pairs = [("sleep", ""), ("equal", "")]
    call = in_thread(lambda: outcomes.extend(compare_symbolically(pairs, deadline=10, workers=1)))
    wait_until(is_at_work)
    broker().children()[0].kill()
    call.join(120)
    assert outcomes == ["worker_killed", "equal"]
