"""The reward that a decorated function becomes: what its decorator stated, and what ``bind`` fixed."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

from grpo_rewards.errors import RewardError, check_name, harmless, listed, shown
from grpo_rewards.registry.call import Call, Column
from grpo_rewards.registry.catalogue import inner_reward
from grpo_rewards.registry.interface import Outcome, Range, Reward, joined, with_columns
from grpo_rewards.registry.signature import REQUIRED, Signature, read_signature, where
from grpo_rewards.verdict import Verdict

BEST_BY_CUSTOM = 1.0  # what counts as the most that a reward gives which does not state its range
ROUNDED_OFF = 1e-9  # a sum of weights may be this much below the end of its range, as a share of it


class DependencyVerdict(NamedTuple):
    """The verdict of a dependency for one completion.

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
    for column in one.read_columns:
        if column.name in one.columns:
            call.column(dependent, column.name, column.read_as)
    enough = least_best(BEST_BY_CUSTOM if one.range is None else one.range[1])
    return [
        DependencyVerdict(verdict, verdict.reward >= enough if is_scored and verdict.reward is not None else None)
        for verdict, is_scored in zip(one.verdicts(call), _is_scored(one, call), strict=True)
    ]


def _is_scored(one: Reward, call: Call) -> list[bool]:
    """For each completion whether the reward, and every part that counts in it, could score it.

    A sum leaves out a part that is ``None``; its number then does not show whether the maximum was reached.
    """
    scored = [verdict.reward is not None for verdict in one.verdicts(call)]
    for part, its_call, rows in one.parts_in(call):
        for row, is_scored in zip(rows, _is_scored(part, its_call), strict=True):
            scored[row] = scored[row] and is_scored
    return scored


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


