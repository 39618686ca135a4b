"""verifiers: the rubric of its environments up to 0.3, and rewards of its tasks from 0.3 on."""

import asyncio
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from stand_ins import KINDS, REAL, start_of, use

import grpo_rewards as gr
from grpo_rewards.integrations.verifiers import rubric, task_reward

PROMPT = [{"role": "user", "content": "1 + 3?"}]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch, "verifiers")
    if not hasattr(__import__("verifiers"), "Rubric"):
        pytest.skip("this verifiers has tasks and no rubrics")
    return str(request.param)


def scored(kind: str, made: Any, text: str, ids: list[int] | None = None, **row: Any) -> Any:
    """The state of a rollout whose one reply is ``text``, after the rubric."""
    completion: list[Any] = [{"role": "assistant", "content": text}]
    state: dict[str, Any] = {
        "input": {"prompt": PROMPT, "example_id": 0, "answer": "", **row},
        "completion": completion,
    }
    state["trajectory"] = [{"tokens": None if ids is None else {"completion_ids": ids}}]
    if kind == REAL:
        from verifiers.types import AssistantMessage, State

        state = State({**state, "completion": [AssistantMessage(content=text)]})
    else:
        state |= state["input"]
    asyncio.run(made.score_rollout(state))
    return state


def test_a_rubric_reads_the_answer_and_keeps_the_names(kind: str) -> None:
    made = rubric(["boxed_answer", "boxed_format"], weights=[1, 0.25])
    state = scored(kind, made, r"\boxed{4}", answer="4")
    assert state["reward"] == 1.25
    assert state["metrics"] == {
        "boxed_answer": 1.0,
        "boxed_format": 1.0,
        "boxed_answer/unscored": 0.0,
        "boxed_format/unscored": 0.0,
    }
    assert state["grpo_rewards"]["boxed_answer"] == {"reward": 1.0, "reason": "correct", "prediction": "4"}
    assert scored(kind, made, r"\boxed{5}", answer="4")["reward"] == 0.25


def test_a_row_that_cannot_be_scored_gets_0_and_is_counted(kind: str) -> None:
    state = scored(kind, rubric(["boxed_answer"]), r"\boxed{4}", answer="")
    assert (state["reward"], state["metrics"]) == (0.0, {"boxed_answer": 0.0, "boxed_answer/unscored": 1.0})


def test_a_rollout_in_which_a_reward_raised_counts_as_one_that_could_not_be_scored(kind: str) -> None:
    state = scored(kind, rubric(["max_length(max_tokens=2)"]), "4", answer="4")  # without token ids
    assert (state["reward"], state["metrics"]["max_length/unscored"]) == (0.0, 1.0)


@pytest.mark.parametrize("info", [{"nums": [4, 6], "target": 24}, '{"nums": [4, 6], "target": 24}'])
def test_the_entries_of_info_are_columns(kind: str, info: Any) -> None:
    state = scored(kind, rubric(["expression_reaches"]), "<answer>4 * 6</answer>", info=info)
    assert state["reward"] == 1.0


@pytest.mark.parametrize("info", [{"answer": "4"}, '{"answer": "4"}'])
def test_a_gold_in_info_counts_where_the_row_has_no_answer(kind: str, info: Any) -> None:
    made = rubric(["boxed_answer"])
    assert scored(kind, made, r"\boxed{4}", answer="", info=info)["reward"] == 1.0  # verifiers' "" is no answer
    assert scored(kind, made, r"\boxed{4}", answer="5", info=info)["reward"] == 0.0


def test_other_fields_of_the_row_are_columns_and_token_ids_are_handed_over(kind: str) -> None:
    made = rubric(["boxed_answer", "max_length(max_tokens=2)"], columns={"answer": "gold"})
    state = scored(kind, made, r"\boxed{4}", ids=[1, 2], gold="4")
    assert (state["metrics"]["boxed_answer"], state["metrics"]["max_length"]) == (1.0, 1.0)


def test_where_there_are_tasks_alone_it_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "verifiers", ModuleType("verifiers"))
    with pytest.raises(gr.RewardError, match="has no rubrics, but tasks: use task_reward"):
        rubric(["boxed_answer"])


