"""What all rewards made of rewards have in common."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from grpo_rewards.errors import check_name, shown
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Column
from grpo_rewards.registry.catalogue import inner_reward
from grpo_rewards.registry.interface import Range, with_columns
from grpo_rewards.verdict import Verdict

LARGEST_SETTING = 1e100  # bound on every number that is set, so that a product of several stays finite


class Composite(Reward):
    """A reward that a function of this package made of other rewards.

    It keeps that function and its arguments. With these it prints as a spec, can be pickled, and can be bound again.

    Attributes:
        compose (Callable): the function, such as ``weighted``. Its first argument has rewards, and it takes a ``name``.
        settings (dict): its arguments by name, in the order of its signature, with rewards in place of specs.
    """

    splits_rows = False  # whether each part sees only some of the rows of a call

    def __init__(
        self, compose: Callable[..., Composite], settings: dict[str, Any], name: str | None, reads: Sequence[str] = ()
    ) -> None:
        self.compose, self.settings = compose, settings
        self.parts = tuple(dict.fromkeys(_rewards_in(settings)))
        first = next(iter(settings.values()))  # a reward, or a mapping with rewards in it
        self.usual_name = f"{compose.__name__}_{first.name}" if isinstance(first, Reward) else compose.__name__
        self.name = check_name(self.usual_name if name is None else name, compose.__name__)
        self.own_columns = [Column(one, one) for one in reads]
        self.changes = self.changes or any(one.changes for one in self.parts)
        self.__doc__ = f"The reward {self!r}."
        for name in self.metric_names:
            if self.metric_names.count(name) > 1:
                raise RewardError(
                    f"{compose.__name__} has two rewards called '{name}'; rename one with .bind(name=…), or in a spec "
                    "with name='…'."
                )

    @property
    def counted(self) -> tuple[Reward, ...]:
        """Those of the parts whose numbers it passes on or adds up."""
        return self.parts

    @abstractmethod
    def range_of(self, ranges: list[Range]) -> Range:
        """(lowest, highest) reward, from those of the parts that are counted."""

    @property
    def range(self) -> Range | None:  # type: ignore[override]  # stored in other classes
        ranges = [one.range for one in self.counted if one.range is not None]
        return self.range_of(ranges) if len(ranges) == len(self.counted) else None

    @property
    def is_gold_based(self) -> bool:
        # else its number may fall while more answers are right
        return not self.changes and all(one.is_gold_based for one in self.counted)

    @property
    def metric_names(self) -> tuple[str, ...]:
        return (self.name, *(one.name for _, one in dict.fromkeys(_below(self))))

    @property
    def options(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: value for name, value in self.settings.items() if not [*_rewards_in(value)]}

    def bind(self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any) -> Composite:
        self._refuse_unknown(options)
        if columns is not None:
            self._refuse_columns(columns)
        return self._changed(partial(with_columns, columns or {}), self.name if name is None else name, **options)

    def renamed(self, change: Callable[[str], str]) -> Composite:
        # a usual name is made of the names of the parts: it stays what it was
        return self._changed(lambda one: one.renamed(change), change(self.name))

    def with_inside(self, change: Callable[[Reward], Reward]) -> Composite:
        return self._changed(change, self.name)

    def _changed(self, change: Callable[[Reward], Reward], name: str, **options: Any) -> Composite:
        """The same composite under this name, with ``change`` applied to each part, and other options."""
        settings = {key: _replaced(value, change) for key, value in {**self.settings, **options}.items()}
        return _make(self.compose, settings, name)

    def __repr__(self) -> str:
        first, *others = self.settings
        defaults = {name: one.default for name, one in inspect.signature(self.compose).parameters.items()}
        given = [f"{one}={self.settings[one]!r}" for one in others if self.settings[one] != defaults[one]]
        name = [] if self.name == self.usual_name else [f"name={self.name!r}"]
        return f"{self.compose.__name__}({', '.join([repr(self.settings[first]), *given, *name])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Composite):
            return NotImplemented
        # as a spec it has its settings in their order: in another one, weights belong to other ``funcs``
        return self.parts == other.parts and (self.name, repr(self)) == (other.name, repr(other))

    def __hash__(self) -> int:
        return hash((self.compose, self.name, self.parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.compose, self.settings, self.name)


def _make(compose: Callable[..., Composite], settings: dict[str, Any], name: str) -> Composite:
    (_, first), *others = settings.items()
    return compose(first, **dict(others), name=name)


def part(of: str, given: Any) -> Reward:
    """The reward that was given, or that the given spec stands for. ``of`` is the composer, for the message."""
    return inner_reward(given, f"a part of {of}")


def prediction_of(verdicts: Sequence[Verdict]) -> tuple[str | None, str | None]:
    """(prediction, gold) of the first verdict with a prediction.

    Where some compare with a gold, only these count: what others extract, such as a false equation, is no answer.
    """
    found = [one for one in verdicts if one.answer is not None] or verdicts
    first = next((one for one in found if one.prediction is not None), found[0])
    return first.prediction, first.answer


def check_numbers(of: str, **values: Any) -> dict[str, float]:
    """The values as floats. Raises RewardError unless each is a finite number below the bound above."""
    return {name: check_number(of, name, value) for name, value in values.items()}


def check_number(of: str, name: str, value: Any) -> float:
    """The value as a float. Raises RewardError unless it is a finite number below the bound above."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) < LARGEST_SETTING:
        raise RewardError(f"{of}: {name} must be a finite number, not {shown(value)}.")
    return float(value)


def _below(composite: Reward, rows: Hashable = None) -> Iterator[tuple[Hashable, Reward]]:
    """The keys (rows, reward) of all rewards inside a composite, at any depth.

    ``rows`` names the ``routed`` that selects the rows which a reward sees, or is ``None`` for all rows. A reward that
    occurs twice with the same key logs once.
    """
    for one in composite.parts:
        its_rows = (rows, composite, one) if isinstance(composite, Composite) and composite.splits_rows else rows
        yield its_rows, one
        yield from _below(one, its_rows)


def _rewards_in(value: Any) -> Iterator[Reward]:
    """The rewards that a setting is, or that are the keys and values of a mapping."""
    if isinstance(value, Reward):
        yield value
    elif isinstance(value, Mapping):
        for one in chain.from_iterable(value.items()):
            yield from _rewards_in(one)


def _replaced(value: Any, change: Callable[[Reward], Reward]) -> Any:
    """The value with every reward in it replaced by what ``change`` returns for it."""
    if isinstance(value, Mapping):
        return {_replaced(key, change): _replaced(one, change) for key, one in value.items()}
    return change(value) if isinstance(value, Reward) else value
