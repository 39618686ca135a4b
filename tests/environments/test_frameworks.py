"""The weekly run of the programs that call rewards: it tries those that there are, and does not pass by trying none."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import frameworks
import pytest
from fresh_environments import CommandFailed
from places import ROOT

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")


def test_the_weekly_workflow_names_programs_that_there_are() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["programs"]
    assert (
        {"verl", "swift", "verifiers", "lm_eval"} <= {*job["strategy"]["matrix"]["program"]} <= {*frameworks.FRAMEWORKS}
    )
    assert job["steps"][-1]["run"] == "python tests/environments/frameworks.py --required ${{ matrix.program }}"
    assert "schedule" in workflow[True]  # as YAML 1.1 reads "on"


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--required"], 1)])
@pytest.mark.parametrize("why", ["it cannot be installed", "no time is left"])
def test_what_cannot_be_tried_is_a_failure_where_it_is_required(
    why: str, options: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def environment(name: str) -> Any:
        raise CommandFailed("No matching distribution found for verl==0.9.1")

    @contextmanager
    def workplace() -> Iterator[Any]:
        yield SimpleNamespace(wheel=lambda: Path("some.whl"), environment=environment)

    monkeypatch.setattr(frameworks, "workplace", workplace)
    monkeypatch.setattr(frameworks, "BUDGET", -1.0 if why == "no time is left" else 1e9)
    assert frameworks.main([*options, "verl"]) == status
    assert "verl was NOT TRIED" in capsys.readouterr().out


def test_a_program_that_is_not_known_is_refused() -> None:
    with pytest.raises(SystemExit, match="2"):
        frameworks.main(["--required", "swfit"])
