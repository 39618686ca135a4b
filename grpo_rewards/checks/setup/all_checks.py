"""``check_rewards``: what one run's rewards need, looked at before a model is loaded."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.checks.findings import Finding, Report, finding_of
from grpo_rewards.checks.reward.functions import read_columns
from grpo_rewards.checks.reward.problems import columns_of
from grpo_rewards.checks.setup import names, sizes, template, trials
from grpo_rewards.checks.setup.trials import PlainFunction
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.catalogue import COMPOSERS
from grpo_rewards.registry.errors import listed, nearest_column, shown
from grpo_rewards.registry.interface import leaves

KINDS_SHOWN = 3  # of golds that cannot be read
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
        thorough: whether the rewards are also tried: called on the gold of every row written as an answer, and on the
            reward hacks of ``probe``. It takes seconds, and is what the command ``grpo-rewards check`` does.
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
    rewards, findings = _looked_up([] if reward_funcs is None else trials.as_list(reward_funcs))
    environments, not_made = template.made_environments(environment_factory)
    gives_reward = not_made or any(hasattr(type(one), "get_reward") for one in environments.values())
    if not rewards and not findings and not gives_reward:
        findings.append(finding_of("rewards.none"))
    if any(one.severity == "error" for one in findings):
        return Report(rewards).add([*findings, *not_made])
    data = None if dataset is None else columns_of(dataset)
    known = data if columns is None else columns
    has_tools = bool(tools or environment_factory)
    weights = getattr(args, "reward_weights", None) if weights is None else weights
    rewards, named = names.with_distinct_names(rewards)
    rewards, rendered = template.with_template(rewards, tokenizer, args, None if data is None else data.get("prompt"))
    rewards, grouped = sizes.with_group_size(rewards, args)
    rewards, counted = template.with_tokenizer(rewards, tokenizer, args, has_tools)
    findings += [*not_made, *named, *rendered, *grouped, *counted]
    findings += names.check_columns(rewards, None if known is None else list(known), args, rollout_func is not None)
    if has_tools:
        findings += template.check_tools(tools or (), environments, tokenizer, data)
    findings += [*sizes.length_limits(rewards, args), *sizes.batches(args, None if data is None else _size(data))]
    findings += [*_weights(rewards, weights), *_symbolic(rewards)]
    if data is not None:
        if not (environment_factory and "prompt" not in data):  # an environment may give the prompt
            findings += names.prompt_column(data)
        if not _has_errors(findings):
            findings += _of_rows(rewards, data, weights, right, has_tools, thorough)
    return Report(rewards).add(findings)


def _of_rows(
    rewards: Sequence[Any],
    data: Mapping[str, Sequence[Any]],
    weights: Any,
    right: Callable[[dict[str, Any]], str] | None,
    has_tools: bool,
    thorough: bool,
) -> list[Finding]:
    """What the rows show: their golds, and what rewards that are called on them give."""
    # Golds are looked at in the same check that finds their column to be called something else.
    read = {column for one in rewards if not names.is_model(one) for column in read_columns(one)}
    meant = {
        column: name for column in read.difference(data) if (name := nearest_column(column, list(data))) is not None
    }
    seen = {**data, **{column: data[name] for column, name in meant.items()}}
    there = [one for one in rewards if names.is_called(one, list(seen))]
    findings = [*_golds(there, seen)]
    if has_tools and not _has_errors(findings):
        findings += trials.tool_output_findings(there, seen)
    if thorough and not _has_errors(findings):
        noted = {row for one in findings if one.check in ("answers", "spellings") for row in one.rows}
        has_weights = weights is not None and not any(_weights(rewards, weights))
        by_name = dict(zip(map(names.logged_name, rewards), map(float, weights), strict=True)) if has_weights else None
        findings += trials.probe_findings(there, seen, by_name, right, noted)
    return findings


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


def _size(data: Mapping[str, Sequence[Any]]) -> int:
    return len(next(iter(data.values()), ()))


def _looked_up(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards, with those that are named by specs in their place, and errors for what cannot be called as one."""
    known: list[Any] = []
    findings: list[Finding] = []
    for one in rewards:
        if isinstance(one, str) and "/" not in one.partition("(")[0]:  # with one, it is on the hub, or in a folder
            spec = shown(one)
            try:
                one = get_reward(one)
            except RewardError as error:
                findings.append(finding_of("rewards.unknown", spec=spec, error=error))
                continue
            findings.append(finding_of("rewards.spec", one.name, spec=spec))
        known.append(one)
        if isinstance(one, str):
            findings.append(finding_of("rewards.model_id", spec=shown(one)))
        elif not callable(one):
            findings.append(finding_of("rewards.not_called", what=shown(one)))
        elif one in COMPOSERS.values():
            findings.append(finding_of("rewards.composer", name=one.__name__, signature=inspect.signature(one)))
        elif inspect.isclass(one):
            findings.append(finding_of("rewards.class", name=one.__name__))
        elif isinstance(one, Reward):
            try:
                one.check_ready()
            except RewardError as error:
                findings.append(finding_of("options.unbound", one.name, error=error))
    return known, findings


