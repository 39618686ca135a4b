"""The report of a run in its folder, at its end and while it runs, and the log that it is made of."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerState

from grpo_rewards.installing import how_to_install

__all__ = ["KeptReport", "save_report"]

LOG_EVERY, REPORT_EVERY = 5.0, 60.0  # seconds at least, and
SHARE_OF_TIME = 50  # no more than a fiftieth of the run's time for either


class KeptReport(TrainerCallback):
    """Keeps the log in ``trainer_state.json`` and the run so far in ``report.html``, on the first process.

    The log of every step is there before a checkpoint has it, which ``grpo-rewards watch`` shows.
    """

    def __init__(self) -> None:
        self.log_due, self.report_due = 0.0, time.monotonic() + REPORT_EVERY

    def on_log(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        began = time.monotonic()
        if began >= self.log_due:
            keep_log(state, Path(args.output_dir))
            self.log_due = _after(began, LOG_EVERY)
        if began >= self.report_due and not _missing():
            save_report(Path(args.output_dir), state)
            self.report_due = _after(began, REPORT_EVERY)


def _after(began: float, least: float) -> float:
    now = time.monotonic()
    return now + max(least, SHARE_OF_TIME * (now - began))


def keep_log(state: TrainerState, folder: Path) -> None:
    """Writes the trainer's state, which holds the log, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / ".trainer_state.json.part"
    state.save_to_json(str(part))
    part.replace(folder / "trainer_state.json")


def _missing() -> str | None:
    return next((name for name in ("jinja2", "plotly") if find_spec(name) is None), None)


def save_report(folder: Path, state: TrainerState) -> None:
    """Writes ``report.html``, or says in a line why there is none: a run does not fail for it."""
    keep_log(state, folder)
    if missing := _missing():
        print(f"No report.html, which needs {missing}: {how_to_install('report')}, then grpo-rewards report.")
        return
    from grpo_rewards.report import write_report

    try:
        write_report([folder], folder / "report.html")
    except OSError as error:
        print(f"report.html was not written: {error}")
