"""How many completions a group has is told to the rewards that compare them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from tables import each_row

import grpo_rewards as gr
from grpo_rewards import check_rewards


class Strategy(Enum):
    NO, STEPS = "no", "steps"


@dataclass
class Config:
    """Stands for GRPOConfig, whose strategy is an enumeration as well."""

    num_generations: Any = 8
    num_generations_eval: Any = None
    eval_strategy: Any = Strategy.NO
    eval_on_start: bool = False


RELATIVE = gr.relative_length


@each_row(
    "args, bound",
    [
        (Config(), {"num_generations": 8, "num_generations_eval": None}),
        (Config(num_generations_eval=4), {"num_generations": 8, "num_generations_eval": None}),
        (Config(8, 4, Strategy.STEPS), {"num_generations": 8, "num_generations_eval": 4}),
        (Config(8, 4, Strategy.NO, eval_on_start=True), {"num_generations": 8, "num_generations_eval": 4}),
        (Config(8, 8, "steps"), {"num_generations": 8, "num_generations_eval": None}),
        (Config(None), {"num_generations": None, "num_generations_eval": None}),
        (object(), {"num_generations": None, "num_generations_eval": None}),  # a trainer without groups
    ],
)
def test_the_size_of_a_group_is_bound_wherever_it_is_needed(args: Any, bound: dict[str, Any]) -> None:
    report = check_rewards([RELATIVE, gr.weighted({RELATIVE.bind(name="part"): 1.0}), gr.boxed_format], args=args)
    relative, points, untouched = report.rewards
    assert {name: relative.options[name] for name in bound} == bound
    assert {name: points.parts[0].options[name] for name in bound} == bound
    assert untouched == gr.boxed_format
    assert (report.errors, report.warnings) == ([], [])


@each_row("inside", [False, True])
@each_row(
    "bound, wrong",
    [
        ({"num_generations": 8}, []),
        ({"num_generations": 8, "num_generations_eval": 4}, []),
        ({"num_generations": 2}, ["num_generations=2, but the run draws 8"]),
        ({"num_generations": 8, "num_generations_eval": 2}, ["num_generations_eval=2, but the run draws 4"]),
    ],
)
def test_a_size_that_was_bound_by_hand_stays_and_must_be_that_of_the_run(
    bound: dict[str, int], wrong: list[str], inside: bool
) -> None:
    relative = RELATIVE.bind(**bound)
    one = gr.gated(relative, by=gr.boxed_format) if inside else relative
    report = check_rewards([one], args=Config(8, 4, Strategy.STEPS))
    found = report.rewards[0].parts[0] if inside else report.rewards[0]
    assert {name: found.options[name] for name in bound} == bound
    assert len(report.errors) == len(wrong)
    assert all(said in error.message for said, error in zip(wrong, report.errors, strict=True))


def test_an_evaluation_whose_groups_look_like_several_is_reported() -> None:
    (warning,) = check_rewards([RELATIVE], args=Config(4, 8, "steps")).warnings
    assert "an evaluation draws 8 completions of a prompt, and a training 4" in warning.message
