"""What hides a repetition is folded away, and what a text says with numbers stays."""

import random

import pytest

from grpo_rewards.completion.padding.counting import NUMERALS, Before, following
from grpo_rewards.completion.padding.folding import PIECES, alike, counted, folded_sentences, pieces
from grpo_rewards.testing import assert_linear


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The Answer  is\n four", "theanswerisfour"),
        ("ｆｕｌｌ width", "fullwidth"),
        ("Тhе аnѕwеr", "theanswer"),  # Cyrillic letters
        ("请等", "请~~等~~"),
        # a number that follows from those before is 0, in as many digits
        ("12, 13, 14", "12,00,00"),
        ("9 left 8 left 7 left", "9left0left0left"),
        ("000e 000f 0010", "000e,0000,0000".replace(",", "")),
        ("10 20 30 40", "10203040".replace("30", "00").replace("40", "00")),
        ("5 + 0 = 5", "5+0=0"),
        # what a calculation finds stays
        ("12 * 12 = 144", "12*00=144"),
        ("37 apples for 4.25", "37applesfor4.25"),
    ],
)
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


@pytest.mark.parametrize("piece", ["9", "1/", "答", "9" * 300 + " ", "½", "xq", "12 "])
def test_folding_takes_linear_time(piece):
    assert_linear(lambda text: pieces(counted(alike(text))), lambda size: piece * (size // len(piece)), 100_000)
