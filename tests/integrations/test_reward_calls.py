"""What the integrations share: columns, rewards by their specs, rows that cannot be scored, and what is imported."""

import logging
from collections.abc import Callable

import pytest

import grpo_rewards as gr
from grpo_rewards import Verdict
from grpo_rewards.integrations.reward_calls import (
    columns_in,
    explained,
    imported,
    metrics_of,
    one_by_one,
    reward_or_zero,
)

PROGRAMS = "ray verl swift verifiers lm_eval lighteval"


def test_no_program_is_imported_before_it_is_used(run_python: Callable[..., str]) -> None:
    script = f"""
import sys
from grpo_rewards.integrations import {", ".join(PROGRAMS.split())}
verl.compute_score("", "4", "4"), lm_eval.results_of("boxed_answer"), verifiers.task_reward("boxed_answer")
print(sorted(set(sys.modules) & set("{PROGRAMS} torch numpy".split())))
"""
    assert run_python("-c", script) == "[]\n"


def test_columns_are_those_of_objects_also_of_ones_written_as_json() -> None:
    found = columns_in({"answer": "1", "level": 3}, '{"answer": "2", "nums": [1, 2]}', None, "no object", "[1]", 7)
    assert found == {"answer": "2", "level": 3, "nums": [1, 2]}
    assert columns_in('{"a": ' + "[" * 100_000, '{"open') == {}


def test_a_column_that_one_row_misses_is_none_there_and_one_that_all_lack_is_an_error() -> None:
    rows = [{"answer": "4", "prompt": "p", "completion": "c", "self": 1}, {"level": 3}]
    verdicts = explained(gr.boxed_answer, [r"\boxed{4}", r"\boxed{4}"], rows)
    assert [verdict.reward for verdict in verdicts] == [1.0, None]
    with pytest.raises(gr.RewardError, match=r"column 'answer'.*Columns: gold\."):
        explained(gr.boxed_answer, ["4"], [{"gold": "4"}])


def test_token_ids_and_prompts_are_handed_over_if_all_are_there() -> None:
    short = gr.max_length.bind(max_tokens=2)
    assert [one.reward for one in explained(short, ["a", "b"], [{}, {}], completion_ids=[(1, 2), [1, 2, 3]])] == [1, 0]
    with pytest.raises(gr.RewardError, match="needs completion_ids"):
        explained(short, ["a", "b"], [{}, {}], completion_ids=[[1], None])


def test_a_reward_that_compares_a_group_is_refused_with_the_reason() -> None:
    with pytest.raises(gr.RewardError, match=r"'relative_length' compares .*, and verl scores one completion"):
        one_by_one("relative_length", None, "verl")
    with pytest.raises(gr.RewardError, match="no reward reads a column 'gold'"):
        one_by_one(["boxed_answer"], {"gold": "solution"}, "verl")


def test_what_cannot_be_scored_is_0_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    odd = gr.boxed_answer.bind(name="told_of_in_this_test")
    with caplog.at_level(logging.WARNING, "grpo_rewards.integrations"):
        assert [reward_or_zero(odd, Verdict(None, "bad_answer"), "verl") for _ in range(12)] == [0.0] * 12
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith("told_of_in_this_test could not score a completion (bad_answer). verl takes no None")
    assert reward_or_zero(odd, Verdict(-0.5, "wrong"), "verl") == -0.5


def test_an_evaluation_gets_the_mean_of_what_was_scored() -> None:
    rewards = one_by_one(["boxed_answer", "boxed_format"], None, "an evaluation")
    said = [r"\boxed{4}", r"\boxed{5}", "4"]
    found = metrics_of(rewards, said, {"answer": "4"})
    assert found == {  # one of three is right, and two of three have a box
        "boxed_answer": 1 / 3,
        "boxed_answer/unscored": 0.0,
        "boxed_format": 2 / 3,
        "boxed_format/unscored": 0.0,
    }
    assert metrics_of(rewards[:1], said, {"answer": None}) == {"boxed_answer/unscored": 1.0}


def test_what_is_not_installed_is_reported_with_what_to_do() -> None:
    with pytest.raises(gr.RewardError, match=r"no_such_program\.rewards cannot be imported .*pip install 'none>=1'"):
        imported("no_such_program.rewards", "pip install 'none>=1'")
