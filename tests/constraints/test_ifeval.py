"""The 25 instructions of IFEval: what follows each, and what only looks as if."""

from __future__ import annotations

from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards.constraints import judge, read_instructions
from grpo_rewards.constraints.table import IFEVAL

TABLES = tables_beside(__file__)

# (id, arguments, a text that follows it, a text that does not); by class, so that each row has its near miss.
WORDS: list[tuple[str, dict[str, Any], str, str]] = TABLES["words"]
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


@each_row("name, arguments, follows, fails", WORDS + PARTS)
def test_a_text_follows_what_is_described_and_its_near_miss_does_not(
    name: str, arguments: dict[str, Any], follows: str, fails: str
) -> None:
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


LANGUAGE_ROWS = TABLES["language_rows"]


@each_row("name, arguments, follows, fails", LANGUAGE_ROWS)
def test_the_whole_text_is_in_the_language(name: str, arguments: dict[str, Any], follows: str, fails: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


def test_every_instruction_of_ifeval_has_its_rows() -> None:
    assert {name for name, *_ in WORDS + PARTS + LANGUAGE_ROWS} == set(IFEVAL)
