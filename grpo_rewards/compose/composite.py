"""What every reward made of rewards has in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import check_name, did_you_mean, listed, shown

__all__ = ["Composite", "check_number", "part"]


LARGEST = 1e100  # of a number among settings; a product of several is still finite


class Composite(Reward):
    """A reward made of rewards by a function of this package.

    It keeps what that function was given, so that it prints as a spec, pickles, and can be bound again.

    Attributes:
        settings: the function's arguments by name, in its order; the rewards among them resolved.
    """

    splits_rows = False  # whether its parts are given some rows of a call each

    def __init__(
        self,
        compose: Callable[..., Composite],
        settings: Mapping[str, Any],
        parts: Mapping[Reward, None],
        name: str | None,
    ) -> None:
        self.compose = compose
        self.settings = dict(settings)
        self.parts = tuple(parts)
        self.name = check_name(self._usual_name() if name is None else name, compose.__name__)
        self.__doc__ = f"The reward {self!r}."
        _check_names(self)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # derived here, stored elsewhere
        return tuple(dict.fromkeys(column for one in self.parts for column in one.columns))

    @property
    def metric_names(self) -> tuple[str, ...]:
        return (self.name, *(one.name for _, one in _below(self)))

    @property
    def options(self) -> dict[str, Any]:
        return {name: value for name, value in self.settings.items() if not _holds_rewards(value)}

    def bind(self, *, name: str | None = None, **options: Any) -> Composite:
        for option in options:
            if option not in self.options:
                raise RewardError(
                    f"reward '{self.name}' has no option '{option}'{did_you_mean(option, self.options)} "
                    f"Options: {listed(self.options)}; those of its parts are bound to the parts."
                )
        return self._made({**self.settings, **options}, self.name if name is None else name)

    def mapped(self, change: Callable[[Reward], Reward]) -> Composite:
        return self._made({name: _mapped(value, change) for name, value in self.settings.items()}, self.name)

    def check_ready(self) -> None:
        for one in self.parts:
            one.check_ready()

    def _made(self, settings: dict[str, Any], name: str) -> Composite:
        return _make(self.compose, settings, name)

    def __repr__(self) -> str:
        parameters = inspect.signature(self.compose).parameters
        given = {**self.settings, **({} if self.name == self._usual_name() else {"name": self.name})}
        shown_as = [
            repr(value) if parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY else f"{name}={value!r}"
            for name, value in given.items()
            if value is not parameters[name].default and value != parameters[name].default
        ]
        return f"{self.compose.__name__}({', '.join(shown_as)})"

    def _usual_name(self) -> str:
        """Its name where none was given."""
        return f"{self.compose.__name__}_{self.parts[0].name}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Composite):
            return NotImplemented
        mine, theirs = (list(one.settings.items()) for one in (self, other))  # the order of parts is that of .funcs
        return (self.compose, self.name, mine) == (other.compose, other.name, theirs)

    def __hash__(self) -> int:
        return hash((self.compose, self.name, self.parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.compose, self.settings, self.name)


def _make(compose: Callable[..., Composite], settings: dict[str, Any], name: str) -> Composite:
    parameters = inspect.signature(compose).parameters
    positional = [value for key, value in settings.items() if parameters[key].kind is inspect.Parameter.POSITIONAL_ONLY]
    named = {key: settings[key] for key in list(settings)[len(positional) :]}
    return compose(*positional, **named, name=name)


def part(of: str, given: Any) -> Reward:
    """A part as a Reward, whether it was given as one or as a spec."""
    if isinstance(given, Reward | str):
        return get_reward(given)
    raise RewardError(
        f"{of} is made of rewards; {shown(given)} is none. Give a Reward, or the spec of one, such as 'boxed_answer'. "
        "A plain function becomes one with @grpo_rewards.reward."
    )


def check_number(of: str, name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) < LARGEST:
        raise RewardError(f"{of}: {name} must be a finite number, not {shown(value)}.")
    return float(value)


def _below(composite: Reward, rows: Hashable = None) -> dict[tuple[Hashable, Reward], None]:
    """All rewards that it is made of, with the rows that they are given; each once, for each logs once."""
    found: dict[tuple[Hashable, Reward], None] = {}
    for one in composite.parts:
        its_rows = (rows, composite, one) if isinstance(composite, Composite) and composite.splits_rows else rows
        found[its_rows, one] = None
        found.update(_below(one, its_rows))
    return found


def _check_names(composite: Composite) -> None:
    names = list(composite.metric_names)
    for name in names:
        if names.count(name) > 1:
            raise RewardError(
                f"{composite.compose.__name__} has two rewards called '{name}'; rename one with .bind(name=…), or in a "
                f"spec with name='…'."
            )


def _mapped(value: Any, change: Callable[[Reward], Reward]) -> Any:
    if isinstance(value, Mapping):
        return {_mapped(key, change): _mapped(one, change) for key, one in value.items()}
    return value.mapped(change) if isinstance(value, Reward) else value


def _holds_rewards(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(isinstance(one, Reward) for pair in value.items() for one in pair)
    return isinstance(value, Reward)
