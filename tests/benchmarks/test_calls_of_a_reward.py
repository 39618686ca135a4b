"""Few functions of few files run between a trainer's call and the number, and rates are taken with cold caches."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType

import grpo_rewards as gr
from grpo_rewards.answers.comparing import steps

Script = Callable[[str], ModuleType]  # of conftest.py
MOST_FUNCTIONS, MOST_FILES = 30, 12  # that a stranger can read in one sitting


def test_few_functions_run_between_the_call_and_the_number(script: Script) -> None:
    found = script("calls_of_a_reward").functions_between(gr.boxed_answer, r"so it is \boxed{4}", "5")
    assert found[0] == ("registry/interface.py", "Reward.__call__")
    assert ("rewards/correctness/mathematics.py", "boxed_answer") in found
    assert len(found) <= MOST_FUNCTIONS, found
    assert len({file for file, _ in found}) <= MOST_FILES, found


def test_a_pass_begins_without_what_an_earlier_one_found(script: Script) -> None:
    benchmark = script("against_earlier")
    calls = [benchmark.call([{"completion": rf"\boxed{{{number}+1}}", "gold": "x"} for number in range(9)])]
    figures = benchmark.one_pass(gr.boxed_answer, calls)
    assert json.loads(json.dumps(figures))["count"] == 9
    assert steps.read_gold.cache_info().currsize > 0
    benchmark.forget()
    assert steps.read_gold.cache_info().currsize == 0
