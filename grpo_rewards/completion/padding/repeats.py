"""Finds the stretches of a text that only repeat what came before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, compress
from operator import mul, ne

__all__ = ["AGAIN", "BLOCKS", "PASSAGE", "THIRD", "marked", "marked_repeats", "repeated_sentences", "stretches"]

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
