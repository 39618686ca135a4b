"""Natural combinations of rewards get names that differ, without a word from the user."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tables import each_row

import grpo_rewards as gr
from grpo_rewards.checks.setup.names import logged_name, with_distinct_names


def all_names(rewards: list[Any]) -> list[str]:
    return [name for one in rewards for name in getattr(one, "metric_names", (logged_name(one),))]


SHORT = gr.soft_overlong.bind(max_tokens=9, buffer=3)
MATH, QUIZ = {"math": gr.boxed_answer, "quiz": gr.multiple_choice}, {"math": gr.boxed_format, "quiz": gr.exact_match}
NATURAL: dict[str, tuple[list[gr.Reward], list[str]]] = {
    "a reward and a gate by it": (
        [gr.boxed_answer, gr.gated(SHORT, by=gr.boxed_answer)],
        ["boxed_answer", "gated_soft_overlong", "soft_overlong", "gated_soft_overlong/boxed_answer"],
    ),
    "the same in the other order": (
        [gr.gated(SHORT, by=gr.boxed_answer), gr.boxed_answer],
        ["gated_soft_overlong", "soft_overlong", "gated_soft_overlong/boxed_answer", "boxed_answer"],
    ),
    "two sums": (
        [gr.weighted({gr.boxed_answer: 1.0}), gr.weighted({gr.boxed_format: 0.5})],
        ["weighted", "boxed_answer", "weighted_2", "boxed_format"],
    ),
    "two routers": (
        [gr.routed(MATH, by="task"), gr.routed(QUIZ, by="task")],
        ["routed", "boxed_answer", "multiple_choice", "routed_2", "boxed_format", "exact_match"],
    ),
    "two routers of the same rewards": (
        [gr.routed(MATH, by="task"), gr.routed(MATH, by="kind")],
        ["routed", "boxed_answer", "multiple_choice", "routed_2", "routed_2/boxed_answer", "routed_2/multiple_choice"],
    ),
    "one reward with different options": (
        [gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b"), gr.pattern.bind(regex="c")],
        ["pattern", "pattern_2", "pattern_3"],
    ),
    "a composite in a composite": (
        [gr.boxed_answer, gr.weighted({gr.gated(gr.boxed_answer, by=gr.think_format): 1.0})],
        ["boxed_answer", "weighted", "gated_boxed_answer", "weighted/boxed_answer", "think_format"],
    ),
}


@each_row("rewards, names", NATURAL.values())
def test_natural_combinations_get_distinct_names(rewards: list[gr.Reward], names: list[str]) -> None:
    report = gr.check_rewards(rewards)
    assert report.errors == []
    assert all_names(report.rewards) == names
    assert len(set(names)) == len(names)


@each_row("rewards", [rewards for rewards, _ in NATURAL.values()])
def test_the_rewards_stay_what_they_are_but_for_the_names(rewards: list[gr.Reward]) -> None:
    given = {"answer": ["4"], "task": ["math"], "kind": ["math"], "completion_ids": [[1, 2, 3]], "prompts": ["?"]}
    for before, after in zip(rewards, gr.check_rewards(rewards).rewards, strict=True):
        assert after(completions=[r"\boxed{4}"], **given) == before(completions=[r"\boxed{4}"], **given)
        assert gr.get_reward(repr(after)) == after


def test_a_metric_is_logged_once_and_a_column_has_a_value_for_each_completion() -> None:
    # what TRL would write into its completions table: two columns of one name would be twice as long as the others
    columns: dict[str, list[Any]] = {}
    metrics: list[str] = []

    def log_extra(name: str, values: list[Any]) -> None:
        columns.setdefault(name, []).extend(values)

    for one in gr.check_rewards([gr.boxed_answer, gr.gated(SHORT, by=gr.boxed_answer)]).rewards:
        one(
            completions=[r"\boxed{4}", "5"],
            answer=["4", "4"],
            completion_ids=[[1], [2]],
            log_extra=log_extra,
            log_metric=lambda name, value: metrics.append(name),
        )
    assert {len(values) for values in columns.values()} == {2}
    assert len(set(metrics)) == len(metrics)


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    return [0.0 for _ in completions]


UNNATURAL: dict[str, tuple[list[Callable[..., Any]], str]] = {
    "one reward twice": ([gr.boxed_answer, gr.boxed_answer], "boxed_answer"),
    "a given name that another reward has": (
        [gr.boxed_answer, gr.final_answer.bind(name="boxed_answer")],
        "boxed_answer",
    ),
    "a given name twice": ([gr.boxed_answer.bind(name="a"), gr.final_answer.bind(name="a")], "a"),
    "two plain functions": ([plain, functools.partial(plain)], "plain"),
    "a plain function and a given name": ([gr.boxed_answer.bind(name="plain"), plain], "plain"),
}


@each_row("rewards, name", UNNATURAL.values())
def test_what_must_be_a_mistake_is_an_error(rewards: list[Any], name: str) -> None:
    (error,) = gr.check_rewards(rewards).errors
    assert error.message == f"two rewards are called '{name}'; their metrics would overwrite one another."
    assert ("reward(name=" if name == "plain" else "bind(name=") in error.remedy


def test_a_new_name_is_never_one_that_is_taken() -> None:
    taken = gr.boxed_format.bind(name="pattern_2")
    renamed, _ = with_distinct_names([gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b"), taken])
    assert all_names(renamed) == ["pattern", "pattern_3", "pattern_2"]


@each_row("name", ["prompt", "completion", "advantage", "step"])
def test_a_name_that_the_table_of_completions_has_is_refused(name: str) -> None:
    report = gr.check_rewards([gr.boxed_format.bind(name=name)])
    assert "which it would overwrite" in str(report.errors[0])
