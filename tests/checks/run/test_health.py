"""Each rule on the log tells what is planted in a history, and says nothing of a run that learns."""

from __future__ import annotations

from collections.abc import Callable

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
