"""Counts the informative tokens of a text, so that padding a completion earns nothing.

What is judged is the text as a whole. People and models say things twice: a refrain, the same formula in the next line,
the answer once more at the end. What they do not write is long stretches in which nearly every passage has occurred
before, or occurs for the third time, and that together are a good part of the text. Only those are discounted.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, compress
from operator import eq, mul, ne

from grpo_rewards.completion.padding.folding import (
    BLOCK,
    REMEMBERED_BLOCKS,
    alike,
    compressible_share,
    counted,
    empty_tokens,
    folded_sentences,
    may_have_few_words,
    may_repeat_sentences,
    pieces,
    plain,
    shown,
)
from grpo_rewards.completion.sections import before_end_of_turn

__all__ = [
    "AGAIN",
    "CHARACTERS_PER_TOKEN",
    "THIRD",
    "count_informative_tokens",
    "hides_repetitions",
    "marked_repeats",
    "poor_share",
    "repeated_sentences",
    "repeated_share",
    "repeated_share_of_text",
    "until_end_of_turn",
]

PASSAGE = 12  # units (characters without spaces, or tokens) that are a repetition if they occur again
AGAIN, THIRD = 1, 2  # a passage that occurs for the second time, and for the third or more
MARK_BYTES = b"\x00", b"\x01", b"\x02"
BLOCK_PIECES = 120  # whole periods of many short loops
BLOCKS = 3  # of a stretch; each is looked at once
SHORTEST_SENTENCE = 20  # shorter ones, such as "Yes" and "}", occur again in any text


def marked_repeats(pieces: Sequence[str]) -> bytes:
    """For each unit whether the passage that begins with its piece is new (0), ``AGAIN``, or there a ``THIRD`` time.

    Pieces are looked at in blocks. If a block with what follows it was there twice, all its passages were: that a loop
    goes on is seen block by block, not passage by passage.
    """
    passages = Passages()
    known: dict[tuple[str, ...], list[int]] = {}  # of each block its units, and how often it was there
    marks = []
    for at in range(0, len(pieces), BLOCK_PIECES):
        block = tuple(pieces[at : at + BLOCK_PIECES + PASSAGE])
        seen = known.get(block)
        if seen is not None and seen[1] >= THIRD:
            marks.append(MARK_BYTES[THIRD] * seen[0])
        else:
            lengths = [*map(len, block[:BLOCK_PIECES])]
            if seen is None:
                known[block] = [sum(lengths), 1]
            else:
                seen[1] += 1
            own = passages.marks("".join(block), lengths)
            marks.append(b"".join(map(mul, map(MARK_BYTES.__getitem__, own), lengths)))
    return b"".join(marks)


class Passages:
    """The passages of a text up to a place.

    Attributes:
        first: where each passage was first, by a number that grows.
        second: where the passage that was first there was a second time.
    """

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self.second: dict[int, int] = {}
        self.count = 0

    def marks(self, units: str, lengths: Sequence[int]) -> bytearray:
        """The marks of the next pieces, which have these lengths, given the units from the first of them on."""
        numbers = range(self.count, self.count + len(lengths))
        self.count += len(lengths)
        starts = accumulate(lengths[:-1], initial=0)
        passages = [units[start : start + PASSAGE] for start in starts]
        first = [*map(self.first.setdefault, passages, numbers)]
        marks = bytearray(map(ne, first, numbers))
        if AGAIN in marks:
            again = [*compress(numbers, marks)]
            second = map(self.second.setdefault, compress(first, marks), again)
            for number in compress(again, map(ne, second, again)):
                marks[number - numbers.start] = THIRD
        return marks


def marked(marks: bytes, least: int) -> int:
    """How many marks are ``least`` or more."""
    return marks.count(THIRD) if least == THIRD else len(marks) - marks.count(0)


def stretches(marks: bytes, least: int, density: float, size: int) -> list[tuple[int, int]]:
    """The (start, end) of the stretches, of ``size`` or more, where a share of ``density`` of marks is ``least``."""
    block = min(size, len(marks)) // BLOCKS
    if not block:
        return []
    starts = range(0, len(marks), block)
    counts = [marked(marks[at : at + block], least) for at in starts]
    enough = density * block * BLOCKS
    dense = [at for at, held in enumerate(zip(counts, counts[1:], counts[2:], strict=False)) if sum(held) >= enough]
    return list(_joined((at * block, min((at + BLOCKS) * block, len(marks))) for at in dense))


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ordered spans, with those that overlap made one."""
    start = end = 0
    for first, last in spans:
        if first > end:
            if end:
                yield start, end
            start = first
        end = last
    if end:
        yield start, end


