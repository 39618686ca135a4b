"""The weighted sum, against TRL's arithmetic: a reward as any other, which logs its parts."""

import math
from typing import Any

import contract_rewards
import pytest
from composed import ROWS, composed_gate, composed_value
from contract_cases import SUM
from tables import each_row, refused, tables_beside
from trainer_log import TEXTS, Log

import grpo_rewards as gr
from grpo_rewards import RewardError

LECTURE = {gr.boxed_format: 0.5, gr.boxed_answer: 1.0}


@gr.reward
def first_or_none(completion: str, first: float | None) -> float | None:
    return first


@gr.reward
def second_or_none(completion: str, second: float | None) -> float | None:
    return second


def test_none_is_left_out_as_trl_leaves_it_out():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rows = [(1.0, 2.0), (None, 2.0), (1.0, None), (None, None), (0.0, -3.0)]
    first, second = zip(*rows, strict=True)
    combined = gr.weighted({first_or_none: 0.5, second_or_none: 2.0})
    ours = combined(completions=[""] * len(rows), first=list(first), second=list(second))
    # GRPOTrainer: (rewards_per_func * weights).nansum(dim=1), NaN where every reward is NaN
    table = torch.tensor([[math.nan if one is None else one for one in row] for row in rows], dtype=torch.float64)
    trl = (table * torch.tensor([0.5, 2.0])).nansum(dim=1)
    trl[table.isnan().all(dim=1)] = math.nan
    assert [math.nan if one is None else one for one in ours] == pytest.approx(trl.tolist(), nan_ok=True)


def test_funcs_and_weights_are_fresh_lists():
    points = gr.weighted(LECTURE)
    points.funcs.append(None)  # TRL mutates the list that it is given
    assert points.funcs == [gr.boxed_format, gr.boxed_answer]
    assert points.weights == [0.5, 1.0]


def test_renormalised_weights_keep_their_sum():
    parts = {composed_value: 1.0, composed_gate: 3.0}
    # TRL's nansum: 1·1 + 3·1, then 3·1 alone, then 1·2 + 3·0, then 1·3 alone
    assert gr.weighted(parts)(**ROWS) == [4.0, 3.0, 2.0, 3.0]
    # renormalised the weights that are left sum to 4
    assert gr.weighted(parts, renormalise=True)(**ROWS) == [4.0, 4.0, 2.0, 12.0]
    assert gr.weighted(parts, renormalise=True).score("", value=None, gate=None) is None


def test_a_sum_of_sums_adds_them_up() -> None:
    outer = gr.weighted({"boxed_format": 1.0, "pattern(regex='so')": 2, SUM: -1.0}, name="outer")
    # 1 for the box, 2 for the word, less the 1.5 of the inner sum
    assert outer.score(r"so \boxed{4}", answer="4") == 1.0 + 2.0 - 1.5
    assert outer.columns == ("answer",)


@pytest.mark.parametrize(
    ("parts", "bounds"),
    [
        ({gr.boxed_format: -2.0, gr.boxed_answer: 1.0}, (-2.0, 1.0)),  # a negative weight turns a range round
        ({gr.repetition.bind(max_penalty=-3.0): 0.5}, (-1.5, 0.0)),
        ({contract_rewards.sample_value: 1.0, gr.boxed_format: 1.0}, None),  # one part states none
    ],
)
def test_the_range_of_a_sum_follows_from_those_of_its_parts(parts: Any, bounds: tuple[float, float] | None) -> None:
    assert gr.weighted(parts).range == bounds


def test_the_range_of_a_renormalised_sum_holds_what_a_part_gives_that_has_all_the_weight() -> None:
    points = gr.weighted({gr.boxed_answer: 1.0, gr.boxed_format: -0.5}, renormalise=True)
    assert points.range == (-1.5, 1.5)
    assert points.score(r"\boxed{4}", answer="") == -1.5


def test_a_sum_of_rewards_that_are_not_bound_says_so_when_it_is_called() -> None:
    with pytest.raises(RewardError, match="reward 'soft_overlong' needs max_tokens, buffer"):
        gr.weighted({gr.soft_overlong: 1.0})(completions=["a"], completion_ids=[[1]])


def test_a_sum_logs_the_means_of_its_parts_and_their_reasons() -> None:
    log = Log()
    points = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")
    points(completions=TEXTS, answer=["4", "4", "4", None], **log.loggers)
    metrics = dict(log.metrics)
    assert metrics["points/boxed_format"] == 0.5  # boxes in two of four
    assert metrics["points/boxed_answer"] == pytest.approx(1 / 3)  # one right of the three rows that have a gold
    assert metrics["boxed_answer/no_box"] == 0.25
    assert metrics["boxed_format/no_box"] == 0.5
    cells = {
        "boxed_format": ("reason", "prediction"),
        "boxed_answer": ("reason", "prediction", "answer", "step", "why"),
    }
    assert [column for column, _ in log.columns] == [f"{name}/{one}" for name, its in cells.items() for one in its]


def test_a_part_that_scored_no_row_has_no_mean() -> None:
    log = Log()
    points = gr.weighted({gr.boxed_answer: 1.0}, name="points")
    assert points(completions=["4"], answer=[None], **log.loggers) == [None]
    assert "points/boxed_answer" not in dict(log.metrics)


def test_explain_of_a_sum_shows_its_parts() -> None:
    points = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0})
    assert points.explain(r"\boxed{5}", answer="4").details == {
        "boxed_format": 1.0,
        "boxed_answer": 0.0,
        "boxed_format/reason": "boxed",
        "boxed_answer/reason": "wrong",
    }


@each_row("spec, text, prediction", tables_beside(__file__)["predicted"])
def test_a_composite_has_the_prediction_of_the_part_that_compares_with_a_gold(
    spec: str, text: str, prediction: str | None
) -> None:
    assert gr.get_reward(spec).explain(text, answer="4").prediction == prediction


def test_a_list_of_rewards_is_no_sum_of_them() -> None:
    with refused("weighted needs a mapping"):
        gr.weighted([gr.boxed_answer])  # type: ignore[arg-type]  # that is the mistake
