"""``@reward`` and ``@batch_reward``: a function becomes a Reward, and is known by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, TypedDict, Unpack, overload

from grpo_rewards.errors import RewardError, check_name, did_you_mean, listed, shown
from grpo_rewards.registry.catalogue import add
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import Range, joined
from grpo_rewards.registry.signature import name_of, read_signature

# Annotations of functions that return bare numbers: they add no columns to the completions table.
BARE_NUMBERS = (float, int, bool, float | None, list[float], list[float | None])


class Metadata(TypedDict, total=False):
    """What the decorators take about a reward; see :func:`reward`."""

    name: str | None
    reasons: Sequence[str]
    shares: Mapping[str, Sequence[str]] | None
    means: Sequence[str]
    meters: Mapping[str, Callable[[], float]] | None
    table: Sequence[str] | None
    range: Range | Callable[..., Range] | None
    check: Callable[..., None] | None
    example: Mapping[str, Any] | None
    dependencies: Mapping[str, str] | None
    asks: Mapping[str, str] | None  # the former name of ``dependencies``


@overload
def reward(function: Callable[..., Any], /, **metadata: Unpack[Metadata]) -> FunctionReward: ...
@overload
def reward(**metadata: Unpack[Metadata]) -> Callable[[Callable[..., Any]], FunctionReward]: ...
def reward(function: Callable[..., Any] | None = None, /, **metadata: Unpack[Metadata]) -> Any:
    """Makes a Reward of a function that sees one completion and returns a number, a Verdict or ``None``.

    Before the ``*`` the function reads ``completion`` (the text of the last assistant message), ``messages``,
    ``prompt``, ``completion_ids``, ``trainer_state``, ``environments``, or a dataset column by its name; a column with
    a default is optional. After the ``*`` come its options. A parameter there that is a dataclass is a group of
    options: each of its fields is one.

    An ``async def`` is a reward as well, for what has to wait, such as a judge over HTTP. It has two more options:
    ``concurrency`` (32), how many completions it works on at once, and ``timeout`` (60.0), seconds for each. If it
    raises or takes longer, that row is ``None``, with the reason ``failed`` or ``timeout``. A bound method, or an
    object with ``__call__``, becomes a reward too: ``reward(Judge(url), name="judge")``.

    Args:
        function: the function, if the decorator is used bare.
        name: the registered name; the function's own by default.
        reasons: the reason codes that its verdicts carry. Declared reasons are logged from the first step on.
        shares: details of its verdicts, each with the values that it can have. How often each value occurs is logged,
            as a share of all completions, under ``name/<detail>/<value>``.
        means: details of its verdicts that are numbers. The mean over the completions that have one is logged under
            ``name/<detail>``.
        meters: counters that only rise, such as of seconds; by how much each rose in a call is logged under
            ``name/<meter>``, except for an ``async def``.
        table: what the completions table gets of each verdict beside ``name/reason`` and ``name/prediction``:
            ``"answer"``, and details by their names, as texts. By default the answer, if the reward reads a column, and
            the details in ``shares``.
        range: lowest and highest reward, or a function of the options that returns them.
        check: called with all options by keyword as soon as they are complete; raises RewardError for bad ones.
        example: a value for each option and each column that has no default, by name, as tests and help can use them.
        dependencies: other rewards whose verdicts it reads before the ``*``, by the name of the parameter, each with
            the spec of the default: ``{"correct": "boxed_answer"}``. Each is also an option of that name, which takes a
            reward or a spec. The parameter is a ``DependencyVerdict`` for each completion: the ``verdict``, and
            ``is_best``, whether it is the most that the other reward gives. This reward also reads the columns that the
            other one reads.

    Returns:
        The reward, registered under its name.

    Raises:
        RewardError: the signature breaks the star rule, or another function has the name.

    >>> from grpo_rewards import reward
    >>> @reward
    ... def ends_with_period(completion: str) -> float:
    ...     return float(completion.rstrip().endswith("."))
    >>> ends_with_period.score("Done.")
    1.0
    """
    return _decorate(function, batch=False, metadata=metadata)


@overload
def batch_reward(function: Callable[..., Any], /, **metadata: Unpack[Metadata]) -> FunctionReward: ...
@overload
def batch_reward(**metadata: Unpack[Metadata]) -> Callable[[Callable[..., Any]], FunctionReward]: ...
def batch_reward(function: Callable[..., Any] | None = None, /, **metadata: Unpack[Metadata]) -> Any:
    """Makes a Reward of a function that sees the whole call: B completions in, B numbers, verdicts or ``None`` out.

    It reads ``completions``, ``messages``, ``prompts``, ``completion_ids``, ``environments`` and dataset columns as
    lists of B, and ``trainer_state``. One call need not hold whole groups: on several ranks a group may straddle two.
    Arguments and errors are those of :func:`reward`.

    An ``async def`` has one more option: ``timeout`` (60.0), seconds for the whole call. If it raises or takes longer,
    all completions of the call are ``None``, with the reason ``failed`` or ``timeout``; what can fail by itself, such
    as the request for one group, is caught in the function.

    >>> from grpo_rewards import batch_reward
    >>> @batch_reward
    ... def distinct(completions: list[str]) -> list[float]:
    ...     return [float(completions.count(one) == 1) for one in completions]
    >>> distinct(completions=["a", "b", "a"])
    [0.0, 1.0, 0.0]
    """
    return _decorate(function, batch=True, metadata=metadata)


def _decorate(function: Callable[..., Any] | None, batch: bool, metadata: Metadata) -> Any:
    given: dict[str, Any] = dict(metadata)
    if "asks" in given:
        given["dependencies"] = given.pop("asks")
    known = [name for name in Metadata.__annotations__ if name != "asks"]
    for name in (name for name in given if name not in known):
        decorator = "batch_reward" if batch else "reward"
        raise RewardError(f"@{decorator} takes no '{name}'{did_you_mean(name, known)} It takes {listed(known)}.")

    def made(decorated: Callable[..., Any]) -> FunctionReward:
        new = reward_of(decorated, batch=batch, **given)
        add(new, new.__module__ or "")
        return new

    return made if function is None else made(function)


def reward_of(function: Callable[..., Any], *, batch: bool = False, **stated: Any) -> FunctionReward:
    """The reward of a function, not registered; ``stated`` is what a decorator takes.

    Raises:
        RewardError: the signature breaks the star rule, or what is stated is of no use.
    """
    dependencies = stated.get("dependencies") or {}
    signature = read_signature(function, batch=batch, dependencies=dependencies)
    name = name_of(function) if stated.get("name") is None else check_name(stated["name"], name_of(function))
    for what in (one for one in ("reasons", "means", "table") if isinstance(stated.get(one), str)):
        raise RewardError(f"{what} of reward '{name}' must be a list of names, not the string {stated[what]!r}.")
    limits = stated.get("range")
    if limits is not None and not callable(limits) and not _is_range(limits):
        raise RewardError(
            f"range of reward '{name}' must be (lowest, highest), two numbers in order, not {shown(limits)}."
        )
    reasons, table = stated.get("reasons") or (), stated.get("table")
    if table is None and (reasons or dependencies or signature.shown.return_annotation not in BARE_NUMBERS):
        table = joined(["answer"] if any(one.is_gold for one in signature.columns) else [], stated.get("shares") or ())
    kind = FunctionReward
    if signature.is_async:  # most runs have no such reward, and asyncio takes a while to import
        from grpo_rewards.registry.coroutines import FAILURES, AsyncFunctionReward

        kind, reasons, table = AsyncFunctionReward, joined(reasons, FAILURES), joined(table or (), ["why"])
    stated |= {"name": name, "reasons": reasons, "table": table}
    return kind(function=function, signature=signature, stated=stated, name=name, own_columns=signature.columns)


def _is_range(limits: Any) -> bool:
    """Whether these are two numbers in order."""
    is_pair = isinstance(limits, tuple | list) and len(limits) == 2
    return is_pair and all(isinstance(one, Real) for one in limits) and limits[0] <= limits[1]
