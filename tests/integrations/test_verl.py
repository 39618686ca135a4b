"""verl: the function, the reward manager, its workers and its figures."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from stand_ins import KINDS, REAL, use

import grpo_rewards as gr
from grpo_rewards.integrations import verl as ours
from grpo_rewards.integrations.verl import compute_score

FORMULA = r"\boxed{\frac{x^2-1}{x-1}}"  # x + 1, which computer algebra finds


def test_the_number_comes_with_its_reason_and_prediction() -> None:
    assert compute_score("gsm8k", r"so \boxed{72}", "72", {"index": 1, "answer": "a whole solution"}) == {
        "score": 1.0,
        "pred": "72",
        "boxed_answer/reason": "correct",
        "boxed_answer/unscored": 0.0,
    }
    assert compute_score("gsm8k", r"so \boxed{73}", "72")["score"] == 0.0


def test_a_row_that_cannot_be_scored_is_0_and_says_so() -> None:
    found = compute_score("gsm8k", r"\boxed{72}", None)
    assert (found["score"], found["boxed_answer/reason"], found["boxed_answer/unscored"]) == (0.0, "bad_answer", 1.0)


@pytest.mark.parametrize("truth", [{"target": 24, "numbers": [4, 6]}, '{"target": 24, "numbers": [4, 6]}'])
def test_the_entries_of_a_ground_truth_are_columns(truth: Any) -> None:
    found = compute_score(
        "countdown", "<answer>4 * 6</answer>", truth, reward="expression_reaches", columns={"nums": "numbers"}
    )
    assert found["score"] == 1.0


@pytest.mark.parametrize("truth", [{"answer": "72", "level": 3}, '{"answer": "72", "level": 3}'])
def test_an_answer_inside_a_ground_truth_is_the_answer(truth: Any) -> None:
    assert compute_score("gsm8k", r"\boxed{72}", truth, {"answer": "a whole solution"})["score"] == 1.0

    @gr.reward
    def is_whole(completion: str, ground_truth: Any) -> float:
        return float(ground_truth == truth)

    assert compute_score("gsm8k", "", truth, reward=is_whole)["score"] == 1.0  # under verl's own name


def test_a_reward_that_counts_tokens_names_the_manager_that_has_them() -> None:
    with pytest.raises(gr.RewardError, match=r"counts tokens.*reward_manager\.name=RewardManager") as raised:
        compute_score("gsm8k", "4", "4", reward="soft_overlong(max_tokens=10, buffer=2)")
    assert "A2POTrainer" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_a_gold_there_is_nothing_for_the_majority_vote_to_count() -> None:
    for reward in ("think_format", "weighted({think_format: 1, tag_count: 0.2})"):
        assert "pred" not in compute_score("", "4", "4", reward=reward)
    assert compute_score("", "so it is", "4")["pred"] == ""  # each completion has the same keys


def test_of_a_composite_the_majority_vote_counts_the_predicted_answer() -> None:
    both = "weighted({think_format: 0.2, boxed_answer: 1}, name='both')"
    found = [compute_score("", rf"\boxed{{{number}}}", "4", reward=both) for number in (5, 4, 4, 4)]
    assert [one["pred"] for one in found] == ["5", "4", "4", "4"]
    assert {name: found[1][name] for name in ("score", "boxed_answer", "think_format")} == {
        "score": 1.0,
        "boxed_answer": 1.0,
        "think_format": 0.0,
    }
    assert {name: found[0][name] for name in found[0] if name.endswith("/reason")} == {
        "both/reason": "no_thinking",
        "think_format/reason": "no_thinking",
        "boxed_answer/reason": "wrong",
    }


def test_the_keys_are_the_same_whatever_a_composite_does() -> None:
    gate = "gated(boxed_answer, by=boxed_format)"
    assert {*compute_score("", "4", "4", reward=gate)} == {*compute_score("", r"\boxed{4}", "4", reward=gate)}


def test_an_option_that_is_not_there_is_no_silent_default() -> None:
    with pytest.raises(TypeError, match="rewards"):
        compute_score("", "", "4", rewards="boxed_answer")  # type: ignore[call-arg]
    with pytest.raises(gr.RewardError, match="did you mean 'boxed_answer'"):
        compute_score("", "", "4", reward="boxed_anser")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("torch", reason="torch is not installed")
    use(request.param, monkeypatch, "verl")
    ours._manager.cache_clear()
    yield request.param
    ours._manager.cache_clear()


class Words:
    """A tokenizer: each id is a character."""

    def decode(self, ids: Any, skip_special_tokens: bool = False) -> str:
        return "".join(chr(one) for one in ids)


def settings(**options: Any) -> dict[str, Any]:
    """verl's configuration as far as rewards are concerned."""
    function = {"path": "pkg://grpo_rewards.integrations.verl", "name": "compute_score", "reward_kwargs": options}
    manager = {
        "source": "importlib",
        "name": "RewardManager",
        "module": {"path": "pkg://grpo_rewards.integrations.verl"},
    }
    return {"reward": {"custom_reward_function": function, "reward_manager": manager, "num_workers": 1}}


