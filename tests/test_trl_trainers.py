"""Every trainer of TRL that takes rewards, run for a step: what it hands over, and what becomes of it."""

import asyncio
import importlib
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import pandas
from accelerate import PartialState
from datasets import Dataset
from places import ROOT, TINY
from quiet_training import QUIET
from transformers import AutoModelForCausalLM, AutoTokenizer

import grpo_rewards as gr
from grpo_rewards import RewardError

ALWAYS = {"prompts", "completions", "answer"}
LOGGERS = {"log_metric", "log_extra"}
# where it is, its own options, and what it hands over beside ``ALWAYS``
TRAINERS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "GRPO": ("trl", {"num_generations": 4}, {"completion_ids", "trainer_state", *LOGGERS}),
    "RLOO": ("trl", {"num_generations": 4}, {"completion_ids", "trainer_state", *LOGGERS}),
    "GMPO": ("trl.experimental.gmpo", {"num_generations": 4}, {"completion_ids", "trainer_state", *LOGGERS}),
    "SDPO": ("trl.experimental.sdpo", {"num_generations": 4}, {"completion_ids", "trainer_state"}),
    "OnlineDPO": ("trl.experimental.online_dpo", {"max_length": 64}, {"completion_ids", "trainer_state"}),
    "A2PO": ("trl.experimental.a2po", {"num_value_samples": 2, "filter_all_incorrect": False}, set()),
}


class Spy:
    """A reward of TRL's own kind that keeps what it is given."""

    __name__ = "spy"

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def __call__(self, **given: Any) -> list[float]:
        self.given.append(given)
        return [0.5] * len(given["completions"])


def trained(name: str, folder: Any, rewards: list[Any], messages: bool = False) -> Any:
    where, own, _ = TRAINERS[name]
    module = importlib.import_module(where)
    longest = "max_new_tokens" if name == "OnlineDPO" else "max_completion_length"
    settings = {**QUIET, "output_dir": str(folder), "max_steps": 1, "per_device_train_batch_size": 4, longest: 8}
    if TRAINERS[name][2] >= LOGGERS:
        settings |= {"log_completions": True, "num_completions_to_print": 0}
    questions = [f"{n} + 2?\n" for n in range(8)]
    prompts = [[{"role": "user", "content": one}] for one in questions] if messages else questions
    rows = [{"prompt": prompt, "answer": str(n + 2)} for n, prompt in enumerate(prompts)]
    more = {"processing_class": AutoTokenizer.from_pretrained(TINY)} if name == "OnlineDPO" else {}
    args = getattr(module, f"{name}Config")(**{**settings, **own})
    trainer = getattr(module, f"{name}Trainer")(
        model=AutoModelForCausalLM.from_pretrained(TINY) if name == "OnlineDPO" else str(TINY),
        reward_funcs=gr.check_rewards(rewards, rows, args=args).raise_for_errors().rewards,
        args=args,
        train_dataset=Dataset.from_list(rows),
        **more,
    )
    trainer.train()
    return trainer


