"""One call of a trainer: the completions and what came with them, checked once and read by every reward of the call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

from grpo_rewards.completion.text import as_messages, completion_text
from grpo_rewards.registry.errors import RewardError, listed, shown
from grpo_rewards.verdict import Verdict

__all__ = ["Call", "Texts", "missing_column"]

# What data sets call the gold answer; only used to propose a column to rename.
ANSWER_SYNONYMS = ("answer", "solution", "final_answer", "ground_truth", "target", "label", "gold")


class Texts(list[str]):
    """The texts of a call's completions, with what was found out about them by rewards that share it.

    Attributes:
        found: by what was asked; it lives as long as the call.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        super().__init__(texts)
        self.found: dict[Hashable, Any] = {}


class Call:
    """What a trainer hands over for B completions.

    Attributes:
        completions: B texts or message lists.
        prompts: B prompts in either form, or ``None``.
        completion_ids: B lists of token ids, or ``None``.
        columns: dataset columns by name, each a sequence of B values.
        trainer_state, environments, log_extra, log_metric: the trainer's own, ``None`` where it has none.
        verdicts: what rewards said of it, by reward, so that one that is part of several others is asked, and logs,
            once.
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
        self.verdicts: dict[Hashable, list[Verdict]] = {}

    @cached_property
    def texts(self) -> Texts:
        """The text of each completion's last assistant message."""
        return Texts([one if type(one) is str else completion_text(one) for one in self.completions])

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
        return self._nones if optional.get(name) is None else [optional[name]] * self.size

    @cached_property
    def _nones(self) -> list[None]:
        return [None] * self.size  # one list, so that rewards that are given it can tell that they were given the same

    def of_rows(self, rows: Sequence[int]) -> Call:
        """The same call with some of its rows only. In the completions table the others stay empty."""

        def picked(values: Any) -> Any:
            fits = hasattr(values, "__len__") and not isinstance(values, str) and len(values) == self.size
            return [values[row] for row in rows] if fits else values  # what does not fit, its reader complains of

        def log_extra(column: str, values: list[Any]) -> None:
            spread = [None] * self.size
            for row, value in zip(rows, values, strict=True):
                spread[row] = value
            self.log_extra(column, spread)  # type: ignore[misc]  # only called where there is one

        return Call(
            picked(self.completions),
            prompts=picked(self.prompts),
            completion_ids=picked(self.completion_ids),
            trainer_state=self.trainer_state,
            environments=picked(self.environments),
            log_extra=None if self.log_extra is None else log_extra,
            log_metric=self.log_metric,
            columns={name: picked(values) for name, values in self.columns.items()},
        )

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
