"""How long may a completion be? Lengths are in tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from grpo_rewards.answers import BOX_OUTCOMES, find_box, gold_text, judge
from grpo_rewards.registry import RewardError, batch_reward, reward
from grpo_rewards.text import opens_thinking
from grpo_rewards.verdict import Verdict

__all__ = ["cosine_length", "soft_overlong"]


def _check_overlong(max_tokens: int, buffer: int) -> None:
    if max_tokens < 1 or not 0 <= buffer <= max_tokens:
        raise RewardError(
            f"max_tokens must be at least 1 and buffer between 0 and max_tokens, not {max_tokens} and {buffer}."
        )


@reward(reasons=("short_enough", "in_buffer", "too_long"), range=(-1.0, 0.0), check=_check_overlong)
def soft_overlong(completion_ids: list[int], *, max_tokens: int, buffer: int) -> Verdict:
    """0 up to ``max_tokens - buffer`` tokens, then falling linearly to -1 at ``max_tokens``, and -1 beyond.

    Equation 13 of DAPO (Yu et al. 2025, arXiv:2503.14476). It does not pay for being short. With ``buffer=0`` it is a
    step.

    Args:
        completion_ids: the completion's tokens.
        max_tokens: the length from which on the penalty is whole; usually ``max_completion_length``.
        buffer: over how many tokens before that it sets in.

    Returns:
        A number in [-1, 0], never ``None``. Reasons: ``short_enough``, ``in_buffer``, ``too_long``.

    >>> soft_overlong.bind(max_tokens=100, buffer=20).score("", completion_ids=range(90))
    -0.5
    """
    excess = len(completion_ids) - (max_tokens - buffer)
    if excess <= 0:
        return Verdict(0.0, "short_enough")
    return Verdict(-excess / buffer, "in_buffer") if excess < buffer else Verdict(-1.0, "too_long")


def _check_cosine(
    max_tokens: int, min_correct: float, max_correct: float, min_wrong: float, max_wrong: float, **_: Any
) -> None:
    if max_tokens < 1:
        raise RewardError(f"max_tokens must be at least 1, not {max_tokens}.")
    if min_correct > max_correct or min_wrong > max_wrong:
        raise RewardError("min_correct must not exceed max_correct, nor min_wrong max_wrong.")


def _cosine_range(
    min_correct: float, max_correct: float, min_wrong: float, max_wrong: float, **_: Any
) -> tuple[float, float]:
    return min(min_correct, min_wrong), max(max_correct, max_wrong)


@batch_reward(reasons=BOX_OUTCOMES, range=_cosine_range, check=_check_cosine)
def cosine_length(
    completions: Sequence[str],
    completion_ids: Sequence[Sequence[int]],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    max_tokens: int,
    min_correct: float = 0.5,
    max_correct: float = 1.0,
    min_wrong: float = -1.0,
    max_wrong: float = -0.5,
    think_opened: bool | None = None,
) -> list[Verdict]:
    """Right answers earn more the shorter they are, wrong ones lose less the longer they are, along half a cosine.

    With progress p = min(tokens / max_tokens, 1): right ``min + (max - min) (1 + cos πp) / 2``; wrong the same with the
    bounds swapped, so that a long wrong attempt costs least. Yeo et al. 2025 (arXiv:2502.03373), appendix C.1. Past
    ``max_tokens`` it stays where it is: a cosine that goes on would rise again. An answer is right as for
    ``boxed_answer`` with its default options.

    Args:
        completions: the texts of the last assistant messages.
        completion_ids: their tokens.
        answer: the golds, a dataset column.
        prompts: read to see whether they end inside ``<think>``.
        max_tokens: the length at which the cosine ends.
        min_correct, max_correct: what a right answer earns at ``max_tokens`` and at length 0.
        min_wrong, max_wrong: what a wrong one earns at length 0 and at ``max_tokens``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        A number between the least and the greatest of the four bounds; ``None`` with ``bad_answer`` where the gold
        cannot be read. Reasons: those of ``boxed_answer``.

    >>> half = cosine_length.bind(max_tokens=100)
    >>> half.score(r"\\boxed{4}", completion_ids=range(50), answer="4")
    0.75
    """
    found = [
        find_box(text, opens_thinking(prompt, think_opened)) for text, prompt in zip(completions, prompts, strict=True)
    ]
    verdicts = []
    for judgement, ids, gold in zip(judge(found, answer), completion_ids, answer, strict=True):
        falling = (1 + math.cos(math.pi * min(len(ids) / max_tokens, 1.0))) / 2
        points: float | None = max_wrong + (min_wrong - max_wrong) * falling
        if judgement.outcome == "correct":
            points = min_correct + (max_correct - min_correct) * falling
        elif judgement.outcome == "bad_answer":
            points = None
        shown = gold if isinstance(gold, str) else gold_text(gold)
        verdicts.append(Verdict(points, judgement.outcome, prediction=judgement.prediction, answer=shown))
    return verdicts