class Data(SimpleNamespace):
    """The data of a task."""

    def model_dump(self) -> dict[str, Any]:
        return vars(self)


def task_and_trace(text: str, ids: list[int], **columns: Any) -> tuple[Any, Any]:
    """What verifiers hands a reward of a task, from what its source says of both."""
    metrics: dict[str, float] = {}
    message = SimpleNamespace(model_dump=lambda exclude_none: {"role": "assistant", "content": text})
    branch = SimpleNamespace(token_ids=[1, 1, *ids], sampled_mask=[False, False, *[True] * len(ids)])
    trace = SimpleNamespace(
        assistant_messages=[message], branches=[branch], info={}, metrics=metrics, record_metric=metrics.__setitem__
    )
    return Data(prompt="1 + 3?", **columns), trace


def test_a_reward_of_a_task_reads_its_data_and_keeps_why() -> None:
    reward = task_reward("boxed_answer", columns={"answer": "gold"})
    assert reward.__name__ == "boxed_answer"
    task, trace = task_and_trace(r"\boxed{5}", [1], gold="4")
    assert asyncio.run(reward(task=task, trace=trace)) == {"boxed_answer": 0.0}
    assert trace.info == {"grpo_rewards": {"boxed_answer": {"reward": 0.0, "reason": "wrong", "prediction": "5"}}}
    assert trace.metrics == {"boxed_answer/unscored": 0.0}
    task, trace = task_and_trace("", [7, 8, 9])
    assert asyncio.run(task_reward("max_length(max_tokens=2)")(task=task, trace=trace)) == {"max_length": 0.0}
    task, trace = task_and_trace(r"\boxed{5}", [1], gold=None)
    assert asyncio.run(reward(task=task, trace=trace)) == {}
    assert trace.metrics == {"boxed_answer/unscored": 1.0}


def test_a_rollout_without_a_reply_is_a_wrong_one() -> None:
    task, trace = task_and_trace("", [], answer="4")
    trace.assistant_messages = trace.branches = []
    task.prompt = None
    assert asyncio.run(task_reward("boxed_answer")(task=task, trace=trace)) == {"boxed_answer": 0.0}


@pytest.mark.full
@pytest.mark.parametrize(
    ("gold", "rewards", "unscored"),
    [("4", {"boxed_answer": 1.0}, 0.0), (None, {}, 1.0), ("5", {"boxed_answer": 0.0}, 0.0)],
)
def test_verifiers_scores_a_task_with_a_reward_that_is_plugged_in(
    gold: Any, rewards: Any, unscored: float, tmp_path: Any
) -> None:
    vf = pytest.importorskip(
        "verifiers.v1", reason="verifiers is not installed: python tests/environments/frameworks.py"
    )
    if not hasattr(vf, "RewardFunctionConfig"):
        pytest.skip("this verifiers is older, and has rubrics alone")
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, TraceTask
    from verifiers.v1.types import AssistantMessage, UserMessage

    (tmp_path / "our_rewards.py").write_text(start_of("verifiers", "python\n# our_rewards.py"))
    made = type("GoldData", (vf.TaskData,), {"__annotations__": {"gold": "str | None"}, "gold": None})
    config = vf.TaskConfig(rewards={"boxed_answer": {"fn": f"{tmp_path}/our_rewards.py:boxed_answer"}})
    task = vf.Task(made(prompt="1 + 3?", gold=gold), config)
    said = [UserMessage(content="1 + 3?"), AssistantMessage(content=r"\boxed{4}")]
    nodes = [MessageNode(message=said[0]), MessageNode(message=said[1], parent=0, sampled=True)]
    agent = AgentInfo.model_construct(config=vf.AgentConfig.model_construct())
    trace = vf.Trace.model_construct(
        task=TraceTask(type="Task", data=task.data), agent=agent, nodes=nodes, rewards={}, metrics={}, info={}
    )
    asyncio.run(task.score(trace))
    assert {name: one.value for name, one in trace.rewards.items() if one is not None} == rewards
    assert trace.metrics == {"boxed_answer/unscored": unscored}
    assert trace.info["grpo_rewards"]["boxed_answer"]["prediction"] == "4"
