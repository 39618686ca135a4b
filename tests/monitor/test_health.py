"""Each rule on the log tells what is planted in a history, and says nothing of a run that learns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from made_up_runs import STEPS, history, honest, tables

from grpo_rewards.monitor import Alert, alerts

Change = Callable[[int], dict[str, float | None]]


def told(change: Change, **columns: float) -> list[Alert]:
    made = tables()
    for table in made.values():
        table.update({name: [value] * len(table["prompt"]) for name, value in columns.items()})
    return alerts(history(change), made)


def test_a_run_that_learns_is_not_told_anything_about() -> None:
    assert alerts(history(), tables(honest)) == []
    assert alerts(history(), {}) == []


PLANTED: list[tuple[str, str | None, Change]] = [
    ("no signal", None, lambda step: {"frac_reward_zero_std": 0.9}),
    ("never varies", "think_format", lambda step: {"rewards/think_format/mean": 0.0, "rewards/think_format/std": 0.0}),
    ("never varies", "boxed_answer", lambda step: {"rewards/boxed_answer/mean": None}),
    ("length", None, lambda step: {"completions/mean_length": 100.0 if step < 10 else 350.0}),
    ("truncation", None, lambda step: {"completions/clipped_ratio": 0.4}),
    ("timeouts", "boxed_answer", lambda step: {"boxed_answer/timeout": 0.008, "boxed_answer/call_timeout": 0.005}),
    ("unreadable golds", "boxed_answer", lambda step: {"boxed_answer/bad_answer": 0.03}),
]


@pytest.mark.parametrize(("rule", "reward", "change"), PLANTED, ids=[f"{rule} {name}" for rule, name, _ in PLANTED])
def test_what_is_planted_is_told_once_with_what_to_do(rule: str, reward: str | None, change: Change) -> None:
    (alert,) = [one for one in told(change) if one.kind == "health"]
    assert (alert.rule, alert.reward) == (rule, reward)
    assert alert.remedy
    assert f"step {alert.step}, warning ({rule}): " in str(alert)


@pytest.mark.parametrize(
    "change",
    [
        lambda step: {"frac_reward_zero_std": 0.7},
        lambda step: {"rewards/think_format/mean": 0.0 if step < 9 else 0.1, "rewards/think_format/std": 0.0},
        lambda step: {"completions/mean_length": 100.0 + 5 * step},  # to 2.3 times
        lambda step: {"completions/clipped_ratio": 0.9 if step == 12 else 0.1},  # one bad batch
        lambda step: {"boxed_answer/timeout": 0.05 if step == 7 else 0.0},
        lambda step: {"boxed_answer/bad_answer": 0.01},
    ],
)
def test_less_than_that_is_not_told(change: Change) -> None:
    assert told(change) == []


@pytest.mark.parametrize(
    ("right", "said", "remedy"), [(1.0, "all are right", "harder"), (0.0, "all are wrong", "easier problems")]
)
def test_groups_without_signal_are_all_right_or_all_wrong(right: float, said: str, remedy: str) -> None:
    (alert,) = told(lambda step: {"frac_reward_zero_std": 1.0}, advantage=0.0, boxed_answer=right)
    assert said in alert.message
    assert remedy in alert.remedy


def test_an_alert_has_the_first_step_at_which_the_window_shows_it() -> None:
    (alert,) = told(lambda step: {"completions/clipped_ratio": 0.0 if step <= 12 else 0.6})
    assert alert.step == 17  # the window of ten steps has five of 0.6, which is 30 %
    assert alert.step < STEPS


def test_the_logs_of_evaluations_are_no_steps() -> None:
    logs = [{"step": at, "eval_reward": 0.0, "frac_reward_zero_std": 1.0} for at in range(20)]
    assert alerts(logs, {}) == []
