"""NeMo RL: the environment, against what its repository publishes. Its package on PyPI is empty."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from stand_ins import STAND_IN, use

import grpo_rewards as gr
from grpo_rewards.integrations import nemo_rl as ours

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(autouse=True)
def nemo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    use(STAND_IN, monkeypatch, "nemo_rl")
    ours._environment.cache_clear()
    yield
    ours._environment.cache_clear()


def conversation(text: str, ids: list[int] | None = None) -> list[dict[str, Any]]:
    tokens = {} if ids is None else {"token_ids": torch.tensor(ids)}
    return [{"role": "user", "content": "1 + 3?"}, {"role": "assistant", "content": text, **tokens}]


def test_a_step_rewards_and_ends_each_episode() -> None:
    made = ours.Environment({"reward": "boxed_answer"})
    metadata = [{"ground_truth": "4"}, {"ground_truth": "4"}, {"ground_truth": None}]
    logs = [conversation(one) for one in (r"\boxed{4}", r"\boxed{5}", r"\boxed{4}")]
    found = made.step(logs, metadata)
    assert found.rewards.tolist() == [1.0, 0.0, 0.0]
    assert found.terminateds.tolist() == [1.0, 1.0, 1.0]
    assert found.answers == ["4", "5", "4"]
    assert found.observations[1] == {"role": "environment", "content": "Environment: wrong"}
    assert found.metadata == metadata
    batch = {"rewards": found.rewards}
    same, figures = made.global_post_process_and_metrics(batch)
    assert same is batch
    assert figures == {"boxed_answer/mean": pytest.approx(1 / 3), "boxed_answer/unscored": pytest.approx(1 / 3)}
    assert made.global_post_process_and_metrics(batch)[1]["boxed_answer/unscored"] == 0.0  # of what came since


def test_columns_and_token_ids_are_handed_over() -> None:
    spec = "weighted({expression_reaches: 1, 'max_length(max_tokens=2)': 1}, name='both')"
    made = ours.Environment({"reward": spec, "columns": {"nums": "numbers"}})
    metadata = [{"numbers": [4, 6], "target": 24}]
    assert made.step([conversation("<answer>4 * 6</answer>", [1, 2])], metadata).rewards.tolist() == [2.0]
    assert made.step([conversation("<answer>4 * 6</answer>", [1, 2, 3])], metadata).rewards.tolist() == [1.0]


def test_metadata_without_the_gold_is_an_error() -> None:
    with pytest.raises(gr.RewardError, match="column 'answer'"):
        ours.Environment({"reward": "boxed_answer"}).step([conversation("4")], [{"level": 3}])


def test_it_is_registered_with_the_python_that_runs_it() -> None:
    ours.register("grading")
    path = "grpo_rewards.integrations.nemo_rl.Environment"
    known = sys.modules["nemo_rl.environments.utils"].ENV_REGISTRY
    assert known == {"grading": path}
    pythons = sys.modules["nemo_rl.distributed.ray_actor_environment_registry"].ACTOR_ENVIRONMENT_REGISTRY
    assert pythons == {path: "python"}


def test_a_reward_that_compares_a_group_is_refused() -> None:
    with pytest.raises(gr.RewardError, match="an environment scores one completion"):
        ours.Environment({"reward": "relative_length"})