def repeated_sentences(sentences: Iterable[str]) -> int:
    """How many characters are in sentences that occurred before."""
    seen: set[str] = set()
    repeated = 0
    for one in sentences:
        if len(one) >= SHORTEST_SENTENCE:
            repeated += len(one) if one in seen else 0
            seen.add(one)
    return repeated


# A character of a script without spaces, or a word or name; a number is none
WORDS_AND_NAMES = re.compile("[\u2e80-\uffef]|\\d{0,4}[^\\W\\d_\u2e80-\uffef][^\\W\u2e80-\uffef]+")
BLOCK_CHARACTERS = 150
# With how many distinct words a stretch of 2, 4, 8 and 16 blocks is poor, by how much of it is in words. Prose has
# twice as many and more; the less of a text is in words, as in code and data, the fewer do people get along with.
VERBAL_SHARES = 0.5, 0.6, 0.7, 0.8, 0.87, 0.93
FEW_WORDS = (
    (2, (0, 3, 5, 7, 13, 18)),
    (4, (4, 5, 8, 11, 20, 28)),
    (8, (5, 8, 14, 18, 32, 50)),
    (16, (8, 14, 20, 30, 50, 80)),
)
SPREAD_WINDOWS, WINDOW = 8, 24 * BLOCK_CHARACTERS  # of so many characters, of a text that is longer
MOST_DISTINCT = 80  # that can be few
LEAST_WORDS_OF_BLOCK = 6  # of a block, or they are long names, or written without spaces
TIMES_OFTEN = 3  # times that a word of a poor stretch occurs, on average; noise in letters may be few long words
SPOKEN = 0.7  # of a block that stutters are letters; an expression repeats its signs and names
STUTTERED = 0.4  # of a block's words are one of the two before them


def poor_share(one_spelling: str) -> float:
    """The share of a text that is in stretches of few distinct words, or says each word again.

    Of a long text, samples that are spread over it are looked at.
    """
    apart = max(len(one_spelling) // SPREAD_WINDOWS, WINDOW)
    sampled = [one_spelling[at : at + WINDOW] for at in range(0, len(one_spelling), apart)]
    return sum(map(_poor_characters, sampled)) / max(sum(map(len, sampled)), 1)


def _poor_characters(one_spelling: str) -> int:
    blocks = [one_spelling[at : at + BLOCK_CHARACTERS] for at in range(0, len(one_spelling), BLOCK_CHARACTERS)]
    words = [*map(WORDS_AND_NAMES.findall, blocks)]
    poor = [*map(_stutters, blocks, words)]
    counts, letters, shown = _sums(map(len, words)), _sums(map(_letters, words)), _sums(map(_shown, blocks))
    distinct: dict[int, set[str]] = dict(enumerate(map(set, words)))
    for length, few in FEW_WORDS:
        distinct = _joined_words(distinct, length)
        for at, one in distinct.items():
            if len(one) <= few[-1] and counts[at + length] - counts[at] >= max(
                length * LEAST_WORDS_OF_BLOCK, len(one) * TIMES_OFTEN
            ):
                share = (letters[at + length] - letters[at]) / (shown[at + length] - shown[at])
                if share >= VERBAL_SHARES[0] and len(one) <= few[bisect(VERBAL_SHARES, share) - 1]:
                    poor[at : at + length] = [True] * length
    return sum(map(len, compress(blocks, poor)))


def _joined_words(distinct: dict[int, set[str]], length: int) -> dict[int, set[str]]:
    """The distinct words of stretches of a length, each of two of half that length; only those that may be few."""
    half = length // 2
    pairs = ((at, distinct[at], distinct.get(at + half)) for at in distinct if not at % max(half // 2, 1))
    joined = ((at, one | other) for at, one, other in pairs if other is not None)
    return {at: one for at, one in joined if len(one) <= MOST_DISTINCT}


def _sums(numbers: Iterable[int]) -> list[int]:
    return [*accumulate(numbers, initial=0)]


def _letters(words: list[str]) -> int:
    return len("".join(words))


def _shown(block: str) -> int:
    return len(block) - block.count(" ") - block.count("\n")


def _stutters(block: str, words: list[str]) -> bool:
    """Whether many words only repeat the one before, or the one before that."""
    if len(words) < LEAST_WORDS_OF_BLOCK or len(set(words)) > (1 - STUTTERED) * len(words) + 1:
        return False
    if _letters(words) < SPOKEN * _shown(block):
        return False
    return any(sum(map(eq, words, words[apart:])) >= STUTTERED * len(words) for apart in (1, 2))


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
