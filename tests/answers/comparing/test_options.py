"""The options of boxed_answer for how answers are compared: each default, what an option changes, what it leaves."""

from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards import answers

TABLES = tables_beside(__file__)
CASES = [*TABLES["cases"], ({"rounding_digits": None}, r"\boxed{0.333333}", r"\frac13", 1.0, 0.0)]


@each_row("options, completion, gold, default, changed", CASES)
def test_what_an_option_changes(options, completion, gold, default, changed):
    assert gr.boxed_answer.score(completion, answer=gold) == default
    assert gr.boxed_answer.bind(**options).score(completion, answer=gold) == changed


@each_row("form", ["{}", "${}$", r"\boxed{{{}}}"])
@each_row("completion, gold", [(case[1], case[2]) for case in CASES])
def test_the_form_of_the_gold_changes_nothing(completion, gold, form):
    bare = gr.boxed_answer.explain(completion, answer=gold)
    assert gr.boxed_answer.explain(completion, answer=form.format(gold)).reason == bare.reason


def test_reasons_of_the_options():
    assert gr.boxed_answer.bind(boxed="only").explain(r"\boxed{1} \boxed{1}", answer="1").reason == "several_boxes"


def test_the_former_names_go_on_working():
    assert (answers.Taste, answers.Patience) == (answers.GradingOptions, answers.SymbolicLimits)
    assert answers.GradingOptions() == answers.DEFAULT_TASTE
