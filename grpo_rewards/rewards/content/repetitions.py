"""Does the completion repeat itself?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grpo_rewards.completion.padding.informative_tokens import (
    CHARACTERS_PER_TOKEN,
    hides_repetitions,
    repeated_share,
    repeated_share_of_text,
    until_end_of_turn,
)
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.policy_tokens import TOKENS_UNKNOWN, Counting, own_text, written_by_policy
from grpo_rewards.verdict import Verdict

__all__ = ["repetition"]

MAX_NGRAM_TOKENS = 20  # longer ones would take much memory on long texts and find nothing more


def _check_repetition(ngram: int, max_penalty: float, **_: Any) -> None:
    if not 1 <= ngram <= MAX_NGRAM_TOKENS or max_penalty > 0:
        raise RewardError(
            f"ngram must be 1 to {MAX_NGRAM_TOKENS} and max_penalty at most 0, not {ngram} and {max_penalty}."
        )


def _repetition_range(max_penalty: float, **_: Any) -> tuple[float, float]:
    return max_penalty, 0.0


@reward(
    reasons=("distinct", "repeated", "too_short", "tokens_unknown"), range=_repetition_range, check=_check_repetition
)
def repetition(
    completion: str,
    messages: list[Mapping[str, Any]],
    completion_ids: list[int] | None = None,
    policy_mask: list[int] | None = None,
    *,
    ngram: int = 3,
    max_penalty: float = -1.0,
    counting: Counting,
) -> Verdict:
    """A penalty for repeated n-grams: ``max_penalty * (1 - distinct / all)``, from 0 down to ``max_penalty``.

    N-grams are runs of ``ngram`` token ids. Without token ids they are runs of ``4 * ngram`` characters, four for a
    token, each from where a word or a syllable begins; invisible characters and white space are removed first.
    Characters are then counted a second time, with all numbers made equal and n-grams twice as long, so that
    "wait 1 wait 2 wait 3" is a repetition; the larger share counts.

    With token ids, the characters are looked at too if the text has invisible characters, or gaps other than a space, a
    newline or an empty line, and 30 % of it can be compressed to a quarter, as what repeats can; again the larger share
    counts. Text after the end of the turn is ignored, and so are
    tokens and characters after the first 200,000.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int] | None): its token ids. ``None``, the default: use the characters.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        ngram (int): the length of an n-gram in tokens, from 1 to 20; 3 by default.
        max_penalty (float): the lowest possible reward, at most 0; -1.0 by default.
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

    Returns:
        A float in [max_penalty, 0], or ``None``. Reasons:

        - ``distinct``: no n-gram occurs twice (0.0).
        - ``repeated``: some n-gram does.
        - ``too_short``: the completion has fewer than two n-grams (0.0).
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    Honest text loses a little: with three tokens it repeats some n-grams, long reasoning most of them. With
    ``ngram=20`` a human solution loses nothing, and a loop as much as before.

    Source: Yeo et al. 2025 (arXiv:2502.03373), appendix C.2.

    A policy would try to break up its repetitions with invisible characters, odd gaps or a running number. They are
    found all the same, as described above.

    >>> repetition.bind(ngram=2).score("", completion_ids=[5, 5, 5, 5, 5])
    -0.75
    """
    ids, text = until_end_of_turn([], own_text(completion, messages))
    if completion_ids is not None:
        own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
        if own is None:
            return TOKENS_UNKNOWN
        ids, text = until_end_of_turn(own.ids, own.text)
    shares = [] if completion_ids is None else [repeated_share(ids, ngram)]
    if completion_ids is None or hides_repetitions(text):
        shares.append(repeated_share_of_text(text, ngram * CHARACTERS_PER_TOKEN))
    known = [share for share in shares if share is not None]
    if not known:
        return Verdict(0.0, "too_short")
    repeated = max(known)
    return Verdict(max_penalty * repeated, "repeated") if repeated else Verdict(0.0, "distinct")
