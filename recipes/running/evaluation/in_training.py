"""The evaluations of a run: before training, whenever the settings say so, and after."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import Trainer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from grpo_rewards import Reward
from running.evaluation import EVALUATION_FOLDERS, evaluation_folder
from running.evaluation.batched_generation import rows_at_once
from running.evaluation.comparing import for_groups_of, groups_note
from running.evaluation.held_out import Evaluation, answers_each
from running.evaluation.policies import TrainersPolicy
from running.evaluation.summary import difference, reported, title
from running.settings import TaskArguments

__all__ = ["RunEvaluations", "evaluation_of", "require_known_metric"]


def evaluation_of(
    trainer: GRPOTrainer, problems: Dataset, rewards: list[Reward], gold: str, script: TaskArguments
) -> Evaluation:
    """The evaluation that a run's settings describe. Where they do not say how much is generated at once, it is as in
    training, which is known to fit."""
    args = trainer.args
    note = groups_note(rewards, script.eval_samples)
    if note and trainer.is_world_process_zero():
        print(note)
    rows = args.per_device_train_batch_size * args.steps_per_generation
    if script.eval_batch_tokens is not None:
        prompts = TrainersPolicy(trainer).tokens(problems["prompt"])
        rows = rows_at_once(script.eval_batch_tokens, prompts, args.max_completion_length)
    return Evaluation(problems, rewards, gold, script.eval_samples, rows, args.seed, script.eval_greedy)


def require_known_metric(training: GRPOConfig, rewards: Sequence[Reward], script: TaskArguments, gold: str) -> None:
    """Ends the program where the best model is to be chosen by what no evaluation reports."""
    metric = training.metric_for_best_model
    if metric is None or training.eval_strategy == "no":
        return
    sizes = answers_each(script.eval_samples, greedy=script.eval_greedy)
    names = {how: [reward.name for reward in for_groups_of(rewards, size)] for how, size in sizes.items()}
    known = [f"eval_{title(*one)}" for one in reported(names, script.eval_samples, gold)]
    if f"eval_{metric.removeprefix('eval_')}" not in known:
        sys.exit(f"error: --metric_for_best_model {metric}: no evaluation reports it. Known: {', '.join(known)}.")


class RunEvaluations(TrainerCallback):
    """Evaluates as soon as the model is prepared, and in place of the trainer's own evaluation.

    So ``eval_strategy``, ``eval_steps``, ``load_best_model_at_end`` and ``metric_for_best_model`` keep their meaning,
    with ``eval_sampled/boxed_answer`` and the like as metrics. Each evaluation is a file in ``evaluation/`` of the
    output folder, so that a run that was stopped has those that it finished; a run that is resumed with an ``exam/`` of
    an earlier version goes on in that. Those of steps that it will take again are removed.
    """

    def __init__(self, trainer: GRPOTrainer, evaluation: Evaluation, checkpoint: str | None) -> None:
        self.trainer, self.evaluation = trainer, evaluation
        self.policy = TrainersPolicy(trainer)
        output_dir = Path(trainer.args.output_dir)
        self.folder = output_dir / EVALUATION_FOLDERS[0] if checkpoint is None else evaluation_folder(output_dir)
        reached = -1 if checkpoint is None else int(checkpoint.rpartition("-")[2])
        if trainer.is_world_process_zero():
            for name in EVALUATION_FOLDERS:
                for path in (output_dir / name).glob("step-*"):
                    if step_of(path) > reached:
                        path.unlink()
        trainer.add_callback(self)
        trainer.evaluate = self.evaluate

    def taken(self) -> dict[int, Path]:
        """The files of the evaluations so far, by step."""
        return {step_of(path): path for path in sorted(self.folder.glob("step-??????.parquet"))}

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == 0:  # a resumed run has the figures from before training in its folder
            self.evaluate_at(0)

    def evaluate_at(self, step: int) -> dict[str, float]:
        """Evaluates a step, if that was not done yet, and logs the means. Returns what it logs."""
        path = self.folder / f"step-{step:06d}.parquet"
        is_new = not self.policy.firsts(path.is_file())
        self.evaluation.run(self.policy, path, self.trainer.state)
        figures = self.policy.firsts(self.evaluation.figures(path) if self.policy.rank == 0 else None)
        means = {
            f"eval_{title(what, name)}": one["mean"]
            for what, several in figures.items()
            for name, one in several.items()
            if one["mean"] is not None
        }
        if is_new:
            Trainer.log(self.trainer, dict(means))  # TRL's own log would end a step's metrics before the step ends
        return means

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Stands in for the trainer's evaluation, and calls its callbacks."""
        trainer = self.trainer
        means = self.evaluate_at(trainer.state.global_step)
        trainer.control = trainer.callback_handler.on_evaluate(trainer.args, trainer.state, trainer.control, means)
        return means

    def after(self) -> int:
        """Evaluates the policy that training left. Returns the step whose policy that is."""
        args, state = self.trainer.args, self.trainer.state
        best = (
            state.best_model_checkpoint if args.load_best_model_at_end else None
        )  # of the best evaluated step, if saved
        step = state.global_step if best is None else int(best.rpartition("-")[2])
        self.evaluate_at(step)
        return step

    def results(self, step: int) -> dict[str, Any]:
        """All figures of the run, on the first process: before, after, the difference, and every evaluation by step."""
        taken = self.taken()
        if self.policy.rank > 0:
            return {}
        figures = {at: self.evaluation.figures(path) for at, path in taken.items()}
        change = {}
        if 0 in taken:
            change = difference(self.evaluation.by_problem(taken[0]), self.evaluation.by_problem(taken[step]))
        return {
            "problems": len(self.evaluation.problems),
            "samples": self.evaluation.samples,
            "before": figures.get(0, {}),
            "after": figures[step],
            "difference": change,
            "by_step": {str(at): one for at, one in figures.items()},
        }


def step_of(path: Path) -> int:
    return int(path.name.removeprefix("step-").partition(".")[0])
