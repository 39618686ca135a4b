"""Each rule on the log tells what is planted in a history, and says nothing of a run that learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from made_up_runs import STEPS, history, honest, tables, texts_read_once  # noqa: F401  # a fixture
from tables import each_row

from grpo_rewards.checks import Alert, alerts

pytestmark = pytest.mark.usefixtures("texts_read_once")

Change = Callable[[int], dict[str, float | None]]


def told(change: Change, **columns: float) -> list[Alert]:
    made = tables()
    for table in made.values():
        table.update({name: [value] * len(table["prompt"]) for name, value in columns.items()})
    return alerts(history(change), made)


def test_a_run_that_learns_is_not_reported_anything_about() -> None:
    assert alerts(history(), tables(honest)) == []
    assert alerts(history(), {}) == []


PLANTED: list[tuple[str, str | None, Change]] = [
    ("never varies", "think_format", lambda step: {"rewards/think_format/mean": 0.0, "rewards/think_format/std": 0.0}),
    ("never varies", "boxed_answer", lambda step: {"rewards/boxed_answer/mean": None}),
    ("length", None, lambda step: {"completions/mean_length": 100.0 if step < 10 else 350.0}),
    ("truncation", None, lambda step: {"completions/clipped_ratio": 0.4}),
    ("timeouts", "boxed_answer", lambda step: {"boxed_answer/timeout": 0.008, "boxed_answer/call_timeout": 0.005}),
    ("unreadable golds", "boxed_answer", lambda step: {"boxed_answer/bad_answer": 0.03}),
]


@each_row("rule, reward, change", PLANTED)
def test_what_is_planted_is_reported_once_with_what_to_do(rule: str, reward: str | None, change: Change) -> None:
    (alert,) = [one for one in told(change) if one.kind == "health"]
    assert (alert.rule, alert.reward) == (rule, reward)
    assert alert.remedy
    assert f"step {alert.step}, warning ({rule}): " in str(alert)


@each_row(
    "change",
    [
        lambda step: {"frac_reward_zero_std": 0.9},  # TRL's figure counts for nothing where there are tables
        lambda step: {"rewards/think_format/mean": 0.0 if step < 9 else 0.1, "rewards/think_format/std": 0.0},
        lambda step: {"completions/mean_length": 100.0 + 5 * step},  # to 2.3 times
        lambda step: {"completions/clipped_ratio": 0.9 if step == 12 else 0.1},  # one bad batch
        lambda step: {"boxed_answer/timeout": 0.05 if step == 7 else 0.0},
        lambda step: {"boxed_answer/bad_answer": 0.01},
    ],
)
def test_less_than_that_is_not_reported(change: Change) -> None:
    assert told(change) == []


@pytest.mark.parametrize(
    ("right", "said", "remedy"), [(1.0, "all are right", "harder"), (0.0, "all are wrong", "easier problems")]
)
def test_zero_variance_groups_are_all_right_or_all_wrong(right: float, said: str, remedy: str) -> None:
    found = told(lambda step: {"frac_reward_zero_std": 1.0}, advantage=0.0, boxed_answer=right)
    (alert,) = [one for one in found if one.rule == "no signal"]
    assert said in alert.message
    assert remedy in alert.remedy


def test_without_tables_zero_variance_groups_are_those_of_trls_figure() -> None:
    (alert,) = alerts(history(lambda step: {"frac_reward_zero_std": 0.9}), {})
    assert alert.message == (
        "in 90% of the groups of the last 10 steps all completions earned the same, by TRL's frac_reward_zero_std, "
        "which may miss more."
    )
    assert alerts(history(lambda step: {"frac_reward_zero_std": 0.7}), {}) == []


def of_groups(*values: tuple[float, ...], **more: tuple[float, ...]) -> str:
    """What is reported where every group of four has equal totals, and these parts."""
    made = tables()
    for table in made.values():
        rows = len(table["prompt"])
        table["boxed_answer"] = [one for at in range(rows // 4) for one in values[at % len(values)]]
        table |= {name: [*its] * (rows // 4) for name, its in more.items()}
        table["advantage"] = [0.0] * rows
    names = {f"rewards/{name}/mean": 0.5 for name in more}
    found = alerts(history(lambda step: {**names}), made, gold=["boxed_answer", *more])
    return next(one.message for one in found if one.rule == "no signal")


def test_all_right_is_what_every_gold_of_a_group_is() -> None:
    assert "all are right (100%" in of_groups((1.0,) * 4)
    assert "all are wrong (100%" in of_groups((0.0,) * 4)
    assert "nearly always" not in of_groups((1.0, 0.0, 0.0, 0.0))  # equal totals, for another reward makes up for it
    assert "nearly always" not in of_groups((1.0,) * 4, other=(0.0,) * 4)  # one gold-based reward of two
    assert "nearly always" not in of_groups((1.0,) * 4, (0.0,) * 4)
    assert "all are right (75%" in of_groups(*[(1.0,) * 4] * 3, (0.0,) * 4)


def cut_off(share: float, mean: float) -> Alert:
    """What is told of a reward that gave a half and nothing, and so much on average."""
    made = tables()
    for table in made.values():
        table["fluent"] = [0.5, 0.0] * (len(table["prompt"]) // 2)
    log = {"completions/clipped_ratio": share, "rewards/fluent/mean": mean, "rewards/boxed_answer/mean": 0.1}
    (alert,) = [one for one in alerts(history(lambda step: log), made) if one.rule == "truncation"]
    return alert


def test_what_cut_off_completions_earn_is_reported_where_it_follows_from_the_mean() -> None:
    paid = cut_off(0.8, 0.42)  # with a half for each of the others, 0.42 - 0.2 * 0.5 is left for 0.8 of them
    assert (
        paid.message
        == "80% of the completions are cut off before their end; 'fluent' gives these 0.4 on average at least."
    )
    assert "reward only completions that end" in paid.remedy
    unpaid = cut_off(0.4, 0.3)  # which the others may have earned alone
    assert unpaid.message == "40% of the completions are cut off before their end."
    assert unpaid.remedy.startswith("Raise max_completion_length")


def two_graders(strict: float, lax: float) -> list[Alert]:
    made = tables()
    for table in made.values():
        rows = len(table["prompt"])
        table["strict"] = [float(row < strict * rows) for row in range(rows)]
        table["lax"] = [float(row < lax * rows) for row in range(rows)]
    return disagreeing(made)


def disagreeing(made: dict[int, dict[str, list[Any]]]) -> list[Alert]:
    """What is told of the graders ``strict`` and ``lax`` of some tables."""
    log = {f"rewards/{name}/{what}": 0.5 for name in ("strict", "lax") for what in ("mean", "std")}
    found = alerts(history(lambda step: {**log}), made, gold=["strict", "lax"])
    return [one for one in found if one.rule == "graders disagree"]


def test_graders_that_disagree_are_reported_whatever_the_start_was() -> None:
    (alert,) = two_graders(strict=0.05, lax=0.8)  # 1 and 25 of 32 rows
    assert (alert.kind, alert.reward, alert.step) == ("health", "lax", 10)
    assert "'lax' gives its most to 81% of the completions, and 92% of these get nothing from 'strict'" in alert.message
    assert two_graders(strict=0.3, lax=0.8) == []
    assert two_graders(strict=0.0, lax=0.4) == []  # few are paid


def lax(said: Callable[[int, int], str]) -> list[Alert]:
    """What is told of a grader that pays every box; ``said`` makes one from the row and the right answer."""
    made = tables()
    for table in made.values():
        for row, gold in enumerate(table["boxed_answer/answer"]):
            right = int(gold.rsplit("#### ", 1)[1])
            table["completion"][row] = [{"role": "assistant", "content": rf"\boxed{{{said(row, right)}}}"}]
        table["lax"] = [1.0] * len(table["prompt"])
    log = {"rewards/lax/mean": 1.0, "rewards/lax/std": 0.1}
    found = alerts(history(lambda step: {**log}), made, gold=["lax"])
    return [one for one in found if one.rule == "lax grader"]


def test_a_grader_that_rewards_different_answers_to_one_question_is_reported() -> None:
    (alert,) = lax(lambda row, right: str(row % 4))  # in each group of four 0, 1, 2 and 3
    assert (alert.kind, alert.reward, alert.step) == ("health", "lax", 10)
    assert "in 100% of the groups" in alert.message
    assert [one.reward for one in lax(lambda row, right: f"{row % 4} +")] == ["lax"]  # nothing that can be read
    # a quarter of the eight groups, by the second box of the group
    assert lax(lambda row, right: str(row % 4 if row < 8 else right)) == []


def test_one_answer_written_in_several_ways_is_no_lax_grading() -> None:
    assert lax(lambda row, right: [f"{right}", f"{right}.0", rf"\frac{{{2 * right}}}{{2}}", f"{right}"][row % 4]) == []
    assert lax(lambda row, right: ["one", "two", "three", "four"][row % 4]) == []  # in words


def test_the_most_that_hard_problems_earn_is_not_the_most_that_a_reward_gives() -> None:
    made = tables()
    for step, table in made.items():
        rows = len(table["prompt"])
        table["lax"] = [0.3 if step % 5 else 1.0] * rows  # now and then all is right
        table["strict"] = [0.0 if step % 5 else 1.0] * rows
    assert disagreeing(made) == []


def test_an_alert_has_the_first_step_at_which_the_window_shows_it() -> None:
    (alert,) = told(lambda step: {"completions/clipped_ratio": 0.0 if step <= 12 else 0.6})
    assert alert.step == 17  # the window of ten steps has five of 0.6, which is 30 %
    assert alert.step < STEPS


def test_the_logs_of_evaluations_are_no_steps() -> None:
    logs = [{"step": at, "eval_reward": 0.0, "frac_reward_zero_std": 1.0} for at in range(20)]
    assert alerts(logs, {}) == []


def test_zero_variance_groups_are_counted_in_the_tables_where_the_log_misses_them() -> None:
    """Four times 1.0 + 0.2 has a deviation of 1e-7 in float32, which a trainer takes for a signal."""
    made = tables()
    for table in made.values():
        rows = len(table["prompt"])
        table["boxed_answer"], table["think_format"] = [1.0] * rows, [1.0] * rows
        table["advantage"] = [(-1.0) ** at * 1e-3 for at in range(rows)]
    log = history(lambda step: {"frac_reward_zero_std": 0.0, "rewards/think_format/mean": 0.2})
    found = [one for one in alerts(log, made) if one.rule == "no signal"]
    assert [one.message for one in found] == [
        "in 100% of the groups of the last 10 steps all completions earned the same: nearly always all are right "
        "(100% of the groups)."
    ]
