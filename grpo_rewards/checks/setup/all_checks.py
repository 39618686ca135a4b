"""``check_rewards``: what one run's rewards need, looked at before a model is loaded."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.checks.findings import Finding, Report, Severity, some_rows
from grpo_rewards.checks.reward.problems import columns_of
from grpo_rewards.checks.setup.names import (
    check_columns,
    is_called,
    logged_name,
    prompt_column,
    read_by,
    with_distinct_names,
)
from grpo_rewards.checks.setup.sizes import batches, length_limits, with_group_size
from grpo_rewards.checks.setup.template import check_tools, environments_of, with_template, with_tokenizer
from grpo_rewards.checks.setup.trials import (
    PlainFunction,
    as_list,
    check_answers,
    pickling,
    probe_findings,
    tool_output_findings,
)
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import listed, nearest_column, shown
from grpo_rewards.registry.interface import leaves
from grpo_rewards.registry.names import COMPOSERS

__all__ = [
    "check_rewards",
]

KINDS_SHOWN = 3  # of golds that cannot be read
UNREADABLE_REMEDY = "Mend or remove them: they are scored None and teach nothing."
SPELLED_REMEDY = (
    "Only the same spelling earns a reward there, and all else is scored None: put the answer alone into the column, "
    "or leave the rows out."
)
# Checks whose errors leave the rows as they are, so that these can be looked at all the same.
WITH_ROWS = ("arguments", "batches", "columns", "prompts", "weights", "lengths", "groups", "tools")


def check_rewards(
    reward_funcs: Reward | PlainFunction | str | Sequence[Reward | PlainFunction | str] | None,
    dataset: Any = None,
    *,
    columns: Iterable[str] | None = None,
    tokenizer: Any = None,
    args: Any = None,
    weights: Sequence[float] | None = None,
    thorough: bool = False,
    right: Callable[[dict[str, Any]], str] | None = None,
    tools: Sequence[Callable[..., Any]] | None = None,
    environment_factory: Callable[[], Any] | Mapping[str, Callable[[], Any]] | None = None,
    rollout_func: Callable[..., Any] | None = None,
) -> Report:
    """Checks the rewards of one run, and reports each problem with what to do about it.

    Args:
        reward_funcs: rewards, specs of some, or plain functions as TRL takes them; ``None`` if an environment gives
            the reward.
        dataset: the training data: a ``datasets.Dataset``, columns by name, or a list of rows. Its columns and its gold
            answers are looked at.
        columns: the names of the columns, if there is no data set at hand.
        tokenizer: the model's, or its processor. If its chat template opens ``<think>`` or another delimiter, and the
            prompts are message lists, ``think_opened=True`` and ``reasoning`` are bound in rewards that depend on them:
            message lists do not show what a template adds. Rewards that count tokens get its name, so that those of
            tools and environments do not count.
        args: the run's ``GRPOConfig``, for its weights, its batch sizes, the longest completion, and the number of
            completions of a prompt, which is bound in rewards that compare these.
        weights: ``GRPOConfig.reward_weights``, if there is no ``args``.
        thorough: whether the rewards are also tried: sent to another process, called on the gold of every row
            written as an answer, and on the reward hacks of ``probe``. It takes seconds, and is what the command
            ``grpo-rewards check`` does.
        right: from a row to a right completion, with which a thorough check tries rewards that want answers in a form
            of their own, as ``probe`` takes it.
        tools: the functions that the model may call, as they are given to the trainer. They, the tokenizer's chat
            template and the prompts are checked against what TRL demands of a run with tools. Each reward that reads
            golds is called once, to see whether it takes what a tool returned for the answer.
        environment_factory: what makes the run's environments, as it is given to the trainer. One of each is made.
        rollout_func: what generates the completions, as it is given to the trainer. What it returns beside them is
            passed to rewards, so that what is no column may come from it. It is not called.

    Returns:
        A report. Pass ``report.rewards`` to ``reward_funcs``; ``report.raise_for_errors()`` stops a script that cannot
        work; ``print(report)`` shows all findings.

    Raises:
        RewardError: an argument is of a kind that cannot be checked.

    >>> import grpo_rewards as gr
    >>> report = gr.check_rewards([gr.boxed_answer], [{"prompt": "1 + 1?", "solution": "2"}])
    >>> [finding.remedy[:40] for finding in report.errors]
    ['Rename one with dataset.rename_column("s']
    """
    _refuse_kinds(args, tokenizer, columns)
    environments, made = environments_of({} if environment_factory is None else environment_factory)
    rewards, findings = _looked_up([] if reward_funcs is None else as_list(reward_funcs))
    if not rewards and not findings and not any(hasattr(type(one), "get_reward") for one in environments.values()):
        findings.append(Finding("error", "rewards", "there are no rewards.", "Name at least one in reward_funcs."))
    findings += _usable(rewards)
    if any(one.severity == "error" for one in findings):
        unusable = Report(rewards)
        unusable.add([*made, *findings])
        return unusable
    findings += made
    rewards, named = with_distinct_names(rewards)
    findings += named
    data = None if dataset is None else columns_of(dataset)
    if tokenizer is not None:
        prompts = None if data is None else data.get("prompt")
        rewards, template_findings = with_template(
            rewards, tokenizer, getattr(args, "chat_template_kwargs", None), prompts
        )
        findings += template_findings
    rewards, grouped = with_group_size(rewards, args)
    findings += grouped
    names = data if columns is None else columns
    findings += check_columns(rewards, None if names is None else list(names), args, rollout_func is not None)
    rewards, counted = with_tokenizer(rewards, tokenizer, args, names, bool(tools or environments))
    findings += counted
    if tools or environments:
        findings += check_tools(tools or (), environments, tokenizer, data)
    findings += length_limits(rewards, args)
    findings += batches(args, None if data is None else _size(data))
    weights = getattr(args, "reward_weights", None) if weights is None else weights
    if weights is not None:
        findings += _weights(rewards, weights)
    findings += _symbolic(rewards)
    if thorough:
        findings += pickling(rewards)
        if data is not None and not (environments and "prompt" not in data):  # an environment may give the prompt
            findings += prompt_column(data)
    if data is not None and not _has_errors(findings):
        seen = _with_nearest(rewards, data)
        there = [one for one in rewards if is_called(one, list(seen))]
        findings += _rows(there, seen)
        if (tools or environments) and not _has_errors(findings):
            findings += tool_output_findings(there, seen)
        if thorough and not _has_errors(findings):
            noted = {row for one in findings if one.check in ("answers", "spellings") for row in one.rows}
            findings += probe_findings(there, seen, _by_name(rewards, weights), right, noted)
    report = Report(rewards)
    report.add(findings)
    return report


def _refuse_kinds(args: Any, tokenizer: Any, columns: Any) -> None:
    """Raises RewardError for arguments of kinds that would be misread."""
    if isinstance(args, Mapping):
        raise RewardError("args must be the GRPOConfig of the run, not a mapping; give weights=… by themselves.")
    if isinstance(tokenizer, str):
        raise RewardError(f"tokenizer must be one that is loaded: AutoTokenizer.from_pretrained({tokenizer!r}).")
    if isinstance(columns, str):
        raise RewardError(f"columns must be a list of names, not the string {shown(columns)}.")


def _has_errors(findings: Iterable[Finding]) -> bool:
    """Whether there are errors for which the rows cannot be looked at."""
    return any(one.severity == "error" and one.check not in WITH_ROWS for one in findings)


def _with_nearest(rewards: Sequence[Any], data: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """The data with columns that rewards miss under their names, where others are probably meant.

    So golds are looked at in the same check that finds their column to be called something else.
    """
    missing = {column for one in rewards for column in read_by(one)}.difference(data)
    meant = {column: nearest_column(column, list(data)) for column in missing}
    return {**data, **{column: data[name] for column, name in meant.items() if name is not None}}


def _size(data: Mapping[str, Sequence[Any]]) -> int:
    return len(next(iter(data.values()), ()))


def _usable(rewards: Sequence[Any]) -> Iterator[Finding]:
    """Errors for what is no reward, and for rewards that still need options."""
    for one in rewards:
        if not callable(one) and not isinstance(one, str):
            yield Finding("error", "rewards", f"{shown(one)} is not a reward, it cannot be called.")
        elif one in COMPOSERS.values():
            message = f"{one.__name__} is not a reward, it makes one of rewards."
            yield Finding("error", "rewards", message, f"Call it: {one.__name__}{inspect.signature(one)}.")
        elif inspect.isclass(one):
            message = f"{one.__name__} is a class, and no reward."
            yield Finding("error", "rewards", message, f"Make an object of it: {one.__name__}(…).")
        elif isinstance(one, Reward):
            try:
                one.check_ready()
            except RewardError as error:
                yield Finding("error", "options", str(error), reward=one.name)


def _looked_up(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards, with those that are named by specs in their place, and what was found."""
    found: list[Any] = []
    findings: list[Finding] = []
    for one in rewards:
        if not isinstance(one, str):
            found.append(one)
        elif "/" in one.partition("(")[0]:  # on the hub, or in a folder
            found.append(one)
            message = f"{shown(one)} is not a reward; TRL takes it for a model's id."
            remedy = "That is right for a reward model. A reward is named by its spec."
            findings.append(Finding("warning", "rewards", message, remedy))
        else:
            try:
                found.append(get_reward(one))
            except RewardError as error:
                findings.append(Finding("error", "rewards", f"{shown(one)} is not a reward: {error}"))
                continue
            message = f"{shown(one)} is a spec; TRL would take it for a model's id."
            remedy = "Pass report.rewards to the trainer, or get_reward(…)."
            findings.append(Finding("note", "rewards", message, remedy, found[-1].name))
    return found, findings


