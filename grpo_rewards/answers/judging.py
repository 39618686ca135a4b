"""Whether completions give the right answer: where they say it, and how that compares. No points here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from grpo_rewards.answers.comparing.options import DEFAULT_TASTE, Taste
from grpo_rewards.answers.comparing.steps import Comparison, can_read, compare_all
from grpo_rewards.answers.finding.in_completion import Search
from grpo_rewards.answers.symbolic.remembered import Patience

__all__ = ["BOX_OUTCOMES", "FINAL_OUTCOMES", "Judgement", "judge"]

COMPARED = (
    "correct",
    "wrong",
    "unfinished_thinking",
    "not_compared",
    "too_large",
    "timeout",
    "worker_killed",
    "bad_answer",
)
# What a judgement can be, by where the answer is looked for; with these names as its reasons a reward documents them.
BOX_OUTCOMES = ("no_box", "several_boxes", *COMPARED)
FINAL_OUTCOMES = ("no_answer", *COMPARED)


class Judgement(NamedTuple):
    """``prediction`` is what was found, ``source`` says where, and ``comparison`` how it compared with the gold."""

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the next comparison of the two comes to the same.

        What workers find depends on more than the two: on how many there are, and how long they may take.
        """
        decided = self.outcome in ("correct", "wrong")
        return decided and self.comparison is not None and self.comparison.step != "symbolic"


def judge(
    found: Sequence[Search], answers: Sequence[Any], taste: Taste = DEFAULT_TASTE, patience: Patience | None = None
) -> list[Judgement]:
    """Judges what was found for each of the answers; what needs symbolic algebra is compared in one round trip."""
    rows = list(zip(found, answers, strict=True))
    comparisons = iter(compare_all([(said, gold) for (said, _), gold in rows if said is not None], taste, patience))
    return [
        _judged(said, source, next(comparisons))
        if said is not None
        # A row whose gold cannot be read is the row's fault, also where the completion says nothing.
        else Judgement(source if can_read(gold) else "bad_answer")
        for (said, source), gold in rows
    ]


def _judged(prediction: str, source: str, comparison: Comparison) -> Judgement:
    return Judgement(comparison.outcome, prediction, source, comparison)
