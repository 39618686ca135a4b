"""Answers that are compared word for word: which punctuation counts, and which does not."""

import pytest

import grpo_rewards as gr
from grpo_rewards.testing import assert_linear


@pytest.mark.parametrize(
    ("text", "gold", "match", "f1"),
    [
        ("<answer>The Eiffel Tower.</answer>", "eiffel tower", 1.0, 1.0),
        ("<think>x</think>Eiffel-Tower", "Eiffel Tower", 0.0, 0.0),  # a hyphen joins: one word
        (r"\boxed{\text{Paris}}", ["London", "Paris"], 1.0, 1.0),
        ("Paris, London, Rome", ["London", "Paris"], 0.0, 0.5),  # 1 of 3 words, all of 1: 2 · 1/3 / (4/3)
        ("paris paris paris", "Paris", 0.0, 0.5),
        ("72", 72, 1.0, 1.0),
        ("東京都", "東京", 0.0, 0.8),  # 2 of 3 characters, all of 2: 2 · 2/3 / (5/3)
        ("The", "the", 1.0, 1.0),  # an article is a word where there is no other
        ("ｐａｒｉｓ\u200b", "Paris", 1.0, 1.0),
        ("", "Paris", 0.0, 0.0),
        ("...", "Paris", 0.0, 0.0),
        ("Paris", [], None, None),
        ("Paris", None, None, None),
    ],
)
def test_texts_are_compared_word_for_word(text, gold, match, f1):
    assert gr.exact_match.score(text, answer=gold) == match
    found = gr.token_f1.score(text, answer=gold)
    assert found == (None if f1 is None else pytest.approx(f1))


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


UK = {"value": "UK", "aliases": ["Great Britain"], "normalized_aliases": ["great britain"], "type": "WikipediaEntity"}
BRONCOS = {"text": ["Denver Broncos", "Broncos"], "answer_start": [177, 184]}


@pytest.mark.parametrize(
    ("text", "gold", "points"),
    [
        ("Yes.", True, 1.0),
        ("TRUE", True, 1.0),
        ("no", True, 0.0),
        ("true false", True, 0.0),
        ("False", False, 1.0),
        ("not false", False, 0.0),
        ("great britain", UK, 1.0),
        ("WikipediaEntity", UK, 0.0),
        ("the Broncos", BRONCOS, 1.0),
        ("177", BRONCOS, 0.0),
        ("Denver Broncos Broncos", BRONCOS, 0.0),
        ("2", 2.0, 1.0),
        ("20", 2.0, 0.0),
        ("`Paris`", "Paris", 1.0),
        ("«Paris»", "Paris", 1.0),
        ("C", "C#", 0.0),
        ("c#", "C#", 1.0),
        ("#1", "1", 1.0),
        ("None", [None, "x"], 0.0),
    ],
)
def test_golds_of_many_kinds_are_met_word_for_word(text, gold, points):
    assert gr.exact_match.score(text, answer=gold) == points
    assert (gr.token_f1.score(text, answer=gold) == 1.0) == (points == 1.0)


def test_the_check_of_golds_reads_them_as_the_reward_does():
    golds = [True, UK, BRONCOS, {"text": []}, {}, float("nan"), None, "", [], {"type": "x"}, "...", 2.5]
    for reward in (gr.exact_match, gr.token_f1):
        assert gr.check_answers(reward, {"answer": golds}) == {reward.name: [3, 4, 5, 6, 7, 8, 9, 10]}


