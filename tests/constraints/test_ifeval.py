"""The 25 instructions of IFEval: what follows each, and what only looks as if."""

from __future__ import annotations

from typing import Any

import pytest

from grpo_rewards.constraints import judge, read_instructions
from grpo_rewards.constraints.table import IFEVAL

# (id, arguments, a text that follows it, a text that does not); by class, so that each row has its near miss.
WORDS: list[tuple[str, dict[str, Any], str, str]] = [
    ("keywords:existence", {"keywords": ["art"]}, "Art, for one.", "We start the party."),
    ("keywords:existence", {"keywords": ["a.b"]}, "Load a.b now", "Load aXb now"),
    ("keywords:existence", {"keywords": ["C++"]}, "I like C++.", "I like C."),
    ("keywords:existence", {"keywords": ["不知道"]}, "我不知道答案", "我知道答案"),
    ("keywords:existence", {"keywords": ["café"]}, "The cafe\u0301 is open", "The cafe is open"),
    ("keywords:existence", {"keywords": ["river", "stone"]}, "Stone by a river-bank", "Rivers and stone"),
    ("keywords:frequency", {"keyword": "tea", "frequency": 2, "relation": "at least"}, "Tea and tea", "Tea, teapot"),
    ("keywords:frequency", {"keyword": "tea", "frequency": 1, "relation": "less than"}, "A teapot", "Tea!"),
    ("keywords:existence", {"keywords": ["water"]}, "Drink _water_ daily.", "Drink water_x daily."),
    ("keywords:existence", {"keywords": ["don't"]}, "You don’t know.", "You don know."),
    ("keywords:existence", {"keywords": ["ice cream"]}, "ice\ncream", "ice-creams"),
    (
        "keywords:frequency",
        {"keyword": "ice cream", "frequency": 2, "relation": "at least"},
        "ice\ncream ice cream",
        "ice cream",
    ),
    ("keywords:frequency", {"keyword": "tea", "frequency": 2, "relation": "less than"}, "tea teas", "tea t\u0435a"),
    ("keywords:forbidden_words", {"forbidden_words": ["bad"]}, "A badge, bad_idea", "Bad!"),
    ("keywords:forbidden_words", {"forbidden_words": ["water"]}, "watery", "w\u0430ter"),
    ("keywords:forbidden_words", {"forbidden_words": ["water"]}, "water_x", "_water_"),
    ("keywords:forbidden_words", {"forbidden_words": ["water"]}, "wa**ter**s", "wa**te**r"),
    ("keywords:forbidden_words", {"forbidden_words": ["water"]}, "\u0432\u043e\u0434\u0430", "\uff57ater"),
    ("keywords:forbidden_words", {"forbidden_words": ["water"]}, "wa <b>ter</b>", "wa<b>te</b>r"),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ["water"]},
        "\u1d21\u1d00\u1d1b\u1d07",
        "\u1d21\u1d00\u1d1b\u1d07\u0280",
    ),
    ("keywords:forbidden_words", {"forbidden_words": ["can't"]}, "I can.", "I can’t."),
    ("keywords:forbidden_words", {"forbidden_words": ["ice cream"]}, "ice, cream", "ice\ncream"),
    ("keywords:forbidden_words", {"forbidden_words": ["bad"]}, "good", "b\u200bad"),
    ("keywords:forbidden_words", {"forbidden_words": ["C++"]}, "plain C", "I write C++ all day."),
    ("keywords:letter_frequency", {"letter": "E", "let_frequency": 3, "let_relation": "at least"}, "Eel e", "eel"),
    ("length_constraints:number_words", {"num_words": 3, "relation": "at least"}, "don't stop", "two words"),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "--- !!!", "one two three"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "at least"}, "Go. Stop.", "Dr. Lee went."),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "less than"}, "It is 3.5 m.", "Go! Now!"),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        "COVID-19 and NASA",
        "123 and NASA",
    ),
]
PARTS: list[tuple[str, dict[str, Any], str, str]] = [
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "One.\n***\nTwo.\n***", "One.\n\nTwo."),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "A **b** c.\n***\nTwo.", "One.\n***\n***\nTwo."),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 1}, "A ***bold*** word.", "A\n***\nword"),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Note"},
        "Start.\n\n\n\nnote: this",
        "Note.\n\nStart.",
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "hello"},
        "“Hello,” she said",
        "**Hello** there",
    ),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\n\nP. S. call", "P.S. first\n\nthen more"),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        "Dear Anna,\n\nthe move went well and the flat is bright.\n\n**P.S.** The keys are here.\n\nAnd call me.",
        "Dear Anna,\n\nP.S. The keys are here.\n\nNow to the move, which went well, and the flat, which is bright.",
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        "The move went well, and the flat is bright.\n\nP. S. I have the keys.\n\nBen",
        "I end this, as letters do, with a P.S. in spirit.\n\nBut not here.",
    ),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "Bye.\nP.P.S. call", "Bye.\nP.S. call"),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a] to [a]", "[[nested]] [open"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* a\n- b", "* a"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "- a\n---\n*a* is italic", "-5 degrees"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "- 5 degrees", "**bold** first"),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*a**b*", "**bold**"),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "***a***", "* *"),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "* spaced *", "*two\nlines*"),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "* *a* and *b*", "* **a** alone"),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Section", "num_sections": 2},
        "Section 1\nA\nSection2\nB",
        "SECTION 1\nA\nSection I\nB",
    ),
    ("detectable_format:title", {}, "<<*>>", "<<Poem\nof joy>>"),
    ("detectable_format:json_format", {}, "```json\n[]\n```", "{'a': 1}"),
    ("detectable_format:json_format", {}, "null", "NaN"),
    ("detectable_format:constrained_response", {}, "My answer is no.", "My answer is yes"),
    ("detectable_format:constrained_response", {}, "My answer is maybe.", "My answer is yes. My answer is no."),
    ("combination:two_responses", {}, "A ****** B", "A\n******\nA "),
    ("combination:repeat_prompt", {"prompt_to_repeat": " Name a color "}, "name a color Red", "Name a colorful thing"),
    ("startend:end_checker", {"end_phrase": "The end."}, '"It is over. The end."', "The  end."),
    ("startend:end_checker", {"end_phrase": "end"}, "This is the END", "the weekend"),
    ("startend:quotation", {}, '"He said "hi" to me"', '"A" and "B"'),
    ("punctuation:no_comma", {}, "1 000; fine", "a‚b"),
    ("punctuation:no_comma", {}, "no such mark", "我，你"),
    ("punctuation:no_comma", {}, "\u0663\u066b\u0661\u0664", "a\u066b b"),  # a decimal point in Arabic
    ("punctuation:no_comma", {}, "Bucure\u0219ti \u00e7", "tea\u0326 milk"),
    *[("punctuation:no_comma", {}, "a b", f"a{mark} b") for mark in "\ua4f9\u00b8\u060d\u2e4c\u2e49\U0001f102"],
]