@dataclass(eq=False, repr=False, kw_only=True)
class FunctionReward(Reward):
    """The reward that ``@reward`` and ``@batch_reward`` make of a function, a bound method or a callable object.

    ``bind`` replaces its name, what is bound and its columns; all else that it has follows from the fields.

    Attributes:
        function: what it calls.
        signature: what the function reads and what it can be configured with.
        stated: what its decorator was given, by keyword; see :func:`grpo_rewards.reward`. Its ``name``, which specs
            use, its ``reasons`` and its ``table`` are always there.
        name: what the logs call it.
        own_columns: the columns that the function reads.
        bound: the options that were bound; for a rebound dependency, the reward itself.
        batch: whether the function sees the whole call.
        example: what its required options and the columns that it reads may look like, by name.
        own_options: the options without the dependencies.
        unset: the options that have no value yet.
    """

    function: Callable[..., Any]
    signature: Signature
    stated: Mapping[str, Any]
    name: str
    own_columns: tuple[Column, ...]
    bound: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        signature, stated = self.signature, self.stated
        self.usual_name, self.own_reasons, self.batch = stated["name"], stated["reasons"], signature.batch
        self.shares, self.means = stated.get("shares") or {}, stated.get("means") or ()
        self.example = stated.get("example") or {}
        values = {name: self.bound.get(name, one.default) for name, one in signature.options.items()}
        self.unset = [name for name, value in values.items() if value is REQUIRED]
        others = (*self.unset, *signature.dependencies)
        self.own_options = {name: value for name, value in values.items() if name not in others}
        functools.update_wrapper(self, self.function, ("__module__", "__qualname__", "__doc__"), ())
        self.__signature__ = signature.shown
        self._columns = {one.read_as: one for one in self.own_columns}
        self._arguments = self.own_options if self.unset else self._checked_arguments()

    @cached_property
    def dependencies(self) -> Mapping[str, Reward]:  # type: ignore[override]  # here and below: stored in other classes
        # A default is looked up when first used: where the decorator runs, it need not be registered yet.
        specs = {one: self.bound.get(one, self.signature.options[one].default) for one in self.signature.dependencies}
        return {option: looked_up(self.name, option, spec) for option, spec in specs.items()}

    @property
    def options(self) -> dict[str, Any]:  # type: ignore[override]
        return {**self.own_options, **self.dependencies}

    @property
    def option_names(self) -> Collection[str]:
        return self.signature.options

    @cached_property
    def meters(self) -> Mapping[str, Callable[[], float]]:  # type: ignore[override]
        theirs = {name: meter for one in self.dependencies.values() for name, meter in one.meters.items()}
        return {**theirs, **(self.stated.get("meters") or {})}

    @cached_property
    def table(self) -> Sequence[str] | None:  # type: ignore[override]
        own: Sequence[str] | None = self.stated["table"]
        return None if own is None else joined(own, *(one.table or () for one in self.dependencies.values()))

    @property
    def range(self) -> Range | None:  # type: ignore[override]
        stated: Range | Callable[..., Range] | None = self.stated.get("range")
        return stated(**self.own_options) if callable(stated) else stated

    def bind(
        self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any
    ) -> FunctionReward:
        self._refuse_unknown(options)
        for option, value in options.items():
            if option in self.signature.dependencies:
                options[option] = looked_up(self.name, option, value)
            else:
                self.signature.check_option(self.name, option, value)
        new_name = self.name if name is None else check_name(name, self.stated["name"])
        new = replace(self, name=new_name, bound={**self.bound, **options})
        if columns is not None:
            new._refuse_columns(columns)
            own = tuple(one._replace(name=columns.get(one.read_as, one.name)) for one in self.own_columns)
            new = replace(new.with_inside(partial(with_columns, columns)), own_columns=own)
        return new

    def with_inside(self, change: Callable[[Reward], Reward]) -> FunctionReward:
        changed = {option: new for option, one in self.dependencies.items() if (new := change(one)) != one}
        return replace(self, bound={**self.bound, **changed})

    def _checked_arguments(self) -> dict[str, Any]:
        """The options as the function takes them. Raises RewardError if they do not fit each other."""
        try:
            if check := self.stated.get("check"):
                check(**self.own_options)
            return self.signature.arguments(self.own_options)
        except (TypeError, ValueError) as error:  # of a RewardError, or of a dataclass that refuses its values
            raise RewardError(f"reward '{self.name}': {error}") from error

    def check_ready(self) -> None:
        if self.unset:
            example = ", ".join(f"{option}=…" for option in self.unset)
            raise RewardError(
                f"reward '{self.name}' needs {listed(self.unset)}. Bind it: {self.name}.bind({example}), or in YAML "
                f'"{self.name}({example})".'
            )
        super().check_ready()

    def outcomes(self, call: Call) -> Sequence[Outcome]:
        if self.unset or self.signature.dependencies:
            self.check_ready()
        if not call.size:
            return []
        return self._run(call, [self._values(call, name) for name in self.signature.reads])

    def _run(self, call: Call, reads: Sequence[Any]) -> Sequence[Outcome]:
        """What the function makes of what it reads."""
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
        if name == "trainer_state":
            return call.trainer_state if self.batch else [call.trainer_state] * call.size
        if name in self.dependencies:
            return dependency_verdicts(self.dependencies[name], call, self.name)
        column = self._columns.get(name)
        if column is None:
            return call.given(self.name, name, self.signature.optional)
        if column.is_optional and column.name not in call.columns:
            return [self.signature.optional[name]] * call.size
        return call.column(self.name, column.name, name)

    def _one_each(self, results: Any, size: int) -> Sequence[Outcome]:
        """What a function returned for the whole call, as a list. Raises RewardError unless it has one for each row."""
        results = results.tolist() if hasattr(results, "tolist") else results
        is_list = isinstance(results, list | tuple) and not isinstance(results, Verdict)
        if not is_list or len(results) != size:
            got = f"{len(results)} values" if is_list else shown(results)
            raise RewardError(f"reward '{self.name}' ({where(self.function)}) returned {got} for {size} completions.")
        return cast("Sequence[Outcome]", results)

    def __repr__(self) -> str:
        bound = dict(self.bound)
        if renamed := {one.read_as: one.name for one in self.own_columns if one.read_as != one.name}:
            bound["columns"] = renamed
        if self.name != self.usual_name:
            bound["name"] = self.name
        options = ", ".join(f"{name}={value!r}" for name, value in bound.items())
        return f"{self.usual_name}({options})" if options else self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionReward) and self._identity == other._identity

    @property
    def _identity(self) -> tuple[Any, ...]:
        # the arguments, not the options: a group of options may know several spellings as one
        return self.function, self.name, self.own_columns, self._arguments, self.dependencies

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
        # without callables, which may be lambdas: the decorator in the function's module states them again
        stated = {name: one for name, one in self.stated.items() if not callable(one)}
        bound = {name: getattr(self, name) for name in ("name", "bound", "own_columns")}
        return _restored, (type(self), function, self.batch, stated, bound)


def _restored(
    kind: type[FunctionReward], function: Any, batch: bool, stated: Mapping[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """A reward that was pickled with its callable object, or with the module and the name of its function."""
    if type(function) is tuple:
        module, qualname = function
        function = operator.attrgetter(qualname)(importlib.import_module(module))
        if isinstance(function, FunctionReward):
            return replace(function, **bound)
    # a callable object, or the module holds the undecorated function
    signature = read_signature(function, batch=batch, dependencies=stated.get("dependencies") or {})
    return kind(function=function, signature=signature, stated=stated, **bound)
