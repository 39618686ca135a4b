"""What symbolic comparison lacks on a platform is told, and nothing is told where it lacks nothing."""

import os
import sys

import pytest
from symbolic_outcomes import compare_symbolically

from grpo_rewards.answers import SymbolicLimits, compare, symbolic_warnings
from grpo_rewards.answers.symbolic.pool import VARIABLE, worker_count

NOT_COMPARED = "Answers that need computer algebra, such as integrals and sums, are not compared and earn no reward."


@pytest.fixture(autouse=True)
def a_linux_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "fork", os.getpid, raising=False)  # any function: it is only looked for


def test_linux_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert symbolic_warnings() == ()
    for value in ("", "3", "two"):  # a comparison raises on "two"
        monkeypatch.setenv(VARIABLE, value)
        assert symbolic_warnings() == ()


@pytest.mark.parametrize("value", ["0", " 0 ", "00"])
def test_no_workers_turn_it_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    (warning,) = symbolic_warnings()
    assert warning.startswith(f"{VARIABLE}={value.strip()} turns symbolic comparison off")
    assert warning.endswith(NOT_COMPARED)


def test_windows_compares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "fork")
    assert symbolic_warnings() == (f"On Windows, no worker process can be started. {NOT_COMPARED}",)
    assert compare_symbolically([("2x", "x*2")], workers=2) == ["undecided"]  # as the warning says
    assert compare(r"\int_0^1 t\,dt", r"\int_0^1 x\,dx").outcome == "not_compared"


def test_a_negative_number_of_workers_is_refused_where_none_are_started_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "fork")
    with pytest.raises(ValueError, match="workers=-1: write 0 or more"):
        worker_count(-1)
    with pytest.raises(ValueError, match="workers=-1"):
        compare(r"\int_0^1 t\,dt", r"\int_0^1 x\,dx", limits=SymbolicLimits(workers=-1))


def test_macos_limits_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert symbolic_warnings() == ("On macOS, a worker process may use any amount of memory until its deadline.",)
