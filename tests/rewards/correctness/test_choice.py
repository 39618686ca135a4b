"""Golds and options in the forms in which data sets hold them."""

import json
from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

CITIES = ["Paris", "Rome", "Oslo", "Bern"]

ARC = {"text": ["a fox", "a hen", "a dog"], "label": ["1", "2", "3"]}


@each_row(
    "text, gold, choices, points",
    [
        ("rome", "B", tuple(CITIES), 1.0),
        ("rome", 1, {"text": CITIES, "label": list("ABCD")}, 1.0),
        ("3", "3", ARC, 1.0),
        ("(3)", "3", ARC, 1.0),
        ("a dog", "3", ARC, 1.0),
        ("2", "3", ARC, 0.0),
        ("B", "B", "Rome", None),  # no list of options: the row is to be mended
    ],
)
def test_golds_and_options_as_datasets_hold_them(text, gold, choices, points):
    assert gr.multiple_choice.score(text, answer=gold, choices=choices) == points


TWO = {"A": "Paris", "B": "Rome"}  # as in MedQA
RECORDS = [{"label": "A", "text": "Paris"}, {"label": "B", "text": "Rome"}]
NUMBERED = [{"id": 1, "content": "Paris"}, {"id": 2, "content": "Rome"}]


@each_row(
    "choices",
    [
        TWO,
        RECORDS,
        NUMBERED,
        json.dumps(TWO),
        json.dumps(RECORDS),
        json.dumps(["Paris", "Rome"]),
        json.dumps({"text": ["Paris", "Rome"], "label": ["A", "B"]}),
        {"B": "Rome", "A": "Paris"},
        {"b": "Rome", "a": "Paris"},
        {"1": "Paris", "2": "Rome"},
        TWO | {"C": None},  # Arrow gives each row the fields of all
        ["Paris", "Rome", None],
        [{"text": "Paris"}, {"text": "Rome"}],
    ],
)
def test_options_in_every_form_guard_against_mixed_ones(choices: Any) -> None:
    for said, points in [
        ("B", 1),
        ("B. Rome", 1),
        ("Rome", 1),
        ("A", 0),
        ("B. Paris", 0),
        ("A. Rome", 0),
        ("Paris", 0),
    ]:
        assert gr.multiple_choice.score(rf"\boxed{{{said}}}", answer="B", choices=choices) == points, said
    assert gr.multiple_choice.score(r"\boxed{B}", answer="Rome", choices=choices) == 1


@each_row(
    "choices",
    [
        *TABLES["options_that_cannot_be_read_are_the_rows_fault"],
        ["A) Paris B) Rome", 5, [], {}, {"A": ["Paris"]}, {"text": None}, [None, "Rome"], [{"option": "Rome"}, 3]],
        ["A) Paris B) Rome", 5, [], {}, {"A": ["Paris"]}, {"text": None}, [None, "Rome"], [{"option": "Rome"}, 3]],
    ],
)
def test_options_that_cannot_be_read_are_the_rows_fault(choices: Any) -> None:
    verdict = gr.multiple_choice.explain(r"\boxed{B}", answer="B", choices=choices)
    assert (verdict.reward, verdict.reason) == (None, "bad_answer")


@each_row(
    "text, given, points",
    [
        ("B", lambda np: {"answer": np.int64(1), "choices": CITIES}, 1.0),
        ("A", lambda np: {"answer": np.int64(1), "choices": CITIES}, 0.0),
        ("rome", lambda np: {"answer": "B", "choices": np.array(CITIES)}, 1.0),
        ("B", lambda np: {"answer": "B", "choices": {"text": np.array(CITIES), "label": np.array(list("ABCD"))}}, 1.0),
    ],
)
def test_golds_and_options_of_numpy(text, given, points):
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    assert gr.multiple_choice.score(text, **given(np)) == points


def test_an_option_beyond_the_letters_is_named_by_its_text() -> None:
    cities = [f"city {at}" for at in range(30)]
    found = gr.multiple_choice.explain(r"\boxed{city 28}", answer=28, choices=cities)
    assert (found.reward, found.prediction) == (1.0, "city 28")
    assert gr.multiple_choice.explain("It is Rome. The answer is (b).", answer="B").prediction == "B"
