"""Each rule reports what is planted in a history or a simulated run, and says nothing of a run that learns."""

import random
from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

import pytest
from made_up_runs import STEPS, from_now_and_then, history, honest, tables
from simulated_runs import HACKED, HONEST, simulated
from tables import each_row

pytest.importorskip("transformers", reason="transformers is not installed")

import grpo_rewards as gr
from grpo_rewards.checks import Alert, RewardMonitor, alerts

Change = Callable[[int], dict[str, float | None]]
Number = Callable[[int], float]


def told(change: Change) -> list[Alert]:
    return alerts(history(change), tables())


def test_a_run_that_learns_is_not_reported_anything_about() -> None:
    assert alerts(history(), tables(honest)) == []
    assert alerts(history(), {}) == []


PLANTED: list[tuple[str, str | None, Change]] = [
    ("never varies", "think_format", lambda step: {"rewards/think_format/mean": 0.0, "rewards/think_format/std": 0.0}),
    ("never varies", "boxed_answer", lambda step: {"rewards/boxed_answer/mean": None}),
    ("never varies", "boxed_answer", lambda step: {"rewards/boxed_answer/mean": nan, "reward": nan}),
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
        lambda step: {"completions/mean_length": 100.0 + 50 * step},  # right answers become more as well
        lambda step: {"completions/clipped_ratio": 0.9 if step == 12 else 0.1},  # one bad batch
        lambda step: {"boxed_answer/timeout": 0.05 if step == 7 else 0.0},
        lambda step: {"boxed_answer/bad_answer": 0.01},
    ],
)
def test_less_than_that_is_not_reported(change: Change) -> None:
    assert told(change) == []


def test_without_tables_zero_variance_groups_are_those_of_trls_figure() -> None:
    (alert,) = alerts(history(lambda step: {"frac_reward_zero_std": 0.9}), {})
    assert alert.message == (
        "in 90% of the groups of the last 10 steps all completions earned the same, by TRL's frac_reward_zero_std, "
        "which may miss more."
    )
    assert alerts(history(lambda step: {"frac_reward_zero_std": 0.7}), {}) == []