@pytest.mark.full
@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("messages", [False, True], ids=["text", "messages"])
def test_what_a_trainer_hands_over_is_what_the_docs_say(name: str, messages: bool, tmp_path: Any) -> None:
    spy = Spy()
    counting = [] if name == "A2PO" else [gr.soft_overlong.bind(max_tokens=8, buffer=4), gr.relative_length]
    if name == "OnlineDPO":  # its configuration has no number; it draws pairs
        counting[1] = gr.relative_length.bind(num_generations=2)
    trainer = trained(name, tmp_path, [spy, gr.boxed_answer, gr.boxed_format, *counting], messages)
    assert trainer.state.global_step == 1
    given = spy.given[0]
    assert set(given) == ALWAYS | TRAINERS[name][2]
    size = len(given["completions"])
    assert all(len(given[one]) == size for one in given if one not in ("trainer_state", *LOGGERS))
    assert isinstance(given["prompts"][0], list if messages else str)
    assert isinstance(given["completions"][0], list if messages and name != "A2PO" else str)
    if name == "OnlineDPO":  # all first completions, then all second ones, and all padded to one length
        assert given["prompts"][: size // 2] == given["prompts"][size // 2 :]
        assert len({len(ids) for ids in given["completion_ids"]}) == 1
    elif name != "A2PO":
        assert [given["prompts"][0]] * 4 == given["prompts"][:4]
    (log,) = [log for log in trainer.state.log_history if "loss" in log]
    assert ("boxed_answer/no_box" in log) == (set(given) >= LOGGERS)
    tables = list((tmp_path / "completions").glob("*.parquet"))
    assert bool(tables) == (name in ("GRPO", "GMPO"))  # RLOOTrainer prints and uploads its table, and writes no file
    for table in map(pandas.read_parquet, tables):
        assert {"boxed_answer/answer", "boxed_answer/step", "boxed_answer/why"} <= set(table.columns)
        again = gr.boxed_answer.explain_all(list(table["completion"]), answer=list(table["boxed_answer/answer"]))
        assert [one.reward for one in again] == list(table["boxed_answer"])


@pytest.mark.full
@pytest.mark.parametrize("name", ["SDPO", "OnlineDPO", "A2PO"])
def test_a_trainer_that_takes_no_coroutine_says_so_in_its_own_words(name: str, tmp_path: Any) -> None:
    @gr.reward
    async def takes_its_time(completion: str) -> float:
        return float(len(completion) > 3)

    with pytest.raises(TypeError, match="coroutine"):
        trained(name, tmp_path, [takes_its_time])

    def waited_for(completions: Any, **given: Any) -> list[float | None]:
        return asyncio.run(takes_its_time(completions=completions))

    assert trained(name, tmp_path, [waited_for]).state.global_step == 1


@pytest.mark.full
def test_a_reward_that_counts_tokens_is_informed_that_a_trainer_passes_none(tmp_path: Any) -> None:
    message = r"needs completion_ids, which this call does not have\..*A2POTrainer does not"
    with pytest.raises(RewardError, match=message):
        trained("A2PO", tmp_path, [gr.soft_overlong.bind(max_tokens=8, buffer=4)])
    unreadable = gr.boxed_answer.bind(columns={"answer": "nothing"})
    with pytest.raises(TypeError, match="NoneType"):  # it takes no None; golds are looked at before, by check_rewards
        trained("A2PO", tmp_path, [lambda completions, **_: unreadable(completions, nothing=[""] * len(completions))])


def test_asynchronous_grpo_scores_whole_groups_without_loggers() -> None:
    worker = pytest.importorskip("trl.experimental.async_grpo.async_rollout_worker")
    PartialState(cpu=True)  # which its logging asks for
    spy, kinds = Spy(), ("_env_reward_types", "_provides_rollout_reward")
    loop = object.__new__(worker._AsyncRolloutLoop)  # without the server that it would ask for completions
    loop.reward_funcs = [spy, gr.boxed_answer, gr.relative_length.bind(num_generations=4)]
    loop.reward_func_names = ["spy", "boxed_answer", "relative_length"]
    for kind, nothing in zip(kinds, ([], False), strict=True):
        setattr(loop, kind, nothing)
    texts = [r"\boxed{4}", r"so \boxed{4}", r"\boxed{5}", "4"]
    sequence = worker.TrainingSequence
    fields = {one: [] for one in sequence.__dataclass_fields__}
    group = worker.RolloutGroup(
        prompts=[[{"role": "user", "content": "2 + 2?"}]] * 4,
        reward_kwargs={"answer": ["4"] * 4},
        completions=[[{"role": "assistant", "content": text}] for text in texts],
        completions_ids=[list(range(n)) for n in (10, 20, 30, 20)],
        completions_sequences=[[sequence(**fields)]] * 4,
        tool_call_counts=[0] * 4,
        tool_failure_counts=[0] * 4,
        model_version=1,
        group_id=1,
        env_rewards=[None] * 4,
        rollout_rewards=[None] * 4,
    )
    samples = asyncio.run(loop._score_group(group))
    assert set(spy.given[0]) == ALWAYS | {"completion_ids"}
    assert [one.metrics["rewards/boxed_answer"] for one in samples] == [1.0, 1.0, 0.0, 0.0]
    assert [one.metrics["rewards/relative_length"] for one in samples] == [0.5, 0.0, -0.5, 0.0]


def test_the_table_in_the_docs_is_what_the_tests_expect() -> None:
    page = (ROOT / "docs" / "stability.md").read_text()
    for name, (_, _, given) in {**TRAINERS, "AsyncGRPO": ("", {}, {"completion_ids"})}.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}Trainer`")]
        cells = [cell.strip() for cell in row.split("|")[2:5]]
        ids, state, loggers = (cell.partition(",")[0] for cell in cells)
        assert (ids == "yes") == ("completion_ids" in given), row
        assert (state == "yes") == ("trainer_state" in given), row
        assert (loggers == "yes") == (given >= LOGGERS), row
