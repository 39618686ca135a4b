"""Where a sentence ends, and where it goes on."""

from __future__ import annotations

import pytest

from grpo_rewards.constraints.reading.sentences import sentences
from grpo_rewards.testing import assert_linear

ONE = [
    "Dr. Lee and Mrs. Ray met.",
    "J. R. R. Tolkien wrote it.",
    "It costs $3.50 today.",
    "At 5 p.m. on Monday we left.",
    "The U.S. Army came.",
    "Use it, e.g. Paris, i.e. there.",
    "See No. 5 and Fig. 2.",
    "Well... maybe not.",
    "Well… maybe not.",
    '"Why?" she asked.',
    "He (yes, him!) came.",
    "Read example.com now.",
    "1. First item",
    "Two lines\nwithout a stop",
    "Apples, pears, etc. are fruit.",
    "no stop at all",
]
TWO = [
    "It rained. It snowed.",
    "it rained. it snowed",
    "Really?! Yes.",
    "No. I will not.",
    "He lives in the U.S. She does not.",
    "Well... Maybe not.",
    '"It rained." "It snowed."',
    "(It rained.) It snowed.",
    "1. First item.\n2. Second item.",
    "你好。我很好！",
    "It is Plan B. Then we left.",
    "**It rained.** It snowed.",
]


@pytest.mark.parametrize(("number", "text"), [*((1, text) for text in ONE), *((2, text) for text in TWO)])
def test_sentences_end_where_a_reader_hears_them_end(number: int, text: str) -> None:
    assert len(sentences(text)) == number


@pytest.mark.parametrize("text", ["", "...", "!!! ???", " \n "])
def test_marks_alone_are_no_sentence(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize("piece", ["a. ", ".", "!?", '."', "a.b.", "A. ", " .", "e.g.", "…", "。", "1.\n"])
def test_any_text_is_split_in_linear_time(piece: str) -> None:
    assert_linear(sentences, lambda size: piece * (size // len(piece)), 200_000, piece)
