"""The object that TRL calls: what every reward has in common, and what it may give back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite, nan
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from grpo_rewards.completion.linear_patterns import encodable
from grpo_rewards.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.call import PER_COMPLETION, TAKEN_BY_TRAINER, Call, Column
from grpo_rewards.registry.log import log_verdicts
from grpo_rewards.verdict import Verdict

Outcome: TypeAlias = "Verdict | float | None"
Range: TypeAlias = "tuple[float, float]"
Item = TypeVar("Item")


class Reward(ABC):
    """A rule-based reward. TRL calls the object; ``score`` and ``explain`` are for one completion by hand.

    It holds no state that a call changes, so one object serves several threads. One made of a function
    pickles by reference, one made of a callable object by value.

    Attributes:
        name: its name in logs, YAML and messages; TRL reads the same text as ``__name__``.
        usual_name: the default name; ``None`` if the user always gives one.
        function: what it calls, if it was made of one.
        columns: the names of the dataset columns that it must be given, also for rewards inside it. A user's
            subclass may set only this.
        reasons: the reason codes that its verdicts may carry, if it documents them.
        shares: for details of its verdicts, by name, the values whose shares are logged.
        means: details of its verdicts that are numbers, whose mean over the completions is logged.
        meters: counters that only rise; by how much each rose in a call is logged.
        table: what the completions table gets of each verdict, beside reason and prediction: ``answer``, and details by
            their names; ``None`` if nothing of them is logged there.
        parts: the rewards that it is made of, if it is a composite.
        dependencies: the rewards whose verdicts it reads, by the name of the option. They log nothing themselves.
        own_columns: the columns that it reads itself.
        read_columns: own_columns, and those of the rewards inside. Two rewards may call one column by different names.
        own_reasons: the reasons of its own, without those of inner rewards.
        range: (lowest, highest) reward with the current options; ``None`` if it does not state it.
        options: the options and their current values. Required options that are not bound yet are absent.
        changes: whether what it gives for one completion changes during a training, so that its range is that of the
            whole training.
    """

    name: str
    usual_name: str | None = None
    function: Callable[..., Any] | None = None
    own_columns: Sequence[Column] = ()
    own_reasons: Sequence[str] = ()
    shares: Mapping[str, Sequence[str]] = MappingProxyType({})
    means: Sequence[str] = ()
    meters: Mapping[str, Callable[[], float]] = MappingProxyType({})
    table: Sequence[str] | None = None
    parts: tuple[Reward, ...] = ()
    dependencies: Mapping[str, Reward] = MappingProxyType({})
    range: Range | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    changes: bool = False

    @abstractmethod
    def outcomes(self, call: Call) -> Sequence[Outcome]:
        """B numbers, verdicts or ``None``, in the order of the completions."""

    @abstractmethod
    def bind(self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any) -> Reward:
        """A new reward with these options fixed.

        Args:
            name: what the logs call it.
            columns: what the dataset calls columns that the reward reads, such as ``{"answer": "solution"}``.
            options: values of its options.

        Raises:
            RewardError: an option or a column that it does not have, or a value that it refuses.
        """

    # What happens between a trainer's call and the number.

    def __call__(self, /, completions: Sequence[Any] | None = None, **given: Any) -> list[float | None]:
        """Rewards for B completions, as a trainer requests them.

        Args:
            completions: B texts or message lists.
            given: what else the trainer hands over: ``prompts``, ``completion_ids``, ``trainer_state``,
                ``environments``, ``log_extra``, ``log_metric``, and every dataset column with B values. Columns that
                the reward does not read are ignored.

        Returns:
            B finite floats, or ``None`` for a row that cannot be scored.

        Raises:
            RewardError: a column or an option is missing, an option is given here instead of bound, lengths do not fit.
        """
        call = self._call(completions, given)
        verdicts = self.verdicts(call)
        if call.log_metric is not None or call.log_extra is not None:
            log_verdicts(self, call)
        return [verdict.reward for verdict in verdicts]

    def _call(self, completions: Sequence[Any] | None, given: dict[str, Any]) -> Call:
        if isinstance(completions, str | dict | None) or not hasattr(completions, "__len__"):
            raise RewardError(
                f"reward '{self.name}' got {shown(completions)} for completions; it must be a list. "
                f"Call it as a trainer does, {self.name}(completions=[…], …), "
                f"or for one completion {self.name}.score(…)."
            )
        call = Call.given_by_trainer(completions, given)
        # A dataset column may have the name of an option. It is a list of one value per completion, and is ignored.
        others = {name: one for name, one in call.columns.items() if type(one) is not list or len(one) != call.size}
        if others:
            self._refuse_options(others)
        return call

    def verdicts(self, call: Call) -> list[Verdict]:
        """B verdicts, whose rewards are finite floats or ``None``. They are computed once per call."""
        if self not in call.verdicts:
            meters = {} if call.log_metric is None else self.meters
            before = {name: meter() for name, meter in meters.items()}
            outcomes = self.outcomes(call)
            call.verdicts[self] = [as_verdict(self.name, outcome, at) for at, outcome in enumerate(outcomes)]
            call.rises[self] = {name: meter() - before[name] for name, meter in meters.items()}
        return call.verdicts[self]

    def parts_in(self, call: Call) -> Sequence[tuple[Reward, Call, Sequence[int]]]:
        """For each part: the part, the call that it sees, and which rows of this call that one holds."""
        return [(part, call, range(call.size)) for part in self.parts]

    def more_means(self, call: Call) -> Mapping[str, Iterable[float | None]]:
        """Numbers of one call, by name, whose mean is logged as that of a detail in ``means`` is."""
        return {}

    def check_ready(self) -> None:
        """Raises RewardError if a required option, its own or that of a reward inside it, is not bound yet."""
        for one in self.inside:
            one.check_ready()

    # By hand.

    def score(self, completion: Any, **given: Any) -> float | None:
        """The reward of one completion.

        Args:
            completion: a text or a list of messages.
            given: by keyword what a trainer gives for a row, ``prompt``, ``completion_ids``, ``environments`` and the
                columns of the dataset; and its ``trainer_state``.

        >>> import grpo_rewards as gr
        >>> gr.boxed_answer.score(r"so \\boxed{4}", answer="4")
        1.0
        """
        return self.explain(completion, **given).reward

    def explain(self, completion: Any, *, trainer_state: Any = None, **given: Any) -> Verdict:
        """The verdict about one completion: the reward, the reason and what was compared. Arguments as of ``score``."""
        self._refuse_options(given)
        if completion is None:
            raise RewardError(f"reward '{self.name}' got None for a completion. Pass \"\" for an empty completion.")
        given = {"prompts" if name == "prompt" else name: value for name, value in given.items()}
        rows = {name: [value] for name, value in given.items() if value is not None or name not in PER_COMPLETION}
        (verdict,) = self.explain_all([completion], trainer_state=trainer_state, **rows)
        return verdict

    def explain_all(self, completions: Sequence[Any], **given: Any) -> list[Verdict]:
        """The verdicts about B completions, in their order: what ``explain`` is for one.

        Args:
            completions: B texts or message lists.
            given: what a trainer hands over, by keyword: ``prompts``, ``completion_ids`` and dataset columns with one
                value per completion each, ``environments``, ``trainer_state``.

        Returns:
            B verdicts, also of composites and of async rewards.

        Raises:
            RewardError: as a call does.

        >>> import grpo_rewards as gr
        >>> verdicts = gr.boxed_answer.explain_all([r"\\boxed{4}", "4", r"\\boxed{5}"], answer=["4"] * 3)
        >>> [(verdict.reward, verdict.reason) for verdict in verdicts]
        [(1.0, 'correct'), (0.0, 'no_box'), (0.0, 'wrong')]
        """
        for name in {"prompt", "completion"}.intersection(given):
            raise RewardError(f"{self.name}: explain_all takes '{name}s', not '{name}'. Write {name}s=….")
        verdicts = self.verdicts(self._call(completions, given))
        return [one._replace(details=dict(one.details)) for one in verdicts]  # copies: equal rows share one verdict

    # What follows from its attributes.

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def option_names(self) -> Collection[str]:
        """The names of all options, also of those that are not bound yet."""
        return self.options

    @property
    def inside(self) -> tuple[Reward, ...]:
        """The rewards that it is made of or depends on."""
        return (*self.parts, *self.dependencies.values())

    @property
    def asked(self) -> Mapping[str, Reward]:
        """The former name of ``dependencies``."""
        return self.dependencies

    @cached_property
    def columns(self) -> tuple[str, ...]:
        own = (one.name for one in self.own_columns if not one.is_optional)
        return joined(own, *(one.columns for one in self.inside))

    @cached_property
    def read_columns(self) -> tuple[Column, ...]:
        read = joined(self.own_columns, *(one.read_columns for one in self.inside))
        known = {one.name for one in read}
        return (*read, *(Column(name, name) for name in self.columns if name not in known))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        return joined(self.own_reasons, *(one.reasons for one in self.inside))

    @property
    def is_gold_based(self) -> bool:
        """Whether it compares completions itself with what the dataset has for their row.

        False if only a dependency does.
        """
        of_others = joined(*(one.read_columns for one in self.dependencies.values()))
        return any(one.is_gold and one not in of_others for one in self.read_columns)

    def with_inside(self, change: Callable[[Reward], Reward]) -> Reward:
        """The same reward with ``change`` applied to each reward that it is made of or depends on."""
        return self

    def mapped(self, change: Callable[[Reward], Reward]) -> Reward:
        """The same reward with ``change`` applied to it, or to what a composite is made of, and to dependencies."""
        new = self.with_inside(lambda one: one.mapped(change))
        return new if self.parts else change(new)

    def renamed(self, change: Callable[[str], str]) -> Reward:
        """The same reward with ``change`` applied to its name, and to the names of all rewards inside it."""
        new = change(self.name)
        return self if new == self.name else self.bind(name=new)

    def _refuse_options(self, columns: dict[str, Any]) -> None:
        """Raises RewardError if a name among ``columns`` is an option: it would be ignored in silence."""
        for name in (name for name in columns if name in self.option_names):
            raise RewardError(
                f"'{name}' is an option of reward '{self.name}', and no column: options are bound before the call. "
                f"Write {self.name}.bind({name}={shown(columns[name])})."
            )
        for one in self.parts:
            one._refuse_options(columns)

    def _refuse_unknown(self, options: Iterable[str]) -> None:
        """Raises RewardError if a name among ``options`` is not an option."""
        for name in (name for name in options if name not in self.option_names):
            hint = did_you_mean(name, self.option_names)
            if any(name == one.read_as for one in self.read_columns):
                hint = (
                    f": it is a column, which stands before the '*' of a signature. To read another column: "
                    f"bind(columns={{'{name}': '…'}}); for one completion: {self.name}.score(…, {name}=…)."
                )
            inside = f"; for one of {listed(one.name for one in self.inside)}, bind that reward" if self.inside else ""
            raise RewardError(
                f"reward '{self.name}' has no option '{name}'{hint} Options: {listed(self.option_names)}{inside}."
            )

    def _refuse_columns(self, renamed: Any) -> None:
        """Raises RewardError unless ``renamed`` maps names of columns that it reads to names in the dataset."""
        if not isinstance(renamed, Mapping) or not all(isinstance(one, str) and one for one in renamed.values()):
            raise RewardError(
                f"columns of reward '{self.name}' must map columns that it reads to their names in the dataset, such "
                f"as columns={{'answer': 'solution'}}, not {shown(renamed)}."
            )
        known = joined(one.read_as for one in self.read_columns)
        for name, column in renamed.items():
            if name not in known:
                raise RewardError(
                    f"reward '{self.name}' reads no column {shown(name)}{did_you_mean(str(name), known)} "
                    f"It reads, by its own names: {listed(known)}."
                )
            if column in TAKEN_BY_TRAINER:
                raise RewardError(
                    f"reward '{self.name}' cannot read a column '{column}': a trainer passes something else under that "
                    f'name. Rename the column with dataset.rename_column("{column}", "my_{column}").'
                )

    def __repr__(self) -> str:
        return self.name


def every_reward(*rewards: Any) -> Iterator[Reward]:
    """The rewards with all that they are made of and depend on, at any depth. Plain functions are left out."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one
            yield from every_reward(*one.inside)


