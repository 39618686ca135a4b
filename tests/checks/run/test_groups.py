"""Whether a group teaches anything: one answer for the monitor, for audits and for reports."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tables import each_row

pytest.importorskip("pandas", reason="pandas is not installed")

import pandas

from grpo_rewards.checks.run.audit import audit_run
from grpo_rewards.checks.run.contents import contents_of, zero_variance_groups
from grpo_rewards.report.reading import read

NAN = float("nan")

# A column for each of two rewards with the weights 1 and 0.2, the advantages, and whether that group teaches nothing.
MADE: dict[str, tuple[list[Any], list[Any], list[float], bool]] = {
    # four times 1.0 + 0.2 have a deviation of 1e-7 in float32, and (r - mean) / (std + 1e-4) is no 0
    "equal, and float32": ([1.0] * 4, [1.0] * 4, [1e-3] * 4, True),
    "equal totals of other parts, and float32": ([1.0, 0.8] * 2, [0.0, 1.0] * 2, [-6e-4, 6e-4] * 2, True),
    "equal totals of other parts": ([1.0, 0.8] * 2, [0.0, 1.0] * 2, [0.0] * 4, True),
    "equal totals whose parts were normalised first": ([1.0, 0.8] * 2, [0.0, 1.0] * 2, [0.5, -0.5] * 2, False),
    "None is as good as 0": ([None, 0.0] * 2, [1.0, 1.0] * 2, [0.0] * 4, True),
    "one is scored": ([None, None, None, 1.0], [None] * 4, [0.0] * 4, True),
    "the scored ones are equal, and float32": (
        [None, 1.0, 1.0, NAN],
        [None, 1.0, 1.0, None],
        [0.0, 1e-3] * 2,
        True,
    ),
    "nothing is scored": ([None] * 4, [NAN] * 4, [0.0] * 4, True),
    "they differ": ([1.0, 0.0] * 2, [1.0] * 4, [1.0, -1.0] * 2, False),
    "they differ a little, unscaled": ([0.5, 0.504] * 2, [1.0] * 4, [-0.002, 0.002] * 2, False),
    "one of them is scored lower": ([None, 1.0, 1.0, 0.0], [None, 1.0, 1.0, 1.0], [0.0, 0.5, 0.5, -1.0], False),
}


def table_of(*names: str) -> dict[str, list[Any]]:
    """A table with a group for each of the cases."""
    rows = [row for name in names for row in zip([name] * 4, *MADE[name][:3], strict=True)]
    prompts, right, form, advantages = map(list, zip(*rows, strict=True))
    messages = [[{"role": "user", "content": prompt}] for prompt in prompts]
    completions = [[{"role": "assistant", "content": "a text"}]] * len(rows)
    return {"prompt": messages, "completion": completions, "right": right, "form": form, "advantage": advantages}


@each_row("name", MADE)
def test_a_group_is_reported_in_each_case(name: str) -> None:
    flat, groups = zero_variance_groups(table_of(name), ["right", "form"], {"right": 1.0, "form": 0.2})
    assert (bool(flat), groups) == (MADE[name][3], 1)


def test_without_weights_only_rewards_and_advantages_decide() -> None:
    for name in MADE:
        known = MADE[name][3] and name != "equal totals of other parts, and float32"
        assert bool(zero_variance_groups(table_of(name), ["right", "form"])[0]) == known, name
    # a prompt with one completion is no group, and a table without advantages is judged by its rewards
    alone = {"prompt": ["a", "b", "b"], "right": [1.0, 0.0, 0.0]}
    assert zero_variance_groups(alone, ["right"]) == ([[1, 2]], 1)


def test_the_monitor_audits_and_reports_agree_on_a_made_case(tmp_path: Path) -> None:
    table, history = table_of(*MADE), [{"step": 1, "reward": 0.7, "rewards/right/mean": 0.7, "rewards/form/mean": 0.7}]
    (tmp_path / "completions").mkdir()
    pandas.DataFrame(table).to_parquet(tmp_path / "completions" / "completions_00001.parquet")
    (tmp_path / "trainer_state.json").write_text(json.dumps({"log_history": history}))
    (tmp_path / "run.json").write_text(json.dumps({"settings": {"reward_weights": [1.0, 0.2]}}))
    run = read(tmp_path, "run")
    monitored = contents_of(table, run.rewards, (), run.weights).numbers["flat"]
    (audited,) = [one for one in audit_run(tmp_path).trends if one.title == "zero-variance groups"]
    expected = sum(its[3] for its in MADE.values()) / len(MADE)
    assert {monitored, audited.start, audited.end, run.steps[0].zero_variance} == {expected}


WEIGHTS = {"right": 1.0, "form": 0.2, "brief": 0.3}


def as_trl_has_it(totals: Any, scale: str) -> list[float]:
    """The advantages of groups of eight, by TRL's arithmetic in float32."""
    nanstd = pytest.importorskip("trl.trainer.utils", reason="trl is not installed").nanstd
    grouped = totals.view(-1, 8)
    std = nanstd(totals) if scale == "batch" else nanstd(grouped, dim=1, keepdim=True)
    advantages = grouped - grouped.nanmean(dim=1, keepdim=True)
    return (advantages if scale == "none" else advantages / (std + 1e-4)).nan_to_num(nan=0.0).flatten().tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_the_count_is_that_of_exact_totals_however_trl_scales(scale: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = random.Random(7)
    table: dict[str, list[Any]] = {"prompt": [str(at // 8) for at in range(200 * 8)]}
    for name in WEIGHTS:  # groups with few values, some without a number, and 0.5 of one reward for 0.75 of another
        ranges = [rng.choice([(1.0,), (0.0,), (1.0, None), (0.0, 1.0), (None,), (0.5, 0.75)]) for _ in range(200)]
        table[name] = [rng.choice(ranges[at // 8]) for at in range(200 * 8)]
    rows = [*zip(*(table[name] for name in WEIGHTS), strict=True)]
    weights = [*WEIGHTS.values()]
    exact = [
        sum(Fraction(str(w)) * Fraction(v) for w, v in zip(weights, row, strict=True) if v is not None)
        if any(v is not None for v in row)
        else None
        for row in rows
    ]
    values = torch.tensor([[NAN if v is None else v for v in row] for row in rows])
    totals = (values * torch.tensor(weights)).nansum(dim=1)
    totals[values.isnan().all(dim=1)] = NAN
    table["advantage"] = as_trl_has_it(totals, scale)
    expected = [at for at in range(200) if len({*exact[at * 8 : at * 8 + 8]} - {None}) <= 1]
    flat, groups = zero_variance_groups(table, [*WEIGHTS], WEIGHTS)
    assert ([rows[0] // 8 for rows in flat], groups) == (expected, 200)
    assert 20 < len(expected) < 180
