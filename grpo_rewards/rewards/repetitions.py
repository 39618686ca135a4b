"""Does the completion repeat itself?"""

from __future__ import annotations

from grpo_rewards.completion.padding import CHARACTERS_PER_TOKEN, is_even, repeated_share, repeated_share_of_text, said
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["repetition"]

LONGEST_NGRAM = 20  # longer ones would cost memory on long texts and say nothing more


def _check_repetition(ngram: int, max_penalty: float) -> None:
    if not 1 <= ngram <= LONGEST_NGRAM or max_penalty > 0:
        raise RewardError(
            f"ngram must be 1 to {LONGEST_NGRAM} and max_penalty at most 0, not {ngram} and {max_penalty}."
        )


def _repetition_range(max_penalty: float, **_: int) -> tuple[float, float]:
    return max_penalty, 0.0


@reward(reasons=("distinct", "repeated", "too_short"), range=_repetition_range, check=_check_repetition)
def repetition(
    completion: str, completion_ids: list[int] | None = None, *, ngram: int = 3, max_penalty: float = -1.0
) -> Verdict:
    """A penalty for repeated n-grams: ``max_penalty · (1 - distinct / all)``.

    Yeo et al. 2025 (arXiv:2502.03373), appendix C.2, over token ids. Without token ids it goes over visible characters,
    white space folded, with four characters for a token, so that text without spaces counts as well; numbers are taken
    for alike over n-grams twice as long, so that counting up hides nothing. A text with characters that show nothing,
    or with other gaps than a space, a new line and an empty line, is looked at in both ways, and the greater penalty
    counts. What stands behind the end of the turn does not.

    Args:
        completion: the text of the last assistant message.
        completion_ids: its tokens, where there are any.
        ngram: how many tokens make an n-gram.
        max_penalty: what a completion of one n-gram over and over would earn.

    Returns:
        A number in [max_penalty, 0], never ``None``. Reasons: ``distinct`` (no n-gram occurs twice), ``repeated``,
        ``too_short`` (no two n-grams).

    >>> repetition.bind(ngram=2).score("", completion_ids=[5, 5, 5, 5, 5])
    -0.75
    """
    ids, text = said([] if completion_ids is None else completion_ids, completion)
    shares = [] if completion_ids is None else [repeated_share(ids, ngram)]
    if completion_ids is None or not is_even(text):
        shares.append(repeated_share_of_text(text, ngram * CHARACTERS_PER_TOKEN))
    known = [share for share in shares if share is not None]
    if not known:
        return Verdict(0.0, "too_short")
    repeated = max(known)
    return Verdict(max_penalty * repeated, "repeated") if repeated else Verdict(0.0, "distinct")
