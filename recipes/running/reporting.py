"""What a run shows: one short line every few steps, and the curve of its rewards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import ProgressCallback

__all__ = ["ProgressLine", "save_reward_curve"]


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
