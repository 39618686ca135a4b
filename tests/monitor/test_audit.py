"""What a run left, in figures: worked by hand from small tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grpo_rewards.monitor import alerts, read_run
from grpo_rewards.monitor.audit import audit_run
from grpo_rewards.monitor.files import Tables
from grpo_rewards.registry import RewardError

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

LAST = 20


def table(step: int) -> dict[str, list[Any]]:
    right = [1.0, 0.0, 1.0, 0.0] if step % 2 else [0.0, 1.0, 0.0, 1.0]
    return {
        "step": [step] * 4,
        "prompt": ["a", "a", "b", "b"],
        "completion": [f"\\boxed{{{at}}}" for at in range(4)],
        "right": [None if step == 3 else one for one in right],
        "short": [0.5, 0.5, 0.1, 0.1],  # another number for another prompt, and none within a group
        "right/reason": ["bad_answer" if step == 3 else "correct"] * 4,
        "right/answer": ["2", "2", "?", "?"],
        "advantage": [0.0] * 4 if step == 3 else [one - 0.5 for one in right],
    }


def left(folder: Path, checkpoint: bool) -> None:
    (folder / "completions").mkdir()
    for step in range(1, LAST + 1):
        pandas.DataFrame(table(step)).to_parquet(folder / "completions" / f"completions_{step:05d}.parquet")
    if checkpoint:
        log = [
            {"step": at, "reward": at / 10, "rewards/right/mean": at / 10, "rewards/short/mean": 0.3, "reward_std": 0.5}
            for at in range(1, LAST + 1)
        ]
        (folder / "checkpoint-20").mkdir()
        state = json.dumps({"log_history": [*log, {"step": 20, "eval_reward": 1.0}]})
        (folder / "checkpoint-20" / "trainer_state.json").write_text(state, encoding="utf-8")


def test_the_figures_are_those_of_the_log_and_the_tables(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=True)
    found = audit_run(tmp_path)
    assert (found.steps, found.tables) == (20, 20)
    trends = {one.name: (one.start, one.end) for one in found.trends}
    assert trends["reward"] == (pytest.approx(0.2), pytest.approx(1.55))  # steps 1 to 3, and 11 to 20
    assert trends["rewards/right/mean"] == trends["reward"]
    assert found.decided == {"right": pytest.approx(1.0), "short": None}
    assert [(one.gold, one.prompt, one.completions) for one in found.golds] == [("2", "a", 2), ("?", "b", 2)]
    assert found.alerts == alerts(*read_run(tmp_path))
    assert json.loads(json.dumps(found.as_json()))["decided"]["right"] == pytest.approx(1.0)


def test_tables_alone_tell_what_a_log_would_have(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=False)
    found = audit_run(tmp_path)
    trends = {one.name: (one.start, one.end) for one in found.trends}
    assert trends["rewards/short/mean"] == (pytest.approx(0.3), pytest.approx(0.3))
    assert trends["frac_reward_zero_std"] == (pytest.approx(1 / 3), 0.0)  # step 3 of the first three
    assert found.decided["right"] == pytest.approx(1.0)


def test_the_log_that_goes_further_is_read(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=True)
    kept, state = tmp_path / "trainer_state.json", (tmp_path / "checkpoint-20" / "trainer_state.json").read_text()
    kept.write_text(json.dumps({"log_history": [{"step": 3, "reward": 7.0}]}), encoding="utf-8")
    assert len(read_run(tmp_path)[0]) == LAST + 1
    kept.write_text(json.dumps({"log_history": [{"step": 21, "reward": 7.0}]}), encoding="utf-8")
    assert read_run(tmp_path)[0] == [{"step": 21, "reward": 7.0}]
    kept.write_text(state[:50], encoding="utf-8")  # half of it, as while it is written
    assert len(read_run(tmp_path)[0]) == LAST + 1


def test_a_table_that_is_not_whole_is_passed_over(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=False)
    path = tmp_path / "completions" / "completions_00020.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    assert audit_run(tmp_path).tables == LAST - 1
    assert Tables(tmp_path).broken == [path]


def test_a_folder_without_a_run_says_what_leaves_one(tmp_path: Path) -> None:
    with pytest.raises(RewardError, match="log_completions=True"):
        audit_run(tmp_path)
    with pytest.raises(RewardError, match="there is no folder"):
        audit_run(tmp_path / "none")
