"""What one completion looks like, by hand."""

from __future__ import annotations

from collections.abc import Callable

from tables import each_row, tables_beside

from grpo_rewards.checks.run.contents import (
    CHARACTERS_READ,
    candidates,
    copied_share,
    folded,
    has_bare_tags,
    is_empty,
    padded_share,
    spoken_words,
)

TABLES = tables_beside(__file__)


@each_row("text", ["", "  \n", "...", "<think></think>", r"\boxed{}", "\u200b", "<answer> - </answer>"])
def test_what_has_no_word_is_empty(text: str) -> None:
    assert is_empty(text)


@each_row("text", ["7", r"\boxed{x}", "数", "<think>4</think>"])
def test_one_letter_or_digit_is_not(text: str) -> None:
    assert not is_empty(text)


@each_row("text, expected", TABLES["tags_with_nothing_inside"])
def test_tags_with_nothing_inside(text: str, expected: bool) -> None:
    assert has_bare_tags(text) is expected


@each_row("text, expected", TABLES["answers_offered"])
def test_answers_offered(text: str, expected: int) -> None:
    assert candidates(text) == expected


def test_the_share_of_what_stands_in_the_prompt() -> None:
    prompt = "How many stones does Ana have now?"  # the first three of the six runs of four words
    assert copied_share(prompt, "How many stones does Ana have? I say 9") == 0.5
    assert copied_share(prompt, prompt) == 1.0
    assert copied_share(prompt, "9") == 0.0


def test_repetition_is_padding_and_a_calculation_is_not() -> None:
    assert padded_share("4 * 6 = 24" + " = 0" * 20) > 0.5
    assert padded_share("<think>4 * 6 = 24\n24 + 3 = 27</think>\\boxed{27}") < 0.1
    assert padded_share("") == 0.0


def test_words_are_those_outside_markup() -> None:
    assert spoken_words(r"<think>So we have \frac{1}{2} of it</think>") == (["have"], 7)
    assert folded(" A\u200bb  C\n") == "ab c"


@each_row(
    "text, found",
    [
        ("<" * 50_000, (True, False, 1, [])),
        ("1," * 50_000, (False, False, 1, [])),
        (r"\boxed{" * 20_000, (True, False, 1, [])),
        ("1 or " * 20_000, (False, False, 1, [])),
        ("<abcdef>" * 20_000, (True, False, 1, [])),
        ("12" * 50_000, (False, False, 1, [])),
    ],
)
def test_of_a_hostile_text_as_much_is_read_as_of_another_one(
    text: str, found: tuple[bool, bool, int, list[str]]
) -> None:
    measures: list[Callable[[str], object]] = [is_empty, has_bare_tags, candidates, lambda one: spoken_words(one)[0]]
    read = tuple(measure(text) for measure in measures)  # a scan that is not linear would not come to an end
    assert read == found
    assert read == tuple(measure(text[:CHARACTERS_READ]) for measure in measures)
    assert padded_share(text) > 0.9
