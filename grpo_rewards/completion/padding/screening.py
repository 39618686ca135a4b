"""Tells in a few passes in C that a text cannot be padding of some kind, so that it need not be looked at closely.

Each screen lets through whatever may be such padding, and a few texts more. What it stops is left uncounted.
"""

from __future__ import annotations

import re
import zlib

from grpo_rewards.completion.padding.emptiness import CONTROL_BYTES, shown
from grpo_rewards.completion.padding.folding import alike

__all__ = ["compressible_share", "may_have_few_words", "may_repeat_sentences", "plain"]

FEW_OTHERS = 0.02  # characters beyond ASCII, of a text that is screened by those of ASCII
OTHER_DIGITS = re.compile(r"(?![0-9])\d")
HEXADECIMAL = re.compile(b"0[a-f][0a-f]*")
ZEROS = bytes.maketrans(b"123456789", b"000000000")
# Repetitions are deflated to a tenth and less, honest prose and mathematics to a third, where numbers count as alike.
SEGMENT, DENSE = 1024, 0.25  # bytes, and the share of them that is left of a segment of repetitions
SHORT, DENSE_SHORT = 2048, 0.45  # a short text has nothing before it to refer to
REMEMBERED_BYTES = 1 << zlib.MAX_WBITS  # that deflate looks back
KNOWN_TEXTS = 8192
LATIN_LETTERS = bytes(one if chr(one).isalpha() else 32 for one in range(128)) + bytes([32]) * 128
FEW_OF_WORDS = (50, 18), (200, 50), (400, 80)  # so many words, of which so few distinct ones are few
LEAST_SCREENED_WORDS = 24  # of a text that is screened
LEAST_SHARE = 0.3  # of the words in a text that may have few
FULL_STOPS = tuple(end.encode() for end in "\n!?。！？؟।")
REPEATED_SENTENCES = 0.2  # of a text that may repeat its sentences

_known: dict[int, float] = {}  # by the hash of a text: several rewards look at each completion


def plain(text: str) -> bytes:
    """The text for the screens: in one spelling, with a zero for each digit.

    Hexadecimal digits behind another one are zeros too. Where nearly all is ASCII, the rest are question marks.
    """
    if len(text) - len(text.encode("ascii", "ignore")) <= FEW_OTHERS * len(text):
        data = text.encode("ascii", "replace").lower()
    else:
        data = OTHER_DIGITS.sub("0", alike(shown(text))).encode(errors="surrogatepass")
    return HEXADECIMAL.sub(lambda number: b"0" * len(number[0]), data.translate(ZEROS, CONTROL_BYTES))


def compressible_share(text: str) -> float:
    """The share of a text that is in segments of 1 KB which deflate makes a quarter of their size or less.

    Case, look-alike letters and numbers do not matter. 0 or 1 for a short text, which is looked at as a whole; 1 for
    one of more bytes than deflate looks back.
    """
    key = hash(text)
    share = _known.get(key)
    if share is None:
        share = _compressible_share(plain(text))
        if len(_known) >= KNOWN_TEXTS:
            _known.clear()
        _known[key] = share
    return share


def _compressible_share(data: bytes) -> float:
    if len(data) > REMEMBERED_BYTES:
        return 1.0
    if len(data) < SHORT:
        return float(len(zlib.compress(data, 1)) < DENSE_SHORT * len(data))
    deflate, dense = zlib.compressobj(1), 0
    for at in range(0, len(data), SEGMENT):
        segment = data[at : at + SEGMENT]
        size = len(deflate.compress(segment)) + len(deflate.flush(zlib.Z_SYNC_FLUSH))
        dense += len(segment) if size < DENSE * len(segment) else 0
    return dense / len(data)


def may_have_few_words(data: bytes) -> bool:
    """Whether a good part of a ``plain`` text may get along with few distinct words; always, if few are Latin."""
    words = data.translate(LATIN_LETTERS).split()
    if len(words) < LEAST_SCREENED_WORDS:
        return True
    poor = bytearray(len(words))
    for size, few in FEW_OF_WORDS:
        for at in range(0, len(words), size):
            some = words[at : at + size]
            if len(set(some)) <= few * len(some) / size + 2:
                poor[at : at + size] = b"\x01" * len(some)
    return poor.count(1) > LEAST_SHARE * len(words)


def may_repeat_sentences(data: bytes) -> bool:
    """Whether a good part of a ``plain`` text may be sentences that occur again."""
    data = data.replace(b" ", b"")
    for end in FULL_STOPS:
        data = data.replace(end, b".")
    sentences = data.split(b".")
    distinct, size = sum(map(len, set(sentences))), sum(map(len, sentences))
    return size - distinct > REPEATED_SENTENCES * size