def is_followed(name: str, arguments: dict[str, Any], text: str, **how: bool) -> bool:
    [finding] = judge(text, read_instructions([name], [arguments]), **how)
    assert finding.why
    return finding.followed


@pytest.mark.parametrize(("name", "arguments", "follows", "fails"), WORDS + PARTS)
def test_a_text_follows_what_is_described_and_its_near_miss_does_not(
    name: str, arguments: dict[str, Any], follows: str, fails: str
) -> None:
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


LANGUAGE_ROWS = [
    ("language:response_language", {"language": "de"}, "Der Hund läuft durch den Park.", "The dog runs through it."),
    ("language:response_language", {"language": "ko"}, "오늘은 날씨가 좋습니다.", "今天天气很好"),
    # numbers are of any language, other signs of none
    ("language:response_language", {"language": "fr"}, "12345", "!!!"),
    (
        "language:response_language",
        {"language": "es"},
        "El perro corre por el parque mientras los niños juegan.",
        "El perro corre por el parque mientras los niños juegan y sus padres conversan.\n"
        "The children play with their friends in the garden while their parents are talking.",
    ),
    ("change_case:english_capital", {}, "THE DOG RUNS THROUGH THE PARK.", "12345"),
    ("change_case:english_lowercase", {}, "the dog runs through the park.", "der hund läuft durch den großen park."),
]


@pytest.mark.parametrize(("name", "arguments", "follows", "fails"), LANGUAGE_ROWS)
def test_the_whole_text_is_in_the_language(name: str, arguments: dict[str, Any], follows: str, fails: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


def test_every_instruction_of_ifeval_has_its_rows() -> None:
    assert {name for name, *_ in WORDS + PARTS + LANGUAGE_ROWS} == set(IFEVAL)
