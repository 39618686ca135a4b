"""Classes of texts that a reward once took wrongly, one table each; what is right is said by hand."""

import random
import time

import numpy as np
import pytest

import grpo_rewards as gr
from grpo_rewards.answers import equations
from grpo_rewards.completion.fences import fenced_blocks

CITIES = ["Paris", "Rome", "Oslo", "Bern"]
ARC = {"text": ["a fox", "a hen", "a dog"], "label": ["1", "2", "3"]}


@pytest.mark.parametrize("text", [f"<answer>{one}</answer>" for one in "İıſ\u212a"])  # in no case letters of ASCII
def test_a_letter_is_one_of_ascii(text):
    assert gr.multiple_choice.explain(text, answer="B").reason == "no_choice"


@pytest.mark.parametrize(
    "text",
    [
        "B. or a",
        "B. or (a)",
        "B. c.",
        "B. c",
        "B. rome or paris",
        "B. Rome; c. oslo; d. bern; a. paris",
        "B. Rome or Oslo",
        "B, C",
        "B or a",
        r"\boxed{B Paris}",
        "(B) / (C)",
    ],
)
def test_a_hedge_chooses_nothing(text):
    assert gr.multiple_choice.score(text, answer="B", choices=CITIES) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{B Rome}",
        r"\boxed{B - Rome}",
        "b) rome",
        "The answer is B because A is wrong",
        "B, since Paris is wrong",
        "I choose B.",
        "Option B is correct.",
        "B is the right answer.",
        "B. I think",
        "B. Rome, the capital of Italy",
        "Ｂ",
        "（Ｂ）",
    ],
)
def test_a_choice_in_a_sentence_is_one(text):
    assert gr.multiple_choice.score(text, answer="B", choices=CITIES) == 1.0
    assert gr.multiple_choice.score(text, answer="C", choices=CITIES) == 0.0


def test_a_letter_may_occur_in_the_text_of_its_option():
    given = {"answer": "B", "choices": ["Vitamin A", "Vitamin C"]}
    assert [gr.multiple_choice.score(text, **given) for text in ("B) Vitamin C", "B) Vitamin A")] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "gold", "choices", "points"),
    [
        ("B", np.int64(1), CITIES, 1.0),
        ("A", np.int64(1), CITIES, 0.0),
        ("rome", "B", np.array(CITIES), 1.0),
        ("rome", "B", tuple(CITIES), 1.0),
        ("rome", 1, {"text": CITIES, "label": list("ABCD")}, 1.0),
        ("B", "B", {"text": np.array(CITIES), "label": np.array(list("ABCD"))}, 1.0),
        ("3", "3", ARC, 1.0),
        ("(3)", "3", ARC, 1.0),
        ("a dog", "3", ARC, 1.0),
        ("2", "3", ARC, 0.0),
        ("B", "B", "Rome", 1.0),  # no list of options
    ],
)
def test_golds_and_options_as_datasets_hold_them(text, gold, choices, points):
    assert gr.multiple_choice.score(text, answer=gold, choices=choices) == points


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("-5", "5"),
        ("3.5", "35"),
        ("1/2", "12"),
        ("10:30", "1030"),
        ("5%", "5"),
        (".5", "5"),
        ("3-4", "34"),
        ("3,5", "35"),
        ("(-$5)", "$5"),
    ],
)
def test_punctuation_that_belongs_to_a_number_counts(said, gold):
    assert gr.exact_match.score(said, answer=gold) == gr.token_f1.score(said, answer=gold) == 0.0
    assert gr.exact_match.score(said, answer=said) == gr.token_f1.score(said, answer=said) == 1.0


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("1,000", "1000"),
        ("1,234,567.5", "1234567.5"),
        ("5.", "5"),
        ("(5)", "5"),
        ("−5", "-5"),
        ("½", "1/2"),
        (r"\boxed{5\%}", "5%"),
        ("5 %", "5%"),
        ("COVID-19!", "covid19"),
        ("U.S.A.", "usa"),
        ("don't", "dont"),
        ("It's No. 5, then", "its no 5 then"),
    ],
)
def test_all_other_punctuation_does_not(said, gold):
    assert gr.exact_match.score(said, answer=gold) == gr.token_f1.score(said, answer=gold) == 1.0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("<think><answer></think></answer>", 0.5),  # the closing ones alone
        ("<think>a<answer></think>b</answer>", 0.75),
        ("<think>a<answer>b</answer></think>", 0.75),
        ("<answer>b</answer><think>a</think>", 0.75),
        ("<think><answer>b</answer></think>", 0.75),
    ],
)
def test_sections_neither_overlap_nor_change_places(text, share):
    assert gr.tag_count.score(text) == share


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


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```\na\u2028```\nb\n```", ["a\u2028```\nb\n"]),
        ("```\na\x0b```\x0c```\x85```\nb\n```", ["a\x0b```\x0c```\x85```\nb\n"]),
        ("```\r\na\r\n```\r\n", ["a\r\n"]),
        ("1. So:\n\n     ```python\n     a\n     ```\n", ["     a\n     "]),
        ("- ```python\n  a\n  ```\n", ["  a\n"]),
        ("```\n    ```\n```", ["    ```\n"]),  # indented by four: no closing fence
    ],
)
def test_a_fence_stands_on_a_line_of_its_own(text, inside):
    assert [block.inside.rstrip(" ") for block in fenced_blocks(text)] == [one.rstrip(" ") for one in inside]


