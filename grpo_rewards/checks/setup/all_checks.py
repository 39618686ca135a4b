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

DIFFERENT_SHOWN = 3  # of those that cannot be read
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
    given = (
        list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [] if reward_funcs is None else [reward_funcs]
    )
    rewards, findings = _looked_up(given)
    environments, not_made = template.made_environments(environment_factory)
    findings += not_made
    gives_reward = not_made or any(hasattr(type(one), "get_reward") for one in environments)
    if not given and not gives_reward:
        findings.append(finding_of("rewards.none"))
    if any(one.severity == "error" and one.check != "tools" for one in findings):
        return Report(rewards).add(findings)
    data = None if dataset is None else columns_of(dataset)
    known = data if columns is None else columns
    prompts = None if data is None else data.get("prompt")
    has_tools = bool(tools or environment_factory)
    rewards, named = names.with_distinct_names(rewards)
    rewards, rendered = template.with_template(rewards, tokenizer, args, prompts)
    rewards, grouped = sizes.with_group_size(rewards, args)
    rewards, counted = template.with_tokenizer(rewards, tokenizer, args, has_tools)
    findings += [*named, *rendered, *grouped, *counted]
    findings += names.check_columns(rewards, None if known is None else list(known), rollout_func is not None)
    if has_tools:
        findings += template.check_tools(tools or (), environments, tokenizer, data)
    findings += [*sizes.length_limits(rewards, args), *sizes.batches(args, None if data is None else _size(data))]
    weights = getattr(args, "reward_weights", None) if weights is None else weights
    findings += _weights(rewards, weights)
    findings += _symbolic(rewards)
    if data is not None:
        if prompts is not None or not environment_factory:  # an environment may give the prompt
            findings += names.prompt_column(data)
        if not _has_errors(findings):
            by_name = {} if weights is None else dict(zip(map(names.logged_name, rewards), weights, strict=True))
            findings += _of_rows(rewards, data, findings, has_tools, thorough, by_name, right)
    return Report(rewards).add(findings)


def _of_rows(
    rewards: Sequence[Any],
    data: Mapping[str, Sequence[Any]],
    known: Sequence[Finding],
    has_tools: bool,
    thorough: bool,
    weights: Mapping[str, float],
    right: Callable[[dict[str, Any]], str] | None,
) -> list[Finding]:
    """What the rows show: their golds, and what rewards that can be called on them give."""
    failing = {one.reward for one in known if one.severity == "error" and one.check == "arguments"}
    called = [one for one in rewards if not names.is_model(one) and names.logged_name(one) not in failing]
    # Golds are looked at in the same check that finds their column to be called something else.
    missing = {column for one in called for column in read_columns(one)}.difference(data)
    near = {column: nearest_column(column, list(data)) for column in missing}
    seen = {**data, **{column: data[name] for column, name in near.items() if name is not None}}
    there = [one for one in called if set(read_columns(one)) <= seen.keys()]
    findings = [*_golds(there, seen)]
    if has_tools and not _has_errors(findings):
        findings += trials.tool_output_findings(there, seen)
    if thorough and not _has_errors(findings):
        findings += trials.probe_findings(there, seen, weights, right)
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
        elif inspect.isclass(one) or one in COMPOSERS.values():
            findings.append(finding_of("rewards.makes", name=one.__name__, signature=inspect.signature(one)))
        elif isinstance(one, Reward):
            try:
                one.check_ready()
            except RewardError as error:
                findings.append(finding_of("options.unbound", one.name, error=error))
    return known, findings


def _weights(rewards: Sequence[Any], weights: Any) -> Iterator[Finding]:
    if weights is None:
        return
    given = list(weights) if isinstance(weights, Iterable) and not isinstance(weights, str) else [weights]
    if not all(isinstance(one, Real) and not isinstance(one, bool) and math.isfinite(one) for one in given):
        yield finding_of("weights.not_finite", weights=shown(weights))
    elif len(given) != len(rewards):
        of = listed(map(names.logged_name, rewards))
        yield finding_of("weights.too_many_or_few", weights=len(given), rewards=len(rewards), names=of)
    elif given and not any(given):
        yield finding_of("weights.all_zero")


def _symbolic(rewards: Sequence[Any]) -> Iterator[Finding]:
    """An error if rewards compare symbolically and no process can; warnings if this machine cannot do all of that.

    It is tried here, because a training may come to its first integral only after hours.
    """
    workers: dict[str, int | None] = {}  # how many each of these rewards wants
    for one in leaves(*rewards):
        if "worker_killed" in getattr(one, "own_reasons", one.reasons):  # not in those of a reward that it calls
            workers[one.name] = one.options.get("workers")
    its = [name for name, wanted in workers.items() if wanted != 0]
    if not its:
        return
    if failure := symbolic_failure(workers[its[0]]):
        yield finding_of("symbolic.none", listed(its), failure=failure)
    for message in symbolic_warnings() if None in workers.values() else ():
        yield finding_of("symbolic.limited", listed(its), message=message)


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
    """What stands in the rows, in the columns that the reward of that name reads: the first that differ."""
    read = dict.fromkeys(column for one in leaves(*rewards) if one.name == name for column in one.columns)
    held = {column: list(dict.fromkeys(shown(data[column][row]) for row in rows)) for column in read if column in data}
    return " ".join(f"There, {column} is {' or '.join(its[:DIFFERENT_SHOWN])}." for column, its in held.items())
