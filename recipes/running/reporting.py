"""What a run shows: one live line in a terminal, plain lines elsewhere, and the curve of its rewards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column
from transformers import TrainerCallback

from running.evaluation.summary import title

__all__ = ["ProgressLine", "save_reward_curve"]


class ProgressLine(TrainerCallback):
    """How a run stands, on the first process, in place of transformers' bar and of its whole log at every step.

    In a terminal it is one line that changes: steps, the mean reward, the share that is right, the last evaluation, the
    share of zero-variance groups, the mean length and the time left; 80 columns have room for all but the length. What
    else is printed meanwhile stands above it. Where standard output is no terminal, and with ``--disable_tqdm true``, a
    plain line is printed every few steps. A step is shown when its table of completions is there, as the next begins.

    Args:
        rewards: the names of all rewards, which a plain line has.
        gold: the name of the one that decides whether an answer is right.
        zero_variance: returns the share of zero-variance groups of the last step, counted; ``None`` if it is not
            known, and TRL's figure is shown as TRL's.
        every: how many steps lie between two plain lines.
        console: where to print; standard output, by default.
    """

    def __init__(
        self,
        rewards: Sequence[str],
        gold: str,
        zero_variance: Callable[[], float | None] = lambda: None,
        every: int = 10,
        console: Console | None = None,
    ) -> None:
        self.rewards, self.gold, self.zero_variance, self.every = rewards, gold, zero_variance, every
        self.console = console or Console()
        self.known: dict[str, float] = {}  # the last value of each figure, for not every log has all of them
        self.waits: dict[str, Any] | None = None  # the last step, which is not shown yet
        self.live: Progress | None = None

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        is_live = self.console.is_terminal and not self.console.is_dumb_terminal and not args.disable_tqdm
        self._show_step(state)
        if self.live is None and is_live and state.is_world_process_zero:
            self.live = in_one_line(self.console)
            self.live.add_task(self._figures(), total=state.max_steps, completed=state.global_step)
            self.live.start()
            # shown, as who ends the process at once, by a second signal say, cannot bring it back
            self.console.show_cursor(True)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.live is not None:
            self.live.update(self.live.task_ids[0], completed=state.global_step)
            if control.should_evaluate:
                self.live.stop()  # an evaluation has a bar of its own

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.live is not None:
            self.live.start()
            self.console.show_cursor(True)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        self._show_step(state)
        self.waits = {**(logs or {}), "step": state.global_step}
        if "reward" not in self.waits:
            self._show_step(state)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._show_step(state)
        self.close()

    def _show_step(self, state: Any) -> None:
        """Shows what was logged last, of a step with its zero-variance groups, which its table has by now."""
        logs, self.waits = self.waits, None
        if logs is None:
            return
        if "reward" in logs:
            logs["zero_variance"] = self.zero_variance()
        self.known |= {name: value for name, value in logs.items() if isinstance(value, int | float)}
        if self.live is not None:
            self.live.update(self.live.task_ids[0], description=self._figures())
        elif state.is_world_process_zero and (line := "   ".join(self._plain_line(state, logs))):
            print(f"step {logs['step']:4d} of {state.max_steps}   {line}", file=self.console.file, flush=True)

    def close(self) -> None:
        """Leaves the live line as it stands; also where a run ends by an exception, of which no callback learns."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def _figures(self) -> str:
        """What is known by now, what matters most first: a narrow terminal cuts the end off."""
        figures = (
            ("reward", "reward", ".3f"),
            (f"rewards/{self.gold}/mean", "right", ".3f"),
            (self._last_evaluation, "eval", ".3f"),
            *self._zero_variance_figure(self.known),
            ("completions/mean_length", "tokens", ".0f"),
        )
        return "  ".join(f"{name} {self.known[key]:{how}}" for key, name, how in figures if key in self.known)

    def _plain_line(self, state: Any, logs: dict[str, Any]) -> Iterator[str]:
        """The parts of a plain line; none where none is due."""
        due = logs["step"] % self.every == 0 or logs["step"] in (1, state.max_steps)
        if "reward" in logs and due:
            for name, key in (("reward", "reward"), *((name, f"rewards/{name}/mean") for name in self.rewards)):
                if logs.get(key) is not None:
                    yield f"{name} {logs[key]:.3f}"
            yield from (f"{name} {logs[key]:{how}}" for key, name, how in self._zero_variance_figure(logs))
            yield f"tokens {logs['completions/mean_length']:.1f}"
        if self._last_evaluation in logs:
            yield f"eval: {self.gold} {logs[self._last_evaluation]:.3f}"

    def _zero_variance_figure(self, logs: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        if logs.get("zero_variance") is not None:
            yield "zero_variance", "zero-var", ".0%"
        elif logs.get("frac_reward_zero_std") is not None:
            yield "frac_reward_zero_std", "TRL's zero-std", ".0%"

    @property
    def _last_evaluation(self) -> str:
        """The name in a log of the last evaluation's share of right samples."""
        return f"eval_{title('sampled', self.gold)}"


def in_one_line(console: Console) -> Progress:
    """A bar between the steps and the figures, which share what the terminal has of width."""
    return Progress(
        MofNCompleteColumn(),
        BarColumn(bar_width=6),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        expand=True,
        refresh_per_second=2,
        speed_estimate_period=600,  # seconds: steps may take minutes
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
