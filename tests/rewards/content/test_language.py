"""Which words count as which language: formulas and code do not, and hide none."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row(
    "script, text, share",
    [
        ("Latin", "It is 4, \\(x = α\\), `код`, $β$.", 1.0),
        ("Latin", "да no", 0.5),
        ("Han", "所以答案是四", 1.0),
        ("Japanese", "これは漢字です", 1.0),
        ("Han", "これは漢字です", 2 / 7),
        ("Cyrillic", "```python\nprint('hello')\n```\nОтвет", 1.0),
        ("Latin", "...", 0.0),
        ("Latin", "", 0.0),
    ],
)
def test_language_consistency(script, text, share):
    assert gr.language_consistency.bind(script=script).score(text) == pytest.approx(share)


def test_a_script_must_exist():
    for script in ("Klingon", "", "L}|\\p{Han", "latin1"):
        with pytest.raises(gr.RewardError, match="must be the name of a Unicode script"):
            gr.language_consistency.bind(script=script)


@each_row(
    "script, text, least, most",
    [
        ("Han", "所以答案是 $this is english text that is hidden $", 0.1, 0.25),  # 5 of 5 + 27 letters or so
        ("Han", "所以答案是 $this is$ $english text$", 0.2, 0.4),
        ("Han", "所以答案是 `this is english text that is hidden`", 0.1, 0.25),
        ("Han", "所以答案是 \\(\\text{hidden words}\\)", 0.2, 0.4),
        ("Latin", "He costs $5 and 所以答案 costs $6", 0.7, 0.85),  # 15 of 19
        ("Latin", "so `所以答案是这个`", 0.2, 0.3),
        ("Han", "所以 $\\frac{a}{b} = \\alpha^2$ 和 `x = f(y)` \\[\\begin{aligned} x &= 2 \\end{aligned}\\]", 1, 1),
        ("Japanese", "コーヒー", 1, 1),
        ("Latin", "コーヒー", 0, 0),
    ],
)
def test_prose_is_not_hidden_in_formulas(script, text, least, most):
    assert least <= gr.language_consistency.bind(script=script).score(text) <= most


@each_row("script", ["L", "Lu", "Any", "Common", "Inherited", "Greekish"])
def test_a_category_is_no_script(script):
    with pytest.raises(gr.RewardError, match="must be the name of a Unicode script"):
        gr.language_consistency.bind(script=script)


def test_yi_is_a_script():
    assert gr.language_consistency.bind(script="Yi").score("ꀀꀁ") == 1.0


@each_row(
    "script, text, share",
    TABLES["symbols_are_no_foreign_language_and_words_are"],
)
def test_symbols_are_no_foreign_language_and_words_are(script, text, share):
    assert gr.language_consistency.bind(script=script).score(text) == pytest.approx(share)


@each_row(
    "text",
    ["P(A|B)=P(AB)/P(B)", "sinA=cosB", "at^2+bt+c=0", "2NaOH + H2SO4 = Na2SO4 + 2H2O", "f(ab)=f(a)f(b)", "x y z"],
)
def test_a_formula_in_plain_text_alone_is_of_no_other_language(text):
    for script in ("Han", "Cyrillic", "Arabic"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"


@each_row("text", ["42", "\\boxed{7}", "$x = 4$", "```python\nprint(4)\n```", "2 + 2 = 4"])
def test_numbers_and_formulas_alone_are_of_no_language(text):
    for script in ("Han", "Latin", "Greek"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"
        assert gr.language_consistency.bind(script=script).score(text) is None


ADDRESS = "https://a.org/the-cat-sat-on-the-mat-and-then-it-went-away-to-see-the-others"


@each_row(
    "text",
    [
        r"好 \The \answer \is \Paris \because",
        r"好 $\The \answer \is$",
        "好 <The> <answer> <is> <Paris>",
        "=The =cat =sat =on =the =mat 好",
        "好 `The cat` `sat on` `the mat`",
        f"好 {ADDRESS}",
    ],
)
def test_words_do_not_hide_behind_marks(text):
    assert gr.language_consistency.bind(script="Han").score(text) < 0.2


@each_row(
    "text",
    [
        "所以 \\boxed{4}，其中 \\alpha \\times \\beta",
        "请看 https://en.wikipedia.org/wiki/Theory_of_relativity",
        "<think>我想</think><answer>四</answer>",
        "请用 `print` 函数和 `max_length` 参数",
        "<note>好的</note>换行<br>然后",
        "由f(x)=x^2得f(3)=9，S=ab，AB=CD",
        "\\section{引言} \\begin{cases} x=1 \\end{cases} 解得",
    ],
)
def test_commands_addresses_tags_and_names_are_free(text):
    assert gr.language_consistency.bind(script="Han").score(text) == 1.0
