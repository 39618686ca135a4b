"""The table on another tool's cases counts what it says it counts, on three made-up ones."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from quick_probes import with_quick_probes  # noqa: F401  # a fixture

pytest.importorskip("trl", reason="trl is not installed")


def case(completion: str, expect: bool, attack: str | None = None) -> Any:
    return SimpleNamespace(
        id=completion, completion=completion, reference="4", expect=expect, attack=attack, why="made up"
    )


@pytest.mark.usefixtures("with_quick_probes")
def test_what_is_accepted_refused_and_attacked_is_counted(
    script: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def contains(completion: str, reference: str) -> float:
        return float(reference in completion)

    cases = [case("The answer is 4.", True), case("It is four.", True), case("The answer is not 4.", False, "denial")]
    tool = SimpleNamespace(load=lambda: cases, REFERENCE_VERIFIERS={"contains": contains}, __version__="0")
    monkeypatch.setitem(sys.modules, "reward_doctor", tool)
    script("grader_cases").main(["--show", "its `contains`"])
    lines = capsys.readouterr().out.splitlines()
    assert "| its `contains` | 1 (100%) | 1 (50%) | denial |" in lines
    assert "| boxed_answer | 0 (0%) | 2 (100%) | none |" in lines
    (measured,) = [line for line in lines if line.startswith("| contains |")]
    assert measured.endswith("of 37 |")
    assert "| boxed_answer | 0.0% | 0.0% | 0 of 37 |" in lines
    assert lines[-2:] == [f"its `contains`: {one}: '4': made up" for one in ("It is four.", "The answer is not 4.")]
