"""What a recipe keeps of a run while it goes on: its log, and its report where that can be made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")
pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")

from reported_runs import leave
from running import kept_report
from running.kept_report import KeptReport, save_report
from transformers import TrainerState


def state_of(folder: Path) -> TrainerState:
    log = json.loads((folder / "trainer_state.json").read_text())["log_history"]
    return TrainerState(global_step=len(log), log_history=log, is_world_process_zero=True)


def test_the_log_is_there_at_once_and_the_report_when_it_is_due(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    state, kept, args = state_of(folder), KeptReport(), SimpleNamespace(output_dir=str(folder))
    (folder / "trainer_state.json").unlink()
    kept.on_log(args, state, None)
    assert state_of(folder).log_history == state.log_history
    assert not (folder / "report.html").exists()
    assert kept.log_due > 0
    kept.report_due = 0.0
    kept.on_log(args, state, None)
    assert "<title>run" in (folder / "report.html").read_text()
    assert kept.report_due > 0
    assert not list(folder.glob(".*"))


def test_other_processes_write_nothing(tmp_path: Path) -> None:
    KeptReport().on_log(SimpleNamespace(output_dir=str(tmp_path)), TrainerState(is_world_process_zero=False), None)
    assert list(tmp_path.iterdir()) == []


def test_a_run_does_not_fail_for_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = leave(tmp_path / "run")
    (folder / "report.html").mkdir()  # cannot be replaced by a file
    save_report(folder, state_of(folder))
    assert "report.html was not written" in capsys.readouterr().out
    shutil.rmtree(folder / "report.html")
    monkeypatch.setattr(kept_report, "find_spec", lambda name: None)
    save_report(folder, state_of(folder))
    assert capsys.readouterr().out.count("\n") == 1
    assert not (folder / "report.html").exists()
