"""What hides a repetition is folded away, what a text says with numbers stays, and what shows nothing is counted."""

from tables import each_row, tables_beside

from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.padding.folding import alike, counted, empty_tokens, pieces

TABLES = tables_beside(__file__)


@each_row("text, wanted", TABLES["folded"])
def test_folded(text, wanted):
    assert "".join(pieces(counted(alike(text)))) == wanted


def test_a_number_counts_up_to_eight_numbers_behind():
    assert counted("500 11 21 32 45 61 79 98 501") == "500 11 21 32 45 61 79 98 000"
    assert counted("500 11 21 32 45 61 79 98 113 501").endswith(" 501")


@each_row("piece", ["9", "1/", "答", "9" * 300 + " ", "½", "xq", "12 "])
def test_folding_takes_linear_time(piece):
    assert_linear(lambda text: pieces(counted(alike(text))), lambda size: piece * (size // len(piece)), 100_000)


WORDS = "some words that are seen and make a text of a common length, as one may well write it"


@each_row("text", TABLES["spelling_and_layout_cost_nothing"])
def test_spelling_and_layout_cost_nothing(text):
    assert empty_tokens(text) == 0


def test_empty_lines_and_alignment_are_excused_up_to_a_share():
    assert empty_tokens(WORDS.replace(" ", "  ")) == 0
    assert empty_tokens(WORDS.replace(" ", " " * 10)) > len(WORDS.split()) * 8
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 5)) == 0
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 60)) > len(WORDS.split()) * 50
