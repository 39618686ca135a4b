"""Where the time of a step goes, by a clock that is set by hand; and when evaluations have stopped to rise."""

import contextlib

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from measuring.clock import Clock
from measuring.parts import in_means
from measuring.timed import is_flat

TABLES = tables_beside(__file__)


class Hands:
    """A clock's hands, which move only when they are told to."""

    def __init__(self):
        self.time = 0.0

    def wait(self, seconds):
        self.time += seconds

    def __call__(self):
        return self.time


def test_every_moment_belongs_to_the_innermost_part():
    hands = Hands()
    clock = Clock(hands)
    clock.begin("optimizer")
    with clock.part("backward"):
        with clock.part("preparing"):
            hands.wait(1)
            with clock.part("generation"):
                hands.wait(10)
            hands.wait(2)
        with clock.part("forward"):
            hands.wait(20)
        hands.wait(40)
    with clock.part("backward"):  # of a second micro-batch
        hands.wait(100)
    hands.wait(5)
    assert clock.end() == {"optimizer": 5, "backward": 140, "preparing": 3, "generation": 10, "forward": 20}


def test_a_part_that_fails_has_ended():
    hands = Hands()
    clock = Clock(hands)
    clock.begin("optimizer")
    with contextlib.suppress(MemoryError), clock.part("forward"):
        hands.wait(1)
        raise MemoryError
    hands.wait(2)
    assert clock.end() == {"forward": 1, "optimizer": 2}


def test_nothing_is_booked_between_steps():
    hands = Hands()
    clock = Clock(hands)
    with clock.part("generation"):  # of an evaluation before the first step
        hands.wait(50)
    clock.begin("optimizer")
    hands.wait(1)
    assert clock.end() == {"optimizer": 1}
    with clock.part("generation"):
        hands.wait(50)
    clock.begin("optimizer")
    assert clock.end() == {"optimizer": 0}


def test_the_mean_step_is_the_sum_of_its_mean_parts_without_the_first():
    found = in_means([{"a": 100.0}, {"a": 1.0, "b": 2.0}, {"a": 3.0}])
    assert found == {"step": 3.0, "parts": {"a": 2.0, "b": 1.0}, "counted": 2}
    assert in_means([{"a": 100.0}])["step"] == 100.0  # there is no other


@each_row("right, flat", TABLES["when_exams_have_stopped_to_rise"])
def test_when_exams_have_stopped_to_rise(right, flat):
    assert is_flat(right) == flat