def joined(*several: Iterable[Item]) -> tuple[Item, ...]:
    """All items in their order, each once."""
    return tuple(dict.fromkeys(item for items in several for item in items))


def with_columns(columns: Mapping[str, str], reward: Reward) -> Reward:
    """The reward with new names for those of the columns that it reads."""
    its = {one.read_as: columns[one.read_as] for one in reward.read_columns if one.read_as in columns}
    return reward.bind(columns=its) if its else reward


def leaves(*rewards: Any) -> Iterator[Reward]:
    """Those of ``every_reward`` that are not made of others."""
    return (one for one in every_reward(*rewards) if not one.parts)


def as_verdict(reward_name: str, outcome: Outcome, index: int) -> Verdict:
    """What a reward gave for completion ``index``, as a verdict with a finite float or ``None``.

    Its reason is a text that can be written to every file: lone surrogates, which a model may have written, are
    replaced.

    Raises:
        RewardError: its number is not finite, or is no number.
    """
    if not isinstance(outcome, Verdict):
        return Verdict(as_number(reward_name, outcome, index))
    number, reason = outcome.reward, outcome.reason
    if type(reason) is not str or not reason.isascii():
        outcome = outcome._replace(reason=encodable(str(reason or "")))
    if number is not None and (type(number) is not float or not isfinite(number)):
        outcome = outcome._replace(reward=as_number(reward_name, number, index))
    return outcome


def as_number(reward_name: str, value: Any, index: int) -> float | None:
    """The reward of completion ``index`` as a finite float, or ``None``.

    Raises:
        RewardError: it is neither.
    """
    if value is None:
        return None
    try:
        # bool, int, numpy and torch scalars are numbers; text that looks like one is not
        number = nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):  # several numbers, or an int of hundreds of digits
        number = nan
    if isfinite(number):
        return number
    raise RewardError(
        f"reward '{reward_name}' returned {shown(value)} for completion {index}; return a finite number, a Verdict, or "
        "None where a row cannot be scored."
    )
