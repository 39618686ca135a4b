"""Who comes when, what a row may take, and whom the end of a call blames. No worker runs here, and no clock."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from grpo_rewards.answers.symbolic import pool, schedule
from grpo_rewards.answers.symbolic.pool import Found
from grpo_rewards.answers.symbolic.schedule import NextPair, SymbolicLimits, settle, symbolic_seconds

Pair = tuple[str, str]
TWO = SymbolicLimits(deadline=1.0, workers=2)


class Workers:
    """Stands for the workers. What a pair comes to, and how long it takes, is what its prediction says.

    ``clock`` is what time it is; two workers make it go on by half of what a batch takes.
    """

    def __init__(self) -> None:
        self.batches: list[tuple[list[str], float]] = []
        self.clock = 0.0
        self.is_running = False

    @property
    def tried(self) -> list[str]:
        return [gold for golds, _ in self.batches for gold in golds]

    def start(self) -> None:
        if not self.is_running:
            self.clock += 7.0  # a network disk
        self.is_running = True

    def compare(self, pairs: Sequence[Pair], *, deadline: float, workers: int, until: float) -> list[Found]:
        assert workers == 2
        assert len(set(pairs)) == len(pairs)
        self.batches.append(([gold for gold, _ in pairs], deadline))
        found = []
        for _, said in pairs:
            outcome, seconds = said.split()[0], float(said.split()[1])
            one = Found(outcome, seconds) if seconds <= deadline else Found("timeout", deadline)
            self.clock += one.seconds / workers
            found.append(one if self.clock < until else Found("call_timeout"))
        return found


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    schedule.forget()
    stand_in = Workers()
    monkeypatch.setattr(pool, "compare_in_time", stand_in.compare)
    monkeypatch.setattr(pool, "start", stand_in.start)
    monkeypatch.setattr(schedule.time, "monotonic", lambda: stand_in.clock)
    monkeypatch.setattr(schedule.time, "thread_time", lambda: 0.0)
    yield stand_in
    schedule.forget()


class Asking:
    """A row that needs all its pairs, and keeps what it was told."""

    def __init__(self, *pairs: Pair) -> None:
        self.pairs = pairs
        self.told: list[bool | None] = []

    def next_pair(self, known: Mapping[Pair, bool | None]) -> Pair | None:
        self.told = list(known.values())
        return self.pairs[len(known)] if len(known) < len(self.pairs) else None


def rows(*asked: Sequence[str], name: str = "") -> list[Asking]:
    """A row for each list of what its pairs come to; the golds are named by row and place: ``a0``, ``a1``, ``b0``."""
    return [
        Asking(*((f"{name}{chr(97 + row)}{chr(48 + at)}", said) for at, said in enumerate(outcomes)))
        for row, outcomes in enumerate(asked)
    ]


def asked_of(asking: Sequence[Asking]) -> list[NextPair]:
    return [one.next_pair for one in asking]


def test_a_row_is_reported_what_it_asks_for_and_nothing_else(workers: Workers) -> None:
    asking = rows(["equal 0.1", "different 0.1", "undecided 0.1"], ["different 0.1"])
    assert settle(asked_of(asking), TWO, 60) == ["", ""]
    assert [one.told for one in asking] == [[True, False, None], [False]]


def test_a_pair_that_several_rows_need_is_tried_once_and_remembered(workers: Workers) -> None:
    pair = ("x", "equal 0.1")
    asking = [Asking(pair), Asking(("y", "equal 0.1"), pair)]
    assert settle(asked_of(asking), TWO, 60) == ["", ""]
    again = [Asking(pair)]
    assert settle(asked_of(again), TWO, 60) == [""]
    assert sorted(workers.tried) == ["x", "y"]
    assert again[0].told == [True]


@pytest.mark.parametrize(("said", "outcome"), [("equal 5", "timeout"), ("crashed 0.2", "crashed")])
def test_a_row_is_over_at_the_first_pair_that_ends_itself(said: str, outcome: str, workers: Workers) -> None:
    asking = rows(["equal 0.1", said, "equal 0.1", said], ["equal 0.1"], ["different 0.2"])
    for _ in range(2):  # the second time, all is remembered
        assert settle(asked_of(asking), TWO, 60) == [outcome, "", ""]
        assert asking[0].told == [True]
    assert "a2" not in workers.tried
    assert workers.clock < 7 + 2


def test_a_worker_killed_from_outside_ends_the_row_and_is_not_remembered(workers: Workers) -> None:
    for _ in range(2):
        assert settle(asked_of(rows(["worker_killed 0.1"])), TWO, 60) == ["worker_killed"]
    assert workers.tried == ["a0", "a0"]


def test_all_pairs_of_a_row_together_have_four_deadlines(workers: Workers) -> None:
    asking = rows(["equal 0.9"] * 9, ["equal 0.9"] * 4)
    for _ in range(2):  # the time is remembered, too, so that the verdict is the same
        assert settle(asked_of(asking), TWO, 60) == ["timeout", ""]
        assert [len(one.told) for one in asking] == [5, 4]


def test_what_a_row_computes_itself_is_counted(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(schedule.time, "thread_time", lambda: float(next(clock)))  # a second each time
    asking = rows(["equal 0.1"] * 9)
    assert settle(asked_of(asking), TWO, 60) == ["timeout"]
    assert len(asking[0].told) == 3


def test_where_time_is_plenty_nothing_is_tried_twice(workers: Workers) -> None:
    # thirty seconds on two workers are fifteen, a fourth of what there is
    settle(asked_of(rows(*[["equal 5"]] * 29, ["equal 0.7"])), TWO, 60)
    (batch,) = workers.batches
    assert len(batch[0]) == 30


def test_a_row_with_many_pairs_does_not_starve_one_with_few(workers: Workers) -> None:
    settle(asked_of(rows(*[["equal 0.1"] * 30] * 40, ["equal 0.1"])), SymbolicLimits(9.0, 2), 500)
    at = workers.tried.index(chr(97 + 40) + "0")
    assert at <= 40  # before any other has a second turn


def test_what_is_undecided_when_the_call_ends_is_nobodys_fault(workers: Workers) -> None:
    ends = settle(asked_of(rows(*[["equal 9"]] * 300)), TWO, 30)
    assert set(ends) == {"timeout", "call_timeout"}


def test_the_end_of_a_call_is_not_remembered(workers: Workers) -> None:
    asking = rows(*[["equal 0.9"]] * 40)
    assert "call_timeout" in settle(asked_of(asking), TWO, 3)
    assert settle(asked_of(asking), TWO, workers.clock + 100) == [""] * 40
    assert set(workers.tried) == {one.pairs[0][0] for one in asking}


@pytest.mark.parametrize("neighbours", [0, 1, 50], ids=str)
@pytest.mark.parametrize("bombs", [0, 1, 50], ids=str)
@pytest.mark.parametrize("until", [100, 1e9], ids=["hasty", "with time"])
def test_what_a_row_is_reported_does_not_depend_on_its_neighbours(
    neighbours: int, bombs: int, until: float, workers: Workers
) -> None:
    mine = rows(["equal 0.1", "different 0.6"], ["undecided 0.3", "equal 2"], ["equal 0.9"] * 6, name="mine")
    others = rows(*[["equal 0.2", "different 0.4"]] * neighbours, *[["equal 5"]] * bombs)
    ends = settle(asked_of([*others, *mine]), TWO, workers.clock + until)
    assert ends[-3:] == ["", "timeout", "timeout"]
    assert [one.told for one in mine] == [[True, False], [None], [True] * 5]


def test_without_workers_nobody_is_called_and_nothing_kept(workers: Workers) -> None:
    asking = rows(["equal 0.1"])
    assert settle(asked_of(asking), SymbolicLimits(workers=0), 60) == [""]
    assert asking[0].told == []
    assert not workers.is_running


def test_the_time_that_was_waited_is_counted(workers: Workers) -> None:
    before = symbolic_seconds()
    settle(asked_of(rows(["equal 0.8"], ["equal 0.8"])), TWO, 60)
    assert symbolic_seconds() - before == pytest.approx(7.0 + 0.8)  # two workers, at once
    settle(asked_of(rows(["equal 0.8"])), TWO, 60)
    assert symbolic_seconds() - before == pytest.approx(7.8)  # remembered


def test_when_there_are_too_many_all_are_forgotten(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "KEPT_PAIRS", 2)
    asking = rows(*[["equal 0.1"]] * 3)
    for one in (*asking, asking[2], asking[0]):  # the third empties the memory
        settle(asked_of([one]), TWO, 600)
    assert workers.tried == ["a0", "b0", "c0", "a0"]
