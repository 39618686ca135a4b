"""The options of boxed_answer for how answers are compared: each default, what an option changes, what it leaves."""

from tables import each_row

import grpo_rewards as gr
from grpo_rewards import answers

CASES = [
    # options, completion, gold, reward by default, reward with the options
    ({"boxed": "first"}, r"\boxed{4} no, \boxed{5}", "4", 0.0, 1.0),
    ({"boxed": "first"}, r"\boxed{5} no, \boxed{4}", "4", 1.0, 0.0),
    ({"boxed": "only"}, r"\boxed{5} no, \boxed{4}", "4", 1.0, 0.0),
    ({"boxed": "only"}, r"so \boxed{4}", "4", 1.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>\boxed{4}</think>It is four.", "4", 0.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>so \boxed{4}", "4", 0.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>\boxed{5}</think>\boxed{4}", "4", 1.0, 1.0),
    ({"box_in_reasoning": True}, r"\boxed{5}<|im_end|>\boxed{4}", "4", 0.0, 0.0),
    ({"think_opened": True}, r"so \boxed{4}", "4", 1.0, 0.0),
    ({"percent": "fraction"}, r"\boxed{10\%}", "0.1", 1.0, 1.0),  # a written percent sign says so
    ({"percent": "fraction"}, r"\boxed{10\%}", "1/10", 1.0, 1.0),
    ({"percent": "fraction"}, r"\boxed{10\%}", "10", 1.0, 0.0),
    ({"percent": "fraction"}, r"\boxed{10 \text{ percent}}", r"10\%", 1.0, 1.0),
    ({"units": "required"}, r"\boxed{10}", r"10 \text{ cm}", 1.0, 0.0),
    ({"units": "required"}, r"\boxed{10 \text{ cm}}", r"10 \text{ cm}", 1.0, 1.0),
    ({"units": "required"}, r"\boxed{10 \text{ cm}}", "10", 1.0, 1.0),
    ({"units": "ignored"}, r"\boxed{10 \text{ m}}", r"10 \text{ cm}", 0.0, 1.0),
    ({"units": "ignored"}, r"\boxed{11 \text{ cm}}", r"10 \text{ cm}", 0.0, 0.0),
    ({"units": "ignored"}, r"\boxed{1.5 \text{ h}}", r"90 \text{ min}", 1.0, 0.0),
    ({"units": "required"}, r"\boxed{1.5 \text{ h}}", r"90 \text{ min}", 1.0, 1.0),
    ({"conversion": False}, r"\boxed{1.5 \text{ h}}", r"90 \text{ min}", 1.0, 0.0),
    ({"conversion": False}, r"\boxed{90 \text{ minutes}}", r"90 \text{ min}", 1.0, 1.0),
    ({"conversion": False}, r"\boxed{90 \text{ lbs}}", r"90 \text{ pounds}", 1.0, 1.0),
    ({"names": "required"}, r"\boxed{5}", "x=5", 1.0, 0.0),
    ({"names": "required"}, r"\boxed{x=5}", "5", 1.0, 0.0),
    ({"names": "required"}, r"\boxed{x=5}", "x=5", 1.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{0.3333}", r"\frac13", 0.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{1.414}", r"\sqrt2", 0.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{0.333}", r"\frac13", 0.0, 0.0),
    ({"rounding_digits": None}, r"\boxed{0.333333}", r"\frac13", 1.0, 0.0),
    ({"rounding_digits": 4}, r"\boxed{4.9999999}", "5", 0.0, 0.0),
    ({"unevaluated": True}, r"\boxed{3+4}", "7", 0.0, 1.0),
    ({"unevaluated": True}, r"\boxed{3+5}", "7", 0.0, 0.0),
    ({"unevaluated": True}, r"\boxed{\sum_{k=1}^{4} k}", "10", 0.0, 1.0),
    ({"unevaluated": True}, r"\boxed{3=7}", "7", 0.0, 0.0),
]


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
