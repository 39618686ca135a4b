"""The reward that a decorated function becomes: what its decorator stated, and what ``bind`` fixed."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

from grpo_rewards.registry.call import Call
from grpo_rewards.registry.catalogue import inner_reward
from grpo_rewards.registry.errors import RewardError, check_columns, check_name, harmless, listed, shown
from grpo_rewards.registry.interface import Outcome, Range, Reward, joined, with_columns
from grpo_rewards.registry.log import NO_GOLDS
from grpo_rewards.registry.signature import Signature, name_of, read_signature, where
from grpo_rewards.verdict import Verdict

FAILURES = ("failed", "timeout")  # reasons of every async reward
BEST_BY_CUSTOM = 1.0  # what counts as the most that a reward gives which does not state its range
ROUNDED_OFF = 1e-9  # a sum of weights may be this much below the end of its range, as a share of it
# Functions that are annotated so return no verdicts, of which the completions table could have columns.
BARE_NUMBERS = (float, int, bool, float | None, list[float], list[float | None])


class DependencyVerdict(NamedTuple):
    """What the reward that another one depends on found for one completion.

    Attributes:
        verdict (Verdict): its verdict.
        is_best (bool | None): whether it gave the most that it can give, which is the upper end of its range, or 1.0 if
            it states none; ``None`` if it, or a part of a composite, could not score the row.
    """

    verdict: Verdict
    is_best: bool | None


def dependency_verdicts(one: Reward, call: Call, dependent: str) -> list[DependencyVerdict]:
    """The verdicts of a dependency, one per completion.

    Raises:
        RewardError: a column that it reads is missing; the message names the dependent reward.
    """
    for name, columns in one.column_names.items():
        for column in set(columns).intersection(one.columns):
            call.column(dependent, column, name)
    enough = least_best(BEST_BY_CUSTOM if one.range is None else one.range[1])
    return [
        DependencyVerdict(verdict, verdict.reward >= enough if is_settled and verdict.reward is not None else None)
        for verdict, is_settled in zip(one.verdicts(call), one.settled(call), strict=True)
    ]


def least_best(best: float) -> float:
    """The least reward that counts as the best one: a sum of weights may be a little below the end of its range."""
    return best - ROUNDED_OFF * max(1.0, abs(best))


def looked_up(dependent: str, option: str, given: Any) -> Reward:
    """The reward that was given for an option, or that the given spec stands for."""
    found = inner_reward(given, f"option '{option}' of reward '{dependent}'")
    if found.changes:
        raise RewardError(
            f"option '{option}' of reward '{dependent}' cannot be {shown(found)}: its weight changes during the "
            f"training, and what is right must not. Bind the reward inside it, and schedule '{dependent}' instead."
        )
    return found


@dataclass(frozen=True)
class Bound:
    """Everything that ``bind`` can change.

    Attributes:
        name: what the logs call it.
        registered_name: what specs call it.
        options: those that were bound; for a rebound dependency, the reward itself.
        columns: what the dataset calls columns that were renamed, by the function's own names.
    """

    name: str
    registered_name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


class FunctionReward(Reward):
    """The reward that ``@reward`` and ``@batch_reward`` make of a function, a bound method or a callable object.

    It may depend on other rewards. Columns and reasons are its own and theirs.

    Attributes:
        function: what it calls.
        signature: what the function reads and what it can be configured with.
        stated: what its decorator was given, by keyword; see :func:`grpo_rewards.reward`. Binding changes none of it.
        bound: what was bound to it.
        batch: whether the function sees the whole call.
        example: what its required options and the columns that it reads may look like, by name.
        own_options: the options without the dependencies.
    """

    function: Callable[..., Any]

    def __init__(
        self, function: Callable[..., Any], signature: Signature, stated: Mapping[str, Any], bound: Bound
    ) -> None:
        self.function, self.signature, self.stated, self.bound = function, signature, stated, bound
        self.name, self.usual_name = bound.name, bound.registered_name
        self.batch, self.example = signature.batch, stated.get("example") or {}
        self.shares, self.means = stated.get("shares") or {}, stated.get("means") or ()
        self.own_reasons = stated["reasons"]
        self._given = {**signature.defaults, **bound.options}
        self._unset = signature.unset(bound.options)
        self.own_options = {name: one for name, one in self._given.items() if name not in signature.dependencies}
        self.own_column_names = {name: (bound.columns.get(name, name),) for name in signature.columns}
        self.own_columns = [
            bound.columns.get(name, name) for name in signature.columns if name not in signature.optional
        ]
        functools.update_wrapper(self, function, ("__module__", "__qualname__", "__doc__"), ())
        self.__signature__ = signature.shown
        self._arguments = self.own_options if self._unset else self._checked_arguments()

    @classmethod
    def of(cls, function: Callable[..., Any], *, batch: bool = False, **stated: Any) -> FunctionReward:
        """The reward of a function that was decorated with this metadata.

        Raises:
            RewardError: the signature breaks the star rule, or the metadata is of no use.
        """
        dependencies = stated.get("dependencies") or {}
        signature = read_signature(function, batch=batch, dependencies=dependencies)
        name = name_of(function) if stated.get("name") is None else check_name(stated["name"], name_of(function))
        for what in ("reasons", "means", "table"):
            if isinstance(stated.get(what), str):
                raise RewardError(
                    f"{what} of reward '{name}' must be a list of names, not the string {stated[what]!r}."
                )
        reasons, table = stated.get("reasons") or (), stated.get("table")
        if table is None and (reasons or dependencies or signature.shown.return_annotation not in BARE_NUMBERS):
            table = joined(["answer"] if {*signature.columns} - NO_GOLDS else [], stated.get("shares") or ())
        if signature.is_async:
            reasons, table = joined(reasons, FAILURES), joined(table or (), ["why"])  # the latter of one that failed
        return cls(function, signature, {**stated, "reasons": reasons, "table": table}, Bound(name, name))

    def _with(self, **changes: Any) -> FunctionReward:
        """The same function with something else bound."""
        return type(self)(self.function, self.signature, self.stated, replace(self.bound, **changes))

    @cached_property
    def dependencies(self) -> Mapping[str, Reward]:  # type: ignore[override]  # here and below: stored in other classes
        # A default is looked up when first used: where the decorator runs, it need not be registered yet.
        return {option: looked_up(self.name, option, self._given[option]) for option in self.signature.dependencies}

    @property
    def options(self) -> dict[str, Any]:
        return {**self.own_options, **self.dependencies}

    @property
    def option_names(self) -> Collection[str]:
        return self.signature.options

    @cached_property
    def meters(self) -> Mapping[str, Callable[[], float]]:  # type: ignore[override]
        if self.signature.is_async:
            return {}  # several such rewards wait at once: what a counter rises by meanwhile is no reward's own
        theirs = {name: meter for one in self.dependencies.values() for name, meter in one.meters.items()}
        return {**theirs, **(self.stated.get("meters") or {})}

    @cached_property
    def table(self) -> Sequence[str] | None:  # type: ignore[override]
        theirs = [one.table or () for one in self.dependencies.values()]
        return None if self.stated["table"] is None else joined(self.stated["table"], *theirs)

    @property
    def range(self) -> Range | None:
        stated: Range | Callable[..., Range] | None = self.stated.get("range")
        return stated(**self.own_options) if callable(stated) else stated

    def bind(
        self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any
    ) -> FunctionReward:
        self._refuse_unknown(options)
        own = dict(self.bound.options)
        for option, value in options.items():
            if option in self.signature.dependencies:
                own[option] = looked_up(self.name, option, value)
            else:
                self.signature.check_option(self.name, option, value)
                own[option] = value
        changes: dict[str, Any] = {} if name is None else {"name": check_name(name, self.bound.registered_name)}
        new = self._with(options=own, **changes)
        if columns is None:
            return new
        check_columns(self.name, columns, new.column_names)
        renamed = {option: with_columns(columns, one) for option, one in new.dependencies.items()}
        own |= {option: one for option, one in renamed.items() if one is not new.dependencies[option]}
        read = {one: columns.get(one, column) for one, (column,) in self.own_column_names.items()}
        return new._with(options=own, columns={one: column for one, column in read.items() if one != column})

    def mapped(self, change: Callable[[Reward], Reward]) -> Reward:
        changed: dict[str, Any] = {option: one.mapped(change) for option, one in self.dependencies.items()}
        return change(self.bind(**changed) if changed != self.dependencies else self)

    def _checked_arguments(self) -> dict[str, Any]:
        """The options as the function takes them. Raises RewardError if they do not fit each other."""
        try:
            if check := self.stated.get("check"):
                check(**self.own_options)
            return self.signature.arguments(self.own_options)
        except (TypeError, ValueError) as error:  # of a RewardError, or of a dataclass that refuses its values
            raise RewardError(f"reward '{self.name}': {error}") from error

    def check_ready(self) -> None:
        if self._unset:
            example = ", ".join(f"{option}=…" for option in self._unset)
            raise RewardError(
                f"reward '{self.name}' needs {listed(self._unset)}. Bind it: {self.name}.bind({example}), or in YAML "
                f'"{self.name}({example})".'
            )
        super().check_ready()

    def outcomes(self, call: Call) -> Sequence[Outcome]:
        if self._unset or self.signature.dependencies:
            self.check_ready()
        if not call.size:
            return []
        reads = [self._values(call, name) for name in self.signature.reads]
        done: list[Outcome] = []  # of rows: its length is the index of one that fails
        try:
            if self.batch:
                return self._one_each(self.function(*reads, **self._arguments), call.size)
            for row in zip(*reads, strict=True):
                done.append(self.function(*row, **self._arguments))
        except RewardError:
            raise
        except Exception as error:  # re-raised: the message names the reward and the completion
            at = f" on completion {len(done)} of {call.size}: {shown(call.texts[len(done)])}"
            raised = f"raised {type(error).__name__}: {harmless(str(error))}{'' if self.batch else at}"
            raise RewardError(f"reward '{self.name}' ({where(self.function, error)}) {raised}") from error
        return done

    def _values(self, call: Call, name: str) -> Any:
        """What the function reads under a name: a value for each completion, but the trainer's state of a batch."""
        if name in self.signature.columns:
            column = self.bound.columns.get(name, name)
            if name in self.signature.optional and column not in call.columns:
                return [self.signature.optional[name]] * call.size
            return call.column(self.name, column, name)
        if name in self.dependencies:
            return dependency_verdicts(self.dependencies[name], call, self.name)
        if name == "trainer_state" and self.batch:
            return call.trainer_state
        return call.given(self.name, name, self.signature.optional)

    def _one_each(self, results: Any, size: int) -> Sequence[Outcome]:
        """What a function returned for the whole call, as a list. Raises RewardError unless it has one for each row."""
        results = results.tolist() if hasattr(results, "tolist") else results
        is_list = isinstance(results, list | tuple) and not isinstance(results, Verdict)
        if not is_list or len(results) != size:
            got = f"{len(results)} values" if is_list else shown(results)
            raise RewardError(f"reward '{self.name}' ({where(self.function)}) returned {got} for {size} completions.")
        return cast("Sequence[Outcome]", results)

    def __repr__(self) -> str:
        shown_options = [f"{name}={value!r}" for name, value in self.bound.options.items()]
        if self.bound.columns:
            shown_options.append(f"columns={self.bound.columns!r}")
        if not self.has_usual_name:
            shown_options.append(f"name={self.name!r}")
        return f"{self.usual_name}({', '.join(shown_options)})" if shown_options else self.bound.registered_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionReward):
            return NotImplemented
        # the arguments, not the options: a group of options may know several spellings as one
        mine, theirs = (
            (one.function, one.name, one.bound.columns, one._arguments, one.dependencies) for one in (self, other)
        )
        return mine == theirs

    def __hash__(self) -> int:
        return hash(self.name)  # a callable object that can be compared, such as a dataclass, need not have a hash

    def __reduce__(self) -> tuple[Any, ...]:
        function: Any = self.function
        if inspect.isfunction(function):  # an object or a bound method is pickled itself
            module, qualname = function.__module__, function.__qualname__
            if "<locals>" in qualname or "<lambda>" in qualname:
                raise RewardError(
                    f"reward '{self.name}' is defined inside a function ({qualname}, {where(function)}) "
                    "and cannot be pickled. Move it to the top level of a module."
                )
            function = (module, qualname)
        # where the function is found again, its decorator has stated the rest
        stated = {name: one for name, one in self.stated.items() if not callable(one)}
        return _restored, (type(self), function, self.batch, stated, self.bound)


def _restored(
    kind: type[FunctionReward], function: Any, batch: bool, stated: Mapping[str, Any], bound: Bound
) -> FunctionReward:
    """A reward that was pickled with its callable object, or with the module and the name of its function."""
    if type(function) is tuple:
        module, qualname = function
        function = operator.attrgetter(qualname)(importlib.import_module(module))
        if isinstance(function, FunctionReward):
            return function._with(**vars(bound))
    # the module kept the plain function
    signature = read_signature(function, batch=batch, dependencies=stated.get("dependencies") or {})
    return kind(function, signature, stated, bound)
