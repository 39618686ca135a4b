"""The rewards of a run, found by name and checked against its problems before a model is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from datasets import Dataset
from transformers import PreTrainedTokenizerBase
from trl import GRPOConfig

from grpo_rewards import Reward, RewardError, check_answers, check_rewards, get_reward
from grpo_rewards.checks.findings import Report
from running.reading import LINE, without_unread
from running.settings import TaskArguments
from running.task import Row, Task

__all__ = ["checked", "load_rewards", "named_rewards"]

RENAMING = " Here, --prompt_column and --answer_column name the data's columns for the task's own two."

EARLIER_PATH, PATH = "running.exam.", "running.evaluation."  # of specs that earlier runs recorded

WRITING = " Here, that is the field right of the recipe's TASK."


def load_rewards(task: Task, script: TaskArguments, training: GRPOConfig) -> list[Reward]:
    """The rewards that are named, or those of the task with its weights; ends the program where one is unknown."""
    if script.reward_funcs is None:
        script.reward_funcs = list(task.rewards)
        training.reward_weights = training.reward_weights or list(task.rewards.values())
    return named_rewards(script.reward_funcs)


def named_rewards(specs: Iterable[str]) -> list[Reward]:
    """The rewards of these specs; ends the program where one is unknown."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # a dotted path may name a module of the folder one works in
    try:
        return [get_reward(_with_path_of_today(spec)) for spec in specs]
    except RewardError as error:
        sys.exit(f"error: {error}")


def _with_path_of_today(spec: str) -> str:
    return PATH + spec.removeprefix(EARLIER_PATH) if spec.startswith(EARLIER_PATH) else spec


def checked(
    rewards: list[Reward],
    problems: Dataset,
    held_out: Dataset,
    script: TaskArguments,
    training: GRPOConfig,
    tokenizer: PreTrainedTokenizerBase,
    *,
    also: Sequence[str] = (),
    right: Callable[[Row], str] | None = None,
    trains: bool = True,
) -> tuple[list[Reward], Dataset, Dataset]:
    """The rewards as this run needs them, and the problems with no more than these and ``also`` read of them.

    A column that nobody reads may have a name that a trainer's own argument has. ``right`` is the task's. Ends the
    program with what would only show after the model was loaded. Where they are trained on, ``trains``, the first
    process also probes the rewards: what they give to reward hacks and to golds.
    """
    handed_on = without_unread(problems, rewards)
    missing = {column for reward in rewards for column in reward.columns}.difference(problems.column_names)
    # what no reward reads is not handed on, and proposed where a column is missing
    names = (problems if missing else handed_on).column_names
    thorough = trains and script.thorough_check and training.process_index == 0
    report = check_rewards(
        rewards, handed_on, columns=names, tokenizer=tokenizer, args=training, thorough=thorough, right=right
    )
    unreadable = {str(one.reward): one.rows for one in report if one.check == "answers" and one.rows}
    if script.allow_unreadable_answers:  # but for data without any answer
        some = [one for one in report.errors if one.check in ("answers", "spellings") and len(one.rows) < len(problems)]
        report.findings = [one for one in report if one not in some]
    try:
        report.raise_for_errors()
    except RewardError as error:
        sys.exit(f"error: {error}" + (RENAMING if missing else ""))
    for finding in report.warnings:
        if finding.check == "lengths":  # only tools could make it right, and a recipe has none
            sys.exit(f"error: {finding}")
    if training.process_index == 0:
        print_findings(report)
    report_unreadable(unreadable, "training", problems, script)
    report_unreadable(check_answers(rewards, held_out.to_dict()), "held-out", held_out, script)
    return report.rewards, *(without_unread(data, report.rewards, also) for data in (problems, held_out))


def print_findings(report: Report) -> None:
    """Prints the warnings, and the notes on what costs a part of what the run could learn.

    Unreadable answers are reported by their lines. No recipe sends rewards to other processes.
    """
    for finding in report:
        if finding.severity in ("warning", "note") and finding.check not in ("answers", "pickling"):
            print(f"{finding.severity}: {finding}" + WRITING * ("right=…" in finding.remedy))


def report_unreadable(
    unreadable: Mapping[str, Sequence[int]], which: str, data: Dataset, script: TaskArguments
) -> None:
    """Names the lines whose answers rewards cannot read, and ends the program unless that is allowed."""
    for name, rows in unreadable.items():
        unit, places = ("lines", data[LINE]) if LINE in data.features else ("rows", range(len(data)))
        row = {column: value for column, value in data[rows[0]].items() if column not in ("prompt", LINE)}
        example = str(row.get("answer", row))[-60:]  # a task's gold need not be one column of that name
        some = f"{unit} {', '.join(str(places[row]) for row in rows[:10])} (e.g. {example!r})"
        problem = f"{name} cannot read the answers of {len(rows)} of {len(data)} {which} problems: {some}"
        if not script.allow_unreadable_answers:
            sys.exit(f"error: {problem}. Mend or remove them, or pass --allow_unreadable_answers.")
        print(f"warning: {problem}. They are scored None and teach nothing.")
