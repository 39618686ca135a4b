"""Options that are rewards: a reward that depends on another one reads its verdicts, say on what is right."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.functions.signature import Signature
from grpo_rewards.registry.golds import NO_GOLDS
from grpo_rewards.registry.interface import Reward
from grpo_rewards.verdict import Verdict

__all__ = [
    "DependencyVerdict",
    "DependentReward",
    "PassedOn",
    "dependency_verdicts",
    "least_best",
    "merged_columns",
    "read_by",
]

BEST_BY_CUSTOM = 1.0  # what counts as the most that a reward gives which does not state its range
ROUNDED_OFF = 1e-9  # a sum of weights may be this much below the end of its range, as a share of it


class DependencyVerdict(NamedTuple):
    """What the reward that another one depends on found for one completion.

    Attributes:
        verdict (Verdict): its verdict.
        is_best (bool | None): whether it gave the most that it can give, which is the upper end of its range, or 1.0 if
            it states none; ``None`` if it, or a part of a composite, could not score the row.
    """

    verdict: Verdict
    is_best: bool | None


@dataclass(frozen=True)
class PassedOn:
    """Options and columns that were bound to a reward for its dependencies, whichever these are in the end."""

    options: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


def dependency_verdicts(one: Reward, call: Call, dependent: str) -> list[DependencyVerdict]:
    """The verdicts of a dependency, one per completion. It logs nothing; the dependent reward logs the reasons.

    Raises:
        RewardError: a column that it reads is missing; the message names the dependent reward.
    """
    for name, columns in one.column_names.items():
        for column in columns:
            if column in one.columns:
                call.column(dependent, column, name)
    best = BEST_BY_CUSTOM if one.range is None else one.range[1]
    enough = least_best(best)
    call = call.quiet()
    return [
        DependencyVerdict(verdict, verdict.reward >= enough if is_settled and verdict.reward is not None else None)
        for verdict, is_settled in zip(one.verdicts(call), one.settled(call), strict=True)
    ]


def least_best(best: float) -> float:
    """The least reward that counts as the best one: a sum of weights may be a little below the end of its range."""
    return best - ROUNDED_OFF * max(1.0, abs(best))


class DependentReward(Reward, ABC):
    """A reward that may depend on others. Columns, reasons and options are its own and theirs.

    Attributes:
        dependency_specs: the options that are rewards, with the specs of their defaults.
        own_reasons, own_meters, own_columns, own_column_names, own_options, own_table: as those of a Reward, without
            what its dependencies add.
    """

    signature: Signature
    dependency_specs: Mapping[str, str]
    own_reasons: tuple[str, ...]
    own_meters: Mapping[str, Callable[[], float]]
    _options: dict[str, Any]
    _bound_dependencies: Mapping[str, Reward]
    _passed_on: PassedOn

    @property
    @abstractmethod
    def own_columns(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def own_column_names(self) -> Mapping[str, tuple[str, ...]]: ...

    @property
    @abstractmethod
    def own_options(self) -> dict[str, Any]: ...

    @property
    @abstractmethod
    def own_table(self) -> Sequence[str] | None: ...

    @cached_property
    def dependencies(self) -> Mapping[str, Reward]:  # type: ignore[override]  # here and below: stored in other classes
        # A default is looked up when first used: where the decorator runs, it need not be registered yet.
        given = {option: self._bound_dependencies.get(option, spec) for option, spec in self.dependency_specs.items()}
        return {option: looked_up(self.name, option, one) for option, one in given.items()}

    @property
    def options(self) -> dict[str, Any]:
        return {**self.own_options, **self.dependencies}

    def has_bound(self, option: str) -> bool:
        return option in {**self._options, **self._bound_dependencies, **self._passed_on.options}

    @property
    def option_names(self) -> Collection[str]:
        theirs = [name for one in self.dependencies.values() for name in one.option_names]
        return dict.fromkeys((*self.signature.options, *self.dependency_specs, *theirs))

    @cached_property
    def reasons(self) -> tuple[str, ...]:  # type: ignore[override]
        theirs = [reason for one in self.dependencies.values() for reason in one.reasons]
        return tuple(dict.fromkeys((*self.own_reasons, *theirs)))

    @property
    def meters(self) -> Mapping[str, Callable[[], float]]:  # type: ignore[override]
        theirs = {name: meter for one in self.dependencies.values() for name, meter in one.meters.items()}
        return {**theirs, **self.own_meters}

    @cached_property
    def table(self) -> Sequence[str] | None:  # type: ignore[override]
        if self.own_table is None:
            return None
        theirs = [name for one in self.dependencies.values() for name in one.table or ()]
        return tuple(dict.fromkeys((*self.own_table, *theirs)))

    @cached_property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        theirs = [column for one in self.dependencies.values() for column in one.columns]
        return tuple(dict.fromkeys((*self.own_columns, *theirs)))

    @property
    def column_names(self) -> Mapping[str, tuple[str, ...]]:
        return merged_columns([self.own_column_names, *(one.column_names for one in self.dependencies.values())])

    @property
    def is_gold_based(self) -> bool:
        return bool({*self.own_column_names} - NO_GOLDS)

    def check_ready(self) -> None:
        for one in self.dependencies.values():
            one.check_ready()

    def _dependencies_with(self, options: Mapping[str, Any]) -> tuple[dict[str, Reward], PassedOn]:
        """(the dependencies that were bound, those in ``options`` included, and what is passed on to them).

        Options that this reward does not define are forwarded to the dependency that does, and again if that one is
        replaced, in whatever order they are bound. What a dependency has bound itself, it keeps.
        """
        given = {
            option: looked_up(self.name, option, options[option])
            for option in self.dependency_specs
            if option in options
        }
        dependencies = {**self.dependencies, **given}
        before = {name: value for name, value in self._passed_on.options.items() if given}
        passed = {name: value for name, value in options.items() if name not in self.dependency_specs}
        found = {**self._bound_dependencies, **given}
        for option, value in {**before, **passed}.items():
            having = [name for name, one in dependencies.items() if option in one.option_names]
            if len(having) != 1:
                self.signature.check_option(self.name, option, value)  # raises: there is no such option
            (name,) = having
            if option in passed or (name in given and not given[name].has_bound(option)):
                dependencies[name] = found[name] = dependencies[name].bind(**{option: value})
        for name, one in given.items():
            read = read_by(one, self._passed_on.columns)
            its = {own: column for own, column in read.items() if one.column_names[own] == (own,)}
            if its:
                found[name] = found[name].bind(columns=its)
        return found, PassedOn({**self._passed_on.options, **passed}, self._passed_on.columns)


def read_by(one: Reward, columns: Mapping[str, str]) -> dict[str, str]:
    """Those of the renamed columns that a reward reads."""
    return {name: column for name, column in columns.items() if name in one.column_names}


def looked_up(dependent: str, option: str, given: Any) -> Reward:
    """The reward that was given for an option, or that the given spec stands for."""
    from grpo_rewards.registry.catalogue import get_reward  # it looks among rewards, which are made with this module

    if isinstance(given, Reward | str):
        found = get_reward(given)
        if found.changes:
            raise RewardError(
                f"option '{option}' of reward '{dependent}' cannot be {shown(found)}: its weight changes during the "
                f"training, and what is right must not. Bind the reward inside it, and schedule '{dependent}' instead."
            )
        return found
    raise RewardError(
        f"option '{option}' of reward '{dependent}' must be a reward or the spec of one, such as 'boxed_answer', not "
        f"{shown(given)}. A plain function becomes a reward with @grpo_rewards.reward."
    )


def merged_columns(several: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """The columns of several rewards, as ``Reward.column_names`` has them, in one mapping."""
    names: dict[str, tuple[str, ...]] = {}
    for one in several:
        for name, columns in one.items():
            names[name] = tuple(dict.fromkeys((*names.get(name, ()), *columns)))
    return names
