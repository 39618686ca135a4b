"""Measures how much of a text repeats itself or says nothing, so that padding a completion earns nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.completion.text import visible

__all__ = ["CHARACTERS_PER_TOKEN", "is_even", "repeated_share", "repeated_share_of_text", "said", "telling_tokens"]

CHARACTERS_PER_TOKEN = 4  # in English, with common tokenizers; used only if there are no token ids
SCANNED_UNITS = 200_000  # tokens or characters at the start of a text; the rest is not searched for repetition
REPEATED_TOKENS, REPEATED_CHARACTERS = 4, 40  # a run of this length that occurs again is a repetition
BYTES_PER_CHARACTER = 4  # UTF-8 has at most so many, and a tokenizer of bytes may spend a token on each
DIGIT_RUNS = re.compile(r"\d+")
WIDE_GAPS = re.compile(r"\s{3,}|\s+\Z")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # of ASCII; they show nothing
UNEVEN = re.compile(r"[^\S\n]{2}|[^\S\n ]|\n{3}|\n | \n")  # any gap but a space, a line break or an empty line


def said(ids: Sequence[int], text: str) -> tuple[Sequence[int], str]:
    """The tokens and the text up to the end of the turn. The tokens are cut by the same share as the characters."""
    kept = before_end_of_turn(text)
    return (ids, text) if len(kept) == len(text) else (ids[: len(ids) * len(kept) // len(text)], kept)


def is_even(text: str) -> bool:
    """Whether every gap is a single space, a line break or an empty line, and no character is invisible."""
    return len(_shown(text)) == len(text) and UNEVEN.search(text) is None


def _shown(text: str) -> str:
    return CONTROLS.sub("", visible(text))


def repeated_share(units: Sequence[int] | str, size: int) -> float | None:
    """The share of n-grams that occurred before: ``1 - distinct / all``; ``None`` if there are fewer than two."""
    units = units[:SCANNED_UNITS]
    total = len(units) - size + 1
    if total < 2:
        return None
    if isinstance(units, str):
        return 1 - len({units[at : at + size] for at in range(total)}) / total
    return 1 - len(set(zip(*(units[at : at + total] for at in range(size)), strict=True))) / total


def repeated_share_of_text(text: str, size: int) -> float | None:
    """The ``repeated_share`` of the visible characters, with white space folded; ``None`` for very short texts.

    The share is computed again with every number replaced by 0 and n-grams twice as long, and the larger share counts,
    so that counting up ("Step 1 …", "Step 2 …") does not hide a repetition.
    """
    folded = " ".join(_shown(text[:SCANNED_UNITS]).split())
    shares = repeated_share(folded, size), repeated_share(DIGIT_RUNS.sub("0", folded), 2 * size)
    known = [share for share in shares if share is not None]
    return max(known) if known else None


def telling_tokens(ids: Sequence[int], text: str) -> int:
    """How many tokens say something new. Padding a completion never raises this number.

    A repeated passage is subtracted twice: it does not count, and it costs its length once more. A passage of twice
    that length is repeated even if its numbers differ, so that counting up does not help. Each invisible character and
    each character of a wide gap costs four tokens. What follows the end of the turn is ignored.
    """
    ids, text = said(ids, text)
    shown = _shown(text)
    empty = len(text) - len(shown) + sum(len(gap) for gap in WIDE_GAPS.findall(shown))
    folded = " ".join(shown[:SCANNED_UNITS].split())
    again = max(
        _repeated_units(list(ids[:SCANNED_UNITS]), REPEATED_TOKENS),
        _repeated_units(folded, REPEATED_CHARACTERS),
        _repeated_units(DIGIT_RUNS.sub("0", folded), 2 * REPEATED_CHARACTERS),
    )
    return max(int(len(ids) * (1 - 2 * again)) - BYTES_PER_CHARACTER * empty, 0)


def _repeated_units(units: Sequence[int] | str, size: int) -> float:
    """The share of units (tokens or characters) that lie in an n-gram that occurred before."""
    seen: set[object] = set()
    repeated, covered = 0, 0  # units before the index ``covered`` are already counted
    for at in range(len(units) - size + 1):
        gram = units[at : at + size] if isinstance(units, str) else tuple(units[at : at + size])
        if gram in seen:
            repeated += at + size - max(at, covered)
            covered = at + size
        seen.add(gram)
    return repeated / len(units) if units else 0.0
