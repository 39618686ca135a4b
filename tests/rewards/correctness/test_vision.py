"""Boxes: numbers worked out by hand, the forms of models and data sets, and what a policy would try."""

from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

GOLD = [0, 0, 10, 10]
GIOU = gr.bounding_box_iou.bind(generalized=True)


@each_row("box, iou, giou", TABLES["the_overlap_of_two_boxes"])
def test_the_overlap_of_two_boxes(box: list[int], iou: float, giou: float) -> None:
    text = f"<answer>{box}</answer>"
    assert gr.bounding_box_iou.score(text, answer=GOLD) == pytest.approx(iou)
    assert GIOU.score(text, answer=GOLD) == pytest.approx(giou)


FORMS = [
    GOLD,
    tuple(GOLD),
    [GOLD],
    str(GOLD),
    {"bbox_2d": GOLD},
    [{"bbox": GOLD}],
    f'{{"box": {GOLD}}}',
    "(0,0),(10,10)",
    {"bbox_2d": None, "bbox": GOLD},  # Arrow gives each row the fields of all
    [{"bbox_2d": None, "bbox": None, "box": GOLD}],
    [[0, 0], [10, 10]],
    "[[0, 0], [10, 10]]",
    r"\[0,0,10,10\]",
    {"bbox": "[0, 0, 10, 10]"},
    ["[0, 0, 10, 10]"],
]


@each_row("gold", FORMS)
def test_golds_in_the_forms_of_data_sets(gold: Any) -> None:
    assert gr.bounding_box_iou.score("[0, 0, 10, 5]", answer=gold) == 0.5


NO_BOXES = [
    None,
    "",
    [],
    [1, 2, 3],
    [0, 0, 0, 0],
    [5, 5, 1, 1],
    [GOLD] * 41,
    "cat",
    {"a": 1},
    {"bbox": None},
    [[0, 0], [9, 0], [9, 9]],
    [0, 0, float("nan"), 1],
]


@each_row("gold", NO_BOXES)
def test_a_gold_that_is_no_box_is_the_rows_fault(gold: Any) -> None:
    verdict = gr.bounding_box_iou.explain("[0, 0, 10, 5]", answer=gold)
    assert (verdict.reward, verdict.reason) == (None, "bad_answer")


def test_several_boxes_are_paired_and_each_one_too_many_costs() -> None:
    two = [[0, 0, 10, 10], [20, 20, 30, 30]]
    assert gr.bounding_box_iou.score("[[20, 20, 30, 30], [0, 0, 10, 10]]", answer=two) == 1
    assert gr.bounding_box_iou.score("[0, 0, 10, 10]", answer=two) == 0.5
    assert gr.bounding_box_iou.score("[0, 0, 10, 10] or [1, 1, 9, 9]", answer=GOLD) == 0.5
    assert gr.bounding_box_iou.score("[0, 0, 10, 10] or [9, 9, 1, 1]", answer=GOLD) == 0.5
    assert GIOU.score("[0, 0, 10, 10] or [1, 1, 9, 9]", answer=GOLD) == 0
    assert gr.bounding_box_iou.explain("[0, 0, 10, 10] " * 41, answer=GOLD).reason == "too_many_boxes"


def test_width_and_height() -> None:
    wide = gr.bounding_box_iou.bind(form="xywh")
    assert wide.score("[5, 5, 10, 10]", answer=[5, 5, 10, 20]) == 0.5
    assert wide.explain("[5, 5, 0, 10]", answer=[5, 5, 10, 20]).reason == "bad_box"


@each_row("text, reason", TABLES["reasons"])
def test_reasons(text: str, reason: str) -> None:
    assert gr.bounding_box_iou.explain(text, answer=GOLD)[:2] == (0.0, reason)
    assert GIOU.explain(text, answer=GOLD).reason == reason
