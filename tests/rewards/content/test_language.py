"""Which words count as which language: formulas and code do not, and hide none."""

import pytest

import grpo_rewards as gr


@pytest.mark.parametrize(
    ("script", "text", "share"),
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


@pytest.mark.parametrize(
    ("script", "text", "least", "most"),
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


@pytest.mark.parametrize("script", ["L", "Lu", "Any", "Common", "Inherited", "Greekish"])
def test_a_category_is_no_script(script):
    with pytest.raises(gr.RewardError, match="must be the name of a Unicode script"):
        gr.language_consistency.bind(script=script)


def test_yi_is_a_script():
    assert gr.language_consistency.bind(script="Yi").score("ꀀꀁ") == 1.0


@pytest.mark.parametrize(
    ("script", "text", "share"),
    [
        ("Han", "由f(x)=x^2得f(3)=9", 1),
        ("Han", "设x为苹果数，y为梨数，则2xy+4y=94，ab=4，sin(x)=1，α+β=π", 1),
        ("Han", "在△ABC中，AB = 3 cm，线段CD的长为4km，选B", 1),
        ("Han", "用GPU训练", 1),
        ("Cyrillic", "Пусть x + y = 10, тогда y равен 4 kg", 1),
        ("Arabic", "إذا كان x + y = 10 فإن y = 4", 1),
        ("Japanese", "f(x)=2x+1のとき、f(3)を求めよ。", 1),
        ("Latin", "The angle α is π/2.", 1),
        ("Greek", "Η τιμή είναι τέσσερα", 1),
        ("Han", "由sinA=cosB得2sinAcosB=1，tanx=lnx，cos2α=sinβ", 1),
        ("Han", "由at^2+bt+c=0得s=at²", 1),
        ("Han", "把NaOH溶液加入HCl，得NaCl和H2O；CaCO3、KMnO4和CH3COOH", 1),
        ("Han", "由P(AB)=P(A)P(B)，f(xy)=1", 1),
        ("Han", "设x y z为整数，A B C D四点，a b c d e f g h各不相同，结果是H T T H H T H T H", 1),
        ("Han", "我 I t h i n k t h a t", 1 / 11),
        ("Han", "我 I-t-h-i-n-k t-h-a-t w-e w-i-n", 1 / 16),
        ("Han", "我 cosy", 1 / 5),
        ("Han", "我 blog asin logs cost tang", 1 / 21),  # the arcsine of programs is a function's name
        ("Han", "我 He Is In No As", 1 / 11),
        ("Han", "他in^里", 2 / 4),
        ("Han", "f(the)我", 1 / 4),
        ("Han", "我 (USA) said(no)", 1 / 10),
        ("Han", "我们 compute 答案", 4 / 11),
        ("Han", "答案 is 四", 3 / 5),
        ("Latin", "The answer ответ", 9 / 14),
        ("Latin", "The λόγος", 3 / 8),
        ("Han", "ＡＢＣ", 0),
        ("Cyrillic", "I think we should add these numbers", 0),
        ("Han", "我们 $\\text{compute}$", 2 / 9),
    ],
)
def test_symbols_are_no_foreign_language_and_words_are(script, text, share):
    assert gr.language_consistency.bind(script=script).score(text) == pytest.approx(share)


@pytest.mark.parametrize(
    "text",
    ["P(A|B)=P(AB)/P(B)", "sinA=cosB", "at^2+bt+c=0", "2NaOH + H2SO4 = Na2SO4 + 2H2O", "f(ab)=f(a)f(b)", "x y z"],
)
def test_a_formula_in_plain_text_alone_is_of_no_other_language(text):
    for script in ("Han", "Cyrillic", "Arabic"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"


@pytest.mark.parametrize("text", ["42", "\\boxed{7}", "$x = 4$", "```python\nprint(4)\n```", "2 + 2 = 4"])
def test_numbers_and_formulas_alone_are_of_no_language(text):
    for script in ("Han", "Latin", "Greek"):
        assert gr.language_consistency.bind(script=script).explain(text).reason == "no_letters"
        assert gr.language_consistency.bind(script=script).score(text) is None


ADDRESS = "https://a.org/the-cat-sat-on-the-mat-and-then-it-went-away-to-see-the-others"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
