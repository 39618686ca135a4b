"""Counts the informative tokens of a text, so that padding a completion earns nothing.

What is judged is the text as a whole. People and models say things twice: a refrain, the same formula in the next line,
the answer once more at the end. What they do not write is long stretches in which nearly every passage has occurred
before, or occurs for the third time, and that together are a good part of the text. Only those are discounted.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from grpo_rewards.completion.padding.emptiness import empty_tokens, shown
from grpo_rewards.completion.padding.folding import (
    BLOCK,
    REMEMBERED_BLOCKS,
    alike,
    counted,
    folded_sentences,
    pieces,
)
from grpo_rewards.completion.padding.repeats import (
    AGAIN,
    BLOCKS,
    PASSAGE,
    THIRD,
    marked,
    marked_repeats,
    repeated_sentences,
    stretches,
)
from grpo_rewards.completion.padding.screening import (
    compressible_share,
    may_have_few_words,
    may_repeat_sentences,
    plain,
)
from grpo_rewards.completion.padding.vocabulary import poor_share
from grpo_rewards.completion.sections import before_end_of_turn

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "count_informative_tokens",
    "hides_repetitions",
    "repeated_share",
    "repeated_share_of_text",
    "until_end_of_turn",
]

CHARACTERS_PER_TOKEN = 4  # in English, with common tokenizers; used only if there are no token ids
BYTES_OF_ID = array("I").itemsize
SHORT_NGRAM = 6  # tokens; above, what is copied to find it counts less than how often
MAY_REPEAT = 0.25  # of a text may be padding if so much of it is compressible
MAY_HIDE = 0.3  # and may be repetitions that its tokens do not show
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


def hides_repetitions(text: str) -> bool:
    """Whether a text may repeat itself where its tokens do not show it.

    It has a gap that is not a single space, a line break or an empty line, or an invisible character, and much of it
    can be compressed.
    """
    if compressible_share(text[:SCANNED_UNITS]) <= MAY_HIDE:
        return False
    return UNEVEN.search(text) is not None or len(shown(text)) < len(text)


def repeated_share(units: Sequence[int], size: int) -> float | None:
    """The share of n-grams that occurred before: ``1 - distinct / all``; ``None`` if there are fewer than two."""
    units = units[:SCANNED_UNITS]
    total = len(units) - size + 1
    if total < 2:
        return None
    if size <= SHORT_NGRAM:
        return 1 - len(set(zip(*(units[at : at + total] for at in range(size)), strict=True))) / total
    data, ngram = _as_bytes(units), re.compile(b"(?s).{%d}" % (size * BYTES_OF_ID))
    distinct: set[bytes] = set()
    for first in range(size):  # n-grams one behind the other, and again from the next token on
        distinct.update(ngram.findall(data, first * BYTES_OF_ID))
    return 1 - len(distinct) / total


def _as_bytes(ids: Sequence[int]) -> bytes:
    """The ids as bytes, which are cut out and hashed in a fraction of the time that tuples take."""
    try:
        return array("I", ids).tobytes()
    except (OverflowError, TypeError):  # no ids of a tokenizer
        places = {one: at for at, one in enumerate(dict.fromkeys(ids))}
        return array("I", map(places.__getitem__, ids)).tobytes()


def repeated_share_of_text(text: str, size: int) -> float | None:
    """The share of passages of ``size`` characters that occurred before; each begins where a word or syllable does.

    White space and what is invisible do not count. The share is computed again with every number replaced by 0 and
    passages twice as long, and the larger share counts, so that counting up ("Step 1 …", "Step 2 …") does not hide a
    repetition. ``None`` for very short texts.
    """
    seen = shown(text[:SCANNED_UNITS])
    shares = [_repeated_passages(pieces(seen), size)]
    with_equal_numbers, numbers = DIGIT_RUNS.subn("0", seen)
    if numbers:
        shares.append(_repeated_passages(pieces(with_equal_numbers), 2 * size))
    return max((share for share in shares if share is not None), default=None)


def _repeated_passages(units: Sequence[str], size: int) -> float | None:
    text = "".join(units)
    starts = [at for at in accumulate(map(len, units[:-1]), initial=0) if at + size <= len(text)]
    return 1 - len({text[at : at + size] for at in starts}) / len(starts) if len(starts) > 1 else None


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
    shortest = IDS_STRETCH if len(ids) <= len(text.encode(errors="surrogatepass")) else HIDDEN_STRETCH
    padding = _repeated_tokens(text[:SCANNED_UNITS], len(ids))
    if padding < len(ids):
        padding = max(padding, _repeated_ids(ids, shortest))
    if padding >= len(ids):  # nothing is left of which more could be taken
        return 0
    return max(len(ids) - int(padding) - empty_tokens(text), 0)


def _repeated_tokens(text: str, tokens: int) -> float:
    """How many tokens the repetitions of a text cost, of all its ``tokens``; if that is all of them, perhaps more."""
    data = plain(text)
    is_repeated, is_poor = compressible_share(text) > MAY_REPEAT, may_have_few_words(data)
    repeats_sentences = may_repeat_sentences(data)
    if not (is_repeated or is_poor or repeats_sentences):
        return 0.0
    one_spelling = alike(shown(text))
    cost = 0.0
    if is_repeated:
        units = pieces(counted(one_spelling))
        marks = marked_repeats(units)
        per_unit = max(COUNTED_AGAINST * tokens / max(len(marks), 1), TOKENS_PER_UNIT)
        for judged in JUDGED:
            cost = max(cost, _stretched(units, marks, per_unit, *judged))
            if cost >= tokens:
                return cost
    shares = []
    if is_poor:
        shares.append((poor_share(one_spelling), ALLOWED_POOR))
    if repeats_sentences:
        sentences = folded_sentences(one_spelling)
        shares.append((repeated_sentences(sentences) / max(len("".join(one_spelling.split())), 1), ALLOWED_SENTENCES))
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
    data = _as_bytes(sampled)[::BYTES_OF_ID]  # a byte of each: what is equal stays so
    probes = [data[at : at + PASSAGE] for at in range(0, len(data), shortest // BLOCKS)]
    if b"\x01" * BLOCKS not in bytes(data.count(one) > THIRD for one in probes):  # one in each block of a stretch
        return 0.0
    characters = {one: chr(at) for at, one in enumerate(dict.fromkeys(sampled))}
    marks = marked_repeats([*map(characters.__getitem__, sampled)])
    share = sum(end - start for start, end in stretches(marks, THIRD, DENSE_IDS, shortest)) / max(len(sampled), 1)
    return COUNTED_AGAINST * share * len(ids) if share > ALLOWED_IDS else 0.0
