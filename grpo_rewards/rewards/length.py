"""How long may a completion be? Lengths are in tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from grpo_rewards.answers import BOX_OUTCOMES
from grpo_rewards.completion.padding import telling_tokens
from grpo_rewards.registry import RewardError, batch_reward, reward
from grpo_rewards.rewards.building_blocks.grading import grade_boxes
from grpo_rewards.verdict import Verdict

__all__ = ["cosine_length", "max_length", "relative_length", "soft_overlong", "target_length"]


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
    ``max_tokens`` it stays where it is: a cosine that goes on would rise again. Of a wrong attempt the tokens count
    that say something new: padding it with repetitions, gaps or characters that show nothing does not make it cheaper.
    An answer is right as for ``boxed_answer`` with its default options.

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
    verdicts = []
    graded = grade_boxes(completions, answer, prompts, think_opened)
    for verdict, ids, text in zip(graded, completion_ids, completions, strict=True):
        points = None
        if verdict.reason == "correct":
            points = min_correct + (max_correct - min_correct) * _falling(len(ids), max_tokens)
        elif verdict.reason != "bad_answer":
            points = max_wrong + (min_wrong - max_wrong) * _falling(telling_tokens(ids, text), max_tokens)
        verdicts.append(verdict._replace(reward=points))
    return verdicts


def _falling(tokens: int, max_tokens: int) -> float:
    return (1 + math.cos(math.pi * min(tokens / max_tokens, 1.0))) / 2


@batch_reward(reasons=BOX_OUTCOMES, range=(-0.5, 0.5))
def relative_length(
    completions: Sequence[str],
    completion_ids: Sequence[Sequence[int]],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    think_opened: bool | None = None,
) -> list[Verdict]:
    """The shorter of a prompt's completions earn more, and only right ones earn anything.

    With λ = 0.5 - (tokens - min) / (max - min), min and max over the group: λ for a right answer, min(0, λ) for a wrong
    one, and 0 for all where all are of one length. Kimi k1.5 (arXiv:2501.12599), section 2.3.3. A group is a run of
    completions with one prompt; where ranks share a group, each sees its own part of it. An answer is right as for
    ``boxed_answer`` with its default options.

    Args:
        completions: the texts of the last assistant messages.
        completion_ids: their tokens.
        answer: the golds, a dataset column.
        prompts: what makes a group; without them, by hand, a call is one group.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        A number in [-0.5, 0.5]; ``None`` with ``bad_answer`` where the gold cannot be read. Reasons: those of
        ``boxed_answer``.

    >>> texts, tokens = [r"\\boxed{4}", r"so \\boxed{4}", "so what"], [range(10), range(20), range(30)]
    >>> relative_length(completions=texts, completion_ids=tokens, answer=[4, 4, 4], prompts=["What is 2 + 2?"] * 3)
    [0.5, 0.0, -0.5]
    """
    graded = grade_boxes(completions, answer, prompts, think_opened)
    verdicts: list[Verdict] = []
    for start, end in _groups(prompts):
        lengths = [len(ids) for ids in completion_ids[start:end]]
        shortest, spread = min(lengths), max(lengths) - min(lengths)
        for verdict, length in zip(graded[start:end], lengths, strict=True):
            points: float | None = 0.5 - (length - shortest) / spread if spread else 0.0
            if verdict.reason == "bad_answer":
                points = None
            elif verdict.reason != "correct":
                points = min(0.0, points or 0.0)
            verdicts.append(verdict._replace(reward=points))
    return verdicts


def _groups(prompts: Sequence[Any]) -> list[tuple[int, int]]:
    """Where the runs of equal prompts start and end."""
    starts = [index for index in range(len(prompts)) if index == 0 or prompts[index] != prompts[index - 1]]
    return list(zip(starts, [*starts[1:], len(prompts)], strict=True))


def _check_max(max_tokens: int) -> None:
    if max_tokens < 1:
        raise RewardError(f"max_tokens must be at least 1, not {max_tokens}.")


@reward(reasons=("short_enough", "too_long"), range=(0.0, 1.0), check=_check_max)
def max_length(completion_ids: list[int], *, max_tokens: int) -> Verdict:
    """1 up to ``max_tokens`` tokens, else 0.

    A gate or a step; ``soft_overlong`` falls gently. Being shorter earns nothing more.

    Args:
        completion_ids: the completion's tokens.
        max_tokens: the greatest length that earns the reward.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``short_enough``, ``too_long``.

    >>> max_length.bind(max_tokens=100).score("", completion_ids=range(101))
    0.0
    """
    fits = len(completion_ids) <= max_tokens
    return Verdict(float(fits), "short_enough" if fits else "too_long")


def _check_target(target: int, tolerance: int) -> None:
    if target < 1 or tolerance < 1:
        raise RewardError(f"target and tolerance must be at least 1 token, not {target} and {tolerance}.")


@reward(reasons=("on_target", "too_short", "too_long", "padded"), range=(0.0, 1.0), check=_check_target)
def target_length(completion: str, completion_ids: list[int], *, target: int, tolerance: int) -> Verdict:
    """1 at ``target`` tokens, falling linearly to 0 at ``tolerance`` tokens above or below.

    Up to the target only tokens count that say something new, so that repeated sentences, gaps and characters that show
    nothing do not bring a short completion nearer; above it all tokens count.

    Args:
        completion: the text of the last assistant message.
        completion_ids: its tokens.
        target: the length that is wanted.
        tolerance: how many tokens from it earn nothing any more.

    Returns:
        A number in [0, 1], never ``None``. Reasons: ``on_target`` (1), ``too_short``, ``too_long``, ``padded`` (long
        enough, but for what says nothing new).

    >>> about_100 = target_length.bind(target=100, tolerance=50)
    >>> about_100.score("", completion_ids=range(90)), about_100.score("", completion_ids=[7] * 100)
    (0.8, 0.0)
    """
    above, below = len(completion_ids) - target, target - telling_tokens(completion_ids, completion)
    off = max(above, below, 0)
    reason = "too_long" if above > 0 and above >= below else "too_short" if above < 0 else "padded"
    return Verdict(max(0.0, 1 - off / tolerance), reason if off else "on_target")
