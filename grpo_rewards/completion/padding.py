"""What a text repeats, and what of its length says nothing: padding must not earn anything."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.completion.text import visible

__all__ = ["CHARACTERS_PER_TOKEN", "is_even", "repeated_share", "repeated_share_of_text", "said", "telling_tokens"]

CHARACTERS_PER_TOKEN = 4  # of English text with the tokenizers in use; only where there are no token ids
LOOKED_AT = 200_000  # characters or tokens; of a longer text its beginning
NGRAM, SENTENCE = 4, 40  # tokens and characters: what occurs again at this length was written before
BYTES_PER_CHARACTER = 4  # a tokenizer that goes by bytes spends at most so many tokens on one character
DIGITS = re.compile(r"\d+")
GAPS = re.compile(r"\s{3,}|\s+\Z")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # of ASCII, which show nothing
UNEVEN = re.compile(r"[^\S\n]{2}|[^\S\n ]|\n{3}|\n | \n")  # other gaps than a space, a new line or an empty line


def said(ids: Sequence[int], text: str) -> tuple[Sequence[int], str]:
    """Tokens and text up to the end of the turn; of the tokens as large a share as of the characters."""
    kept = before_end_of_turn(text)
    return (ids, text) if len(kept) == len(text) else (ids[: len(ids) * len(kept) // len(text)], kept)


def is_even(text: str) -> bool:
    """Whether all that parts the words shows, and is a space, a new line or an empty line."""
    return len(_shown(text)) == len(text) and UNEVEN.search(text) is None


def _shown(text: str) -> str:
    return CONTROLS.sub("", visible(text))


def repeated_share(units: Sequence[int] | str, size: int) -> float | None:
    """The share of n-grams that occurred before: ``1 - distinct / all``; ``None`` where there are no two of them."""
    units = units[:LOOKED_AT]
    total = len(units) - size + 1
    if total < 2:
        return None
    if isinstance(units, str):
        return 1 - len({units[at : at + size] for at in range(total)}) / total
    return 1 - len(set(zip(*(units[at : at + total] for at in range(size)), strict=True))) / total


def repeated_share_of_text(text: str, size: int) -> float | None:
    """The same over visible characters, white space folded. Numbers are no news: with all of them alike it counts as
    well, over n-grams twice as long, so that counting up does not hide a repetition.
    """
    folded = " ".join(_shown(text[:LOOKED_AT]).split())
    shares = repeated_share(folded, size), repeated_share(DIGITS.sub("0", folded), 2 * size)
    known = [share for share in shares if share is not None]
    return max(known) if known else None


def telling_tokens(ids: Sequence[int], text: str) -> int:
    """How many tokens say something new, so that adding padding never raises the number.

    What was written before counts once against the length, and so do characters that show nothing and gaps. Numbers are
    taken for alike over passages twice as long, so that counting up is a repetition; what stands behind the end of the
    turn does not count.
    """
    ids, text = said(ids, text)
    shown = _shown(text)
    empty = len(text) - len(shown) + sum(len(gap) for gap in GAPS.findall(shown))
    folded = " ".join(shown[:LOOKED_AT].split())
    again = max(
        _repeated_units(list(ids[:LOOKED_AT]), NGRAM),
        _repeated_units(folded, SENTENCE),
        _repeated_units(DIGITS.sub("0", folded), 2 * SENTENCE),
    )
    return max(int(len(ids) * (1 - 2 * again)) - BYTES_PER_CHARACTER * empty, 0)


def _repeated_units(units: Sequence[int] | str, size: int) -> float:
    """The share of units that belong to an n-gram that occurred before."""
    seen: set[object] = set()
    repeated, covered = 0, 0  # covered: up to where units are counted already
    for at in range(len(units) - size + 1):
        gram = units[at : at + size] if isinstance(units, str) else tuple(units[at : at + size])
        if gram in seen:
            repeated += at + size - max(at, covered)
            covered = at + size
        seen.add(gram)
    return repeated / len(units) if units else 0.0
