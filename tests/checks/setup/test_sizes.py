"""The arithmetic of batches: what is refused here is what GRPOConfig refuses, and what it lets pass trains steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards import Reward, check_rewards
from grpo_rewards.checks.setup.sizes import batches

TABLES = tables_beside(__file__)


def found(rows: int | None = None, **settings: Any) -> list[tuple[str, str]]:
    given = SimpleNamespace(**{"num_generations": 8, **settings})  # as a file is read
    return [(one.severity, str(one)) for one in batches(given, rows)]


@each_row("settings, severity, said", TABLES["what_settings_mean_is_said_with_numbers_that_fit"])
def test_what_settings_mean_is_stated_with_numbers_that_fit(settings: dict[str, Any], severity: str, said: str) -> None:
    assert any(one == severity and said in text for one, text in found(**settings)), found(**settings)


def test_fewer_rows_than_a_generation_batch_train_nothing() -> None:
    settings = {"num_generations": 2, "per_device_train_batch_size": 16}
    assert {severity for severity, _ in found(8, **settings)} == {"fine"}
    severity, message = found(7, **settings)[-1]
    assert (severity, "TRL would train zero steps" in message) == ("error", True)


SIZES = [
    {"num_generations": group, "per_device_train_batch_size": batch, "gradient_accumulation_steps": steps, **more}
    for group in (1, 2, 3, 8)
    for batch in (1, 4, 6)
    for steps in (1, 2)
    for more in ({}, {"steps_per_generation": 4}, {"generation_batch_size": 12}, {"generation_batch_size": 16})
]


@each_row("settings", SIZES)
def test_what_trl_refuses_is_an_error_here_and_nothing_else_is(settings: dict[str, Any]) -> None:
    trl = pytest.importorskip("trl")
    try:
        trl.GRPOConfig(output_dir="none", use_cpu=True, bf16=False, report_to="none", **settings)
        refused = False
    except ValueError:
        refused = True
    errors = [text for severity, text in found(**settings) if severity == "error"]
    assert bool(errors) is refused, errors


def test_the_settings_of_a_trainer_without_generation_batches_are_left_alone() -> None:
    online_dpo = SimpleNamespace(world_size=1, per_device_train_batch_size=4, gradient_accumulation_steps=1)
    assert list(batches(online_dpo, 100)) == []


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


OVERLONG = gr.soft_overlong.bind(max_tokens=512, buffer=128)


@each_row("one", [OVERLONG, gr.weighted({gr.think_format: 1.0, OVERLONG: 0.2}), OVERLONG.bind(name="brief")])
@each_row("longest, severity", [(256, "error"), (512, None), (1024, "warning")])
def test_another_limit_than_the_runs_is_reported(one: Reward, longest: int, severity: str | None) -> None:
    report = check_rewards([one], columns=["prompt"], args=SimpleNamespace(max_completion_length=longest))
    found = [finding for finding in report if finding.check == "lengths"]
    assert [finding.severity for finding in found] == ([] if severity is None else [severity])
    for finding in found:
        assert f"max_tokens=512, and the run max_completion_length={longest}" in finding.message
        assert "same number" in finding.remedy


@pytest.mark.parametrize("args", [None, SimpleNamespace(), SimpleNamespace(max_completion_length=None)])
def test_a_run_without_a_limit_is_not_held_to_one(args: SimpleNamespace | None) -> None:
    assert not [one for one in check_rewards([OVERLONG], columns=["prompt"], args=args) if one.check == "lengths"]


def test_other_rewards_may_have_other_limits() -> None:
    shorter = gr.max_length.bind(max_tokens=64)
    args = SimpleNamespace(max_completion_length=512)
    assert not [one for one in check_rewards([shorter], columns=["prompt"], args=args) if one.check == "lengths"]


def test_a_cosine_that_never_comes_to_its_end_is_reported_also_inside_a_composite() -> None:
    cosine = gr.weighted({gr.boxed_answer: 1.0, gr.cosine_length.bind(max_tokens=5000): 0.2})
    for longest, severities in ((512, ["warning"]), (5000, [])):
        args = SimpleNamespace(max_completion_length=longest)
        found = [one for one in check_rewards([cosine], columns=["answer"], args=args) if one.check == "lengths"]
        assert [one.severity for one in found] == severities
        assert all("max_tokens=5000" in one.message for one in found)
