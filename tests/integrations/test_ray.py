"""A Ray Data set is scored with the numbers that the command gives."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import grpo_rewards as gr
from grpo_rewards.scoring import score_files

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = pytest.mark.full  # a local Ray takes its time to start

ROWS = [
    {
        "id": at,
        "prompt": f"p{at // 4}",
        "completion": f"so \\boxed{{{at % 3}}}",
        "answer": str(at % 2),
        "think_format": 7,
    }
    for at in range(1000)
]


@gr.batch_reward(name="score_on_ray_together")
def together(completions: list[str]) -> list[float]:
    """How many completions there are in the call."""
    return [float(len(completions))] * len(completions)


@pytest.fixture(scope="module", autouse=True)
def local_ray() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().default_hash_shuffle_parallelism = 2  # 200 by default, for more rows than these
    yield
    ray.shutdown()


def test_the_numbers_are_those_of_the_command(tmp_path: Path) -> None:
    from grpo_rewards.integrations.ray import score

    specs = ["boxed_answer", "think_format"]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    score_files(specs, [str(path)], output=tmp_path / "out.jsonl")
    expected = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    for processes in (1, (1, 2)):
        found = score(ray.data.read_json(str(path)), specs, processes=processes).take_all()
        assert sorted(found, key=lambda row: row["id"]) == expected


def test_a_row_without_a_completion_is_there_and_none() -> None:
    from grpo_rewards.integrations.ray import score

    rows: list[dict[str, Any]] = [{"completion": None, "answer": "1"}, {"completion": "\\boxed{1}", "answer": "1"}]
    found = score(ray.data.from_items(rows), ["boxed_answer"]).take_all()
    assert [(row["boxed_answer"], row["boxed_answer/reason"]) for row in found] == [
        (None, "malformed"),
        (1.0, "correct"),
    ]


def test_the_completions_of_a_group_are_compared_wherever_they_lie(tmp_path: Path) -> None:
    from grpo_rewards.integrations.ray import score

    asked = [[{"role": "user", "content": f"p{at}"}] for at in range(40)]
    lengths = [[10, 20, 30, 40][: 1 + at % 4] for at in range(40)]
    rows = [
        {"id": f"{at}.{length}", "prompt": asked[at], "completion": "\\boxed{4}", "answer": "4"}
        | {"completion_ids": list(range(length))}
        for at in range(40)
        for length in lengths[at]
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    score_files(["relative_length"], [str(path)], output=tmp_path / "out.jsonl")
    expected = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    apart = sorted(rows, key=lambda row: (len(row["completion_ids"]), row["id"]))  # no two of a group are neighbours
    found = score(ray.data.from_items(apart), ["relative_length"]).take_all()
    assert sorted(found, key=lambda row: row["id"]) == sorted(expected, key=lambda row: row["id"])
    calls = score(ray.data.from_items(apart), [together], by_group=True).take_all()
    assert {row["id"]: row["score_on_ray_together"] for row in calls} == {
        f"{at}.{length}": len(lengths[at]) for at in range(40) for length in lengths[at]
    }


def test_what_cannot_be_scored_is_stated_at_once() -> None:
    from grpo_rewards.integrations.ray import score

    with pytest.raises(gr.RewardError, match="column 'answer'"):
        score(ray.data.from_items([{"completion": "4"}]), ["boxed_answer"])
    with pytest.raises(gr.RewardError, match=r"'relative_length' compares .* no column shows which rows are one"):
        score(ray.data.from_items([{"completion": "4", "completion_ids": [1], "answer": "4"}]), ["relative_length"])
    with pytest.raises(gr.RewardError, match=r"ray.data.Dataset, not a list"):
        score([{"completion": "4"}], ["boxed_answer"])
