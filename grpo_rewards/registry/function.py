"""The reward that a decorated function becomes. Its options may be rewards, whose verdicts it reads."""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from grpo_rewards.registry.call import Call, world_size
from grpo_rewards.registry.catalogue import get_reward
from grpo_rewards.registry.errors import RewardError, check_columns, check_name, harmless, listed, shown
from grpo_rewards.registry.interface import Outcome, Range, Reward
from grpo_rewards.registry.log import NO_GOLDS
from grpo_rewards.registry.signature import REQUIRED, Signature, is_number_type, name_of, read_signature, where
from grpo_rewards.verdict import Verdict

__all__ = ["DependencyVerdict", "FunctionReward", "least_best", "merged_columns"]

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


def read_by(one: Reward, columns: Mapping[str, str]) -> dict[str, str]:
    """Those of the renamed columns that a reward reads."""
    return {name: column for name, column in columns.items() if name in one.column_names}


def looked_up(dependent: str, option: str, given: Any) -> Reward:
    """The reward that was given for an option, or that the given spec stands for."""
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


_log = logging.getLogger(__name__)


class FunctionReward(Reward):
    """The reward that ``@reward`` and ``@batch_reward`` make of a function, a bound method or a callable object.

    It may depend on other rewards. Columns, reasons and options are its own and theirs.

    Attributes:
        function: what it calls.
        signature: what the function reads and what it can be configured with.
        example: what its required options and the columns that it reads may look like, by name.
        dependency_specs: the options that are rewards, with the specs of their defaults.
        own_reasons, own_meters, own_columns, own_column_names, own_options, own_table: as those of a Reward, without
            what its dependencies add.
    """

    function: Callable[..., Any]
    # Options that all rewards of this class have in addition to those of the function, with their defaults.
    MORE_OPTIONS: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        batch: bool,
        name: str | None = None,
        registered_name: str | None = None,
        reasons: Sequence[str] = (),
        shares: Mapping[str, Sequence[str]] | None = None,
        means: Sequence[str] = (),
        meters: Mapping[str, Callable[[], float]] | None = None,
        table: Sequence[str] | None = None,
        range: Range | Callable[..., Range] | None = None,
        check: Callable[..., None] | None = None,
        example: Mapping[str, Any] | None = None,
        dependencies: Mapping[str, str] | None = None,
        options: dict[str, Any] | None = None,
        renamed_columns: Mapping[str, str] | None = None,
        bound_dependencies: Mapping[str, Reward] | None = None,
        passed_on: PassedOn | None = None,
    ) -> None:
        own_name = name_of(function)
        self.function = function
        self.batch = batch
        self.dependency_specs = dict(dependencies or {})
        self.signature: Signature = read_signature(
            function, batch=batch, dependencies=self.dependency_specs, more_options=self.MORE_OPTIONS
        )
        self.name = own_name if name is None else check_name(name, registered_name or own_name)
        self.registered_name = registered_name or self.name
        self.own_reasons = names_in(self.name, "reasons", reasons)
        self.means = names_in(self.name, "means", means)
        self._stated_table = None if table is None else names_in(self.name, "table", table)
        self.shares = dict(shares or {})
        self.own_meters = dict(meters or {})
        metrics = (*self.own_reasons, *share_names(self.shares), *self.means, *self.own_meters)
        check_distinct(self.name, "metrics", metrics)
        check_distinct(self.name, "columns of the completions table", ("reason", "prediction", *(self.own_table or ())))
        self.example = dict(example or {})
        self._range = range
        self._check = check
        self._options = options or {}
        self._bound_dependencies = dict(bound_dependencies or {})
        self._passed_on = passed_on or PassedOn()
        self._renamed_columns = {name: one for name, one in (renamed_columns or {}).items() if name != one}
        self._unset = self.signature.unset(self._options)
        self._arguments = {} if self._unset else self._grouped(self._options)
        self._seen_reasons: dict[str, None] = {}
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__qualname__ = getattr(function, "__qualname__", own_name)
        self.__wrapped__ = function
        self.__signature__ = self.signature.shown_to_inspect(function, self.dependency_specs)
        self._check_options()

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

    @property
    def own_options(self) -> dict[str, Any]:
        """The options of the function itself, without its dependencies."""
        defaults = {name: value for name, value in self.signature.options.items() if value is not REQUIRED}
        return {**defaults, **self._options}

    @property
    def range(self) -> Range | None:
        return self._range(**self.own_options) if callable(self._range) else self._range

    @property
    def own_table(self) -> Sequence[str] | None:
        if not self.own_reasons and not self.dependency_specs and is_number_type(self.signature.returns):
            return None
        if self._stated_table is not None:
            return self._stated_table
        return (*(("answer",) if {*self.signature.columns} - NO_GOLDS else ()), *self.shares)

    def bind(
        self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any
    ) -> FunctionReward:
        self._refuse_read(options)
        own = {option: value for option, value in options.items() if option in self.signature.options}
        for option, value in own.items():
            self.signature.check_option(self.name, option, value)
        bound_dependencies, passed_on = self._dependencies_with(
            {option: value for option, value in options.items() if option not in own}
        )
        name = self.name if name is None else name
        bound = self.like(name, {**self._options, **own}, self._renamed_columns, bound_dependencies, passed_on)
        return bound if columns is None else bound._reading(columns)

    def _reading(self, columns: Mapping[str, str]) -> FunctionReward:
        """The same reward with columns renamed that it, or one of its dependencies, reads."""
        check_columns(self.name, columns, self.column_names)
        renamed = {
            **self._renamed_columns,
            **{one: its for one, its in columns.items() if one in self.signature.columns},
        }
        renamed_dependencies = {
            option: one.bind(columns=its) for option, one in self.dependencies.items() if (its := read_by(one, columns))
        }
        passed_on = PassedOn(self._passed_on.options, {**self._passed_on.columns, **columns})
        return self.like(
            self.name, self._options, renamed, {**self._bound_dependencies, **renamed_dependencies}, passed_on
        )

    def mapped(self, change: Callable[[Reward], Reward]) -> Reward:
        dependencies = {option: one.mapped(change) for option, one in self.dependencies.items()}
        if dependencies == self.dependencies:
            return change(self)
        return change(self.like(self.name, self._options, self._renamed_columns, dependencies, self._passed_on))

    @property
    def own_columns(self) -> tuple[str, ...]:
        return tuple(self._column(one) for one in self.signature.columns if one not in self.signature.optional)

    @property
    def own_column_names(self) -> Mapping[str, tuple[str, ...]]:
        return {name: (self._column(name),) for name in self.signature.columns}

    @property
    def has_usual_name(self) -> bool:
        return self.name == self.registered_name

    @property
    def renamed_columns(self) -> Mapping[str, str]:
        """What the dataset calls columns that were bound to other names, by the reward's own names."""
        return dict(self._renamed_columns)

    def _grouped(self, options: dict[str, Any]) -> dict[str, Any]:
        try:
            return self.signature.arguments(options)
        except RewardError as error:
            raise RewardError(f"reward '{self.name}': {error}") from error

    def _column(self, name: str) -> str:
        """What the dataset calls a column that the function reads."""
        return self._renamed_columns.get(name, name)

    def check_ready(self) -> None:
        unset = self._unset
        if unset:
            example = ", ".join(f"{option}=…" for option in unset)
            raise RewardError(
                f"reward '{self.name}' needs {listed(unset)}. Bind it: {self.name}.bind({example}), or in YAML "
                f'"{self.name}({example})".'
            )
        for one in self.dependencies.values():
            one.check_ready()

    def outcomes(self, call: Call) -> Sequence[Outcome]:
        self.check_ready()
        if not call.size:
            return []
        done: list[Outcome] = []
        try:
            return self._of_batch(call) if self.batch else self._of_rows(call, done)
        except RewardError:
            raise
        except Exception as error:  # re-raised: the message names the reward and the completion
            at = "" if self.batch else f" on completion {len(done)} of {call.size}: {shown(call.texts[len(done)])}"
            what_was_raised = f"{type(error).__name__}: {harmless(str(error))}"
            raise RewardError(f"reward '{self.name}' ({where(self.function)}) raised {what_was_raised}{at}") from error

    def _of_rows(self, call: Call, done: list[Outcome]) -> list[Outcome]:
        """Calls the function row by row. Results go into ``done``, whose length is the index of a row that fails."""
        function, options = self.function, self._arguments
        for row in zip(*[self._values(call, name) for name in self.signature.reads], strict=True):
            done.append(function(*row, **options))
        return done

    def _of_batch(self, call: Call) -> Sequence[Outcome]:
        return self._one_each(self.function(*self._columns_of(call), **self._arguments), call.size)

    def _columns_of(self, call: Call) -> list[Any]:
        """What a function that sees the whole call reads, in order."""
        return [
            call.trainer_state if name == "trainer_state" else self._values(call, name) for name in self.signature.reads
        ]

    def _one_each(self, results: Any, size: int) -> Sequence[Outcome]:
        """What a function returned for the whole call, as a list. Raises RewardError unless it has one for each row."""
        results = results.tolist() if hasattr(results, "tolist") else results
        is_list = isinstance(results, list | tuple) and not isinstance(results, Verdict)
        if not is_list or len(results) != size:
            got = f"{len(results)} values" if is_list else shown(results)
            raise RewardError(f"reward '{self.name}' ({where(self.function)}) returned {got} for {size} completions.")
        return cast("Sequence[Outcome]", results)

    def _values(self, call: Call, name: str) -> Sequence[Any]:
        if name in self.dependency_specs:
            return dependency_verdicts(self.dependencies[name], call, self.name)
        if name not in self.signature.columns:
            return call.given(self.name, name, self.signature.optional)
        column = self._column(name)
        if name in self.signature.optional and column not in call.columns:
            return [self.signature.optional[name]] * call.size
        return call.column(self.name, column, name)

    def _reasons_in(self, verdicts: Sequence[Verdict]) -> Sequence[str]:
        new = {one.reason: None for one in verdicts if one.reason}.keys() - {*self.reasons, *self._seen_reasons}
        if new:
            self._seen_reasons = {**self._seen_reasons, **dict.fromkeys(sorted(new))}
        if world_size() == 1:  # an undeclared reason is logged from the first call in which it occurs
            return (*self.reasons, *self._seen_reasons)
        if new:  # the other processes do not know of it, and without their zeros the share would be too large
            _log.warning(
                f"reward '{self.name}' gives reasons that it does not declare: {listed(sorted(new))}. With several "
                "processes their shares are not logged; name them in @reward(reasons=[…])."
            )
        return self.reasons

    def _check_options(self) -> None:
        if self._check is None or self.signature.unset(self._options):
            return
        try:
            self._check(**self.own_options)
        except RewardError as error:
            raise RewardError(f"reward '{self.name}': {error}") from None

    @property
    def _metadata(self) -> dict[str, Any]:
        """The arguments of its decorator."""
        return {
            "batch": self.batch,
            "registered_name": self.registered_name,
            "reasons": self.own_reasons,
            "shares": self.shares,
            "means": self.means,
            "meters": self.own_meters,
            "table": self._stated_table,
            "range": self._range,
            "check": self._check,
            "example": self.example,
            "dependencies": self.dependency_specs,
        }

    def like(
        self,
        name: str,
        options: dict[str, Any],
        renamed_columns: Mapping[str, str],
        bound_dependencies: Mapping[str, Reward] = MappingProxyType({}),
        passed_on: PassedOn | None = None,
    ) -> FunctionReward:
        """The same function under this name, with these options, columns and dependencies bound, and no others."""
        more: dict[str, Any] = {
            "renamed_columns": renamed_columns,
            "bound_dependencies": bound_dependencies,
            "passed_on": passed_on,
        }
        return type(self)(self.function, name=name, **self._metadata, options=options, **more)

    def __repr__(self) -> str:
        bound = {**self._options, **self._bound_dependencies}
        shown_options = [f"{option}={value!r}" for option, value in bound.items()]
        if self._renamed_columns:
            shown_options.append(f"columns={self._renamed_columns!r}")
        if self.name != self.registered_name:
            shown_options.append(f"name={self.name!r}")
        return f"{self.registered_name}({', '.join(shown_options)})" if shown_options else self.registered_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionReward):
            return NotImplemented
        mine, theirs = ((one.function, one.name, one._renamed_columns, one._compared) for one in (self, other))
        return mine == theirs

    @property
    def _compared(self) -> Mapping[str, Any]:
        """The options, with groups of them in place of their parts: a group may know several spellings as one."""
        options = {**self.own_options, **self.dependencies}
        return options if self._unset else {**self._grouped(options), "": None}

    def __hash__(self) -> int:
        return hash(self.name)  # a callable object that can be compared, such as a dataclass, need not have a hash

    def __reduce__(self) -> tuple[Any, ...]:
        stated = None if callable(self._range) else self._range
        metadata = {name: one for name, one in {**self._metadata, "range": stated}.items() if name != "check"}
        bound = {"name": self.name, "options": self._options, "renamed_columns": self._renamed_columns}
        dependencies = (
            {"bound_dependencies": self._bound_dependencies, "passed_on": self._passed_on}
            if self._bound_dependencies
            else {}
        )
        return by_reference(self, metadata, {**bound, **dependencies})

    def __copy__(self) -> FunctionReward:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FunctionReward:
        return self