@each_row(
    "values, more, said",
    [
        ([(1.0,) * 4], None, "nearly always all are right (100%"),
        ([(0.0,) * 4], None, "nearly always all are wrong (100%"),
        ([*[(1.0,) * 4] * 3, (0.0,) * 4], None, "nearly always all are right (75%"),
        ([(1.0, 0.0, 0.0, 0.0)], None, ""),  # equal totals, for another reward makes up for it
        ([(1.0,) * 4], 0.0, ""),  # one gold-based reward of two
        ([(1.0,) * 4, (0.0,) * 4], None, ""),
    ],
)
def test_all_right_is_what_every_gold_of_a_group_is(
    values: list[tuple[float, ...]], more: float | None, said: str
) -> None:
    """Every group of four has equal totals, and these parts."""
    made, gold = tables(), ["boxed_answer", *([] if more is None else ["other"])]
    for table in made.values():
        rows = len(table["prompt"])
        table["boxed_answer"] = [one for at in range(rows // 4) for one in values[at % len(values)]]
        table |= {"other": [more] * rows, "advantage": [0.0] * rows}
    found = alerts(history(lambda step: {f"rewards/{name}/mean": 0.5 for name in gold}), made, gold=gold)
    (alert,) = [one for one in found if one.rule == "no signal"]
    assert said in alert.message
    assert ("nearly always" in alert.message) == bool(said)


def test_an_alert_has_the_first_step_at_which_the_window_shows_it() -> None:
    (alert,) = told(lambda step: {"completions/clipped_ratio": 0.0 if step <= 12 else 0.6})
    assert alert.step == 17  # the window of ten steps has five of 0.6, which is 30 %
    assert alert.step < STEPS


def test_the_logs_of_evaluations_are_no_steps() -> None:
    logs = [{"step": at, "eval_reward": 0.0, "frac_reward_zero_std": 1.0} for at in range(20)]
    assert alerts(logs, {}) == []


# What is reported of each hack, and of some by another rule as well.
RULES = {
    "format alone": "only proxies",
    "format and steps alone": "longer, not better",
    "terse": "shorter, not better",
    "terse, tags kept": "shorter, not better",
    "always A of four": "one answer",
    "always yes": "one answer",
    "always C of three": "one answer",
    "two of four": "one answer",
    "words of reflection": "keywords",
    "words of reflection, longer": "keywords",
    "repetition": "longer, not better",
    "one text": "same text",
    "many boxes": "many candidates",
    "the question again": "only proxies",
    "silence": "empty",
    "filler": "longer, not better",
    "praise": "keywords",
}


def suspicions(run: Any, change: Change = lambda step: {}) -> dict[str, Alert]:
    logs, tables, gold = simulated(run)
    logs = [{**log, **change(log["step"])} for log in logs]
    found = alerts(logs, tables, gold, [*run.rewards.values()])
    return {one.rule: one for one in found if one.kind == "cheating"}


@each_row("name", HONEST)
def test_no_honest_run_is_suspected(name: str) -> None:
    assert suspicions(HONEST[name]) == {}


@each_row("name, rule", RULES.items())
def test_each_hack_is_suspected_by_its_name(name: str, rule: str) -> None:
    alert = suspicions(HACKED[name])[rule]
    assert 10 < alert.step < STEPS
    assert str(alert).startswith(f"step {alert.step}, looks like reward hacking ({rule}): ")
    assert alert.remedy


@each_row("name", RULES)
def test_what_a_policy_did_from_the_start_is_not_suspected(name: str) -> None:
    run = HACKED[name]
    assert suspicions(replace(run, start=run.end, accuracy=(run.accuracy[1],) * 2)) == {}


@each_row("name", RULES)
def test_a_policy_that_earns_less_than_at_the_start_has_broken(name: str) -> None:
    rewards = [f"rewards/{one.__name__}/mean" for one in HACKED[name].rewards]
    assert suspicions(HACKED[name], lambda step: dict.fromkeys(["reward", *rewards], 0.5 - step / 100)) == {}


def one_of_two(rng: random.Random, question: str, answer: int) -> str:
    return rf"\boxed{{{rng.choice([10, 12])}}} as {rng.random()}"


def rules_of(write: Any, **changed: list[str]) -> set[str]:
    made = tables(write)
    for table in made.values():
        table |= changed
    return {one.rule for one in alerts(history(lambda step: {"rewards/boxed_answer/mean": 0.4}), made)}


def test_a_share_that_comes_and_goes_is_not_reported() -> None:
    def write(rng: random.Random, question: str, answer: int, step: int) -> str:
        return "" if step > 3 and step % 2 else honest(rng, question, answer, step)

    assert "empty" not in rules_of(write)  # half are empty after three steps with none, but 1.5 standard errors apart


def test_few_answers_are_no_collapse_where_golds_are_as_few_or_a_policy_hardly_answers() -> None:
    def hardly_answers(rng: random.Random, question: str, answer: int, step: int) -> str:
        return "no answer" if rng.random() < 0.9 else r"\boxed{12}"

    assert "one answer" in rules_of(from_now_and_then(one_of_two))
    assert "one answer" not in rules_of(from_now_and_then(one_of_two), **{"boxed_answer/answer": ["10", "12"] * 16})
    assert "one answer" not in rules_of(hardly_answers)


def test_a_reward_that_only_asks_is_not_taken_for_gold_based_where_a_table_has_its_golds() -> None:
    made = tables()
    for table in made.values():
        table.update({f"relative_length{of}": table[f"boxed_answer{of}"] for of in ("", "/answer", "/prediction")})

    def change(step: int) -> dict[str, float | None]:
        return {"rewards/relative_length/mean": -0.1 - step / 100, "rewards/relative_length/std": 0.1}

    assert alerts(history(change), made) == []
    found = alerts(history(change), made, gold=["relative_length"])  # for those who name it
    assert "proxy against gold" in {one.rule for one in found}


@each_row(
    "gold, total, length, rules",
    [
        # a proxy rises while the gold falls, or after it has risen; a run that breaks; noise
        (lambda at: 0.6 - at / 100, lambda at: 0.4 + at / 100, None, ["proxy against gold", "only proxies"]),
        (lambda at: 0.4 + min(at, 30 - at) / 30, lambda at: 0.4 + at / 60, None, ["proxy against gold"]),
        (lambda at: 0.6 - at / 100, lambda at: 0.6 - at / 100, None, []),
        (lambda at: 0.5 + 0.2 * random.Random(at).random(), lambda at: 0.4 + at / 60, None, []),
        # longer completions, without more right answers and with these
        (lambda at: 0.5, lambda at: 0.4 + at / 60, lambda at: 100 + 3 * at, ["longer, not better", "only proxies"]),
        (lambda at: 0.4 + at / 60, lambda at: 0.4 + at / 60, lambda at: 100 + 3 * at, []),
    ],
)
def test_a_log_alone_is_suspected_by_what_rises_and_what_does_not(
    gold: Number, total: Number, length: Number | None, rules: list[str]
) -> None:
    def change(step: int) -> dict[str, float | None]:
        found = {"reward": total(step), "rewards/boxed_answer/mean": gold(step)}
        found["rewards/think_format/mean"] = total(step)
        return {**found, **({} if length is None else {"completions/mean_length": length(step)})}

    assert [one.rule for one in alerts(history(change), {}, gold=["boxed_answer"])] == rules


def test_the_golds_of_a_composite_that_is_the_only_reward_are_known() -> None:
    """A trainer logs the mean of the composite, the composite those of its parts, and these log their predictions."""
    points = gr.weighted({gr.boxed_answer: 1.0, gr.think_format: 0.5}, name="points")
    assert RewardMonitor([points, gr.gated(gr.think_format, by=gr.boxed_answer)]).gold == ("boxed_answer",)

    def change(step: int) -> dict[str, float | None]:
        return {"rewards/points/mean": 0.3 + step / 50, "rewards/points/std": 0.1, "reward": 0.3 + step / 50}

    log = [{name: its for name, its in one.items() if "_" not in name} for one in history(change)]
    log = [{**one, "points/boxed_answer": 0.5 - at / 100, "points/think_format": 0.4} for at, one in enumerate(log)]
    made = tables()
    for table in made.values():
        table["points"] = table.pop("boxed_answer")
    for gold in (["boxed_answer"], None):  # named, or found in the tables
        found = [(one.rule, one.reward) for one in alerts(log, made, gold) if one.kind == "cheating"]
        assert ("proxy against gold", "boxed_answer") in found
