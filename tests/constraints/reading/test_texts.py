"""Texts in one form are what Unicode's composition makes of them, and are made in linear time."""

import unicodedata

from tables import each_row

from grpo_rewards.checks import assert_linear
from grpo_rewards.constraints.reading.texts import composed


@each_row(
    "text", ["caf\u00e9", "cafe\u0301 " * 200, "e\u0323\u0301" * 200, "答案e\u0301" * 200, "\u1112\u1161\u11ab " * 200]
)
def test_accents_are_joined_to_their_letters(text):
    assert composed(text) == unicodedata.normalize("NFC", text) != ""


def test_line_ends_are_one_character_and_what_is_invisible_goes():
    assert composed("a\r\nb\rc\u200b\u00e9") == "a\nb\nc\u00e9"


@each_row("piece", ["\u0301", "\u7684a", "e\u0301\u0323", "\u7684"])
def test_texts_are_composed_in_linear_time(piece):
    assert_linear(composed, lambda size: piece * (size // len(piece)), 60_000, piece)
