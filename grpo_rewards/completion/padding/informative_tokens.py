"""Counts the informative tokens of a text, so that padding a completion earns nothing.

What is judged is the text as a whole. People and models say things twice: a refrain, the same formula in the next line,
the answer once more at the end. What they do not write is long stretches in which nearly every passage has occurred
before, or occurs for the third time, and that together are a good part of the text. Only those are discounted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from grpo_rewards.completion.padding.emptiness import empty_tokens, shown
from grpo_rewards.completion.padding.folding import (
    BLOCK,
    REMEMBERED_BLOCKS,
    alike,
    counted,
    folded_sentences,
    pieces,
)
from grpo_rewards.completion.padding.repeats import AGAIN, THIRD, marked, marked_repeats, repeated_sentences, stretches
from grpo_rewards.completion.padding.vocabulary import poor_share
from grpo_rewards.completion.sections import before_end_of_turn

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "count_informative_tokens",
    "is_even",
    "repeated_share",
    "repeated_share_of_text",
    "until_end_of_turn",
]

CHARACTERS_PER_TOKEN = 4  # in English, with common tokenizers; used only if there are no token ids
SCANNED_UNITS = 200_000  # tokens or characters at the start of a text; the rest is not searched for repetition
LONGEST_MARKER = 32  # characters of a marker such as <|END_OF_TURN_TOKEN|>
DIGIT_RUNS = re.compile(r"\d+")
UNEVEN = re.compile(r"[^\S\n]{2}|[^\S\n ]|\n{3}|\n | \n")  # any gap but a space, a line break or an empty line
NO_LETTERS = re.compile(r"[\W\d_]")
# A text is judged by stretches of so many units, of which so much is repeated, or is there a third time, if they are
# more than so much of it: by copies and by loops. Code and data that people keep reach 0.33 and 0.25 in 2 % of windows.
JUDGED = (AGAIN, 0.9, 256, 0.33), (THIRD, 0.95, 96, 0.25)
SHORT_STRETCH = 96  # units; a stretch is no longer than a third of a short text
ALLOWED_SENTENCES = 0.35  # of a text may be sentences that occurred before, as in a song
ALLOWED_POOR = 0.3  # of a text may be stretches with few distinct words
# Tokens may be characters, and a table of T and F repeats those.
DENSE_IDS, IDS_STRETCH, ALLOWED_IDS = 0.97, 192, 0.1
HIDDEN_STRETCH = 32  # if there are more tokens than bytes: some of them do not show
SAMPLES, SAMPLE = 4, 1024  # so many samples of so many tokens
TOKENS_PER_UNIT = 0.5  # of a loop of short words, without the spaces
COUNTED_AGAINST = 2  # a repetition costs itself and the passage that it repeats


def until_end_of_turn(ids: Sequence[int], text: str) -> tuple[Sequence[int], str]:
    """The tokens and the text up to the end of the turn.

    The tokens are cut by the same share as the characters, unless what follows is only the marker itself, one token.
    """
    kept = before_end_of_turn(text)
    rest = text[len(kept) :].split()
    if not rest or (len(rest) == 1 and len(rest[0]) <= LONGEST_MARKER):
        return ids, kept
    return ids[: len(ids) * len(kept) // len(text)], kept


def is_even(text: str) -> bool:
    """Whether every gap is a single space, a line break or an empty line, and no character is invisible."""
    return len(shown(text)) == len(text) and UNEVEN.search(text) is None


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
    even = " ".join(shown(text[:SCANNED_UNITS]).split())
    shares = repeated_share(even, size), repeated_share(DIGIT_RUNS.sub("0", even), 2 * size)
    known = [share for share in shares if share is not None]
    return max(known) if known else None


def count_informative_tokens(ids: Sequence[int], text: str) -> int:
    """How many tokens are informative: nearly all of an honest text, and nearly none of what pads one.

    A text is discounted if more than 33 % of it are stretches in which nearly every passage of 12 characters occurred
    before, or 25 % stretches of passages for the third time, or 30 % stretches with far fewer distinct words than
    people use, or if 35 % are sentences that occurred before. Then each of their tokens is subtracted twice. White
    space, case, letters that look alike and numbers that only count do not hide a repetition. The tokens themselves
    are looked at in the same way, for some of them may not show in the text. Invisible characters, gaps without end
    and long rows of signs are subtracted by the tokens that they may be. What follows the end of the turn does not
    count.

    What only a language model can recognize counts in full: words or letters at random, base64, reversed text, Roman
    numerals, sentences that are new but say nothing, and data that is made up. So may padding by few words that is no
    more than half of a text below 1,500 characters.
    """
    ids, text = until_end_of_turn(ids, text)
    seen = shown(text[:SCANNED_UNITS])
    shortest = IDS_STRETCH if len(ids) <= len(text.encode(errors="surrogatepass")) else HIDDEN_STRETCH
    padding = _repeated_tokens(seen, len(ids))
    if padding < len(ids):
        padding = max(padding, _repeated_ids(ids, shortest))
    if padding >= len(ids):  # nothing is left of which more could be taken
        return 0
    return max(len(ids) - int(padding) - empty_tokens(text), 0)


def _repeated_tokens(text: str, tokens: int) -> float:
    """How many tokens the repetitions of a text cost, of all its ``tokens``; if that is all of them, perhaps more."""
    one_spelling = alike(text)
    folded = counted(one_spelling)
    units = pieces(folded)
    marks = marked_repeats(units)
    if not marks:
        return 0.0
    per_unit = max(COUNTED_AGAINST * tokens / len(marks), TOKENS_PER_UNIT)
    cost = 0.0
    for judged in JUDGED:
        cost = max(cost, _stretched(units, marks, per_unit, *judged))
        if cost >= tokens:
            return cost
    shares = [(poor_share(one_spelling), ALLOWED_POOR)]
    if len(marks) - marks.count(0) > ALLOWED_SENTENCES / 2 * len(marks):
        sentences = folded_sentences(one_spelling)
        shares.append((repeated_sentences(sentences) / len("".join(one_spelling.split())), ALLOWED_SENTENCES))
    return max([cost, *(COUNTED_AGAINST * share * tokens for share, allowed in shares if share > allowed)])


def _stretched(
    units: Sequence[str], marks: bytes, per_unit: float, least: int, density: float, length: int, allowed: float
) -> float:
    """How many tokens the stretches cost in which so much is repeated, if they are more of the text than allowed."""
    if marked(marks, least) < allowed * density / 2 * len(marks):
        return 0.0
    spans = stretches(marks, least, density, min(length, max(len(marks) // 3, SHORT_STRETCH)))
    size = sum(end - start for start, end in spans)
    if size <= allowed * len(marks):
        return 0.0
    if per_unit >= 1:
        return size * per_unit
    # a digit or a sign may be a token of its own, which a letter is not
    text = "".join(units)
    signs = sum(_signs(text[at : min(at + BLOCK, end)]) for start, end in spans for at in range(start, end, BLOCK))
    return signs + (size - signs) * per_unit


@lru_cache(maxsize=REMEMBERED_BLOCKS)
def _signs(block: str) -> int:
    """How many digits and signs a block has."""
    return len(NO_LETTERS.findall(block))


def _repeated_ids(ids: Sequence[int], shortest: int) -> float:
    """How many tokens are repetitions for the third time, counted twice: some tokens do not show in the text.

    Of many tokens, samples that are spread over them are looked at.
    """
    apart = max(len(ids) // SAMPLES, SAMPLE)
    sampled = [one for at in range(0, len(ids), apart) for one in ids[at : at + SAMPLE]]
    characters = {one: chr(at) for at, one in enumerate(dict.fromkeys(sampled))}
    marks = marked_repeats([*map(characters.__getitem__, sampled)])
    share = sum(end - start for start, end in stretches(marks, THIRD, DENSE_IDS, shortest)) / max(len(sampled), 1)
    return COUNTED_AGAINST * share * len(ids) if share > ALLOWED_IDS else 0.0
