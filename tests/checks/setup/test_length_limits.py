"""``soft_overlong`` and the trainer have to agree on how long a completion may be."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward, check_rewards

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