BASE = "We add two and three, which gives five, and check it by counting. So it is \\boxed{6}"
NEW = " ".join(f"w{chr(97 + a)}{chr(97 + b)}x" for a in range(20) for b in range(15))
INVISIBLE = ["\U000e0041", "\U000e0100", "\U0001d173", "\ufff9", "\x01", "\x7f", "\x80", "\x0c", "\u2800"]
PADDINGS = {
    **{f"{ord(one):x}": BASE.replace(" ", f" {one * 5}") for one in INVISIBLE},
    "counting": BASE + " " + " ".join(map(str, range(1000, 1400))),
    "numbered": BASE + "\n" + "\n".join(map(str, range(400))),
    "behind the end": f"{BASE}<|im_end|>{NEW}",
}


def as_ids(text):
    import re

    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d+|\s+|.", text, re.DOTALL)]


@pytest.mark.parametrize("text", PADDINGS.values(), ids=PADDINGS)
@pytest.mark.parametrize(
    "reward", [gr.cosine_length.bind(max_tokens=300), gr.target_length.bind(target=200, tolerance=200), gr.repetition]
)
def test_no_padding_pays(reward, text):
    def points(text):
        return reward.score(text, completion_ids=as_ids(text), answer="5")

    assert points(text) <= points(BASE) + 0.02  # the tokens up to a marker are guessed by characters


def test_a_repetition_is_not_hidden():
    gaps = random.Random(0)
    uneven = "".join("wait" + gaps.choice([" ", "  ", "\n", "\n\n", "\t", " \n", "   ", "\n "]) for _ in range(300))
    assert gr.repetition.score(uneven, completion_ids=as_ids(uneven)) < -0.9
    for one in INVISIBLE:
        hidden = "".join("wait" + one * (1 + gaps.randrange(9)) for _ in range(300))
        assert gr.repetition.score(hidden, completion_ids=as_ids(hidden)) < -0.9
    behind = "wait " * 100 + "<|im_end|>" + NEW
    assert gr.repetition.score(behind) < -0.9


def test_prose_in_paragraphs_is_judged_by_its_tokens():
    text = NEW.replace("waax", "\n\nwaax").replace("wbbx", "\nwbbx")
    assert gr.repetition.explain(text, completion_ids=as_ids(text)).reason == "distinct"


