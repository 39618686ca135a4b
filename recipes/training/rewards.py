"""The rewards of a run: found by spec, accepted after ``check_rewards``, and prepared for an evaluation's groups."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from inspect import isfunction
from pkgutil import resolve_name
from typing import Any

from accelerate import PartialState
from datasets import Dataset
from trl import GRPOConfig

from grpo_rewards import Reward, check_answers, get_reward
from grpo_rewards.checks.findings import Report
from grpo_rewards.scoring.work import compares_groups
from training.arguments import ScriptArguments
from training.data import LINE
from training.figures import ks_of

__all__ = ["accepted", "in_evaluations", "load_rewards", "print_once", "read_columns"]


def load_rewards(specs: Iterable[str]) -> list[Any]:
    """The rewards of these specs, which may name modules of the folder one works in; raises ``RewardError``.

    A plain function, as TRL takes it, is found by its module path and stays as it is.
    """
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    return [plain_function(spec) or get_reward(spec) for spec in specs]


def plain_function(spec: str) -> Any:
    """The function at a module path, if there is one and it is no reward of ours."""
    try:
        found = resolve_name(spec) if "." in spec else None
    except (ValueError, ImportError, AttributeError):  # a spec with options, or what get_reward then reports
        return None
    return found if isfunction(found) else None


def read_columns(rewards: Sequence[Any]) -> list[str]:
    """The columns of the data that rewards read; nothing, so that all stay, where one is a plain function as of TRL."""
    if not all(isinstance(reward, Reward) for reward in rewards):
        return []
    return [column.name for reward in rewards for column in reward.read_columns]


def accepted(
    report: Report, train: Dataset, held_out: Dataset, args: ScriptArguments, config: GRPOConfig, **others: Dataset
) -> tuple[list[Any], Dataset, Dataset]:
    """The rewards as a run needs them, with its problems; prints what ``check_rewards`` has to say of them.

    ``others`` are the problems of further evaluations, by their names. Ends the program where a gold cannot be read,
    unless ``allow_unreadable_answers``, and where the best model is to be chosen by a metric that no evaluation has.
    Raises ``RewardError`` for the report's other errors.
    """
    unreadable = {str(one.reward): one.rows for one in report if one.check == "answers" and one.rows}
    if args.allow_unreadable_answers:  # but for data without any answer
        some = [one for one in report.errors if one.check in ("answers", "spellings") and len(one.rows) < len(train)]
        report.findings = [one for one in report if one not in some]
    report.raise_for_errors()
    for finding in report:
        if finding.check == "lengths" and finding.severity == "warning":  # right for tools alone, and here are none
            sys.exit(f"error: {finding}")
        if finding.severity in ("warning", "note") and finding.check != "answers":
            print_once(f"{finding.severity}: {finding}")
    report_unreadable(unreadable, "training", train, args.allow_unreadable_answers)
    for name, data in {"held-out": held_out, **others}.items():
        report_unreadable(check_answers(report.rewards, data.to_dict()), name, data, args.allow_unreadable_answers)
    titles = [f"sampled/{reward.name}" for reward in in_evaluations(report.rewards)]
    titles += [*(f"pass@{k}" for k in ks_of(args.eval_samples)), f"maj@{args.eval_samples}"]
    known = [f"eval_{prefix}{title}" for prefix in ("", *(f"{name}/" for name in others)) for title in titles]
    metric = config.metric_for_best_model if config.eval_strategy != "no" else None
    if metric is not None and f"eval_{metric.removeprefix('eval_')}" not in known:
        sys.exit(f"error: --metric_for_best_model {metric}: no evaluation reports it. Known: {', '.join(known)}.")
    train, held_out = (data.remove_columns(LINE) if LINE in data.column_names else data for data in (train, held_out))
    return report.rewards, train, held_out


def report_unreadable(found: Mapping[str, Sequence[int]], which: str, data: Dataset, allowed: bool) -> None:
    """Names the lines whose answers rewards cannot read, and ends the program unless that is allowed."""
    for name, rows in found.items():
        unit, places = ("lines", data[LINE]) if LINE in data.column_names else ("rows", range(len(data)))
        row = {column: value for column, value in data[rows[0]].items() if column not in ("prompt", LINE)}
        example = str(row.get("answer", row))[-60:]  # a recipe's gold need not be one column of that name
        some = f"{unit} {', '.join(str(places[row]) for row in rows[:10])} (e.g. {example!r})"
        problem = f"{name} cannot read the answers of {len(rows)} of {len(data)} {which} problems: {some}"
        if not allowed:
            sys.exit(f"error: {problem}. Mend or remove them, or pass --allow_unreadable_answers.")
        print_once(f"warning: {problem}. They are scored None and teach nothing.")


def print_once(text: str) -> None:
    """Prints a line on the first of all processes."""
    if text and PartialState().is_main_process:
        print(text)


def in_evaluations(rewards: Sequence[Any]) -> list[Reward]:
    """Those that an evaluation reports: neither plain functions, as TRL takes them, nor any that compare completions.

    A comparison with the other answers to the same problem says nothing of how one policy stands beside another.
    """
    return [reward for reward in rewards if isinstance(reward, Reward) and not compares_groups(reward)]