def made(kind: str, **options: Any) -> Any:
    """The manager as verl makes it."""
    if kind == REAL:
        from omegaconf import OmegaConf
        from verl.trainer.ppo.reward import load_reward_manager

        return load_reward_manager(OmegaConf.create(settings(**options)), Words())
    function = settings(**options)["reward"]["custom_reward_function"]
    config = SimpleNamespace(reward=SimpleNamespace(custom_reward_function=function))
    return ours.RewardManager(config, Words(), compute_score)


class Data(list):  # type: ignore[type-arg]
    """verl's ``DataProto``, of which slices are taken."""

    def __getitem__(self, at: Any) -> Any:
        return Data(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)


def rollout(kind: str, text: str, prompt: str = "?", **columns: Any) -> Any:
    """A batch of one completion, with padding on both sides."""
    import numpy
    import torch

    ids = [ord(one) for one in text]
    tensors = {
        "prompts": torch.tensor([[0, *map(ord, prompt)]]),
        "responses": torch.tensor([[*ids, 0, 0]]),
        "attention_mask": torch.tensor([[0, *[1] * len(prompt + text), 0, 0]]),
    }
    columns = {"data_source": "", "reward_model": {"ground_truth": "4"}, "extra_info": {}, **columns}
    if kind == REAL:
        from verl import DataProto

        return DataProto.from_dict(tensors, {name: numpy.array([one], dtype=object) for name, one in columns.items()})
    return Data([SimpleNamespace(batch={name: one[0] for name, one in tensors.items()}, non_tensor_batch=columns)])


def test_the_manager_hands_over_token_ids_and_the_prompt(kind: str) -> None:
    async def found(data: Any, **options: Any) -> Any:
        return await made(kind, **options).run_single(data)

    data = rollout(kind, r"\boxed{4}")  # nine tokens, without the padding
    spec = "weighted({boxed_answer: 1, 'soft_overlong(max_tokens=10, buffer=2)': 1}, name='both')"
    result = asyncio.run(found(data, reward=spec))
    assert result["reward_score"] == 0.5  # 1 for the answer, -1/2 in the middle of the buffer
    assert result["reward_extra_info"]["soft_overlong"] == -0.5
    opened = rollout(kind, r"\boxed{4}", "1 + 3?<think>\n")
    result = asyncio.run(found(opened, reward="boxed_answer"))
    assert result["reward_extra_info"]["boxed_answer/reason"] == "unfinished_thinking"


@pytest.mark.full
def test_verl_finds_the_function_and_its_options_by_the_package() -> None:
    pytest.importorskip("verl", reason="verl is not installed: python tests/environments/frameworks.py")
    from omegaconf import OmegaConf
    from verl.trainer.ppo.metric_utils import process_validation_metrics
    from verl.trainer.ppo.reward import get_custom_reward_fn

    function = get_custom_reward_fn(OmegaConf.create(settings(reward="final_answer")))
    golds = ["4", "4", None]
    found = [
        function(data_source="", solution_str=one, ground_truth=gold, extra_info={"num_turns": None})
        for one, gold in zip(["It is 4.", "It is 5.", "It is 4."], golds, strict=True)
    ]
    columns = {name: [one[name] for one in found] for name in found[0]}
    figures = process_validation_metrics(["gsm8k"] * 3, ["a", "b", "c"], columns)["gsm8k"]
    assert figures["score"]["mean@1"] == pytest.approx(1 / 3)
    assert figures["final_answer/unscored"]["mean@1"] == pytest.approx(1 / 3)


@pytest.mark.full
def test_ray_workers_of_verl_grade_also_with_computer_algebra() -> None:
    pytest.importorskip("verl", reason="verl is not installed: python tests/environments/frameworks.py")
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from omegaconf import OmegaConf
    from verl.trainer.ppo.reward import load_reward_manager

    config = settings()
    config["reward"]["reward_manager"] = {"source": "register", "name": "remote"}
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        data = rollout(REAL, FORMULA, reward_model={"ground_truth": "x+1"})

        async def found() -> Any:
            return await load_reward_manager(OmegaConf.create(config), Words()).run_single(data)

        assert asyncio.run(found())["reward_score"] == 1.0
    finally:
        ray.shutdown()
