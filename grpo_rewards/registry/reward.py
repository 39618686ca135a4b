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
    """

    name: str
    columns: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    shares: Mapping[str, Sequence[str]] = MappingProxyType({})
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

    def rewards(self, call: Call) -> list[float | None]:
        """B rewards, finite or ``None``; logs the reasons where the call has loggers."""
        outcomes = self.outcomes(call)
        verdicts = [one if type(one) is Verdict else Verdict(self._number(one, at)) for at, one in enumerate(outcomes)]
        rewards: list[float | None] = [
            value if type(value) is float and isfinite(value) else self._number(value, at)
            for at, (value, _, _, _, _) in enumerate(verdicts)
        ]
        if call.log_metric is not None or call.log_extra is not None:
            log_verdicts(self.name, self._reasons_in(verdicts), verdicts, call, rows=self.logs_rows, shares=self.shares)
        return rewards

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
        if completions is None or isinstance(completions, str | dict) or not hasattr(completions, "__len__"):
            raise RewardError(
                f"reward '{self.name}' got {shown(completions)} for completions; it must be a list. "
                f"Call it as a trainer does, {self.name}(completions=[…], …), "
                f"or for one completion {self.name}.score(…)."
            )
        call = Call(
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
        (outcome,) = self.outcomes(call)
        if isinstance(outcome, Verdict):
            # Verdicts are shared between equal rows: these details are the caller's own.
            return outcome._replace(reward=self._number(outcome.reward, 0), details=dict(outcome.details))
        return Verdict(self._number(outcome, 0))

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
