"""``@reward`` and ``@batch_reward``: a function becomes a Reward, and is known by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from grpo_rewards.registry.coroutines import AsyncFunctionReward
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import Range
from grpo_rewards.registry.names import register

__all__ = ["batch_reward", "reward"]


@overload
def reward(function: Callable[..., Any], /) -> FunctionReward: ...
@overload
def reward(
    *,
    name: str | None = None,
    reasons: Sequence[str] = (),
    shares: Mapping[str, Sequence[str]] | None = None,
    range: Range | Callable[..., Range] | None = None,
    check: Callable[..., None] | None = None,
) -> Callable[[Callable[..., Any]], FunctionReward]: ...
def reward(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    reasons: Sequence[str] = (),
    shares: Mapping[str, Sequence[str]] | None = None,
    range: Range | Callable[..., Range] | None = None,
    check: Callable[..., None] | None = None,
) -> Any:
    """Makes a Reward of a function that sees one completion and returns a number, a Verdict or ``None``.

    Before the ``*`` the function reads ``completion`` (text of the last assistant message), ``messages``, ``prompt``,
    ``completion_ids``, ``trainer_state``, ``environments``, or a dataset column by its name; a default makes a column
    optional. After the ``*`` come its options.

    An ``async def`` is a reward as well, for what has to wait, such as a judge over HTTP. It has two more options:
    ``concurrency`` (32), how many completions it works on at once, and ``timeout`` (60.0), seconds for each; where it
    raises or takes longer, that row is ``None``, with the reason ``failed`` or ``timeout``.

    Args:
        function: the function, where the decorator is used bare.
        name: the registered name; the function's own by default.
        reasons: the reason codes that its verdicts carry. Declared reasons are logged from the first step on.
        shares: details of its verdicts, each with the values that it can have: how often each occurs is logged as well.
        range: lowest and highest reward, or a function of the options that returns them.
        check: called with all options by keyword as soon as they are complete; raises RewardError for bad ones.

    Raises:
        RewardError: the signature breaks the star rule, or another function has the name.

    >>> from grpo_rewards import reward
    >>> @reward
    ... def ends_with_period(completion: str) -> float:
    ...     return float(completion.rstrip().endswith("."))
    >>> ends_with_period.score("Done.")
    1.0
    """
    return _decorate(function, batch=False, name=name, reasons=reasons, shares=shares, range=range, check=check)


@overload
def batch_reward(function: Callable[..., Any], /) -> FunctionReward: ...
@overload
def batch_reward(
    *,
    name: str | None = None,
    reasons: Sequence[str] = (),
    shares: Mapping[str, Sequence[str]] | None = None,
    range: Range | Callable[..., Range] | None = None,
    check: Callable[..., None] | None = None,
) -> Callable[[Callable[..., Any]], FunctionReward]: ...
def batch_reward(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    reasons: Sequence[str] = (),
    shares: Mapping[str, Sequence[str]] | None = None,
    range: Range | Callable[..., Range] | None = None,
    check: Callable[..., None] | None = None,
) -> Any:
    """Makes a Reward of a function that sees the whole call: B completions in, B numbers, verdicts or ``None`` out.

    It reads ``completions``, ``messages``, ``prompts``, ``completion_ids``, ``environments`` and dataset columns as
    lists of B, and ``trainer_state``. One call need not hold whole groups: on several ranks a group may straddle two.
    Arguments and errors are those of :func:`reward`.

    >>> from grpo_rewards import batch_reward
    >>> @batch_reward
    ... def distinct(completions: list[str]) -> list[float]:
    ...     return [float(completions.count(one) == 1) for one in completions]
    >>> distinct(completions=["a", "b", "a"])
    [0.0, 1.0, 0.0]
    """
    return _decorate(function, batch=True, name=name, reasons=reasons, shares=shares, range=range, check=check)


def _decorate(function: Callable[..., Any] | None, **metadata: Any) -> Any:
    def made(decorated: Callable[..., Any]) -> FunctionReward:
        kind = (
            AsyncFunctionReward if inspect.iscoroutinefunction(decorated) and not metadata["batch"] else FunctionReward
        )
        return register(kind(decorated, **metadata))

    return made if function is None else made(function)