@pytest.mark.parametrize(
    ("said", "gold", "same"),
    [
        ("102", "10²", False),
        ("11/2", "1½", False),
        ("1 1/2", "1½", True),
        ("1 ½", "1½", True),
        ("10^2", "10²", True),
        ("10^{-3}", "10⁻³", True),
        ("10-3", "10⁻³", False),
        ("3×105", "3×10⁵", False),
        ("x-1", "x⁻¹", False),
        ("2x", "2ˣ", False),
        ("102", "10₂", False),
        ("102", "10_2", False),
        ("10_{2}", "10₂", True),
        ("1_000", "1000", True),
        ("11", "1①", False),
        ("21日", "2㏠", False),
        ("11/2", "1¹⁄₂", False),
        ("1/23", "½3", False),
        ("½", "1/2", True),
        ("-½", "-1/2", True),
        ("½", "-1/2", False),
        ("H2O", "H₂O", True),
        ("50 m2", "50 m²", True),
        ("235U", "²³⁵U", True),
        ("１０", "10", True),
        ("𝟏𝟎", "10", True),
        (r"\frac{1}{12}", r"\frac{11}{2}", False),
        (r"\frac{x1}{2}", r"\frac{x}{12}", False),
        (r"\frac{1}{2}", "1/2", True),
        (r"1\frac{1}{2}", "1½", True),
        (r"1\frac{1}{2}", "11/2", False),
        (r"-\frac{1}{2}", "1/2", False),
    ],
)
def test_no_spelling_turns_one_number_into_another(said: str, gold: str, same: bool) -> None:
    assert gr.exact_match.score(f"<answer>{said}</answer>", answer=gold) == same
    assert gr.exact_match.score(f"<answer>{gold}</answer>", answer=said) == same


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("-x", "x"),
        ("−2x", "2x"),
        ("-\\pi", "\\pi"),
        ("-(x+1)", "(x+1)"),
        ("y = -x", "y = x"),
        ("-∞", "∞"),
        ("-sin(x)", "sin(x)"),
        ("5!", "5"),
        ("(n+1)!", "(n+1)"),
        ("n!", "n"),
        ("O-", "O"),
        ("AB-", "AB"),
        ("AB−", "AB+"),
        ("Cl-", "Cl"),
        ("i--", "i"),
        ("--i", "i"),
        ("f'(x)", "f(x)"),
        ("[1,2]", "(1,2)"),
        ("[1, 2)", "[1, 2]"),
        ("]1,2[", "[1,2]"),
        ("(-∞, 2]", "(-∞, 2)"),
        ("(1,2) ∪ (3,4)", "(1,2) ∪ (3,4]"),
    ],
)
def test_a_sign_beside_a_formula_counts(said: str, gold: str) -> None:
    for one, other in ((said, gold), (gold, said)):
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=other) == 0.0
        assert gr.token_f1.score(f"<answer>{one}</answer>", answer=other) < 1.0
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=one) == 1.0


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("$.50", "$0.50"),
        ("−x", "-x"),
        ("– x", "x"),  # a dash that stands apart
        ("1,2", "(1,2)"),  # one of them has no brackets
        ("(5)", "[5]"),
        ("(Paris, France)", "[Paris, France]"),
        ("-Paris", "Paris"),
        ("Paris!", "Paris"),
        ("Windows 10!", "Windows 10"),
        ("COVID-19!", "covid19"),
        ("'x'", "x"),
        ("(B)", "B"),
        ("B!", "B"),
        ("A-", "A-"),
        ("x.", "x"),
        ("pre-", "pre"),
        ("It is -- well -- red", "It is well red"),
    ],
)
def test_signs_beside_words_do_not(said: str, gold: str) -> None:
    for one, other in ((said, gold), (gold, said)):
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=other) == 1.0
        assert gr.token_f1.score(f"<answer>{one}</answer>", answer=other) == 1.0


@pytest.mark.parametrize(("said", "gold"), [("5", ".5"), ("0.05", ".5"), ("v5", "v.5"), ("1.5", "1..5")])
def test_a_point_before_a_digit_is_no_other_number(said: str, gold: str) -> None:
    assert gr.exact_match.score(f"<answer>{said}</answer>", answer=gold) == (said == "v5")


@pytest.mark.parametrize("piece", ["-", "--", "a-", "5!", "!", "a'(", "'", "[,", "\\a", ".", "{-"])
def test_signs_are_looked_for_in_linear_time(piece: str) -> None:
    def score(text: str) -> None:
        gr.exact_match.score(text, answer="[1,2)")

    assert_linear(score, lambda size: piece * (size // len(piece)), 19_000, piece)
