"""Which words count as which language: formulas and code do not, and hide none."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("script, text, least, most", TABLES["prose_is_not_hidden_in_formulas"])
def test_prose_is_not_hidden_in_formulas(script, text, least, most):
    assert least <= gr.language_consistency.bind(script=script).score(text) <= most


@each_row("text", TABLES["a_formula_in_plain_text_alone_is_of_no_other_language"])
def test_a_formula_in_plain_text_alone_is_of_no_other_language(text):
    for script in ("Han", "Cyrillic", "Arabic"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"


@each_row("text", TABLES["numbers_and_formulas_alone_are_of_no_language"])
def test_numbers_and_formulas_alone_are_of_no_language(text):
    for script in ("Han", "Latin", "Greek"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"
        assert gr.language_consistency.bind(script=script).score(text) is None


@each_row("text", TABLES["words_do_not_hide_behind_marks"])
def test_words_do_not_hide_behind_marks(text):
    assert gr.language_consistency.bind(script="Han").score(text) < 0.2
