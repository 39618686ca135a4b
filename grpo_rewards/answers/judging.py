"""Judges whether completions give the right answer: what was found in them, and how it compares. No points here."""

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
# The outcomes of a judgement, depending on where the answer was looked for. A reward lists them as its reasons.
BOX_OUTCOMES = ("no_box", "several_boxes", *COMPARED)
FINAL_OUTCOMES = ("no_answer", *COMPARED)


class Judgement(NamedTuple):
    """The outcome for one completion: the ``prediction``, its ``source`` in the completion, and how it compared.

    If nothing was found, there is only the outcome.
    """

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None

    @property
    def is_settled(self) -> bool:
        """Whether comparing the same two answers again must give the same outcome, so that it may be cached.

        ``False`` if they were not decided, or were decided by workers: what these find also depends on how many they
        are and how long they may take.
        """
        decided = self.outcome in ("correct", "wrong")
        return decided and self.comparison is not None and self.comparison.step != "symbolic"


def judge(
    found: Sequence[Search], answers: Sequence[Any], taste: Taste = DEFAULT_TASTE, patience: Patience | None = None
) -> list[Judgement]:
    """Judges what was found in each completion against its answer; one judgement each, in order.

    ``found`` holds (prediction, source), or (None, reason) if a completion has no answer. All pairs that need symbolic
    algebra go to the workers in one round trip.
    """
    rows = list(zip(found, answers, strict=True))
    comparisons = iter(compare_all([(said, gold) for (said, _), gold in rows if said is not None], taste, patience))
    return [
        _judged(said, source, next(comparisons))
        if said is not None
        # If the answer cannot be read, the row is at fault, even if the completion says nothing.
        else Judgement(source if can_read(gold) else "bad_answer")
        for (said, source), gold in rows
    ]


def _judged(prediction: str, source: str, comparison: Comparison) -> Judgement:
    return Judgement(comparison.outcome, prediction, source, comparison)
