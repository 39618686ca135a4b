"""One call of a trainer: B completions and what was handed over with them. All rewards of the call read from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from grpo_rewards.completion.text import as_messages, completion_texts, is_completion
from grpo_rewards.errors import NoTokenIds, RewardError, missing_column, shown
from grpo_rewards.verdict import Verdict

# What a trainer hands over by keyword beside the columns of the dataset. Each of the first has a value per completion.
PER_COMPLETION = ("completions", "prompts", "completion_ids", "environments")
LOGGERS = ("log_extra", "log_metric")
# A dataset column of one of these names never reaches a reward.
TAKEN_BY_TRAINER = frozenset((*PER_COMPLETION, "trainer_state", *LOGGERS))
NO_GOLDS = frozenset(["policy_mask"])  # a column of a value per token, which is no gold


class Column(NamedTuple):
    """A dataset column that a reward reads.

    Attributes:
        name (str): what the dataset calls it.
        read_as (str): what the reward calls it.
        is_optional (bool): whether the dataset may lack it.
    """

    name: str
    read_as: str
    is_optional: bool = False

    @property
    def is_gold(self) -> bool:
        """Whether it says what a completion is compared with."""
        return self.read_as not in NO_GOLDS


def world_size() -> int:
    """The number of processes that train together; 1 where there is no such group.

    PyTorch is looked for among what is already imported: a process that takes part has done that.
    """
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 1
    return int(distributed.get_world_size())


def gathered(value: Any) -> tuple[list[Any], int]:
    """Returns (the values of all processes in rank order, the rank of this one). Every process must call it.

    Blocks until all processes have called it, so the decision to call may depend only on what all of them share. Async
    rewards must not call it, not even through a dependency: two that run side by side could wait for each other.
    """
    distributed = sys.modules["torch.distributed"]
    values = [None] * world_size()
    distributed.all_gather_object(values, value)
    return values, distributed.get_rank()


class Texts(list[str]):
    """The texts of a call's completions, for rewards that must know whether these are all that the trainer has here.

    Attributes:
        chosen_from: that of the call.
    """

    chosen_from: int | None = None


# Names that functions read, and the attribute of `Call` that holds each.
ATTRIBUTE_OF = {"completion": "texts", "completions": "texts", "prompt": "prompts"}


@dataclass(eq=False)
class Call:
    """What a trainer hands over for B completions.

    Attributes:
        completions: B texts or message lists.
        prompts: B prompts in either form, or ``None``.
        completion_ids: B lists of token ids, or ``None``.
        trainer_state, environments, log_extra, log_metric: the trainer's own, ``None`` where it has none.
        columns: dataset columns by name, each a sequence of B values.
        size, whole_size: the number B, and that of the completions in the trainer's call.
        chosen_from: size of the trainer's call, if this one holds only rows selected from it; else ``None``. How many
            are selected differs between processes.
        verdicts: the verdicts of each reward that was called already. A reward that is part of several composites is
            called once.
        rises: for each reward, how much each meter rose during the call.
        logged: the rewards whose verdicts were logged. That is done once.
        chosen: sub-calls for a subset of rows, by row numbers, so that verdicts are reused.
    """

    completions: Sequence[Any]
    _: KW_ONLY
    prompts: Sequence[Any] | None = None
    completion_ids: Sequence[Sequence[int]] | None = None
    trainer_state: Any = None
    environments: Sequence[Any] | None = None
    log_extra: Callable[[str, list[Any]], None] | None = None
    log_metric: Callable[[str, float], None] | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    chosen_from: int | None = None
    verdicts: dict[Hashable, list[Verdict]] = field(default_factory=dict, init=False)
    rises: dict[Hashable, Mapping[str, float]] = field(default_factory=dict, init=False)
    logged: set[Hashable] = field(default_factory=set, init=False)
    chosen: dict[tuple[int, ...], Call] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for name in PER_COMPLETION:
            setattr(self, name, _in_order(getattr(self, name)))
        self.columns = {name: _in_order(values) for name, values in self.columns.items()}
        self.size = len(self.completions)
        self.whole_size = self.size if self.chosen_from is None else self.chosen_from

    @classmethod
    def given_by_trainer(cls, completions: Sequence[Any], given: dict[str, Any]) -> Call:
        """A call of what a trainer hands over by keyword: its own arguments, and the columns of the dataset."""
        own = {name: given.pop(name) for name in TAKEN_BY_TRAINER if name in given}
        return cls(completions, **own, columns=given)

    @cached_property
    def texts(self) -> Texts:
        """The text of each completion's last assistant message."""
        texts = completion_texts(self.completions)
        if "" in texts:  # what is no completion has no text either
            self._check_completions()
        found = Texts(texts)
        found.chosen_from = self.chosen_from
        return found

    @cached_property
    def messages(self) -> list[list[dict[str, Any]]]:
        """Each completion as a list of messages."""
        self._check_completions()
        return [as_messages(completion) for completion in self.completions]

    def _check_completions(self) -> None:
        for at, one in enumerate(self.completions):
            is_list_of_texts = isinstance(one, list | tuple) and any(isinstance(turn, str | None) for turn in one)
            if is_list_of_texts or not is_completion(one):
                raise RewardError(
                    f"completion {at} of {self.size} is {shown(one)}, of type {type(one).__name__}; it must be a text "
                    'or a list of messages. Pass "" for an empty completion.'
                )

    def column(self, reward_name: str, name: str, read_as: str | None = None) -> Sequence[Any]:
        """A dataset column, one value per completion.

        Args:
            reward_name: who reads it, for messages.
            name: what the dataset calls it.
            read_as: what the reward calls it, if that differs.

        Raises:
            RewardError: it is missing, or does not have one value per completion.
        """
        if name not in self.columns:
            raise RewardError(" ".join(missing_column(reward_name, name, list(self.columns), read_as)))
        return self._one_each(reward_name, f"column '{name}'", self.columns[name])

    def given(self, reward_name: str, name: str, optional: Mapping[str, Any]) -> Sequence[Any]:
        """One value per completion of what the trainer passes under a name, for example ``prompt``.

        If it was not passed, the default in ``optional``, or ``None``.
        """
        attribute = ATTRIBUTE_OF.get(name, name)
        values: Any = getattr(self, attribute)
        if values is not None:
            return self._one_each(reward_name, f"'{attribute}'", values)
        if name == "completion_ids" and name not in optional:
            raise NoTokenIds(
                reward_name,
                "GRPOTrainer and most others pass them (A2POTrainer does not: leave the reward out there). By hand: "
                f"{reward_name}.score(text, completion_ids=tokenizer(text)['input_ids'], …).",
            )
        return [optional.get(name)] * self.size

    def _one_each(self, reward_name: str, what: str, values: Any) -> Sequence[Any]:
        """The values, if there is one for each completion. Raises RewardError otherwise."""
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise RewardError(
                f"reward '{reward_name}' got {shown(values)} as {what}; it must be a list with one value per "
                f"completion. For a single completion use {reward_name}.score(…)."
            )
        if len(values) != self.size:
            raise RewardError(f"reward '{reward_name}' got {len(values)} values in {what} for {self.size} completions.")
        return values  # type: ignore[no-any-return]  # it has a length


def _in_order(values: Any) -> Any:
    """The values as a list if they come in another sequence: a pandas Series is indexed by its labels, not places."""
    if isinstance(values, list | tuple | str | bytes | Mapping | None):
        return values
    is_sequence = hasattr(values, "__len__") and hasattr(values, "__iter__") and getattr(values, "shape", True) != ()
    return list(values) if is_sequence else values
