"""What holds for every reward: the points that it documents, how trainers call it, and in which processes."""

import functools
import inspect
from functools import cache
from typing import Any

import pytest
from contract_cases import (
    CASES,
    LISTED,
    NAMES,
    RIGHT,
    SUM,
    WRONG,
    call,
    case_of,
    rows_of,
    tool_transcript,
)
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import get_reward
from grpo_rewards.checks import CLAUSES
from grpo_rewards.checks.contract import Case as Checked
from grpo_rewards.checks.contract import case_of as checked

COMPOSITES = [
    repr(SUM),
    "gated(boxed_answer, by=think_answer_format, otherwise=-1)",
    "scheduled(boxed_format, start=1, end=0, over=100)",
    "routed({'math': boxed_answer, 'words': max_length(max_tokens=9)}, by='task', default=repetition)",
    "clipped(scaled(boxed_answer, by=2, offset=-1), low=-0.5, high=1)",
    "weighted({boxed_answer: 1, relative_length(num_generations=2): 0.2, keywords(include=['hence']): 0.1})",
]
ELSEWHERE = {"linear"}  # of the time that a text takes, test_linear_time has more to say
ALL_TOGETHER = {"sample_distinct": 12, COMPOSITES[-1]: 2}  # rows that a reward compares


@cache
def kept(name: str) -> Checked:
    """A reward, with rows, for the clauses of the contract."""
    if name in COMPOSITES:
        tasks = [{"answer": "4", "task": "math"}, {"answer": None, "task": "words"}]
        return checked(name, [{"completion": RIGHT, **task} for task in tasks], ALL_TOGETHER.get(name))
    return checked(case_of(name)[0], rows_of(name), ALL_TOGETHER.get(name))


@pytest.mark.parametrize("name", [*NAMES, *COMPOSITES])
def test_a_reward_keeps_the_contract(name: str) -> None:
    breaches = [CLAUSES[clause].breach(kept(name)) for clause in sorted({*CLAUSES} - ELSEWHERE)]
    assert [str(breach) for breach in breaches if breach is not None] == []


@each_row("name", NAMES)
def test_a_reward_gives_the_points_that_it_documents(name: str) -> None:
    points = CASES[name].points
    if points is None:  # a reward that has no case of its own shows in its docstring what it pays
        assert f">>> {name}." in str(get_reward(name).__doc__), f"give '{name}' a doctest"
    else:
        assert call(name) == pytest.approx(points, nan_ok=False)


@each_row("name", LISTED)
def test_a_reward_of_the_package_says_how_it_may_be_configured(name: str) -> None:
    one = get_reward(name)
    assert "." in str(one.__doc__).partition("\n\n")[0]  # the sentence that lists show
    missing = [option for option in one.unset if option not in one.example]
    assert missing == [], f"give the decorator of '{name}' an example={{…}} with a value for {missing}"
    example = {option: value for option, value in one.example.items() if option in one.signature.options}
    one.bind(**example).check_ready()


@each_row("name", NAMES)
def test_a_tool_transcript_earns_what_its_last_text_does(name: str) -> None:
    transcripts = [tool_transcript(RIGHT), tool_transcript(WRONG)]
    if "tokenizer" in get_reward(name).option_names:  # whose tokens are the policy's is not known
        assert call(name, transcripts) == [None, None]
    else:
        assert call(name, transcripts) == call(name)


EMPTY = [None, [{"role": "tool", "content": "4"}]]  # beside those that the kit tries


@each_row("name", NAMES)
@each_row("nothing", EMPTY)
def test_a_completion_without_a_text_is_the_empty_one(name: str, nothing: Any) -> None:
    # a text beside it, for some rewards compare the completions of a call
    wanted = call(name, ["", RIGHT])
    if nothing == EMPTY[-1] and "tokenizer" in get_reward(name).option_names:
        wanted[0] = None  # whose tokens are the policy's is not known
        wanted[1] = 0.0 if name == "relative_length" else wanted[1]  # compared with nothing else
    assert call(name, [nothing, RIGHT]) == wanted


@each_row("name", NAMES)
def test_a_trainer_sees_one_callable_that_gives_floats(name: str) -> None:
    one, _ = case_of(name)
    # a str would be a model's id, a coroutine function would be awaited, a list would be several rewards
    assert not isinstance(one, str | list)
    assert not inspect.iscoroutinefunction(one)
    assert not inspect.iscoroutinefunction(one.__call__)
    assert functools.partial(one, prompts=[]).func.__name__ == name
    assert all(value is None or type(value) is float for value in call(name))
    assert call(name, []) == []


@each_row("name", NAMES)
def test_a_reward_states_its_range_and_reasons_unless_a_user_left_them_out(name: str) -> None:
    one, _ = case_of(name)
    if name in LISTED:
        low, high = one.range
        assert low < high
        assert one.reasons
        assert len(set(one.reasons)) == len(one.reasons)
        # each is documented where a user looks for it, there or in the reward that it refers to
        documented = f"{one.__doc__}{gr.boxed_answer.__doc__}{gr.think_format.__doc__}"
        assert [reason for reason in one.reasons if f"``{reason}``" not in documented] == []
