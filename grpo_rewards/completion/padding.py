"""Counts the informative tokens of a text, so that padding a completion earns nothing.

What is judged is the text as a whole. People and models say things twice: a refrain, the same formula in the next line,
the answer once more at the end. What they do not write is long stretches in which nearly every passage has occurred
before, or occurs for the third time, and that together are a good part of the text. Only those are discounted.

Spaces, case, letters that look alike and numbers that only count hide repetitions, and are folded away first. Invisible
characters, gaps without end and rows of signs show nothing.
"""

import random
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import mul, sub
from typing import Any

from grpo_rewards.completion.text import compatible, visible
from grpo_rewards.completion.turns import before_end_of_turn
from grpo_rewards.completion.whole_words import LOOK_ALIKES, OTHER_LETTER

CONTROL_BYTES = bytes({*range(32), 127} - {*b"\t\n\r"})  # of ASCII; they show nothing
CONTROLS = re.compile(f"[{re.escape(CONTROL_BYTES.decode())}]")
# Spelling, not padding: joiners inside words of scripts that need them, and what makes one emoji of several signs.
JOINERS = re.compile(
    "[\u200c\u200d\ufe0e\ufe0f](?:(?<=[\u0590-\u0dff\u0f00-\u109f\u1780-\u17ff][\u200c\u200d])(?=\\w)"
    "|(?<=[\u00a9-\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f])"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]\u200d)(?=[\u2600-\u27bf\U0001f000-\U0001faff]))"
)
CHARACTERS_PER_INVISIBLE = 200  # so many excuse an invisible one, such as a mark of direction
BYTES_PER_CHARACTER = 4  # UTF-8 has at most so many, and a tokenizer of bytes may spend a token on each
# A line break with up to two empty lines and an indentation, or spaces and tabs that align a column, are even.
GAPS = re.compile(r"\s{2,}")
EVEN_GAP = re.compile(r"( {0,4}\r?\n(?:[ \t]*\r?\n){0,2})?[ \t]*")
LONG_GAP = 100
# So much of a text may be empty lines, alignment, and what indents lines, as in data that is nested deeply
BLANK, ALIGNED, INDENTED = 0.25, 0.55, 0.85
LONE_SIGN = r"[^\w\s=+|*#~<>/\\─│┼═-]"  # not what draws tables and formulas
ROWS_OF_SIGNS = re.compile(rf"{LONE_SIGN}(?:\s?{LONE_SIGN}){{15,}}")
STACKED_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
SIGNS_ALLOWED = GAPS_ALLOWED = 0.05  # of a text
# For a quick look: white space as one byte, and as one byte what may be a sign.
SPACES = bytes.maketrans(b"\n\t\v\f\r", b"     ")
AS_SIGNS = bytes(33 if one < 128 and re.match(LONE_SIGN, chr(one)) else 65 for one in range(256))


def shown(text: str) -> str:
    """The text without control characters and invisible ones."""
    data = text.encode("ascii", "ignore")
    has_controls = len(data.translate(None, CONTROL_BYTES)) < len(data)  # many times as fast as the search
    return CONTROLS.sub("", visible(text)) if has_controls else visible(text)