def _weights(rewards: Sequence[Any], weights: Any) -> Iterator[Finding]:
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        yield Finding("error", "weights", f"reward_weights must be a list of numbers, not {shown(weights)}.")
        return
    weights = list(weights)
    if len(weights) != len(rewards):
        message = f"{len(weights)} reward_weights for {len(rewards)} rewards ({listed(map(logged_name, rewards))})."
        yield Finding("error", "weights", message, "Give one weight per reward, in their order.")
    for weight in weights:
        if not _is_finite(weight):
            yield Finding("error", "weights", f"reward_weights must be finite numbers, not {shown(weight)}.")
    if weights and all(_is_finite(weight) and not weight for weight in weights):
        message = "all reward_weights are 0: nothing is rewarded, and nothing is learnt."
        yield Finding("error", "weights", message, "Give a weight above 0 to at least one reward.")


def _by_name(rewards: Sequence[Any], weights: Any) -> dict[str, float] | None:
    """The weights by the names of rewards; ``None`` where there are none, or none that can be used."""
    if weights is None or any(_weights(rewards, weights)):
        return None
    return {logged_name(one): float(weight) for one, weight in zip(rewards, weights, strict=True)}


def _is_finite(weight: Any) -> bool:
    if isinstance(weight, str | bool) or not hasattr(weight, "__float__"):
        return False
    try:
        return math.isfinite(weight)
    except OverflowError:  # an int of hundreds of digits
        return False


