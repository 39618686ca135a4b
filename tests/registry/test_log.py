"""Every number has a reason, and a trainer's log carries it."""

from __future__ import annotations

import contract_rewards
import pytest
from trainer_log import GOLD, TEXTS, Log

import grpo_rewards as gr
from grpo_rewards import Verdict, batch_reward, reward
from grpo_rewards.answers import STEPS


@pytest.fixture
def log() -> Log:
    return Log()


def test_the_share_of_every_declared_reason_is_logged_zero_included(log: Log) -> None:
    gr.boxed_answer(completions=TEXTS, answer=GOLD, **log.loggers)
    shares = dict(log.metrics)
    assert len(shares) == len(log.metrics)  # each once a call
    steps = {name: shares.pop(name) for name in list(shares) if name.startswith("boxed_answer/step/")}
    assert steps == dict.fromkeys((f"boxed_answer/step/{step}" for step in STEPS), 0.0) | {
        "boxed_answer/step/string": 0.25,
        "boxed_answer/step/value": 0.25,
    }
    assert shares.pop("boxed_answer/symbolic_seconds") == 0.0
    assert set(shares) == {f"boxed_answer/{reason}" for reason in gr.boxed_answer.reasons}
    # of four completions one right, one wrong, two without a box
    assert shares["boxed_answer/correct"] == 0.25
    assert shares["boxed_answer/wrong"] == 0.25
    assert shares["boxed_answer/no_box"] == 0.5
    assert shares["boxed_answer/bad_answer"] == 0.0
    assert sum(shares.values()) == 1.0


@pytest.mark.parametrize("batch", [True, False])
def test_what_a_meter_rose_by_is_logged_in_every_call(batch: bool, log: Log) -> None:
    used = [100]

    def uses(completions: list[str]) -> list[float]:
        used[0] += sum(map(len, completions))
        return [0.0 for _ in completions]

    def uses_one(completion: str) -> float:
        return uses([completion])[0]

    meters = {"characters": lambda: float(used[0])}
    metered = (
        batch_reward(uses, name="metered", meters=meters) if batch else reward(uses_one, name="metered", meters=meters)
    )
    bound = metered.bind(name="bound")
    for completions in (["abc", "d"], ["e"]):
        metered(completions=completions, **log.loggers)
        bound(completions=completions, **log.loggers)
    metered(completions=["not logged"])
    logged = [(name, value) for name, value in log.metrics if name.endswith("/characters")]
    assert logged == [(f"{name}/characters", value) for value in (4.0, 1.0) for name in ("metered", "bound")]


def test_a_mean_over_calls_is_the_share_over_all_completions(log: Log) -> None:
    # "no_box" occurs in the first call alone; were its zero not logged in the second, its mean would be 0.5
    gr.boxed_answer(completions=["4", r"\boxed{4}"], answer=GOLD[:2], **log.loggers)
    gr.boxed_answer(completions=[r"\boxed{4}", r"\boxed{4}"], answer=GOLD[:2], **log.loggers)
    assert log.means()["boxed_answer/no_box"] == 0.25
    assert log.means()["boxed_answer/correct"] == 0.75


def test_reason_and_prediction_of_each_completion_go_into_the_table_once_a_call(log: Log) -> None:
    gr.boxed_answer(completions=TEXTS, answer=GOLD, **log.loggers)
    assert log.columns == [
        ("boxed_answer/reason", ["correct", "wrong", "no_box", "no_box"]),
        ("boxed_answer/prediction", ["4", "5", None, None]),
    ]


def test_both_carry_the_name_that_the_reward_was_bound_to(log: Log) -> None:
    gr.boxed_answer.bind(name="right")(completions=TEXTS, answer=GOLD, **log.loggers)
    logged = [name for name, _ in (*log.metrics, *log.columns)]
    assert all(name.startswith("right/") for name in logged)
    assert "right/no_box" in logged
    assert "right/reason" in logged


