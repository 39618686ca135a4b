"""What a run shows: one short line every few steps, the curve of its rewards, and its report, also while it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformers import ProgressCallback, TrainerCallback, TrainerState

__all__ = ["KeptReport", "ProgressLine", "save_report", "save_reward_curve"]

LOG_EVERY, REPORT_EVERY = 5.0, 60.0  # seconds at least, and
SHARE_OF_TIME = 50  # no more than a fiftieth of the run's time for either


class ProgressLine(ProgressCallback):
    """The progress bar, and in place of the whole log at every step the rewards and the length every few steps."""

    def __init__(self, rewards: Sequence[str], every: int = 10) -> None:
        super().__init__()
        self.rewards = rewards
        self.every = every

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        due = state.global_step % self.every == 0 or state.global_step in (1, state.max_steps)
        if self.training_bar is None or not logs or "reward" not in logs or not due:
            return
        shown = {"reward": logs["reward"], **{name: logs.get(f"rewards/{name}/mean") for name in self.rewards}}
        parts = [f"{name} {value:.3f}" for name, value in shown.items() if value is not None]
        self.training_bar.write(
            f"step {state.global_step:4d}   {'   '.join(parts)}   tokens {logs['completions/mean_length']:.1f}"
        )


def save_reward_curve(log_history: Sequence[dict[str, Any]], rewards: Sequence[str], path: Path) -> None:
    """Draws the total reward and each reward's mean by step; writes nothing where nothing was logged."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    logs = [log for log in log_history if "reward" in log]
    if not logs:
        return
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name, key, width in [
        ("reward (weighted sum)", "reward", 2.4),
        *((r, f"rewards/{r}/mean", 1.4) for r in rewards),
    ]:
        points = [(log["step"], log[key]) for log in logs if log.get(key) is not None]
        axes.plot(*zip(*points, strict=True), label=name, linewidth=width, marker="." if len(points) < 5 else None)
    axes.set(xlabel="step", ylabel="mean over the batch", title="Reward and its parts")
    axes.grid(alpha=0.3)
    axes.legend(loc="best", frameon=False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


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
        print(f"No report.html, which needs {missing}: pip install 'grpo-rewards[report]', then grpo-rewards report.")
        return
    from grpo_rewards.report import write_report

    try:
        write_report([folder], folder / "report.html")
    except OSError as error:
        print(f"report.html was not written: {error}")
