"""Whether a reward looks at what the model did: what its function takes, and what its source uses."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from tables import each_row_by_kind, tables_beside

import grpo_rewards as gr
from grpo_rewards import check_rewards
from grpo_rewards.checks.reward.functions import unseeing
from grpo_rewards.registry.model_arguments import completion_argument

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


def test_what_is_not_written_in_python_is_taken_to_look() -> None:
    assert unseeing(max, ["answer"]) is None


def test_what_makes_a_reward_is_to_be_called() -> None:
    message, remedy = unseeing(lambda: None, ["answer"]) or ("", "")
    assert message.endswith("and it takes none.")
    assert "If it makes a reward, call it" in remedy


def test_what_has_no_source_is_looked_at_as_well() -> None:
    namespace: dict[str, Any] = {}
    exec("def made(completions, answer, **kwargs):\n    return answer", namespace)  # noqa: S102  # no file has it
    blind = [
        lambda completions, **kwargs: [1.0],
        namespace["made"],
        functools.partial(lambda completions, answer, k, **kwargs: [k for _ in answer], k=2),
    ]
    assert all(unseeing(one, ["answer", "level"]) is not None for one in blind)
    seeing = [
        lambda completions, **kwargs: [1.0 for _ in completions],
        lambda **kwargs: [len(one) for one in kwargs["completions"]],
        lambda completions, **kwargs: (lambda: [len(one) for one in completions])(),
        lambda **kwargs: [one == kwargs["completions"][at] for at, one in enumerate(kwargs["answer"])],
    ]
    assert [unseeing(one, ["answer"]) for one in seeing] == [None] * len(seeing)


def test_what_is_no_column_comes_from_a_rollout_that_is_passed_as_well() -> None:
    def of_rollout(env_reward, **kwargs):
        return env_reward

    def beside_completions(completions, env_reward, **kwargs):
        return env_reward

    def of_the_lecture(prompt, response, ground_truth):
        return float(ground_truth in response)

    @gr.reward
    def decorated(completion: str, env_reward: float) -> float:
        return env_reward

    def rollout(prompts, trainer):
        raise AssertionError("it is not called")

    several = [of_rollout, beside_completions, decorated]
    report = check_rewards(several, columns=["prompt"])  # the name says that only a rollout can return it
    assert report.errors == []
    notes = [one for one in report if one.severity == "note"]
    assert {one.reward for one in notes} == {"of_rollout", "beside_completions", "decorated"}
    assert all("rollout_func" in one.remedy for one in notes)
    assert check_rewards(several, columns=["prompt"], rollout_func=rollout).errors == []
    blind = [*several, of_the_lecture]  # where it is a column, it is the row's, with a rollout or without
    columns = ["prompt", "env_reward", "ground_truth"]
    assert {one.reward for one in check_rewards(blind, columns=columns, rollout_func=rollout).errors} == {
        one.__name__ for one in blind
    }


def test_an_adapter_names_its_own_arguments() -> None:
    def rule(prompt, response, ground_truth):
        return float(response == ground_truth)

    @functools.wraps(rule)
    def adapted(prompts, completions, answer, **kwargs):
        return [rule(*row) for row in zip(prompts, completions, answer, strict=True)]

    @functools.wraps(rule)
    def passes_on(*args, **kwargs):
        return rule(*args, **kwargs)

    assert check_rewards([adapted], columns=["prompt", "answer"]).errors == []
    assert unseeing(passes_on, ["prompt", "answer"]) is not None


@gr.reward
def of_the_row(completion: str, level: int) -> float:
    """1 for a hard problem: fit as a gate, and nothing by itself."""
    return float(level > 3)


def test_a_composite_looks_if_one_of_its_parts_does() -> None:
    (error,) = check_rewards([of_the_row], columns=["prompt", "level", "answer"]).errors
    assert (
        error.message
        == "of_the_row takes what the model did and never uses it: a row earns the same whatever is written."
    )
    alone = gr.weighted({of_the_row: 1.0})
    assert [one.check for one in check_rewards([alone], columns=["prompt", "level"]).errors] == ["model"]
    gate = gr.gated(gr.boxed_answer, by=of_the_row)
    assert check_rewards([gate], columns=["prompt", "level", "answer"]).errors == []


def test_what_is_no_column_may_come_from_a_rollout() -> None:
    assert unseeing(of_the_row, ["answer"]) is None
    assert unseeing(of_the_row, None) is None


def test_a_reward_that_reads_the_verdict_of_another_one_looks() -> None:
    @gr.reward(dependencies={"correct": "boxed_answer"})
    def twice(correct: gr.DependencyVerdict) -> float | None:
        reward = correct.verdict.reward
        return None if reward is None else 2 * reward

    assert unseeing(twice, ["answer"]) is None


def test_each_reward_of_the_catalogue_looks() -> None:
    catalogue = [
        one for name in gr.list_rewards() if (one := gr.get_reward(name)).__module__.startswith("grpo_rewards.")
    ]
    assert len(catalogue) > 30
    assert {one.name: unseeing(one, one.columns) for one in catalogue} == dict.fromkeys(one.name for one in catalogue)