@pytest.mark.parametrize("logger", ["log_metric", "log_extra"])
def test_a_trainer_may_have_one_logger_without_the_other(logger: str, log: Log) -> None:
    # an asynchronous trainer has none, an older one only some
    values = gr.boxed_answer(completions=TEXTS, answer=GOLD, **{logger: log.loggers[logger]})
    assert values == [1.0, 0.0, 0.0, 0.0]
    assert bool(log.metrics) == (logger == "log_metric")
    assert bool(log.columns) == (logger == "log_extra")


def test_logging_does_not_change_the_rewards(log: Log) -> None:
    call = {"completions": TEXTS, "answer": ["4", "4", "4", None]}
    assert gr.boxed_answer(**call, **log.loggers) == gr.boxed_answer(**call) == [1.0, 0.0, 0.0, None]


def test_an_empty_call_has_no_shares(log: Log) -> None:
    assert gr.boxed_answer(completions=[], answer=[], **log.loggers) == []
    assert log.metrics == []


def test_a_row_that_cannot_be_scored_has_a_reason_too(log: Log) -> None:
    gr.boxed_answer(completions=TEXTS, answer=["4", "4", "4", ""], **log.loggers)
    assert dict(log.metrics)["boxed_answer/bad_answer"] == 0.25
    assert dict(log.columns)["boxed_answer/reason"][3] == "bad_answer"


def test_a_reward_that_gives_bare_numbers_logs_no_reasons(log: Log) -> None:
    contract_rewards.sample_ends_with(completions=["a.", "b"], **log.loggers)
    contract_rewards.sample_distinct(completions=["a.", "b"], **log.loggers)
    assert (log.metrics, log.columns) == ([], [])


def test_a_reward_that_gives_bare_numbers_or_none_logs_no_reasons(log: Log) -> None:
    contract_rewards.sample_value(completions=["a", "b"], value=[1.0, None], **log.loggers)
    assert (log.metrics, log.columns) == ([], [])


def test_a_reason_that_was_not_declared_is_logged_from_its_first_call_on(log: Log) -> None:
    @reward
    def declares_nothing(completion: str) -> Verdict:
        return Verdict(0.0, completion)

    declares_nothing(completions=["a", "a"], **log.loggers)
    declares_nothing(completions=["b", "b"], **log.loggers)
    assert log.metrics == [("declares_nothing/a", 1.0), ("declares_nothing/a", 0.0), ("declares_nothing/b", 1.0)]


def test_the_table_has_the_same_columns_in_every_call(log: Log) -> None:
    # TRL makes one table of all calls of a step; a column that one of them lacks would not line up
    @reward
    def sometimes_a_verdict(completion: str) -> Verdict | float:
        return Verdict(1.0, "long", completion) if len(completion) > 1 else 0.0

    sometimes_a_verdict(completions=["a", "b"], **log.loggers)
    sometimes_a_verdict(completions=["aa", "b"], **log.loggers)
    assert log.columns == [
        ("sometimes_a_verdict/reason", [None, None]),
        ("sometimes_a_verdict/prediction", [None, None]),
        ("sometimes_a_verdict/reason", ["long", None]),
        ("sometimes_a_verdict/prediction", ["aa", None]),
    ]


def test_a_batch_reward_logs_its_verdicts_as_well(log: Log) -> None:
    @batch_reward(reasons=("first", "other"))
    def first_of_all(completions: list[str]) -> list[Verdict]:
        return [Verdict(float(not i), "other" if i else "first") for i in range(len(completions))]

    assert first_of_all(completions=["a", "b"], **log.loggers) == [1.0, 0.0]
    assert log.metrics == [("first_of_all/first", 0.5), ("first_of_all/other", 0.5)]
    assert dict(log.columns)["first_of_all/reason"] == ["first", "other"]


def test_a_prediction_in_the_table_is_short_and_can_be_written(log: Log) -> None:
    gr.boxed_answer(completions=["\\boxed{" + "\ud800" * 5000 + "}"], answer=["4"], log_extra=log.log_extra)
    (prediction,) = dict(log.columns)["boxed_answer/prediction"]
    assert len(prediction) <= 200
    prediction.encode("utf-8")  # a lone surrogate could not be
