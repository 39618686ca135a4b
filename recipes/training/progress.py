"""What a run shows while it trains, and what it leaves: a live line or plain lines, the log, the report, figures."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from tqdm.auto import tqdm
from transformers import PrinterCallback, ProgressCallback, TrainerCallback, TrainerState
from trl import GRPOTrainer

from grpo_rewards import Reward
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.report import write_report
from training.figures import table

__all__ = ["LogCallback", "ProgressLine", "announce", "end", "save_results"]


def announce(trainer: GRPOTrainer, note: str = "") -> None:
    """Prints what is about to be trained, on what and for how long; ``ProgressLine`` then shows how it stands.

    transformers' own bar and its printed logs are removed.
    """
    for kind in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(kind)
    args = trainer.args
    steps = f"{args.max_steps} steps" if args.max_steps > 0 else f"{args.num_train_epochs:g} epochs"
    size = sum(one.numel() for one in trainer.accelerator.unwrap_model(trainer.model).parameters())
    if trainer.is_world_process_zero():
        print(
            f"Running on {args.device.type} with world size {args.world_size}: {size:,} parameters, {steps} on "
            f"{len(trainer.train_dataset):,} problems. {note}".rstrip()
        )


class ProgressLine(TrainerCallback):
    """How a run stands, on the first process, in place of transformers' whole log at every step.

    In a terminal it is a bar with the mean reward, the share that is right, the last evaluation, the share of
    zero-variance groups and the mean length. Where standard output is no terminal, and with ``--disable_tqdm true``, a
    plain line is printed every few steps. A step is shown when its table of completions is there, as the next begins.

    Args:
        rewards: all rewards, which a plain line has.
        correct: the name of the one that decides whether an answer is right.
        monitor: counts the zero-variance groups of the last step, where there is a table of its completions.
        every: how many steps lie between two plain lines.
    """

    def __init__(
        self, rewards: Sequence[Reward], correct: str, monitor: RewardMonitor | None = None, every: int = 10
    ) -> None:
        self.rewards = [one.__name__ for one in rewards]
        self.correct, self.monitor, self.every = correct, monitor, every
        self.last_evaluation = f"eval_sampled/{correct}"
        self.known: dict[str, float] = {}  # the last value of each figure, for not every log has all of them
        self.shown = 0  # how many entries of the log were shown
        self.bar: Any = None  # while a run trains in a terminal

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.shown = len(state.log_history)  # a resumed run has those from before
        if state.is_world_process_zero and sys.stdout.isatty() and not args.disable_tqdm:
            self.bar = tqdm(total=state.max_steps, initial=state.global_step, dynamic_ncols=True)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Shows what was logged last; of a step with its zero-variance groups, for its table is there by now."""
        new, self.shown = state.log_history[self.shown :], len(state.log_history)
        for logs in new if state.is_world_process_zero else ():
            self._show(logs, state.max_steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.bar is not None:
            self.bar.update()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.on_step_begin(args, state, control)
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def _show(self, logs: Mapping[str, Any], steps: int) -> None:
        if "reward" in logs and self.monitor is not None:
            logs = {**logs, "zero_variance": self.monitor.zero_variance}
        self.known |= {name: value for name, value in logs.items() if isinstance(value, int | float)}
        due = "reward" in logs and (logs["step"] % self.every == 0 or logs["step"] in (1, steps))
        if self.bar is not None:
            self.bar.set_postfix_str("  ".join(self._figures(self.known)))
        elif due or self.last_evaluation in logs:
            print(f"step {logs['step']:4d} of {steps}   {'   '.join(self._figures(logs))}", flush=True)

    def _figures(self, known: Mapping[str, Any]) -> Iterator[str]:
        """What is known, what matters most first: a narrow terminal cuts the end off."""
        for key, name, how in (
            ("reward", "reward", ".3f"),
            *((f"rewards/{name}/mean", name, ".3f") for name in self.rewards),
            (self.last_evaluation, f"eval: {self.correct}", ".3f"),
            ("zero_variance", "zero-var", ".0%"),
            ("completions/mean_length", "tokens", ".1f"),
        ):
            if known.get(key) is not None:
                yield f"{name} {known[key]:{how}}"


class LogCallback(TrainerCallback):
    """Keeps the log in ``trainer_state.json`` while a run trains, for ``grpo-rewards watch``; at most every 5 s."""

    due = 0.0

    def on_log(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        if state.is_world_process_zero and time.monotonic() >= self.due:
            part = Path(args.output_dir) / ".trainer_state.json.part"
            part.parent.mkdir(parents=True, exist_ok=True)
            state.save_to_json(str(part))
            part.replace(part.with_name("trainer_state.json"))  # whole or not at all
            self.due = time.monotonic() + 5


def save_results(trainer: GRPOTrainer, results: Mapping[str, Any]) -> None:
    """Writes ``eval.json`` and the report, and prints the figures before and after, on the first process."""
    if not trainer.is_world_process_zero():
        return
    folder = Path(trainer.args.output_dir)
    (folder / "eval.json").write_text(json.dumps(results, indent=2))  # it marks a run as finished
    held_out = {name: results[name] for name in ("before", "after", "difference") if name in results}
    print(f"\n{table(held_out, results['samples'])}\n" if held_out else "\nNo held-out problems were evaluated.\n")
    trainer.save_state()  # which holds the log
    write_report([folder], folder / "report.html")
    print(f"Model, report.html, eval.json, evaluation/ and completions/ are in {folder}.")


def end(accelerator: Accelerator) -> None:
    """Ends all processes together.

    Gloo's thread releases the tensors of the last collective a moment after it is done, for which it needs Python's
    lock; a process that is already tearing its group down holds that lock and would wait for the thread for ever.
    """
    accelerator.wait_for_everyone()
    if accelerator.num_processes > 1:
        time.sleep(0.5)
    accelerator.end_training()
