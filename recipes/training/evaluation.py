"""Evaluations on held-out problems, before training, in its course and after it, by the policy's own generation."""

import random
from collections import defaultdict
from collections.abc import Sequence
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import torch
from accelerate.utils import broadcast_object_list, gather_object
from datasets import Dataset
from tqdm.auto import tqdm
from transformers import Trainer, TrainerCallback
from trl import GRPOTrainer

from grpo_rewards import Reward
from training.arguments import ScriptArguments
from training.figures import ByProblem, Figures, by_problem, by_title, difference, figures
from training.rewards import in_evaluations, print_once

__all__ = ["Answer", "Evaluation", "Policy", "generate_answers", "scored"]

ANSWERS_A_CALL = 64  # about a batch of training: a call of thousands would share one budget of time
KEPT = (str, int, float, bool, list)  # what a table can hold of a data set's columns
Messages = list[dict[str, Any]]
Batch = list[tuple[int, int]]  # of rows: which problem, and which of its samples


class Answer(NamedTuple):
    """What a policy generated: its token ids, and the messages that a reward reads."""

    ids: list[int]
    completion: Messages


class Policy:
    """The policy that a trainer trains, which the trainer itself lets generate.

    So the chat template and its arguments, the sampling settings, the tokens that end an answer, vLLM where it is used,
    and sharded weights are those of training; only the model is in evaluation mode, without dropout. A batch has a
    generator of its own; vLLM has its own, which no seed of ours reaches. Tools are called; for a trainer with
    environments use its own evaluation, as recipes/calculator.py does.
    """

    def __init__(self, trainer: GRPOTrainer) -> None:
        self.trainer = trainer
        self.rank: int = trainer.accelerator.process_index
        self.processes: int = trainer.accelerator.num_processes

    def tokens(self, prompts: Sequence[Messages]) -> list[list[int]]:
        """The token ids of each prompt, as the template renders it."""
        ids: list[list[int]] = self.trainer._tokenize_prompts(list(prompts))[0]
        return ids

    def answers(self, prompts: Sequence[Messages], seed: int) -> list[Answer]:
        """One answer to each prompt. All processes call it as often, with as many prompts."""
        trainer, device = self.trainer, self.trainer.args.device
        before = trainer.model.training, trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to
        # what TRL notes and reports of these answers is not the run's
        trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to = defaultdict(list), 1, []
        if trainer.tools:  # which TRL hands out where it makes a training batch; an environment it makes there is not
            tools: dict[bool, dict[str, Any]] = {False: {}, True: {}}
            for tool in trainer.tools:
                tools[iscoroutinefunction(tool)][tool.__name__] = tool
            trainer._sync_tool_dicts = [tools[False]] * len(prompts)
            trainer._async_tool_dicts = [tools[True]] * len(prompts)
        others, kind = ([], "cuda") if device.type == "cpu" else ([device], device.type)
        trainer.model.eval()
        try:
            with torch.random.fork_rng(others, device_type=kind):  # no later step of training changes
                torch.manual_seed(seed)
                # in this order: the prompts' ids, the completions', the mask of tools, the completions
                _, ids, _, completions, *_ = trainer._generate(list(prompts))
        finally:
            trainer.model.train(before[0])
            _, trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to = before
        return [Answer(list(one), messages) for one, messages in zip(ids, completions, strict=True)]

    def everyones(self, mine: list[Any]) -> list[Any]:
        """What all processes have, in the order of their ranks."""
        found: list[Any] = gather_object(mine)
        return found

    def firsts(self, value: Any) -> Any:
        """What the first process has."""
        return broadcast_object_list([value])[0] if self.processes > 1 else value


def generate_answers(
    policy: Policy, prompts: Sequence[Messages], samples: int, rows: int, seed: int
) -> list[list[Answer]]:
    """The answers to each prompt, ``samples`` of them; all processes get them all.

    Batches do not depend on the number of processes, and each has its own seed: so the answers do not, either. All
    processes generate as often, with as many rows, as sharded weights need it.
    """
    batches = batched([len(ids) for ids in policy.tokens(prompts)], samples, rows)
    found: dict[tuple[int, int], Answer] = {}
    rounds = range(0, len(batches), policy.processes)
    for start in tqdm(rounds, desc="evaluation", disable=policy.rank > 0 or not batches, leave=False):
        # the last round may have fewer batches than there are processes: some repeat one, which counts once
        number = min(start + policy.rank, len(batches) - 1)
        first_problem, first_sample = batches[number][0]
        name = f"{seed}, sampled, problem {first_problem}, sample {first_sample}"
        batch_seed = random.Random(name).getrandbits(62)
        answers = policy.answers([prompts[problem] for problem, _ in batches[number]], batch_seed)
        for at, several in policy.everyones([(number, answers)]):
            for row, answer in zip(batches[at], several, strict=True):
                found.setdefault(row, answer)  # of a row that was generated twice the first counts
    return [[found[problem, sample] for sample in range(samples)] for problem in range(len(prompts))]


