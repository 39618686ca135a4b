"""Rewards as a user would write them in a module of their own. Tests call, pickle and send them."""

from typing import Any

from grpo_rewards import Verdict, batch_reward, reward


@reward(range=(0.0, 1.0))
def sample_ends_with(completion: str, *, ending: str = ".") -> float:
    """1 if the completion ends with ``ending``."""
    return float(completion.endswith(ending))


@reward(name="sample_renamed", reasons=("same", "different", "no_gold"), range=(-1.0, 1.0))
def _registered_under_another_name(completion: str, gold: str | None) -> Verdict:
    if gold is None:
        return Verdict(None, "no_gold")
    return Verdict(1.0, "same", completion) if completion == gold else Verdict(-1.0, "different", completion)


@batch_reward(range=(0.0, 1.0))
def sample_distinct(completions: list[str]) -> list[float]:
    """1 for a completion that no other one of the call repeats."""
    return [float(completions.count(one) == 1) for one in completions]


@batch_reward
def sample_value(completions: list[str], value: list[float | None]) -> list[float | None]:
    """The value that the row itself holds."""
    return value[: len(completions)]


class Family:
    """A reward may live in a class."""

    @staticmethod
    @reward
    def sample_in_class(completion: str) -> float:
        return float(len(completion))


@reward
def sample_options(
    completion: str,
    *,
    text: str = "",
    number: float = 0.0,
    whole: int = 0,
    flag: bool = False,
    maybe: int | None = None,
    items: tuple[Any, ...] = (),
    table: dict[str, Any] | None = None,
    anything: Any = None,
) -> float:
    """Has an option of every kind that a spec can spell."""
    return 0.0


short = sample_ends_with.bind(ending="!", name="sample_short")