def empty_tokens(text: str) -> int:
    """The greatest number of tokens that a tokenizer may spend on what a reader of the text does not see."""
    if _shows_all(text):
        return 0
    spelled = JOINERS.sub("", text)
    seen = shown(spelled)
    invisible = max(len(spelled) - len(seen) - len(text) // CHARACTERS_PER_INVISIBLE, 0)
    return BYTES_PER_CHARACTER * invisible + _gaps(seen) + _signs(seen)


def _shows_all(text: str) -> bool:
    """Whether one look shows that a text has no control character, no row of signs, and few gaps and other signs."""
    data = text.encode("ascii", "replace")
    others = len(text) - len(text.encode("ascii", "ignore"))
    return (
        others <= len(text) // CHARACTERS_PER_INVISIBLE
        and 2 * data.translate(SPACES).count(b"  ") <= GAPS_ALLOWED * len(text)
        and len(data.translate(None, CONTROL_BYTES)) == len(data)
        and b"!" * 16 not in data.translate(AS_SIGNS, b" \t\n\v\f\r")
    )


def _gaps(text: str) -> int:
    odd = blank = aligned = indented = 0
    for gap in GAPS.findall(text):
        even = EVEN_GAP.fullmatch(gap)
        if even is None or len(gap) > LONG_GAP:
            odd += len(gap.encode(errors="surrogatepass")) - 1
        elif even[1]:
            blank += len(even[1]) - 1
            indented += len(gap) - len(even[1])
        else:
            aligned += len(gap) - 1
    shares = (blank, BLANK), (aligned, ALIGNED), (indented, INDENTED)
    return odd + sum(size for size, allowed in shares if size > allowed * len(text))


def _signs(text: str) -> int:
    rows = ROWS_OF_SIGNS.findall(text) + ([] if text.isascii() else STACKED_MARKS.findall(text))
    signs = "".join(rows)
    return len(signs.encode(errors="surrogatepass")) if len(signs) > SIGNS_ALLOWED * len(text) else 0


OTHER_DIGITS = re.compile(r"[^\x00-\x7f\D]")


def alike(text: str) -> str:
    """The text in one spelling: lower case, no letters that are drawn like others, digits from 0 to 9."""
    if text.isascii():
        return text.lower()
    text = text.translate(LOOK_ALIKES) if OTHER_LETTER.search(text) else text
    text = compatible(text)[: len(text)].casefold()[: len(text)]  # one character may become eighteen
    return OTHER_DIGITS.sub(lambda digit: str(int(digit[0])), text)


NUMERALS = re.compile(r"(\d[\da-f]{0,17})")  # decimal or hexadecimal
REMEMBERED_NUMBERS = 8
LONGEST_PERIOD = 4  # numbers of one line of a list that counts
WIDE_LETTERS = re.compile("([\u2e80-\uffef])")  # a character of these scripts says as much as three letters
# A word of up to twelve characters is one piece. What is written without spaces is cut at vowels, or if it has none,
# after every character.
PIECES = re.compile("[\u2e80-\uffef]~~|\\S{1,12}+(?!\\S)|[^\\saeiou~]{0,5}+[aeiou]|[^\\saeiou~]{1,3}|\\S")


def counted(one_spelling: str) -> str:
    """The text with zeros for numbers that count, and three characters for one of a script without spaces.

    A number counts if it is, or is next to, one of the last eight, or is as far from the one a period ago as that is
    from the one two periods ago. All others stay: they are what a table or a calculation says. Numerals are compared
    as hexadecimal ones, and the decimal ones among them with each other as decimal ones.
    """
    parts = NUMERALS.split(one_spelling)
    numerals = parts[1::2]
    decimals = [at for at, one in enumerate(numerals) if one.isdecimal()]
    are_decimal = len(decimals) == len(numerals)  # then what is near as a hexadecimal one is so as a decimal one, too
    follows = [False] * len(numerals) if are_decimal else _near([int(one, 16) for one in numerals])
    for at, is_next in zip(decimals, _counting([int(numerals[at]) for at in decimals]), strict=True):
        follows[at] = follows[at] or is_next
    parts[1::2] = ["0" * len(one) if is_next else one for one, is_next in zip(numerals, follows, strict=True)]
    text = "".join(parts)
    if not text.isascii():
        parts = WIDE_LETTERS.split(text)
        parts[1::2] = [one + "~~" for one in parts[1::2]]
        text = "".join(parts)
    return text


def _counting(values: list[int]) -> list[bool]:
    """Whether each value is near to one before, or goes on by the step of its period."""
    follows = _near(values)
    for period in range(1, LONGEST_PERIOD + 1):
        steps = [*map(sub, values[period:], values)]
        for at, (step, next_step) in enumerate(zip(steps, steps[period:], strict=False), 2 * period):
            follows[at] = follows[at] or step == next_step
    return follows


def _near(values: list[int]) -> list[bool]:
    """Whether each value is, or is next to, one of the last eight."""
    near_to: dict[int, int] = {}  # where a value would be near to that before it
    found = []
    for at, value in enumerate(values):
        found.append(at - near_to.get(value, -REMEMBERED_NUMBERS - 1) <= REMEMBERED_NUMBERS)
        near_to[value - 1] = near_to[value] = near_to[value + 1] = at
    return found


CHARACTERS_PER_TOKEN = 4  # in English, with common tokenizers; used only if there are no token ids
BYTES_OF_ID = array("I").itemsize
SCANNED_UNITS = 200_000  # tokens or characters at the start of a text; the rest is not searched for repetition
LONGEST_MARKER = 32  # characters of a marker such as <|END_OF_TURN_TOKEN|>
DIGIT_RUNS = re.compile(r"\d+")
UNEVEN = re.compile(r"[^\S\n]{2}|[^\S\n ]|\n{3}|\n | \n")  # any gap but a space, a line break or an empty line
MAY_HIDE = 0.3  # of a text may be repetitions that its tokens do not show, if so much of it is compressible


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
    text = text[:SCANNED_UNITS]
    is_dense = compressible_share(alike(shown(text))) > MAY_HIDE
    return is_dense and (UNEVEN.search(text) is not None or len(shown(text)) < len(text))


def repeated_share(units: Sequence[int], size: int) -> float | None:
    """The share of n-grams that occurred before: ``1 - distinct / all``; ``None`` if there are fewer than two."""
    units = units[:SCANNED_UNITS]
    total = len(units) - size + 1
    if total < 2:
        return None
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
    shares = [_repeated_passages(seen, size)]
    with_equal_numbers, numbers = DIGIT_RUNS.subn("0", seen)
    if numbers:
        shares.append(_repeated_passages(with_equal_numbers, 2 * size))
    return max((share for share in shares if share is not None), default=None)


def _repeated_passages(text: str, size: int) -> float | None:
    pieces = PIECES.findall(text)
    text = "".join(pieces)
    starts = [at for at in _starts(pieces) if at + size <= len(text)]
    return 1 - len({text[at : at + size] for at in starts}) / len(starts) if len(starts) > 1 else None


# Repetitions are deflated to a tenth and less, honest prose and mathematics to a third, where numbers count as alike.
SEGMENT, DENSE = 2048, 0.25  # bytes, and the share of them that is left of a segment of repetitions
DENSE_SHORT = 0.45  # a shorter text has nothing before it to refer to
IDS_SEGMENT, DENSE_IDS = 512, 0.05  # tokens may be characters, and a table of T and F repeats those
ZEROS = bytes.maketrans(b"123456789", b"000000000")


def compressible_share(one_spelling: str) -> float:
    """The share of a text that deflate makes a quarter of its size or less, where numbers do not matter.

    0 or 1 for a short text, which is looked at as a whole.
    """
    data = one_spelling.encode("utf-8", "surrogatepass").translate(ZEROS)
    if len(data) < SEGMENT:
        return float(len(zlib.compress(data, 1)) < DENSE_SHORT * len(data))
    return dense_share(data, SEGMENT, DENSE)


def dense_share(data: bytes, size: int, dense: float) -> float:
    """The share of the bytes that is in segments of a size of which deflate leaves a share of ``dense`` or less."""
    deflate, found = zlib.compressobj(1), 0
    for at in range(0, len(data), size):
        segment = data[at : at + size]
        left = len(deflate.compress(segment)) + len(deflate.flush(zlib.Z_SYNC_FLUSH))
        found += len(segment) if left <= dense * len(segment) else 0
    return found / max(len(data), 1)


PASSAGE = 12  # units (characters without spaces) that are a repetition if they occur again
SPREAD_PASSAGE = 24  # characters of one that is spread over a long text
AGAIN, THIRD = 1, 2  # a passage that occurs for the second time, and for the third or more
REPEAT_MARKS = b"\x00", b"\x01", b"\x02"
SHORT_STRETCH = 96  # units; a stretch is no longer than a third of a short text


def marked_repeats(folded: str) -> bytes:
    """For each unit whether the passage that begins with its piece is new (0), ``AGAIN``, or there a ``THIRD`` time."""
    pieces = PIECES.findall(folded)
    units = "".join(pieces)
    times = _times([units[start : start + PASSAGE] for start in _starts(pieces)])
    return b"".join(map(mul, map(REPEAT_MARKS.__getitem__, times), map(len, pieces)))


def marked_copies(text: str) -> bytes:
    """The same for passages that are spread over a long text; each begins with the commonest character of the text."""
    units = "".join(text.lower().split())
    common = Counter(units[::SPREAD_PASSAGE]).most_common(1)
    begun = re.escape(common[0][0]) if common else ""
    return _times(re.findall(f"(?s){begun}.{{{SPREAD_PASSAGE - 1}}}", units))


def _times(passages: Sequence[str]) -> bytes:
    """For each passage whether it is new (0), there ``AGAIN``, or there a ``THIRD`` time."""
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    times = bytearray(len(passages))
    for at, begun in enumerate(map(first.setdefault, passages, range(len(passages)))):
        if begun < at:
            times[at] = AGAIN if second.setdefault(passages[at], at) == at else THIRD
    return bytes(times)


def _starts(pieces: Sequence[str]) -> Iterable[int]:
    """Where each piece starts in the text that they make together."""
    return accumulate(map(len, pieces[:-1]), initial=0)


def stretched_share(
    units: Sequence[Any], sizes: Iterable[int], steps: int, is_repetitive: Callable[[Any], bool]
) -> float:
    """The share of the units in repetitive stretches of these sizes, which begin ``steps`` times in each size."""
    in_stretch = bytearray(len(units))
    for size in sizes:
        for at in range(0, len(units) - size + 1, size // steps):
            if is_repetitive(units[at : at + size]):
                in_stretch[at : at + size] = b"\x01" * size
    return in_stretch.count(1) / max(len(units), 1)


FULL_STOPS = "\n!?。！？؟।"
SHORTEST_SENTENCE = 20  # characters; shorter ones, such as "Yes" and "}", occur again in any text
SENTENCE_WORDS = 4  # a line of data or of code has fewer, and occurs again in honest data and code


def repeated_sentences(one_spelling: str) -> float:
    """The share of the text that is in sentences and lines that occurred before, with the same numbers."""
    for end in FULL_STOPS:
        one_spelling = one_spelling.replace(end, " . ")
    seen: set[str] = set()
    size = repeated = 0
    for sentence in f"{one_spelling} ".split(". "):
        words = sentence.split()
        letters = "".join(words)
        size += len(letters)
        if len(letters) >= SHORTEST_SENTENCE and (len(words) >= SENTENCE_WORDS or not letters.isascii()):
            repeated += len(letters) if letters in seen else 0
            seen.add(letters)
    return repeated / max(size, 1)


# A character of a script without spaces, or a word or name; a number is none
WORDS_AND_NAMES = re.compile("[^\\W\\d_](?:(?<=[\u2e80-\uffef])|[^\\W\u2e80-\uffef]+)")
BLOCK_CHARACTERS = 150
STRETCHES = 2, 8  # blocks
LEAST_WORDS_OF_BLOCK = 6  # or they are long names, or written without spaces
# The distinct words of a text grow with a power of its words (Heaps' law); prose has twice as many as this and more.
# The less of a text is in words, as in code and data, the fewer do people get along with.
DISTINCT, POWER_OF_WORDS, POWER_OF_VERBAL = 1.25, 0.72, 5


def poor_share(one_spelling: str) -> float:
    """The share of a text that is in stretches of far fewer distinct words than people use."""
    blocks = [one_spelling[at : at + BLOCK_CHARACTERS] for at in range(0, len(one_spelling), BLOCK_CHARACTERS)]
    return stretched_share([(one, WORDS_AND_NAMES.findall(one)) for one in blocks], STRETCHES, 2, _is_poor)


def _is_poor(blocks: Sequence[tuple[str, list[str]]]) -> bool:
    """Whether the words of some blocks are few distinct ones, for so much text."""
    text, words = "".join(block for block, _ in blocks), [*chain(*(words for _, words in blocks))]
    if len(words) * BLOCK_CHARACTERS < LEAST_WORDS_OF_BLOCK * len(text):
        return False
    verbal = len("".join(words)) / (len(text) - text.count(" ") - text.count("\n"))
    most: float = DISTINCT * verbal**POWER_OF_VERBAL * len(words) ** POWER_OF_WORDS
    return len(set(words)) <= most


SAMPLES, SAMPLE = 8, 8_000  # so many of so many characters or tokens, for a longer text
# Passages are compared in fewer, where a character is one byte; words are counted in a quarter, without wide gaps.
SMALL_SAMPLES, SMALL_SAMPLE = 24, 1_024
WORD_SAMPLES, WORD_SAMPLE, SAMPLES_APART = 3, 1_200, 4_800
MAY_REPEAT = 0.25  # of a text may be padding if so much of it is compressible
# A text is judged by stretches of which so much is repeated, or is there a third time, if they are more than so much of
# it: by copies and by loops. Code and data that people keep reach 0.33 and 0.25 in 2 % of windows.
COPIES, ALLOWED_COPIES = 0.9, 0.33
LOOPS, ALLOWED_LOOPS = 0.95, 0.25
COPIES_STRETCH, LOOPS_STRETCH = 256, 96  # units
SPREAD_STRETCH = 16  # passages that are spread over a long text
ALLOWED_SENTENCES = 0.35  # of a text may be sentences that occurred before, as in a song
ALLOWED_POOR = 0.3  # of a text may be stretches with few distinct words
MANY_TOKENS, ALLOWED_IDS = 0.5, 0.3  # for each character: some may not show, and so many may be repeated
COUNTED_AGAINST = 2  # a repetition costs itself and the passage that it repeats


def count_informative_tokens(ids: Sequence[int], text: str) -> int:
    """How many tokens are informative: nearly all of an honest text, and nearly none of what pads one.

    A text is discounted if more of it than the given share is

    - 33 %: stretches in which nearly every passage of 12 characters occurred before;
    - 25 %: stretches of passages for the third time;
    - 30 %: stretches with far fewer distinct words than people use;
    - 35 %: sentences that occurred before.

    Then each of their tokens is subtracted twice. White space, case, letters that look alike and numbers that only
    count do not hide a repetition. Tokens that do not show in the text are looked at, too. Invisible characters, gaps
    without end and long rows of signs are subtracted. Long texts are sampled. What follows the end of the turn does
    not count.

    What only a language model can recognize counts in full: words or letters at random, base64, reversed text, Roman
    numerals, sentences that are new but say nothing, and data that is made up. So may padding by few words that is no
    more than half of a text below 1,500 characters.
    """
    ids, text = until_end_of_turn(ids, text)
    bytes_each = max(len(text.encode(errors="surrogatepass")) / max(len(text), 1), 1)
    some = "".join(samples(text, SAMPLES, int(SAMPLE / bytes_each)))
    one_spelling = alike(shown(some))
    of_words = samples(one_spelling, max(WORD_SAMPLES, len(one_spelling) // SAMPLES_APART), WORD_SAMPLE)
    shares = [
        (poor_share("".join(of_words)), ALLOWED_POOR),
        (repeated_sentences(one_spelling), ALLOWED_SENTENCES),
    ]
    if len(ids) > MANY_TOKENS * len(text):
        some_ids = [*chain(*samples(ids, SAMPLES, SAMPLE))]
        shares.append((dense_share(_as_bytes(some_ids), IDS_SEGMENT, DENSE_IDS), ALLOWED_IDS))
    sampled = "".join(samples(one_spelling, SMALL_SAMPLES, int(SMALL_SAMPLE / bytes_each)))
    if len(sampled) < len(one_spelling):
        shares += _stretches(marked_copies(text[:SCANNED_UNITS]), copies=SPREAD_STRETCH, loops=SPREAD_STRETCH)
    if compressible_share(sampled) > MAY_REPEAT:
        shares += _stretches(marked_repeats(counted(sampled)), copies=COPIES_STRETCH, loops=LOOPS_STRETCH)
    padding = max(share if share > allowed else 0.0 for share, allowed in shares)
    return max(len(ids) - int(COUNTED_AGAINST * padding * len(ids)) - empty_tokens(text), 0)


def _stretches(marks: bytes, *, copies: int, loops: int) -> list[tuple[float, float]]:
    """(share, allowed) of the stretches of copies, and of those of loops, of so many marks or more."""
    longest = max(len(marks) // 3, SHORT_STRETCH)
    copied = stretched_share(marks, [min(copies, longest)], 3, lambda one: len(one) - one.count(0) >= COPIES * len(one))
    looped = stretched_share(marks, [min(loops, longest)], 3, lambda one: one.count(THIRD) >= LOOPS * len(one))
    return [(copied, ALLOWED_COPIES), (looped, ALLOWED_LOOPS)]


def samples(units: Any, most: int, size: int) -> list[Any]:
    """So many pieces of a size that are spread over a long text or many tokens; of a shorter one, it is all of it.

    Where each begins is drawn by what stands at both ends, so that nothing can be written for the samples.
    """
    if len(units) <= most * size:
        return [units]
    apart = len(units) // most
    draw = random.Random(zlib.crc32(repr((units[:size], units[-size:])).encode())).randrange
    starts = [at + draw(apart - size + 1) for at in range(0, most * apart, apart)]
    return [units[at : at + size] for at in starts]
