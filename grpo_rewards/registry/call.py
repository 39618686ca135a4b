"""One call of a trainer: the completions and what came with them, checked once and read by every reward of the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from grpo_rewards.registry.errors import RewardError, listed, shown
from grpo_rewards.text import as_messages, completion_text

__all__ = ["Call", "missing_column"]

# What data sets call the gold answer; only used to propose a column to rename.
ANSWER_SYNONYMS = ("answer", "solution", "final_answer", "ground_truth", "target", "label", "gold")


class Call:
    """What a trainer hands over for B completions.

    Attributes:
        completions: B texts or message lists.
        prompts: B prompts in either form, or ``None``.
        completion_ids: B lists of token ids, or ``None``.
        columns: dataset columns by name, each a sequence of B values.
        trainer_state, environments, log_extra, log_metric: the trainer's own, ``None`` where it has none.
    """

    def __init__(
        self,
        completions: Sequence[Any],
        *,
        prompts: Sequence[Any] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
        environments: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        columns: dict[str, Any] | None = None,
    ) -> None:
        self.completions = completions
        self.size = len(completions)
        self.prompts = prompts
        self.completion_ids = completion_ids
        self.trainer_state = trainer_state
        self.environments = environments
        self.log_extra = log_extra
        self.log_metric = log_metric
        self.columns = columns or {}

    @cached_property
    def texts(self) -> list[str]:
        """The text of each completion's last assistant message."""
        return [
            completion if type(completion) is str else completion_text(completion) for completion in self.completions
        ]

    @cached_property
    def messages(self) -> list[list[dict[str, Any]]]:
        """Each completion as a list of messages."""
        return [as_messages(completion) for completion in self.completions]

    def column(self, reward_name: str, name: str) -> Sequence[Any]:
        """A dataset column, one value per completion; RewardError where it is missing or of another length."""
        if name not in self.columns:
            raise RewardError(missing_column(reward_name, name, list(self.columns)))
        values: Sequence[Any] = self.columns[name]
        self._check_length(reward_name, f"column '{name}'", values)
        return values

    def given(self, reward_name: str, name: str, optional: dict[str, Any]) -> Sequence[Any]:
        """What the trainer gives under a name, one value per completion (``trainer_state`` repeated)."""
        if name in ("completion", "completions"):
            return self.texts
        if name == "messages":
            return self.messages
        if name == "trainer_state":
            return [self.trainer_state] * self.size
        attribute = "prompts" if name == "prompt" else name
        values: Sequence[Any] | None = getattr(self, attribute)
        if values is not None:
            self._check_length(reward_name, f"'{attribute}'", values)
            return values
        if name == "completion_ids" and name not in optional:
            raise RewardError(
                f"reward '{reward_name}' counts tokens and needs completion_ids, which this call lacks. "
                "A trainer passes them; by hand: "
                f"{reward_name}.score(text, completion_ids=tokenizer(text)['input_ids'], …)."
            )
        return [optional.get(name)] * self.size

    def _check_length(self, reward_name: str, what: str, values: Any) -> None:
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise RewardError(
                f"reward '{reward_name}' got {shown(values)} as {what}; it must be a list with one value per "
                f"completion. For a single completion use {reward_name}.score(…)."
            )
        if len(values) != self.size:
            raise RewardError(f"reward '{reward_name}' got {len(values)} values in {what} for {self.size} completions.")


def missing_column(reward_name: str, name: str, columns: Sequence[str]) -> str:
    """The message for a column that is not there, with one that could be meant."""
    import difflib

    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.7)
    if not near and name in ANSWER_SYNONYMS:
        near = [synonym for synonym in ANSWER_SYNONYMS if synonym in columns]
    do = (
        f'Rename one with dataset.rename_column("{near[0]}", "{name}").'
        if near
        else f"Add it to the dataset: one '{name}' per row."
    )
    reads = f"reward '{reward_name}' reads column '{name}', which the dataset does not have."
    return f"{reads} Columns: {listed(columns)}. {do}"
