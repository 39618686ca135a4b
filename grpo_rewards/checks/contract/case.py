"""A reward with rows to call it on, as a trainer would."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from grpo_rewards.checks.contract.growth import HOSTILE
from grpo_rewards.checks.reward.calling import OF_A_ROW, TookTooLong, limited, passed
from grpo_rewards.checks.reward.functions import awaited
from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import ANSWER_SYNONYMS, listed, shown
from grpo_rewards.registry.model_arguments import parameters_of
from grpo_rewards.verdict import Verdict

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Row]

GOLD_SHOWN = "4"
# What is put beside the columns of the rows that are given: texts in the usual forms, right and wrong, long and short.
USUAL = (
    "<think>2 + 2</think><answer>\\boxed{4}</answer>",
    "again again again again again again \\boxed{5",
    "The answer is 4.",
    "So we have 2 + 2 = 4, hence $\\boxed{4}$.",
    "<think>\nTwo and two.\n</think>\n\nIt is five.",
    '```json\n{"answer": 4, "steps": ["2 + 2"]}\n```',
    "First, add.\n\n1. 2 + 2 = 4\n2. Done!\n\nAnswer: B",
    "四です。",
    "no",
    "I think, maybe, that it could be 3,000.5 or so (not sure)",
)


@dataclass(frozen=True)
class Case:
    """A reward and rows for it.

    Attributes:
        reward: what a trainer is given: a ``Reward``, or a function that takes its keywords.
        rows: completions with what stands beside them, whole groups of them.
        group: how many rows in a row belong to one prompt, for a reward that compares them; else 1.
        stalled: the message about a call that took so long that it was stopped.
    """

    reward: Callable[..., Any]
    rows: tuple[Row, ...]
    group: int
    stalled: list[str] = field(default_factory=list, compare=False)

    @property
    def name(self) -> str:
        return str(getattr(self.reward, "__name__", type(self.reward).__name__))

    @property
    def own(self) -> Reward | None:
        """The reward if it is one of this package's kind, which states more about itself than a function does."""
        return self.reward if isinstance(self.reward, Reward) else None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The dataset columns of the rows."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row if name not in OF_A_ROW))

    @cached_property
    def groups(self) -> list[tuple[Row, ...]]:
        return [self.rows[at : at + self.group] for at in range(0, len(self.rows), self.group)]

    @cached_property
    def values(self) -> list[float | None]:
        """What the reward gives for all rows in one call."""
        return self.give(self.rows)

    def give(self, rows: Rows) -> list[float | None]:
        """The rewards for the rows. What a function without ``**kwargs`` does not name, it is not passed."""
        given = passed(rows)
        parameters = {} if self.own else parameters_of(self.reward)  # none of what is written in C, either
        if parameters and not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            given = {name: value for name, value in given.items() if name in parameters}
        values: list[float | None] = self.call(given)
        return values

    def call(self, given: Mapping[str, Any], function: Callable[..., Any] | None = None) -> Any:
        """What the reward, or another function of it, gives for the keywords of a trainer, awaited if need be.

        Raises:
            TookTooLong: it was stopped, or a call before it. What stalls once is not waited for again.
        """
        if self.stalled:
            raise TookTooLong(self.stalled[0])
        completions = given.get("completions", ())
        try:
            with limited(seconds_for(sum(len(completion_text(one)) for one in completions))):
                return awaited((function or self.reward)(**given))
        except TookTooLong as error:
            self.stalled.append(f"on {shown(completions[0])} and {len(completions) - 1} more it was {error}")
            raise

    def beside(self, completion: Any) -> list[Row]:
        """A group of rows with this completion, beside the columns of the first row; a text takes that row's form."""
        kept = {name: value for name, value in self.rows[0].items() if name not in OF_A_ROW}
        return [{**kept, "completion": _in_form_of(self.rows[0]["completion"], completion)}] * self.group

    def verdicts(self, rows: Rows) -> list[Verdict]:
        """The verdicts about the rows; of a function, which gives no more, its numbers as verdicts."""
        if self.own is None:
            return [Verdict(value) for value in self.give(rows)]
        verdicts: list[Verdict] = self.call(passed(rows), self.own.explain_all)
        return verdicts

    @cached_property
    def under_attack(self) -> dict[str, list[Verdict] | Exception]:
        """For each hostile text what the reward gives for it, or raises. It ends where one takes too long."""
        found: dict[str, list[Verdict] | Exception] = {}
        for text in HOSTILE:
            try:
                found[text] = self.verdicts(self.beside(text))
            except TookTooLong:
                break
            except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
                found[text] = error
        return found


def seconds_for(size: int) -> float:
    """Seconds of processor time that a call with so many characters may take before it is stopped."""
    return 10 + size * 20e-6  # a first call may import a library


def _in_form_of(like: Any, completion: Any) -> Any:
    """The completion; a text as messages if ``like`` is a list of these."""
    as_it_is = isinstance(like, str) or not isinstance(completion, str)
    return completion if as_it_is else [{"role": "assistant", "content": completion}]


def same(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """Whether two lists of rewards are the same numbers, up to what sums in another order differ by."""
    return len(one) == len(other) and all(map(_equal, one, other))


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)


def case_of(reward: Any, rows: Rows | None = None, group: int | None = None) -> Case:
    """A reward, or the spec of one, with the rows that are given or that its example makes up.

    Raises:
        RewardError: it is neither, an option is not bound, or a row has not what the reward needs.
    """
    one = get_reward(reward) if isinstance(reward, str) else reward
    if not callable(one) or isinstance(one, type):
        raise RewardError(f"a reward, its spec or a function that a trainer calls can be checked, not {shown(one)}.")
    if isinstance(one, Reward):
        one.check_ready()
        group = group or one.options.get("num_generations")
    rows = [_example_row(one)] if rows is None else list(rows)
    if not rows:
        do = "show at least one, such as {'completion': '…', 'answer': '4'}, or leave it out."
        raise RewardError(f"rows is empty: {do}")
    for at, row in enumerate(rows):
        missing = [name for name in ("completion", *getattr(one, "columns", ())) if name not in row]
        if missing:
            raise RewardError(f"row {at} has no {listed(missing)}; it has {listed(row)}.")
    size = group or 1
    beside = [{name: value for name, value in row.items() if name not in OF_A_ROW} for row in rows]
    # a usual text for each row that is given, and at least all of them once
    like = rows[0]["completion"]
    more = [{**beside[at % len(rows)], "completion": _in_form_of(like, text)} for at, text in enumerate(USUAL)]
    all_rows = [*rows, *more]
    return Case(one, (*all_rows, *(more * size)[: -len(all_rows) % size]), size)


def _example_row(reward: Any) -> Row:
    example = {**dict.fromkeys(ANSWER_SYNONYMS, GOLD_SHOWN), **getattr(reward, "example", {})}
    names = {name: its for its, several in getattr(reward, "column_names", {}).items() for name in several}
    columns = getattr(reward, "columns", ())
    unknown = [name for name in columns if names.get(name) not in example]
    if unknown:
        raise RewardError(
            f"reward '{reward.__name__}' reads {listed(unknown)}: show a row or two, rows=[{{'completion': '…', "
            f"'{unknown[0]}': …}}], or name a value in its decorator, example={{'{unknown[0]}': …}}."
        )
    return {"completion": USUAL[0], **{name: example[names[name]] for name in columns}}
