"""Every number has a reason, and a trainer's log carries it."""

from __future__ import annotations

import pickle
from collections import defaultdict
from typing import Any

import contract_rewards
import pytest

import grpo_rewards as gr
from grpo_rewards import RewardError, Verdict, batch_reward, reward
from grpo_rewards.answers import STEPS


class Log:
    """The loggers of a trainer; keeps what it was told, in order."""

    def __init__(self) -> None:
        self.metrics: list[tuple[str, float]] = []
        self.columns: list[tuple[str, list[Any]]] = []

    def log_metric(self, name: str, value: float) -> None:
        self.metrics.append((name, value))

    def log_extra(self, column: str, values: list[Any]) -> None:
        self.columns.append((column, values))

    @property
    def loggers(self) -> dict[str, Any]:
        return {"log_metric": self.log_metric, "log_extra": self.log_extra}

    def means(self) -> dict[str, float]:
        """As TRL shows metrics: the mean over the calls that logged them."""
        values = defaultdict(list)
        for name, value in self.metrics:
            values[name].append(value)
        return {name: sum(all_) / len(all_) for name, all_ in values.items()}


TEXTS = [r"\boxed{4}", r"\boxed{5}", "4", "4"]  # right, wrong, and twice no box
GOLD = ["4"] * 4


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
    assert set(shares) == {f"boxed_answer/{reason}" for reason in gr.boxed_answer.reasons}
    # of four completions one right, one wrong, two without a box
    assert shares["boxed_answer/correct"] == 0.25
    assert shares["boxed_answer/wrong"] == 0.25
    assert shares["boxed_answer/no_box"] == 0.5
    assert shares["boxed_answer/bad_answer"] == 0.0
    assert sum(shares.values()) == 1.0


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


def test_a_sum_logs_the_means_of_its_parts_and_their_reasons(log: Log) -> None:
    points = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")
    points(completions=TEXTS, answer=["4", "4", "4", None], **log.loggers)
    metrics = dict(log.metrics)
    assert metrics["points/boxed_format"] == 0.5  # boxes in two of four
    assert metrics["points/boxed_answer"] == pytest.approx(1 / 3)  # one right of the three rows that have a gold
    assert metrics["boxed_answer/no_box"] == 0.25
    assert metrics["boxed_format/no_box"] == 0.5
    assert [column for column, _ in log.columns] == [
        "boxed_format/reason",
        "boxed_format/prediction",
        "boxed_answer/reason",
        "boxed_answer/prediction",
    ]


def test_a_part_that_scored_no_row_has_no_mean(log: Log) -> None:
    points = gr.weighted({gr.boxed_answer: 1.0}, name="points")
    assert points(completions=["4"], answer=[None], **log.loggers) == [None]
    assert "points/boxed_answer" not in dict(log.metrics)


# By hand.


def test_explain_says_what_score_is_made_of() -> None:
    verdict = gr.boxed_answer.explain(r"so \boxed{5}", answer="4")
    assert (verdict.reward, verdict.reason, verdict.prediction, verdict.answer) == (0.0, "wrong", "5", "4")
    assert gr.boxed_answer.score(r"so \boxed{5}", answer="4") == 0.0


def test_explain_makes_a_verdict_of_a_bare_number() -> None:
    assert contract_rewards.sample_ends_with.explain("a.") == Verdict(1.0)
    assert contract_rewards.sample_value.explain("a", value=None) == Verdict(None)


def test_explain_of_a_sum_shows_its_parts() -> None:
    points = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0})
    assert points.explain(r"\boxed{5}", answer="4").details == {"boxed_format": 1.0, "boxed_answer": 0.0}


@pytest.mark.parametrize(
    "completion", ["a.", [{"role": "assistant", "content": "a."}], {"role": "assistant", "content": "a."}]
)
def test_score_takes_a_completion_in_any_form(completion: Any) -> None:
    assert contract_rewards.sample_ends_with.score(completion) == 1.0


def test_by_hand_a_missing_column_is_told_as_in_a_call() -> None:
    with pytest.raises(RewardError, match=r"reads column 'answer', which .* does not have\. Columns: solution"):
        gr.boxed_answer.score("4", solution="4")


@pytest.mark.parametrize(
    ("verdict", "shown"),
    [
        (Verdict(1.0), "Verdict(reward=1.0, reason='')"),
        (Verdict(None, "bad_answer"), "Verdict(reward=None, reason='bad_answer')"),
        (
            Verdict(0.0, "wrong", "5", "4", {"step": "value"}),
            "Verdict(reward=0.0, reason='wrong', prediction='5', answer='4', step='value')",
        ),
    ],
)
def test_a_verdict_shows_what_it_holds(verdict: Verdict, shown: str) -> None:
    assert repr(verdict) == shown


@pytest.mark.parametrize("verdict", [Verdict(1.0), Verdict(0.0, "wrong", "5", "4", {"step": "value"})])
def test_a_verdict_survives_pickling(verdict: Verdict) -> None:
    assert pickle.loads(pickle.dumps(verdict)) == verdict


def test_a_verdict_alone_is_no_batch_of_five() -> None:
    @batch_reward
    def single(completions: list[str]) -> Verdict:
        return Verdict(1.0)

    with pytest.raises(RewardError, match="for 5 completions"):
        single(completions=["a"] * 5)


def test_a_verdict_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Verdict(1.0).reward = 2.0  # type: ignore[misc]  # that is what must fail
