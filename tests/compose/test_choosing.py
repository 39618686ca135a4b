"""A reward that counts only where another one is earned, and different rewards for different rows."""

import pytest
from composed import ROWS, composed_gate, composed_value
from tables import each_row

import grpo_rewards as gr


def test_a_gate_decides_row_by_row():
    one = gr.gated(composed_value, by=composed_gate, otherwise=-1.0)
    assert one(**ROWS) == [1.0, None, -1.0, None]
    reasons = [
        one.explain("", value=value, gate=gate).reason for value, gate in zip(ROWS["value"], ROWS["gate"], strict=True)
    ]
    assert reasons == ["", "", "stopped", "gate_not_scored"]
    assert gr.gated(composed_value, by=composed_gate, above=1.0)(**ROWS) == [0.0, 0.0, 0.0, None]


TASKS = gr.routed({"math": gr.boxed_answer, "quiz": gr.multiple_choice}, by="task")
MIXED = {
    "completions": [r"\boxed{4}", "B", r"\boxed{5}", "A"],
    "task": ["math", "quiz", "math", "quiz"],
    "answer": ["4", "B", "4", "B"],
}


def test_rows_are_routed_by_their_kind():
    assert TASKS(**MIXED) == [1.0, 1.0, 0.0, 0.0]
    assert TASKS.columns == ("task", "answer")
    assert TASKS.explain("B", task="quiz", answer="B").details["route"] == "multiple_choice"


def test_an_unknown_kind_names_the_row_and_the_routes():
    with pytest.raises(gr.RewardError) as error:
        TASKS(**{**MIXED, "task": ["math", "quiz", "code", "quiz"]})
    assert "no route for 'code', which is 'task' of row 2. Routes: 'math', 'quiz'. Add one, or give a default." in str(
        error.value
    )
    with pytest.raises(gr.RewardError, match="reads column 'task'"):
        TASKS(completions=["a"], answer=["4"])
    by_default = TASKS.bind(default="boxed_format")
    assert by_default(**{**MIXED, "task": ["math", "quiz", "code", None]}) == [1.0, 1.0, 1.0, 0.0]
    assert by_default.score(r"\boxed{1}", task=["unhashable"], answer="4") == 1.0


@each_row("tasks", [["math", "quiz"], ["math", "math"], ["quiz", "quiz"], []])
def test_every_call_logs_whole_columns_of_every_route(tasks):
    extras = {}
    completions = [r"\boxed{4}", "B"][: len(tasks)]
    TASKS(
        completions=completions,
        task=tasks,
        answer=["4", "B"][: len(tasks)],
        log_extra=extras.__setitem__,
        log_metric=lambda *_: None,
    )
    for_all = [f"{name}/{what}" for name in ("boxed_answer", "multiple_choice") for what in ("reason", "prediction")]
    assert set(for_all) < set(extras)
    assert all(len(values) == len(tasks) for values in extras.values())
    if tasks == ["math", "quiz"]:
        assert extras["boxed_answer/reason"] == ["correct", None]
        assert extras["multiple_choice/reason"] == [None, "correct"]


def test_answers_are_checked_where_they_are_routed_to():
    rows = {"task": ["math", "quiz", "math", "quiz"], "answer": ["4", "B", "", "London calling"]}
    assert gr.check_answers(TASKS, rows) == {"boxed_answer": [2], "multiple_choice": [3]}
    nested = gr.gated(gr.weighted({TASKS: 1.0}), by=gr.boxed_format)
    assert gr.check_answers([nested], rows) == {"boxed_answer": [2], "multiple_choice": [3]}
