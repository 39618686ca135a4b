"""What hides a repetition is folded away, and what a text says with numbers stays."""

import random

from tables import each_row, tables_beside

from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.padding.folding import (
    NUMERALS,
    PIECES,
    Before,
    alike,
    counted,
    folded_sentences,
    following,
    pieces,
)

TABLES = tables_beside(__file__)


@each_row("text, wanted", TABLES["folded"])
def test_folded(text, wanted):
    assert "".join(pieces(counted(alike(text)))) == wanted


def test_sentences_of_few_words_are_left_out_and_numbers_stay():
    said = folded_sentences("then we add 3 and 4. yes. then we add 3 and 5.\nreturn x")
    assert [one for one in said if one] == ["thenweadd3and4", "thenweadd3and5"]


def test_a_long_word_is_cut_as_if_it_were_read_at_once():
    draw = random.Random(0)
    for alphabet in ("xyz", "aei", "brand", "~a答", "$1a"):
        for size in (240, 241, 253, 254, 1000):
            word = "".join(draw.choices(alphabet, k=size))
            assert pieces(f"so {word} ") == ["so", *PIECES.findall(word)]
            assert pieces(word[:7] * 90) == PIECES.findall(word[:7] * 90)


def test_numbers_are_counted_as_if_the_text_were_read_at_once():
    draw = random.Random(0)
    texts = ["7" * 3_000 + " 1 2", " ".join(map(str, range(2_000))), "1f " * 900]
    texts += ["".join(draw.choices(alphabet, k=5_000)) for alphabet in ("0123456789 ", "01 ", "0189af ", "12x,")]
    for text in texts:
        parts = NUMERALS.split(text)
        parts[1::2] = following(parts[1::2], Before((), ()))[0]
        assert counted(text) == "".join(parts) != text


@each_row("piece", ["9", "1/", "答", "9" * 300 + " ", "½", "xq", "12 "])
def test_folding_takes_linear_time(piece):
    assert_linear(lambda text: pieces(counted(alike(text))), lambda size: piece * (size // len(piece)), 100_000)
