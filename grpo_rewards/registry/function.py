"""The reward that a decorated function becomes."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import RewardError, check_columns, check_name, harmless, listed, shown
from grpo_rewards.registry.interface import Outcome, Range, Reward
from grpo_rewards.registry.log import log_rises
from grpo_rewards.registry.signature import REQUIRED, Signature, name_of, read_signature, where
from grpo_rewards.verdict import Verdict

__all__ = ["FunctionReward"]


class FunctionReward(Reward):
    """The reward that ``@reward`` and ``@batch_reward`` make of a function, a bound method or a callable object.

    Attributes:
        function: what it calls.
        signature: what the function reads and what it can be configured with.
        example: what its required options and the columns that it reads may look like, by name.
    """

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
        meters: Mapping[str, Callable[[], float]] | None = None,
        range: Range | Callable[..., Range] | None = None,
        check: Callable[..., None] | None = None,
        example: Mapping[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        renamed_columns: Mapping[str, str] | None = None,
    ) -> None:
        own_name = name_of(function)
        self.function = function
        self.batch = batch
        self.signature: Signature = read_signature(function, batch=batch, more_options=self.MORE_OPTIONS)
        self.name = own_name if name is None else check_name(name, registered_name or own_name)
        self.registered_name = registered_name or self.name
        if isinstance(reasons, str):
            raise RewardError(
                f"reasons of reward '{self.name}' must be a list of codes, not the string {shown(reasons)}."
            )
        self.reasons = tuple(reasons)
        self._declared = frozenset((*reasons, ""))
        self.shares = dict(shares or {})
        self.meters = dict(meters or {})
        self.logs_rows = bool(reasons) or not _is_number_type(self.signature.returns)
        self.example = dict(example or {})
        self._range = range
        self._check = check
        self._options = options or {}
        self._renamed_columns = {name: one for name, one in (renamed_columns or {}).items() if name != one}
        self.columns = tuple(self._column(one) for one in self.signature.columns if one not in self.signature.optional)
        self._unset = self.signature.unset(self._options)
        self._arguments = {} if self._unset else self._grouped(self._options)
        self._seen_reasons: dict[str, None] = {}
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__qualname__ = getattr(function, "__qualname__", own_name)
        self.__wrapped__ = function
        self.__signature__ = self.signature.shown_to_inspect(function)
        self._check_options()

    @property
    def options(self) -> dict[str, Any]:
        defaults = {name: value for name, value in self.signature.options.items() if value is not REQUIRED}
        return {**defaults, **self._options}

    @property
    def option_names(self) -> Collection[str]:
        return self.signature.options

    @property
    def range(self) -> Range | None:
        return self._range(**self.options) if callable(self._range) else self._range

    def bind(
        self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any
    ) -> FunctionReward:
        for option, value in options.items():
            self.signature.check_option(self.name, option, value)
        renamed = self._renamed_columns
        if columns is not None:
            check_columns(self.name, columns, self.signature.columns)
            renamed = {**renamed, **columns}
        return self._like(self.name if name is None else name, {**self._options, **options}, renamed)

    @property
    def column_names(self) -> Mapping[str, tuple[str, ...]]:
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

    def outcomes(self, call: Call) -> Sequence[Outcome]:
        self.check_ready()
        if not call.size:
            return []
        done: list[Outcome] = []
        before = {name: meter() for name, meter in self.meters.items()}
        try:
            outcomes = self._of_batch(call) if self.batch else self._of_rows(call, done)
            log_rises(self.name, self.meters, before, call)
            return outcomes
        except RewardError:
            raise
        except Exception as error:  # re-raised: a bug in a reward must say in which one, and on which completion
            at = "" if self.batch else f" on completion {len(done)} of {call.size}: {shown(call.texts[len(done)])}"
            said = f"{type(error).__name__}: {harmless(str(error))}"
            raise RewardError(f"reward '{self.name}' ({where(self.function)}) raised {said}{at}") from error

    def _of_rows(self, call: Call, done: list[Outcome]) -> list[Outcome]:
        """Calls the function row by row. Results go into ``done``, whose length tells which row failed."""
        function, options = self.function, self._arguments
        for row in zip(*[self._values(call, name) for name in self.signature.reads], strict=True):
            done.append(function(*row, **options))
        return done

    def _of_batch(self, call: Call) -> Sequence[Outcome]:
        read = [
            call.trainer_state if name == "trainer_state" else self._values(call, name) for name in self.signature.reads
        ]
        results: Any = self.function(*read, **self._arguments)
        results = results.tolist() if hasattr(results, "tolist") else results
        is_list = isinstance(results, list | tuple) and not isinstance(results, Verdict)
        if not is_list or len(results) != call.size:
            got = f"{len(results)} values" if is_list else shown(results)
            raise RewardError(
                f"reward '{self.name}' ({where(self.function)}) returned {got} for {call.size} completions."
            )
        return cast("Sequence[Outcome]", results)

    def _values(self, call: Call, name: str) -> Sequence[Any]:
        if name not in self.signature.columns:
            return call.given(self.name, name, self.signature.optional)
        column = self._column(name)
        if name in self.signature.optional and column not in call.columns:
            return [self.signature.optional[name]] * call.size
        return call.column(self.name, column, name)

    def _reasons_in(self, verdicts: Sequence[Verdict]) -> Sequence[str]:
        # An undeclared reason is logged from the first call in which it occurs.
        if not self._declared.issuperset([one.reason for one in verdicts]):
            new = {one.reason: None for one in verdicts if one.reason not in self._declared}
            self._seen_reasons = {**self._seen_reasons, **new}
        return (*self.reasons, *self._seen_reasons)

    def _check_options(self) -> None:
        if self._check is None or self.signature.unset(self._options):
            return
        try:
            self._check(**self.options)
        except RewardError as error:
            raise RewardError(f"reward '{self.name}': {error}") from None

    def _like(self, name: str, options: dict[str, Any], renamed_columns: Mapping[str, str]) -> FunctionReward:
        return type(self)(
            self.function,
            batch=self.batch,
            name=name,
            registered_name=self.registered_name,
            reasons=self.reasons,
            shares=self.shares,
            meters=self.meters,
            range=self._range,
            check=self._check,
            example=self.example,
            options=options,
            renamed_columns=renamed_columns,
        )

    def __repr__(self) -> str:
        shown_options = [f"{option}={value!r}" for option, value in self._options.items()]
        if self._renamed_columns:
            shown_options.append(f"columns={self._renamed_columns!r}")
        if self.name != self.registered_name:
            shown_options.append(f"name={self.name!r}")
        return f"{self.registered_name}({', '.join(shown_options)})" if shown_options else self.registered_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionReward):
            return NotImplemented
        mine, theirs = ((one.function, one.name, one._renamed_columns, one.options) for one in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.function, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        stated = None if callable(self._range) else self._range
        metadata = {"batch": self.batch, "reasons": self.reasons, "shares": self.shares, "range": stated}
        metadata["meters"] = self.meters
        bound = {"name": self.name, "columns": self._renamed_columns, **self._options}
        if not inspect.isfunction(self.function):  # an object or a bound method is pickled itself
            more = {"registered_name": self.registered_name, "example": self.example}
            return _made_again, (type(self), self.function, metadata | more, bound)
        module, qualname = self.function.__module__, self.function.__qualname__
        if "<locals>" in qualname or "<lambda>" in qualname:
            raise RewardError(
                f"reward '{self.name}' is defined inside a function ({qualname}, {where(self.function)}) "
                "and cannot be pickled. Move it to the top level of a module."
            )
        return _restore, (type(self), module, qualname, metadata, bound)

    def __copy__(self) -> FunctionReward:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FunctionReward:
        return self


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
    restored: FunctionReward = found.bind(**bound)
    return restored


def _made_again(
    kind: type[FunctionReward], function: Any, metadata: dict[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """Makes the reward of a callable object again after the object was unpickled."""
    return kind(function, **metadata).bind(**bound)


def _is_number_type(returns: Any) -> bool:
    """Whether an annotation promises numbers and no Verdict. Then there are no reasons to log."""
    if typing.get_origin(returns) is list:
        return all(map(_is_number_type, typing.get_args(returns)))
    members = typing.get_args(returns) or (returns,)
    return all(one in (float, int, bool, type(None)) for one in members)
