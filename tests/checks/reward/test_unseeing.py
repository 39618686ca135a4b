"""Whether a reward looks at what the model did: what its function takes, and what it has another name for."""

import functools
from pathlib import Path
from typing import Any

import pytest
from tables import each_row_by_kind, tables_beside

import grpo_rewards as gr
from grpo_rewards import check_rewards
from grpo_rewards.checks.reward.calling import unseeing
from grpo_rewards.errors import completion_argument

TABLES = tables_beside(__file__)


@each_row_by_kind("source, columns, advice", TABLES["functions"])
def test_a_function_that_never_looks_at_the_model_is_an_error(
    source: str, columns: str, advice: str | None, tmp_path: Path
) -> None:
    found = unseeing(defined(source, tmp_path), columns.split())
    assert (found is not None and advice in " ".join(found)) if advice else found is None, found


def defined(source: str, folder: Path) -> Any:
    """What a file with this source defines as ``f``."""
    path = folder / "mine.py"
    path.write_text(source, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "mine", "functools": functools, "gr": gr}
    exec(compile(source, str(path), "exec"), namespace)  # noqa: S102  # the source is what is looked at
    return namespace["f"]


@pytest.mark.parametrize("kind", TABLES["names"])
def test_what_others_call_a_completion_is_recognised(kind: str) -> None:
    for name in TABLES["names"][kind]:
        found = completion_argument(["id", name, "ground_truth"])
        assert found == (None if kind == "something_else" else (name, kind)), name


def test_the_likeliest_of_several_names_is_meant() -> None:
    assert completion_argument(["text", "messages", "response"]) == ("response", "completion")
    assert completion_argument(["text", "env"]) == ("env", "environments")


def test_what_is_no_column_comes_from_a_rollout_that_is_passed_as_well() -> None:
    def of_rollout(env_reward, **kwargs):
        return env_reward

    @gr.reward
    def decorated(completion: str, env_reward: float) -> float:
        return env_reward

    def of_the_lecture(prompt, response, ground_truth):
        return float(ground_truth in response)

    def rollout(prompts, trainer):
        raise AssertionError("it is not called")

    several = [of_rollout, decorated]
    report = check_rewards(several, columns=["prompt"])  # the name says that only a rollout can return it
    assert report.errors == []
    assert {one.reward for one in report if "rollout_func" in one.remedy} == {"of_rollout", "decorated"}
    assert check_rewards(several, columns=["prompt"], rollout_func=rollout).errors == []
    assert unseeing(decorated, None) is None
    columns = ["prompt", "env_reward", "ground_truth"]
    (found,) = check_rewards([*several, of_the_lecture], columns=columns, rollout_func=rollout).errors
    assert found.reward == "of_the_lecture"
