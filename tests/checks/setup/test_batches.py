"""The arithmetic of batches: what is refused here is what GRPOConfig refuses, and what it lets pass trains steps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards.checks.setup.sizes import batches

TABLES = tables_beside(__file__)


def found(rows: int | None = None, **settings: Any) -> list[tuple[str, str]]:
    return [(one.severity, str(one)) for one in batches(SimpleNamespace(**settings), rows)]


@each_row("settings, severity, said", TABLES["what_settings_mean_is_said_with_numbers_that_fit"])
def test_what_settings_mean_is_stated_with_numbers_that_fit(settings: dict[str, Any], severity: str, said: str) -> None:
    assert any(one == severity and said in text for one, text in found(**settings)), found(**settings)


def test_fewer_rows_than_a_generation_batch_train_nothing() -> None:
    settings = {"num_generations": 2, "per_device_train_batch_size": 16}
    assert (
        "error" in {one for one, _ in found(7, **settings)},
        "error" in {one for one, _ in found(8, **settings)},
    ) == (
        True,
        False,
    )
    assert "TRL would train zero steps" in found(7, **settings)[-1][1]


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


@each_row("settings", [one for one in SIZES if one["num_generations"] > 1])
def test_the_numbers_that_are_proposed_are_taken(settings: dict[str, Any]) -> None:
    for severity, text in found(**settings):
        proposed = text.partition("Set per_device_train_batch_size ")[2]
        if severity == "error" and proposed:
            mended = {**settings, "per_device_train_batch_size": int(proposed.split(",")[0].split(".")[0])}
            if "generation_batch_size" not in settings:
                assert {one for one, _ in found(**mended)} == {"fine"}, text


def test_the_settings_of_a_trainer_without_generation_batches_are_left_alone() -> None:
    online_dpo = SimpleNamespace(world_size=1, per_device_train_batch_size=4, gradient_accumulation_steps=1)
    assert list(batches(online_dpo, 100)) == []