def _told(text):
    found = equations(text)
    return sum(one.is_true for one in found), sum(not one.is_true for one in found)


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("2+2=5 (apples), 1+1=2", 1, 1),
        ("2+2=5 (wrong)", 0, 1),
        ("3 + 4 = 7 (apples)", 1, 0),
        ("(5 + 3 = 8)", 1, 0),
        ("[5 + 3 = 8]", 1, 0),
        ("(so 5 + 3 = 9)", 0, 1),
        ("1) 3 + 4 = 7", 1, 0),
        ("(2) 3 + 4 = 7", 1, 0),
        ("[2] 3 + 4 = 7", 1, 0),
        ("* 3 + 4 = 7", 1, 0),
        ("**3 + 4 = 7**", 1, 0),
        ("3 + 4 = **7**", 1, 0),
        ("2**3 = 8", 1, 0),
        (r"3 + 4 = \boxed{8}", 0, 1),
        (r"\boxed{3 + 4 = 7}", 1, 0),
        (r"3 \cdot 2^{2} = 13", 0, 1),
        (r"3 \cdot 2^{2} = 12", 1, 0),
        (r"10^{2} + 1 = 5", 0, 1),
        ("2^10 = 1024", 1, 0),
        ("5 cm^2 + 3 cm^2 = 8 cm^2", 1, 0),
        (r"5 \text{ cm}^2 + 3 \text{ cm}^2 = 8 \text{ cm}^2", 1, 0),
        ("-3 + 4 = 1", 1, 0),
        ("2 + 2 = 4 = 5", 1, 1),
        ("3 + 4 = 7 = 6", 1, 1),
        ("2 + 2 = 4 = 4", 1, 0),
        ("100 * 20% = 20%", 0, 1),
        ("1 + 1 = 2%", 0, 1),
        ("50% + 25% = 75%", 1, 0),
        ("5/20 * 100 = 25%", 1, 0),
        ("20% = 1/5", 1, 0),
        ("2 * 30 = 60 minutes = 1 hour", 1, 0),
    ],
)
def test_no_layout_hides_an_equation(text, true, false):
    assert _told(text) == (true, false)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(9 + 16) = 5",
        "√(9+16) = 5",
        "3 m * 4 m = 12 m^2",
        "- 3 + 4 = 7",
        "x_1 + 3 = 5",
        "x2 + 1 = 5",
        "a1 + 1 = 3",
        "Total - 5 + 2 = 10",
        "profit - 10 * 2 = 30",
        "g(2) + 1 = 5",
        "2 m + 1 = 5",
        "6 + 1 = 2m",
        "1/2 hour = 30 minutes",
        "12:30 - 1 = 11",
        "10:00 + 2 = 12",
        "1e3+1=1001",
        "2/3=0.6666...",
        "1/3 = 0.333...",
        r"1/3 = 0.333\ldots",
        "log 2 + 1 = 3",
        "5 = 5 = 5",
        "(2x + 3)(2 + 1) = 12",
    ],
)
def test_what_cannot_be_told_is_left_out(text):
    assert equations(text) == []


PIECES = ["1+", "(", ")", "5 a ", "1=1+0 ", "<<", " ", "**", "\\boxed{", "\\boxed{1}", "2 (", "1=(", "1,", "^{", "* "]


@pytest.mark.parametrize("piece", PIECES)
def test_equations_are_found_in_linear_time(piece):
    start = time.process_time()
    equations(piece * (100_000 // len(piece)))
    assert time.process_time() - start < 1.5


@pytest.mark.parametrize(
    "piece", ["\\(", "\\[", "\\( x", "\\(\\", "$", "$$ ", "`a ", "ab ", "<", "\\begin{", "e\u0301\u0323"]
)
def test_texts_are_read_in_linear_time(piece):
    text = piece * (200_000 // len(piece))
    for reward in (
        gr.language_consistency.bind(script="Latin"),
        gr.keywords.bind(include=["a b"]),
        gr.multiple_choice,
        gr.exact_match,
        gr.code_block_format,
    ):
        start = time.process_time()
        reward.score(text, answer="B", choices=CITIES)
        assert time.process_time() - start < 1


def test_a_run_of_accents_does_not_stall_keywords():
    text = "a" + "\u0301\u0323" * 50_000
    start = time.process_time()
    gr.keywords.bind(include=["café"]).score(text)
    assert time.process_time() - start < 1
