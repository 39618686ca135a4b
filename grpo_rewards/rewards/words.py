"""Is the answer, a text, the one that was asked for?"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Any

from grpo_rewards.answers import find_said, gold_text
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.completion.text import unwrapped, visible
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["exact_match", "token_f1"]

ARTICLES = ("a", "an", "the")
REASONS = ("no_answer", "unfinished_thinking", "bad_answer")
LONGEST = 20_000  # characters of an answer that are compared; a longer one is wrong
# What belongs to a number: what stands between two digits, a sign or a point before one, a percent sign.
MARK = re.compile(r"((?<=\d)[^\w\s{}]+(?=\d)|(?<![\w)\]])[-‐–—−](?=[$€£¥]?\.?\d)|(?<![\w.])\.(?=\d)|(?<=\d)\s?\\?[%‰])")
THOUSANDS = re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
ONE_FORM = str.maketrans(dict.fromkeys("‐–—−", "-") | dict.fromkeys("⁄∕", "/") | dict.fromkeys("\\ \t\n"))
# Scripts that are written without spaces: each character is a word.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


@reward(reasons=("correct", "wrong", *REASONS), range=(0.0, 1.0))
def exact_match(completion: str, answer: Any, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if the answer is one of the golds, word for word, else 0.

    The answer is what the last box holds, else the last ``<answer>``, else all that is said after the reasoning. Both
    sides are normalised as for SQuAD (Rajpurkar et al. 2016, arXiv:1606.05250), in any script: case, punctuation,
    articles and spaces do not count, nor do the compatibility forms of Unicode. Punctuation that belongs to a number
    does: -5 is not 5, and 3.5 is not 35; only a comma before three digits is dropped.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a text or a number, or a list of golds.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where there is no gold. Reasons: ``correct``, ``wrong``, ``no_answer``,
        ``unfinished_thinking``, ``bad_answer``.

    >>> exact_match.score("<answer>The Beatles!</answer>", answer=["Beatles", "the Fab Four"])
    1.0
    """
    golds, said, refused = _compared(completion, answer, prompt, think_opened)
    if refused is not None:
        return refused
    right = _words(said) in [_words(gold) for gold in golds]
    return Verdict(float(right), "correct" if right else "wrong", said, " | ".join(golds))


@reward(reasons=("correct", "partly", "wrong", *REASONS), range=(0.0, 1.0))
def token_f1(completion: str, answer: Any, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """How many words the answer shares with the gold: ``F1 = 2 p r / (p + r)``, the best of several golds.

    p is the share of the answer's words that are in the gold, r that of the gold's words that are in the answer, each
    word as often as it occurs on both sides. Of SQuAD (Rajpurkar et al. 2016, arXiv:1606.05250), with its
    normalisation; in scripts without spaces a character is a word. The answer is found as for ``exact_match``.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a text or a number, or a list of golds.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        A number in [0, 1]; ``None`` with ``bad_answer`` where there is no gold. Reasons: ``correct`` (1), ``partly``,
        ``wrong`` (0), ``no_answer``, ``unfinished_thinking``, ``bad_answer``.

    >>> round(token_f1.score("<answer>Paris, the capital of France</answer>", answer="Paris"), 3)
    0.4
    """
    golds, said, refused = _compared(completion, answer, prompt, think_opened)
    if refused is not None:
        return refused
    best = max(_f1(_words(said), _words(gold)) for gold in golds)
    reason = "correct" if best == 1 else "partly" if best else "wrong"
    return Verdict(best, reason, said, " | ".join(golds))


def _compared(
    completion: str, answer: Any, prompt: Any, think_opened: bool | None
) -> tuple[list[str], str, Verdict | None]:
    """The golds and what is said; or the verdict where one of them is missing."""
    given = answer if isinstance(answer, list | tuple) else [answer]
    golds = [text for text in map(gold_text, given) if text is not None and _words(text)]
    if not golds:
        return [], "", Verdict(None, "bad_answer")
    said, where = find_said(completion, opens_thinking(prompt, think_opened))
    if said is None or len(said) > LONGEST or not _words(said):
        reason = where if said is None else "wrong" if len(said) > LONGEST else "no_answer"
        return golds, "", Verdict(0.0, reason, answer=" | ".join(golds))
    return golds, said, None


def _f1(said: list[str], gold: list[str]) -> float:
    shared = sum((Counter(said) & Counter(gold)).values())
    return 2 * shared / (len(said) + len(gold))


def _words(text: str) -> list[str]:
    """Normalised words; articles stay where there is nothing else."""
    folded = unicodedata.normalize("NFKC", unwrapped(visible(text[: 2 * LONGEST]))).casefold()
    pieces = MARK.split(THOUSANDS.sub("", folded))  # text and marks by turns
    pieces[::2] = map(_plain, pieces[::2])
    pieces[1::2] = [mark.translate(ONE_FORM) for mark in pieces[1::2]]
    words = "".join(pieces).split()
    return [word for word in words if word not in ARTICLES] or words


def _plain(text: str) -> str:
    return "".join(
        f" {one} " if _is_word(one) else "" if unicodedata.category(one).startswith("P") else one for one in text
    )


def _is_word(character: str) -> bool:
    return ord(character) > 0xE00 and unicodedata.name(character, "").startswith(UNSPACED)