def batched(lengths: Sequence[int], samples: int, rows: int) -> list[Batch]:
    """All rows in batches of one size, at most ``rows``.

    The longest prompts come first, so that too little memory shows at once. The last batch is filled up with its own
    rows again, fewer than there are batches.
    """
    order = sorted(range(len(lengths)), key=lambda problem: -lengths[problem])
    everything = [(problem, sample) for problem in order for sample in range(samples)]
    if not everything:
        return []
    size = -(-len(everything) // -(-len(everything) // rows))
    batches = [everything[start : start + size] for start in range(0, len(everything), size)]
    last = batches[-1]
    batches[-1] = [last[place % len(last)] for place in range(size)]
    return batches


class Evaluation(TrainerCallback):
    """Has the policy of a trainer answer held-out problems, and keeps every answer with each reward's verdict.

    As a callback of the trainer it evaluates as soon as the model is prepared, and it takes the place of the trainer's
    own evaluation: so ``eval_strategy``, ``eval_steps``, ``load_best_model_at_end`` and ``metric_for_best_model`` keep
    their meaning, with ``eval_sampled/boxed_answer`` and the like as metrics. A trainer may have several, with names.

    Args:
        trainer: whose policy answers.
        problems: held out, with the prompt and the columns that the rewards read.
        rewards: those that train; plain functions and those that compare the answers to a problem are not reported.
        correct: the name of the one that decides whether an answer is right.
        script_args: how many samples a problem has, and how many answers are generated at once.
        name: of these problems, where there are several evaluations.
    """

    def __init__(
        self,
        trainer: GRPOTrainer,
        problems: Dataset,
        rewards: Sequence[Reward],
        correct: str,
        script_args: ScriptArguments,
        *,
        name: str = "",
    ) -> None:
        args = trainer.args
        self.trainer, self.problems, self.correct = trainer, problems, correct
        self.policy, self.samples, self.seed = Policy(trainer), script_args.eval_samples, args.seed
        self.prefix = f"{name}/" if name else ""
        self.scored_by = in_evaluations(rewards)
        self.rows = args.per_device_train_batch_size * args.steps_per_generation  # as in training, which fits
        if script_args.eval_batch_tokens is not None:
            longest = max(map(len, self.policy.tokens(problems["prompt"])), default=0) + args.max_completion_length
            self.rows = max(script_args.eval_batch_tokens // longest, 1)
        self.folder = Path(args.output_dir) / "evaluation" / name
        self.earlier = getattr(trainer.evaluate, "__self__", None)  # another evaluation, or the trainer itself
        if others := ", ".join(reward.__name__ for reward in rewards if reward not in self.scored_by):
            print_once(f"{others}: trains, and the evaluation does not report it.")

    def attach(self) -> None:
        """Takes the place of the trainer's own evaluation."""
        self.trainer.callback_handler.callbacks.append(self)  # add_callback warns of a second one of a class
        self.trainer.evaluate = self.evaluate

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.policy.rank == 0:
            for path in self.folder.glob("step-*"):
                if step_of(path) > state.global_step or state.global_step == 0:
                    path.unlink()
        if state.global_step == 0:  # a resumed run has the figures from before training in its folder
            self.evaluate_at(0)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step >= state.max_steps and not args.load_best_model_at_end:
            self.evaluate_at(state.global_step)  # before what reports the log ends with the training

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Stands in for the trainer's evaluation, and calls its callbacks."""
        trainer, means = self.trainer, self.evaluate_at(self.trainer.state.global_step)
        if isinstance(self.earlier, Evaluation):
            return means | self.earlier.evaluate()
        trainer.control = trainer.callback_handler.on_evaluate(trainer.args, trainer.state, trainer.control, means)
        return means

    def evaluate_at(self, step: int) -> dict[str, float]:
        """Evaluates a step, if that was not done yet, and logs the means. Returns what it logs."""
        if not len(self.problems):
            return {}
        path = self.folder / f"step-{step:06d}.parquet"
        is_new = self.run(path)
        found = self.policy.firsts(self.figures(path) if self.policy.rank == 0 else None)
        means = {f"eval_{self.prefix}{name}": one["mean"] for name, one in by_title(found) if one["mean"] is not None}
        if is_new:
            Trainer.log(self.trainer, dict(means))  # TRL's own log would end a step's metrics before the step ends
        return means

    def run(self, path: Path) -> bool:
        """Generates all answers and writes the table of their scores, a parquet file, unless it is there; is it new?"""
        if self.policy.firsts(path.is_file()):
            return False
        prompts = list(self.problems["prompt"])
        answers = generate_answers(self.policy, prompts, self.samples, self.rows, self.seed)
        if self.policy.rank == 0:
            found = scored(self.problems, answers, self.scored_by, self.correct, self.trainer.state)
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial.parquet")
            found.to_parquet(partial)
            partial.replace(path)  # in one step: what is there is whole
        return True

    def figures(self, path: Path) -> Figures:
        """The figures of an evaluation that was run."""
        beyond = [one.name for one in self.scored_by if one.range and not 0 <= one.range[0] <= one.range[1] <= 1]
        return figures(self.by_problem(path), beyond)

    def by_problem(self, path: Path) -> ByProblem:
        """The figures of each of its problems, by which two evaluations are compared."""
        names = [reward.name for reward in self.scored_by]
        return by_problem(pandas.read_parquet(path), names, self.correct)

    def results(self) -> dict[str, Any]:
        """Evaluates the policy that training left, and returns all figures of the run, on the first process.

        With ``load_best_model_at_end`` that is the policy of the best evaluated step.
        """
        args, state = self.trainer.args, self.trainer.state
        best = state.best_model_checkpoint if args.load_best_model_at_end else None
        step = state.global_step if best is None else int(best.rpartition("-")[2])
        self.evaluate_at(step)
        head = {"steps": state.global_step, "problems": len(self.problems), "samples": self.samples}
        if self.policy.rank > 0 or not len(self.problems):
            return head
        taken = {step_of(path): path for path in sorted(self.folder.glob("step-??????.parquet"))}
        found = {at: self.figures(path) for at, path in taken.items()}
        change = difference(self.by_problem(taken[0]), self.by_problem(taken[step])) if 0 in taken else {}
        return {
            **head,
            "before": found.get(0, {}),
            "after": found[step],
            "difference": change,
            "by_step": {str(at): one for at, one in found.items()},
        }


def step_of(path: Path) -> int:
    return int(path.name.removeprefix("step-").partition(".")[0])


def scored(
    problems: Dataset, answers: Sequence[Sequence[Answer]], rewards: Sequence[Reward], correct: str, state: Any
) -> pandas.DataFrame:
    """A table of all answers with their verdicts; there are as many answers to each problem.

    Columns: ``step``, ``how``, ``problem``, ``sample``; the ``prompt``'s last turn, the ``completion``'s text and its
    ``tokens``; the problem's own columns that have other names; for each reward its number under its name, and what it
    logs, such as ``boxed_answer/reason`` and ``boxed_answer/prediction``; and ``solved``, whether the reward
    ``correct`` gave the most that it can give, which is ``None`` where it could not score. Rewards are called with
    whole problems.
    """
    samples = len(answers[0])
    flat = [answer for several in answers for answer in several]
    rows = [row for row in problems for _ in range(samples)]
    table = []
    for at, (row, answer) in enumerate(zip(rows, flat, strict=True)):
        found = {"step": state.global_step, "how": "sampled", "problem": at // samples, "sample": at % samples}
        found |= {"prompt": row["prompt"][-1]["content"], "completion": answer.completion[-1].get("content")}
        found |= {"tokens": len(answer.ids)}
        own = {name: value for name, value in row.items() if isinstance(value, KEPT)}
        table.append({**found, **own, **found})  # whatever the data call their columns
    verdicts: dict[str, list[Any]] = defaultdict(list)
    at_once = max(ANSWERS_A_CALL // samples, 1) * samples
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        for name, values in verdicts_of(rows[part], flat[part], rewards, state).items():
            verdicts[name] += values
    most = {reward.name: reward.range[1] if reward.range else 1.0 for reward in rewards}
    if correct in most:
        verdicts["solved"] = [None if value is None else value >= most[correct] for value in verdicts[correct]]
    return pandas.DataFrame(table).assign(**verdicts)


def verdicts_of(
    rows: Sequence[dict[str, Any]], answers: Sequence[Answer], rewards: Sequence[Reward], state: Any
) -> dict[str, list[Any]]:
    """By column the verdicts of rewards on answers to these rows, each called as a trainer calls it."""
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
    found: dict[str, list[Any]] = {}
    for reward in rewards:
        found[reward.name] = list(
            reward(
                [answer.completion for answer in answers],
                prompts=[row["prompt"] for row in rows],
                completion_ids=[answer.ids for answer in answers],
                trainer_state=state,
                log_extra=lambda column, values: found.update({column: list(values)}),
                **columns,
            )
        )
    return found
