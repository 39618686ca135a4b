"""Where a sentence ends, and where it goes on."""

from tables import each_row, tables_beside

from grpo_rewards.checks import assert_linear
from grpo_rewards.constraints.reading.sentences import sentences

TABLES = tables_beside(__file__)

ONE = TABLES["one"]
TWO = TABLES["two"]


@each_row("number, text", [*((1, text) for text in ONE), *((2, text) for text in TWO)])
def test_sentences_end_where_a_reader_hears_them_end(number: int, text: str) -> None:
    assert len(sentences(text)) == number


@each_row("text", ["", "...", "!!! ???", " \n "])
def test_marks_alone_are_no_sentence(text: str) -> None:
    assert sentences(text) == []


@each_row("piece", ["a. ", ".", "!?", '."', "a.b.", "A. ", " .", "e.g.", "…", "。", "1.\n"])
def test_any_text_is_split_in_linear_time(piece: str) -> None:
    assert_linear(sentences, lambda size: piece * (size // len(piece)), 60_000, piece)