def _weights(rewards: Sequence[Any], weights: Any) -> Iterator[Finding]:
    if weights is None:
        return
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        yield finding_of("weights.no_list", weights=shown(weights))
        return
    weights = list(weights)
    if len(weights) != len(rewards):
        of = listed(map(names.logged_name, rewards))
        yield finding_of("weights.too_many_or_few", weights=len(weights), rewards=len(rewards), names=of)
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, Real) or not math.isfinite(weight):
            yield finding_of("weights.not_finite", weight=shown(weight))
    if weights and all(isinstance(weight, Real) and not weight for weight in weights):
        yield finding_of("weights.all_zero")


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
    for workers, its in comparing.items():
        if failure := symbolic_failure(workers):
            yield finding_of("symbolic.none", listed(its), failure=failure)
    for message in symbolic_warnings() if None in comparing else ():
        yield finding_of("symbolic.limited", listed(comparing[None]), message=message)


def _golds(rewards: Sequence[Any], data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """That there are rows, and that their golds can be read."""
    size = _size(data)
    if not size:
        yield finding_of("answers.no_rows")
        return
    try:
        checked = trials.check_answers(rewards, data)
    except RewardError as error:  # such as a row for which there is no route
        yield finding_of("answers.failed", error=error)
        return
    for name in dict.fromkeys((*checked, *checked.as_spelled)):
        kinds = {"answers.unread": checked.get(name, []), "spellings.not_understood": checked.as_spelled.get(name, [])}
        is_error = 2 * sum(map(len, kinds.values())) >= size
        for key, rows in kinds.items():
            if rows:
                held = _held(rewards, name, data, rows)
                yield finding_of(key, name, rows, severity="error" if is_error else None, size=size, held=held)
    is_all = not checked and not checked.as_spelled
    if is_all and any("bad_answer" in one.reasons for one in leaves(*rewards)):
        yield finding_of("answers.read", size=size)


def _held(rewards: Sequence[Any], name: str, data: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> str:
    """What stands in the first of the rows, in the columns that the reward of that name reads.

    Then the same of the first row of each other kind: what is missing, blank, or of another type.
    """
    read = dict.fromkeys(column for one in leaves(*rewards) if one.name == name for column in one.columns)
    there = [column for column in read if column in data]
    kinds: dict[Any, int] = {}
    for row in rows:
        values = [data[column][row] for column in there]
        kinds.setdefault(tuple((type(one), isinstance(one, str) and not one.strip()) for one in values), row)
    parts: list[str] = []
    for row in list(kinds.values())[:KINDS_SHOWN] if there else ():
        held = " and ".join(f"{column} is {shown(data[column][row])}" for column in there)
        parts.append(f"In row {row}, {held}." if parts else f"There, {held}.")
    return " ".join(parts)
