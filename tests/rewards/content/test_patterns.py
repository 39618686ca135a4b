"""What a pattern, a keyword and a step are."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row(
    "regex, text, reward",
    [
        (r"x=\d", "so x=4", 1.0),
        (r"^x=\d$", "so x=4", 0.0),
        (r"A.B", "A\nB", 0.0),
        (r"(?s)A.B", "A\nB", 1.0),
        (r"(?m)^B$", "A\nB\nC", 1.0),
        ("é", "caf\u00e9 \ud800", 1.0),  # a lone surrogate cannot be encoded
    ],
)
def test_pattern(regex, text, reward):
    assert gr.pattern.bind(regex=regex).score(text) == reward


@each_row("text, steps", TABLES["a_step_is_a_line_that_says_something_new"])
def test_a_step_is_a_line_that_says_something_new(text, steps):
    assert gr.reasoning_steps.explain(text).details["steps"] == steps
    assert gr.reasoning_steps.bind(target=100).score(text) == steps / 100


@each_row("word, text, is_there", TABLES["whole_words_in_any_script"])
def test_whole_words_in_any_script(word, text, is_there):
    assert gr.keywords.bind(include=[word]).score(text) == is_there
    assert (gr.keywords.bind(include=[], exclude=[word]).score(text) == 0.0) >= is_there


def test_look_alikes_hide_no_excluded_word():
    verdict = gr.keywords.bind(include=[], exclude=["maybe"]).explain("m\u0430yb\u0435 \u0434\u0430")
    assert (verdict.reason, verdict.prediction) == ("excluded", "maybe")


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("It is a cafe\u0301.", 1.0),
        ("It is a ｃａｆé.", 1.0),
        ("It is.<|im_end|>café", 0.0),
    ],
)
def test_keywords_go_by_what_is_read(text, points):
    assert gr.keywords.bind(include=["café"]).score(text) == points
    assert gr.keywords.bind(include=["cafe\u0301"]).score(text) == points
