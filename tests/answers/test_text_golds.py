"""Golds that are compared word for word, in the forms in which data sets hold them."""

import json
from decimal import Decimal

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.answers import text_golds, written_golds

TABLES = tables_beside(__file__)

SQUAD = {"text": ["Denver Broncos", "Broncos"], "answer_start": [177, 184]}
TRIVIA = TABLES["trivia"]


@each_row(
    "answer, golds",
    [
        ("Paris", ["Paris"]),
        (True, ["true", "yes"]),
        (False, ["false", "no"]),
        (7, ["7"]),
        (2.0, ["2.0", "2"]),
        (0.00001, ["1e-05", "0.00001"]),
        (Decimal("1.50"), ["1.50", "1.5"]),
        (["a", None, float("nan"), "b", "a"], ["a", "b"]),
        (("a", 3), ["a", "3"]),
        ({"b", "a"}, ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        (SQUAD, ["Denver Broncos", "Broncos"]),
        (json.dumps(SQUAD), ["Denver Broncos", "Broncos"]),
        ({"text": "Rome"}, ["Rome"]),
        (TRIVIA, ["UK", "Great Britain", "uk", "great britain"]),
        ("{a, b}", ["{a, b}"]),  # no JSON
        ('{"a": 1}', ['{"a": 1}']),  # a text, not a record
    ],
)
def test_golds_are_read_from_any_form(answer, golds):
    assert text_golds(answer) == golds


@each_row(
    "answer",
    [
        None,
        float("nan"),
        float("inf"),
        "",
        " ",
        "n/a",
        [],
        [None],
        [["a"]],
        {},
        {"text": []},
        {"a": "b"},
        b"a",
    ],
)
def test_what_is_no_gold_has_no_texts(answer):
    assert text_golds(answer) == []


def test_a_number_of_thousands_of_digits_is_no_gold():
    assert text_golds(10**5000) == []


def test_golds_of_numpy():
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    golds = [
        np.array(["a", "b"]),
        np.bool_(True),
        np.int64(4),
        np.float32(0.1),
        np.array(3),
        np.array([True]),
        np.float64("nan"),
    ]
    assert [text_golds(one) for one in golds] == [
        ["a", "b"],
        ["true", "yes"],
        ["4"],
        ["0.1"],
        ["3"],
        ["true", "yes"],
        [],
    ]
    assert text_golds({"text": np.array(["x"], dtype=object), "answer_start": np.array([1])}) == ["x"]
    assert text_golds(np.array([["a"]])) == []


@each_row(
    "answer, golds",
    [
        ("a", ["a"]),
        (["a", None, "b"], ["a", "b"]),
        (SQUAD, ["Denver Broncos", "Broncos"]),
        (TRIVIA, ["UK", "Great Britain", "uk", "great britain"]),
        ("# Title\n#### Part\nwords", ["# Title\n#### Part\nwords"]),  # nothing is cut out
        ('["a", "b"]', ['["a", "b"]']),  # may be code
        ('{"text": "a"}', ['{"text": "a"}']),
        (None, []),
        (3, []),
        ({"text": None}, []),
        ({"other": "a"}, []),
    ],
)
def test_long_texts_and_code_are_golds_as_they_stand(answer: object, golds: list[str]) -> None:
    assert written_golds(answer) == golds


def test_arrays_are_lists() -> None:
    numpy = pytest.importorskip("numpy")
    assert written_golds(numpy.array(["a", "b"])) == written_golds({"text": numpy.array(["a", "b"])}) == ["a", "b"]
    for answer in (numpy.array([3, 5]), numpy.array(["3", "5"], dtype=object), numpy.array(3)):
        for reward in (gr.numeric_answer, gr.close_to, gr.final_answer, gr.tagged_answer):
            assert reward.score("<answer>3</answer>", answer=answer) == 1
            assert reward.score("<answer>4</answer>", answer=answer) == 0
