"""Credit for calls: what is equal, what is too much, in which order; golds in the forms of data sets."""

import json
from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

PARTS = gr.tool_calls.bind(credit="arguments")
NAMES = gr.tool_calls.bind(credit="names")


class Scalar:
    """What arrays and their items have in common, in whichever library."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tolist(self) -> Any:
        return self.value

    def __repr__(self) -> str:
        return f"Scalar({self.value!r})"


ARRAYS = (
    Scalar([{"name": "add", "arguments": {"a": Scalar(1)}}]),
    [{"add": {"a": Scalar([1, 2])}}],
)


def written(*calls: dict[str, Any]) -> str:
    return "".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)


def add(**arguments: Any) -> dict[str, Any]:
    return {"name": "add", "arguments": arguments}


@each_row(
    "made, gold, exact, names, parts",
    [
        ([add(a=1, b=2)], [add(b=2, a=1.0)], 1, 1, 1),
        ([add(a="1", b=2)], [add(a=1, b=2)], 0, 1, 0.5),
        ([add(a=True)], [add(a=1)], 0, 1, 0),
        ([add(a=[1, 2])], [add(a=[2, 1])], 0, 1, 0),
        ([add(a={"x": 1, "y": [None]})], [add(a={"y": [None], "x": 1})], 1, 1, 1),
        ([add(a=1, b=None)], [add(a=1)], 0, 1, 0.5),
        ([add()], [add()], 1, 1, 1),
        ([], [], 1, 1, 1),
        ([add()], [], 0, 0, 0),
        ([add(a=1), add(a=1)], [add(a=1)], 0, 0.5, 0.5),
        ([add(a=1)], [add(a=1), add(a=2)], 0, 0.5, 0.5),
        ([add(a=3, b=4), add(a=1, b=2)], [add(a=1, b=2), add(a=3, b=4)], 1, 1, 1),
        # each alone is best with the first gold; together they earn more the other way round: (1/2 + 1) / 2
        ([add(a=1, b=2), add(a=1, b=9)], [add(a=1, b=2), add(a=1, b=3)], 0, 1, 0.75),
        ([{"name": "sub", "arguments": {"a": 1}}], [add(a=1)], 0, 0, 0),
        ([{"arguments": {"a": 1}}, add(a=1)], [add(a=1)], 0, 0.5, 0.5),
    ],
)
def test_credit(made: Any, gold: Any, exact: float, names: float, parts: float) -> None:
    text = written(*made)
    assert gr.tool_calls.score(text, answer=gold) == exact
    assert NAMES.score(text, answer=gold) == pytest.approx(names)
    assert PARTS.score(text, answer=gold) == pytest.approx(parts)


def test_the_order_counts_if_it_should() -> None:
    text, gold = written(add(a=2), add(a=1)), [add(a=1), add(a=2)]
    assert gr.tool_calls.score(text, answer=gold) == 1
    assert gr.tool_calls.bind(ordered=True).score(text, answer=gold) == 0
    assert PARTS.bind(ordered=True).score(text, answer=gold) == 0.5
    assert gr.tool_calls.bind(ordered=True).score(text, answer=gold[::-1]) == 1


@each_row(
    "gold",
    [
        *TABLES["golds_in_the_forms_of_data_sets"],
        [add(a=1)],
        add(a=1),
        {"role": "assistant", "tool_calls": [add(a=1)]},
        [{"name": "add", "arguments": {"a": 1}, "parameters": None}],
        ARRAYS[0],
        ARRAYS[1],
    ],
)
def test_golds_in_the_forms_of_data_sets(gold: Any) -> None:
    assert PARTS.score(written(add(a=1)), answer=gold) == 1
    assert PARTS.score(written(add(a=3)), answer=gold) == 0


@each_row(
    "gold",
    [
        *[None, "", "4", 4, "none", [4], {}, [[]], "<tool_call>x y</tool_call>", "<tool_call>", "[f(1)]"],
        "<tool_call>{'name': open('x')}</tool_call>",
        "<function=add>\n<parameter=a>\n</function>",
        [{"f": {"a": [{str(key): [1, 2] for key in range(40)}]}}],
        *[[{"arguments": {}}], [None], [add(a=1)] * 41, [{"name": "f", "arguments": 3}]],
    ],
)
def test_a_gold_that_cannot_be_read_is_the_rows_fault(gold: Any) -> None:
    verdict = gr.tool_calls.explain(written(add(a=1)), answer=gold)
    assert (verdict.reward, verdict.reason) == (None, "bad_answer")
    assert NAMES.score("<tool_call>x y</tool_call>", answer=gold) is None
    assert gr.check_answers(gr.tool_calls, {"answer": [[add(a=1)], gold]}) == {"tool_calls": [1]}


def test_what_columns_fill_with_null_can_be_left_out() -> None:
    gold = [add(a=1, zone=None)]
    assert gr.tool_calls.score(written(add(a=1)), answer=gold) == 0
    stripped = gr.tool_calls.bind(null_is_absent=True)
    assert stripped.score(written(add(a=1)), answer=gold) == 1
    inside = [add(loc={"city": "Oslo", "zone": None, "near": [{"x": None}]})]
    for gold in (
        inside,
        [{"add": {"loc": [{"city": ["Oslo"], "zone": None, "near": [[{"x": None}]]}]}, "sub": None}],
        str(inside),
    ):
        assert stripped.score(written(add(loc={"city": "Oslo", "near": [{}]})), answer=gold) == 1
        assert stripped.score(written(add(loc={"city": "Oslo", "near": []})), answer=gold) == 0
    assert stripped.score(written(add(a=[None])), answer=[add(a=[])]) == 0


@each_row("made, points", TABLES["bfcl_names_possible_values_inside_objects_too"])
def test_bfcl_names_possible_values_inside_objects_too(made: Any, points: float) -> None:
    possible = {"lat": [1.5], "lon": [2, 3], "near": ["sea", ""]}
    assert gr.tool_calls.score(written(add(loc=made)), answer=[{"add": {"loc": [possible]}}]) == points
    assert gr.tool_calls.score(written(add(loc=[made])), answer=[{"add": {"loc": [[possible]]}}]) == points


def test_numbers_of_other_libraries_are_numbers() -> None:
    for value, points in ((Scalar(1), 1), (Scalar("1"), 0), (Scalar([1]), 0)):
        made = [{"role": "assistant", "tool_calls": [add(a=value)]}]
        assert gr.tool_calls.score(made, answer=[add(a=1)]) == points
        assert gr.tool_calls.score(written(add(a=1)), answer=[add(a=value)]) == points


def test_a_call_that_cannot_be_read_has_no_name_to_share() -> None:
    unread = "<tool_call>x y</tool_call>"
    assert NAMES.score(unread, answer=[add(a=1)]) == 0
    assert gr.tool_calls.score(unread, answer=[]) == 0
    assert gr.tool_calls.score("", answer=[]) == 1


def test_reasons() -> None:
    gold = [add(a=1), add(a=2)]
    for text, reason in [
        ("Fine.", "no_call"),
        (written(*[add(a=1)] * 41), "too_many_calls"),
        ("<think>", "unfinished_thinking"),
        (written(add(a=1)), "partly"),
        (written(add(a=3)), "wrong"),
        (written(*gold), "correct"),
    ]:
        assert PARTS.explain(text, answer=gold).reason == reason
