"""Passages are marked where they occur again, and stretches are where most of them do."""

import random
from collections import Counter
from itertools import accumulate

from grpo_rewards.completion.padding.informative_tokens import (
    AGAIN,
    THIRD,
    marked_repeats,
    repeated_sentences,
    stretches,
)

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def test_marks_say_how_often_a_passage_has_begun():
    marks = marked_repeats([*ALPHABET * 3])
    # 26 - 11 passages of 12 lie within each copy, the others across two
    assert marks == bytes([0] * 26 + [AGAIN] * 26 + [THIRD] * 15 + [0] * 11)
    assert marked_repeats([]) == b""


def test_the_units_of_a_piece_share_its_mark():
    assert marked_repeats(["rather", "longwords", "rather", "longwords"]) == bytes([0] * 15 + [AGAIN] * 6 + [0] * 9)


def test_passages_of_blocks_are_marked_as_if_each_were_looked_at():
    draw = random.Random(0)
    for period, times in ((1, 900), (7, 200), (40, 30), (119, 9), (121, 9), (2_000, 1)):
        loop = draw.choices(["a", "bc", "def"], k=period)
        text = [*draw.choices("xyz", k=50), *loop * times, *draw.choices("xyz", k=50), *loop * times]
        units, seen, marks = "".join(text), Counter(), []
        for start, piece in zip(accumulate(map(len, text), initial=0), text, strict=False):
            marks += [min(seen[units[start : start + 12]], THIRD)] * len(piece)
            seen[units[start : start + 12]] += 1
        assert marked_repeats(text) == bytes(marks)


def test_stretches_are_dense_and_joined():
    marks = bytes([0] * 300 + [AGAIN] * 300 + [0] * 300)
    assert stretches(marks, AGAIN, 0.9, 90) == [(300, 600)]
    assert stretches(marks, THIRD, 0.9, 90) == []
    assert stretches(marks[:200], AGAIN, 0.9, 90) == []
    assert stretches(b"", AGAIN, 0.9, 90) == []
    half = bytes([AGAIN, 0] * 300)
    assert stretches(half, AGAIN, 0.9, 90) == []
    assert stretches(half, AGAIN, 0.5, 90) == [(0, 600)]


def test_short_sentences_are_no_repetition():
    long = "thisisasentenceofsomelength"
    assert repeated_sentences([long, "yes", "yes", long, long]) == 2 * len(long)