def _symbolic(rewards: Sequence[Any]) -> Iterator[Finding]:
    """An error if rewards compare symbolically and no process can; warnings if this machine cannot do all of that.

    It is tried here, because a training may come to its first integral only after hours.
    """
    comparing: dict[int | None, dict[str, None]] = {}  # the names of rewards, by how many processes they want
    for one in leaves(*rewards):
        workers = one.options.get("workers")
        reasons = getattr(one, "own_reasons", one.reasons)  # those of a reward that it calls are that one's matter
        if "worker_killed" in reasons and workers != 0:
            comparing.setdefault(workers, {})[one.name] = None
    for workers, names in comparing.items():
        failure = symbolic_failure(workers)
        if failure:
            remedy = "bind(workers=0) does without; docs/stability.md says more."
            yield Finding("error", "symbolic", failure, remedy, listed(names))
    for message in symbolic_warnings() if None in comparing else ():
        remedy = "Right answers that need computer algebra earn what a wrong one does; docs/stability.md says more."
        yield Finding("warning", "symbolic", message, remedy, listed(comparing[None]))


def _rows(rewards: Sequence[Any], data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """What the rows themselves show: that there are any, and that their golds can be read."""
    size = _size(data)
    if not size:
        yield Finding("error", "answers", "the dataset has no rows.", "Look at how it was loaded or filtered.")
        return
    try:
        unreadable = check_answers(rewards, data)
    except RewardError as error:  # such as a row for which there is no route
        yield Finding("error", "answers", str(error))
        return
    for name in dict.fromkeys((*unreadable, *unreadable.as_spelled)):
        unread, spelled = unreadable.get(name, []), unreadable.as_spelled.get(name, [])
        is_error = 2 * (len(unread) + len(spelled)) >= size
        found: tuple[tuple[Sequence[int], str, Severity, str, str], ...] = (
            (unread, "answers", "warning", "cannot read", UNREADABLE_REMEDY),
            (spelled, "spellings", "note", "does not understand", SPELLED_REMEDY),
        )
        for rows, check, severity, what, remedy in found:
            if rows:
                message = f"{name} {what} the answers of {len(rows)} of {size} rows: {some_rows(rows)}"
                message = f"{message} {_held(rewards, name, data, rows)}"
                yield Finding("error" if is_error else severity, check, message, remedy, name, tuple(rows))
    is_all = not unreadable and not unreadable.as_spelled
    if is_all and any("bad_answer" in one.reasons for one in leaves(*rewards)):
        yield Finding("fine", "answers", f"the answers of all {size} rows can be read.")


def _held(rewards: Sequence[Any], name: str, data: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> str:
    """What stands in the first of the rows, in the columns that the reward of that name reads.

    Then the same of the first row of each other kind: what is missing, blank, or of another type.
    """
    read = dict.fromkeys(column for one in leaves(*rewards) if one.name == name for column in one.columns)
    there = [column for column in read if column in data]
    kinds: dict[Any, int] = {}
    for row in rows:
        kinds.setdefault(tuple(_kind_of(data[column][row]) for column in there), row)
    parts: list[str] = []
    for row in list(kinds.values())[:KINDS_SHOWN] if there else ():
        held = " and ".join(f"{column} is {shown(data[column][row])}" for column in there)
        parts.append(f"In row {row}, {held}." if parts else f"There, {held}.")
    return " ".join(parts)


def _kind_of(value: Any) -> tuple[type, bool]:
    return type(value), isinstance(value, str) and not value.strip()
