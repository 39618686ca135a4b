"""What shows nothing costs tokens, and what spelling and layout need does not."""

from tables import each_row, tables_beside

from grpo_rewards.completion.padding.folding import empty_tokens

TABLES = tables_beside(__file__)

WORDS = "some words that are seen and make a text of a common length, as one may well write it"


@each_row("text", TABLES["spelling_and_layout_cost_nothing"])
def test_spelling_and_layout_cost_nothing(text):
    assert empty_tokens(text) == 0


@each_row(
    "padding, least",
    [
        ("\u200b" * 100, 399),
        ("\x02\x7f" * 50, 399),
        (" " * 400, 399),
        ("\n" * 50, 49),
        ("\u00a0 " * 50, 99),
        (" \n\t" * 50, 149),
        ("?!" * 50, 100),
        ("🎉" * 50, 200),
        ("a" + "\u0301" * 60, 120),
        ("\ud800" * 50, 150),
    ],
)
def test_what_shows_nothing_costs_the_tokens_that_it_may_be(padding, least):
    assert empty_tokens(WORDS + padding) >= least


def test_empty_lines_and_alignment_are_excused_up_to_a_share():
    assert empty_tokens(WORDS.replace(" ", "  ")) == 0
    assert empty_tokens(WORDS.replace(" ", " " * 10)) > len(WORDS.split()) * 8
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 20)) == 0
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 60)) > len(WORDS.split()) * 50
    assert empty_tokens(WORDS.replace(" ", "\n \n \n")) > len(WORDS.split()) * 3