def names_in(reward_name: str, what: str, given: Sequence[str]) -> tuple[str, ...]:
    """The names that a decorator was given, each once. Raises RewardError for a text in place of a list."""
    if isinstance(given, str):
        raise RewardError(f"{what} of reward '{reward_name}' must be a list of names, not the string {shown(given)}.")
    return tuple(dict.fromkeys(given))


def share_names(shares: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of the shares of the values that details of verdicts have."""
    return [f"{detail}/{value}" for detail, values in shares.items() for value in values]


def check_distinct(reward_name: str, what: str, names: Sequence[str]) -> None:
    """Raises RewardError if a reward would log two things under one name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RewardError(
            f"reward '{reward_name}' would log two {what} as '{reward_name}/{twice}'. Of what the decorator gets as "
            "reasons, shares, means, meters and table, rename one."
        )


def by_reference(
    reward: FunctionReward, metadata: dict[str, Any], bound: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What ``__reduce__`` of such a reward returns.

    Args:
        reward: the reward.
        metadata: the arguments of its decorator, as far as they can be pickled.
        bound: its name, options and columns, as ``FunctionReward.like`` takes them.

    Raises:
        RewardError: the function is defined inside another one, so that no other process finds it.
    """
    function = reward.function
    if not inspect.isfunction(function):  # an object or a bound method is pickled itself
        return _made_again, (type(reward), function, metadata, bound)
    module, qualname = function.__module__, function.__qualname__
    if "<locals>" in qualname or "<lambda>" in qualname:
        raise RewardError(
            f"reward '{reward.name}' is defined inside a function ({qualname}, {where(function)}) "
            "and cannot be pickled. Move it to the top level of a module."
        )
    del metadata["example"], metadata["registered_name"]  # the function knows, wherever it is found again
    return _restore, (type(reward), module, qualname, metadata, bound)


def _restore(
    kind: type[FunctionReward], module: str, qualname: str, metadata: dict[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """Finds a pickled reward again, by the module and the name of its function."""
    try:
        found: Any = importlib.import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise RewardError(
            f"reward '{bound['name']}' was pickled as {module}.{qualname}, which this process does not find ({error}). "
            "Define it in a .py file that both processes can import, not in a notebook or an interactive session."
        ) from error
    if not isinstance(found, FunctionReward):  # the module kept the plain function
        found = kind(found, **metadata)
    restored: FunctionReward = found.like(**bound)
    return restored


def _made_again(
    kind: type[FunctionReward], function: Any, metadata: dict[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """Makes the reward of a callable object again after the object was unpickled."""
    return kind(function, **metadata).like(**bound)
