"""The object that TRL calls: what every reward has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeAlias

from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.log import log_verdicts
from grpo_rewards.verdict import Verdict

__all__ = ["Outcome", "Range", "Reward"]

Outcome: TypeAlias = "Verdict | float | None"
Range: TypeAlias = "tuple[float, float]"


class Reward(ABC):
    """A rule-based reward: callable as TRL calls it, by hand with ``score`` and ``explain``.

    It holds no state that a call changes, so one object serves several threads, and it pickles by reference.

    Attributes:
        name: its name in logs, YAML and messages; TRL reads the same text as ``__name__``.
        columns: the dataset columns that it must be given.
        reasons: the reason codes that its verdicts carry, where it documents them.
        shares: details of its verdicts of which the share of each value is logged, with these values.
        parts: the rewards that it is made of, where it is a composite.
    """

    name: str
    columns: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    shares: Mapping[str, Sequence[str]] = MappingProxyType({})
    parts: tuple[Reward, ...] = ()
    # Whether reason and prediction of each completion go into the trainer's completions table.
    logs_rows: bool = False

    @abstractmethod
    def outcomes(self, call: Call) -> Sequence[Outcome]:
        """B numbers, verdicts or ``None``, in the order of the completions."""

    @abstractmethod
    def bind(self, *, name: str | None = None, **options: Any) -> Reward:
        """A new reward with these options fixed; ``name`` is how the logs call it.

        Raises:
            RewardError: an option does not exist, or has a value that the reward refuses.
        """

    def mapped(self, change: Callable[[Reward], Reward]) -> Reward:
        """The same reward after a change of every reward in it that is not made of others."""
        return change(self)

    @property
    def options(self) -> dict[str, Any]:
        """Options with the values in force; those that still have to be bound are absent."""
        return {}

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Every name under which it logs: its own and those of its parts."""
        return (self.name,)

    @property
    def range(self) -> Range | None:
        """Lowest and highest reward with the options as they are bound; ``None`` where it is not stated."""
        return None

    def check_ready(self) -> None:  # noqa: B027  # only some rewards have anything to check
        """Raises RewardError where something still has to be configured before the first call."""

    def verdicts(self, call: Call) -> list[Verdict]:
        """B verdicts, their rewards finite floats or ``None``; computed, and logged where the call has loggers, once a
        call.
        """
        verdicts = call.verdicts.get(self)
        if verdicts is None:
            verdicts = call.verdicts[self] = self._concluded(self.outcomes(call), call)
        return verdicts

    def _concluded(self, outcomes: Sequence[Outcome], call: Call) -> list[Verdict]:
        verdicts = [one if type(one) is Verdict else Verdict(self._number(one, at)) for at, one in enumerate(outcomes)]
        for at, (value, _, _, _, _) in enumerate(verdicts):
            if value is not None and (type(value) is not float or not isfinite(value)):
                verdicts[at] = verdicts[at]._replace(reward=self._number(value, at))
        if call.log_metric is not None or call.log_extra is not None:
            log_verdicts(self.name, self._reasons_in(verdicts), verdicts, call, rows=self.logs_rows, shares=self.shares)
        return verdicts

    def rewards(self, call: Call) -> list[float | None]:
        """B rewards, finite or ``None``."""
        return [verdict.reward for verdict in self.verdicts(call)]

    def parts_in(self, call: Call) -> Sequence[tuple[Reward, Call, Sequence[int]]]:
        """Each part with the call that it is given, and the rows of this call that are in that."""
        return [(part, call, range(call.size)) for part in self.parts]

    def __call__(
        self,
        /,  # a dataset may have a column called self
        completions: Sequence[Any] | None = None,
        *,
        prompts: Sequence[Any] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
        environments: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Rewards for B completions, as TRL asks for them: everything by keyword, columns that are not read are
        ignored.

        Returns:
            B finite floats, ``None`` where the row cannot be scored.

        Raises:
            RewardError: a column or option is missing, or lengths do not fit.
        """
        call = self._call(
            completions,
            prompts=prompts,
            completion_ids=completion_ids,
            trainer_state=trainer_state,
            environments=environments,
            log_extra=log_extra,
            log_metric=log_metric,
            columns=columns,
        )
        return self.rewards(call)

    def _call(self, completions: Sequence[Any] | None, **given: Any) -> Call:
        if completions is None or isinstance(completions, str | dict) or not hasattr(completions, "__len__"):
            raise RewardError(
                f"reward '{self.name}' got {shown(completions)} for completions; it must be a list. "
                f"Call it as a trainer does, {self.name}(completions=[…], …), "
                f"or for one completion {self.name}.score(…)."
            )
        return Call(completions, **given)

    def score(self, completion: Any, **given: Any) -> float | None:
        """The reward of one completion; ``given`` takes ``prompt``, ``completion_ids``, ``trainer_state`` and columns.

        >>> import grpo_rewards as gr
        >>> gr.boxed_answer.score(r"so \\boxed{4}", answer="4")
        1.0
        """
        return self.explain(completion, **given).reward

    def explain(
        self,
        completion: Any,
        *,
        prompt: Any = None,
        completion_ids: Sequence[int] | None = None,
        trainer_state: Any = None,
        environments: Any = None,
        **columns: Any,
    ) -> Verdict:
        """The verdict about one completion: its reward, the reason and what was compared."""
        self._refuse_options(columns)
        call = Call(
            [completion],
            prompts=None if prompt is None else [prompt],
            completion_ids=None if completion_ids is None else [completion_ids],
            trainer_state=trainer_state,
            environments=None if environments is None else [environments],
            columns={name: [value] for name, value in columns.items()},
        )
        (verdict,) = self.verdicts(call)
        return verdict._replace(details=dict(verdict.details))  # equal rows may share one: these are the caller's own

    def _refuse_options(self, columns: dict[str, Any]) -> None:  # noqa: B027  # only some rewards have options
        """Raises RewardError where a column given by hand is really an option."""

    def _reasons_in(self, verdicts: Sequence[Verdict]) -> Sequence[str]:
        return self.reasons

    def _number(self, value: Any, index: int) -> float | None:
        if value is None:
            return None
        # bool, int, numpy and torch scalars are numbers; text that looks like one is not
        if not hasattr(value, "__float__") or isinstance(value, str):
            raise RewardError(
                f"reward '{self.name}' returned {shown(value)} for completion {index}; "
                "return a number, a Verdict or None."
            )
        number = float(value)
        if not isfinite(number):
            raise RewardError(
                f"reward '{self.name}' returned {number} for completion {index}; "
                "return None where a row cannot be scored."
            )
        return number
