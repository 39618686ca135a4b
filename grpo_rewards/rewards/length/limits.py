"""Is the completion of the right length, whatever it says? All lengths are in tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grpo_rewards.completion.padding.informative_tokens import count_informative_tokens
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.policy_tokens import TOKENS_UNKNOWN, Counting, written_by_policy
from grpo_rewards.verdict import Verdict

__all__ = ["max_length", "soft_overlong", "target_length"]


def _check_overlong(max_tokens: int, buffer: int, **_: Any) -> None:
    if max_tokens < 1 or not 0 <= buffer <= max_tokens:
        raise RewardError(
            f"max_tokens must be at least 1 and buffer between 0 and max_tokens, not {max_tokens} and {buffer}."
        )


@reward(
    reasons=("short_enough", "in_buffer", "too_long", "tokens_unknown"),
    range=(-1.0, 0.0),
    check=_check_overlong,
    example={"max_tokens": 1024, "buffer": 256},
)
def soft_overlong(
    completion: str,
    messages: list[Mapping[str, Any]],
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    max_tokens: int,
    buffer: int,
    counting: Counting,
) -> Verdict:
    """0 up to ``max_tokens - buffer`` tokens, then a penalty that grows linearly to -1 at ``max_tokens``.

    For a completion of n tokens: 0 if n <= ``max_tokens - buffer``; ``(max_tokens - buffer - n) / buffer`` inside the
    buffer; -1 from ``max_tokens`` on. With ``buffer=0`` there is no slope: 0 up to ``max_tokens``, -1 above.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        max_tokens (int): the number of tokens at which the penalty reaches -1; usually ``max_completion_length``.
        buffer (int): how many tokens before ``max_tokens`` the penalty begins.
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

    Returns:
        A float in [-1, 0], or ``None``. Reasons:

        - ``short_enough``: at most ``max_tokens - buffer`` tokens (0.0).
        - ``in_buffer``: longer than that, but shorter than ``max_tokens``.
        - ``too_long``: ``max_tokens`` or more, with ``buffer=0`` more than that (-1.0).
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    Source: DAPO (Yu et al. 2025, arXiv:2503.14476), equation 13.

    A policy would try to write very little. That earns 0, no more than any other completion that ends before the
    buffer.

    >>> soft_overlong.bind(max_tokens=100, buffer=20).score("", completion_ids=range(90))
    -0.5
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    excess = len(own.ids) - (max_tokens - buffer)
    if excess <= 0:
        return Verdict(0.0, "short_enough")
    return Verdict(-excess / buffer, "in_buffer") if excess < buffer else Verdict(-1.0, "too_long")


def _check_max(max_tokens: int, **_: Any) -> None:
    if max_tokens < 1:
        raise RewardError(f"max_tokens must be at least 1, not {max_tokens}.")


@reward(
    reasons=("short_enough", "too_long", "tokens_unknown"),
    range=(0.0, 1.0),
    check=_check_max,
    example={"max_tokens": 1024},
)
def max_length(
    completion: str,
    messages: list[Mapping[str, Any]],
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    max_tokens: int,
    counting: Counting,
) -> Verdict:
    """1 if the completion has at most ``max_tokens`` tokens, else 0.

    For a penalty that grows slowly instead, use ``soft_overlong``.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        max_tokens (int): the largest number of tokens that still earns 1.
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

    Returns:
        1.0 or 0.0, or ``None``. Reasons:

        - ``short_enough``: at most ``max_tokens`` tokens (1.0).
        - ``too_long``: more.
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    A policy would try to say nothing at all, which earns 1. Use this reward as a gate, or together with one for the
    answer.

    >>> max_length.bind(max_tokens=100).score("", completion_ids=range(101))
    0.0
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    fits = len(own.ids) <= max_tokens
    return Verdict(float(fits), "short_enough" if fits else "too_long")


def _check_target(target: int, tolerance: int, **_: Any) -> None:
    if target < 1 or tolerance < 1:
        raise RewardError(f"target and tolerance must be at least 1 token, not {target} and {tolerance}.")


@reward(
    reasons=("on_target", "too_short", "too_long", "padded", "tokens_unknown"),
    range=(0.0, 1.0),
    check=_check_target,
    example={"target": 512, "tolerance": 128},
)
def target_length(
    completion: str,
    messages: list[Mapping[str, Any]],
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    target: int,
    tolerance: int,
    counting: Counting,
) -> Verdict:
    """1 at ``target`` tokens, falling linearly to 0 at ``tolerance`` tokens above or below.

    To reach the target, only tokens count that are no padding: not loops, copies, counting, blanks, invisible
    characters, or text after the end of the turn. To exceed it, all tokens count. An honest text loses
    nothing, or little if it is a table or a song.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        target (int): the wanted number of tokens.
        tolerance (int): the distance from ``target``, in tokens, at which the reward reaches 0.
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

    Returns:
        A float in [0, 1], or ``None``. Reasons:

        - ``on_target``: exactly the wanted length (1.0).
        - ``too_short``: fewer tokens.
        - ``too_long``: more tokens.
        - ``padded``: enough tokens, but too many of them are padding.
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    A policy would try to pad a short completion up to the target. Loops, copies, counting up, gaps and invisible
    characters gain nothing. Words or letters at random do, for only a language model can recognize them, and so does
    a repetition that is less than a third of the text: add a reward for the content.

    >>> about_100 = target_length.bind(target=100, tolerance=50)
    >>> about_100.score("", completion_ids=range(90)), about_100.score("", completion_ids=[7] * 100)
    (0.8, 0.0)
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    above, below = len(own.ids) - target, target - count_informative_tokens(own.ids, own.text)
    off = max(above, below, 0)
    reason = "too_long" if above > 0 and above >= below else "too_short" if above < 0 else "padded"
    return Verdict(max(0.0, 1 - off / tolerance), reason if off else "on_target")
