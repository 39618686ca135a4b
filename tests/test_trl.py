"""The rewards where they are used: in real trainers, for two steps, on the tiny model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import pandas
import torch
from datasets import Dataset
from places import TINY
from quiet_training import QUIET
from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

import grpo_rewards as gr

MODEL = str(TINY)
PROBLEMS = [
    {"question": f"Ana has {n} pens and finds 2 more. How many pens does Ana have now?", "answer": n + 2}
    for n in range(2, 8)
]
QUICK = QUIET | {
    "max_steps": 2,
    "per_device_train_batch_size": 8,
    "num_generations": 4,
    "max_completion_length": 16,
    "log_completions": True,
    "num_completions_to_print": 0,
    "use_cpu": not torch.cuda.is_available(),
}


def conversational() -> Dataset:
    return Dataset.from_list(
        [{"prompt": [{"role": "user", "content": p["question"]}], "answer": p["answer"]} for p in PROBLEMS]
    )


def plain() -> Dataset:
    return Dataset.from_list([{"prompt": p["question"] + "\n", "answer": str(p["answer"])} for p in PROBLEMS])


def reward_log(trainer) -> list[dict]:
    return [log for log in trainer.state.log_history if "reward" in log]


ALL_REWARDS = {
    gr.boxed_answer: 1.0,
    gr.final_answer: 0.5,
    gr.think_format: 0.2,
    gr.think_answer_format: 0.2,
    gr.boxed_format: 0.1,
    gr.soft_overlong.bind(max_tokens=16, buffer=4): 0.1,
    gr.cosine_length.bind(max_tokens=16): 0.1,
    gr.pattern.bind(regex=r"\d"): 0.1,
    gr.repetition: 0.1,
}


@pytest.mark.parametrize("dataset", [conversational, plain], ids=["messages", "text"])
def test_grpo_trainer_logs_rewards_and_reasons(tmp_path, dataset):
    weighted = gr.weighted(ALL_REWARDS)
    trainer = GRPOTrainer(
        model=MODEL,
        reward_funcs=gr.check_rewards(weighted.funcs, columns=dataset().column_names, weights=weighted.weights).rewards,
        args=GRPOConfig(output_dir=str(tmp_path), reward_weights=weighted.weights, **QUICK),
        train_dataset=dataset(),
    )
    trainer.train()
    logs = reward_log(trainer)
    assert trainer.state.global_step == 2
    assert len(logs) == 2
    for log in logs:
        assert {f"rewards/{reward.name}/mean" for reward in weighted.funcs} <= set(log)
        for reward in weighted.funcs:
            shares = [log[f"{reward.name}/{reason}"] for reason in reward.reasons]
            assert sum(shares) == pytest.approx(1.0, abs=1e-5)  # every completion has exactly one reason
        assert log["rewards/boxed_answer/mean"] == pytest.approx(log["boxed_answer/correct"])
        # TRL's weighted sum of the means, all of them scored
        weights = zip(weighted.funcs, weighted.weights, strict=True)
        expected = sum(weight * log[f"rewards/{reward.name}/mean"] for reward, weight in weights)
        assert log["reward"] == pytest.approx(expected, abs=1e-5)
    table = pandas.concat([pandas.read_parquet(path) for path in sorted((tmp_path / "completions").glob("*.parquet"))])
    assert {"boxed_answer/reason", "boxed_answer/prediction", "think_format/reason"} <= set(table.columns)
    right = table["boxed_answer/reason"] == "correct"
    assert (right == (table["boxed_answer"] == 1.0)).all()


def test_a_row_without_a_gold_is_left_out_and_does_not_stop_the_run(tmp_path):
    rows = [{"prompt": p["question"] + "\n", "answer": ""} for p in PROBLEMS]
    trainer = GRPOTrainer(
        model=MODEL,
        reward_funcs=[gr.boxed_answer, gr.boxed_format],
        args=GRPOConfig(output_dir=str(tmp_path), **QUICK),
        train_dataset=Dataset.from_list(rows),
    )
    trainer.train()
    for log in reward_log(trainer):
        assert log["boxed_answer/bad_answer"] == 1.0
        assert log["rewards/boxed_answer/mean"] is None
        assert log["reward"] == pytest.approx(log["rewards/boxed_format/mean"])


def test_one_composite_gives_the_same_total_as_trls_own_weights(tmp_path):
    composite = gr.weighted({gr.boxed_answer: 1.0, gr.think_format: 0.2}, name="points")
    totals = []
    for rewards, weights in ((composite.funcs, composite.weights), ([composite], None)):
        args = GRPOConfig(output_dir=str(tmp_path), reward_weights=weights, seed=3, **QUICK)
        trainer = GRPOTrainer(model=MODEL, reward_funcs=rewards, args=args, train_dataset=conversational())
        trainer.train()
        totals.append([log["reward"] for log in reward_log(trainer)])
        parts = [log for log in reward_log(trainer) if "points/boxed_answer" in log]
        assert len(parts) == (0 if weights else 2)
    assert totals[0] == pytest.approx(totals[1], abs=1e-5)


COMPOSITES = [
    "gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)",
    "scheduled(tag_count, start=1.0, end=0.0, over=2)",
    "clipped(scaled(repetition, by=2), low=-0.5, high=0.0)",
    "routed({'even': max_length(max_tokens=8), 'odd': arithmetic_steps}, by='kind')",
]


@gr.reward
async def judged_by_length(completion: str) -> float:
    if not completion:
        raise ConnectionError("nothing to judge")
    return float(len(completion) % 2)


@gr.batch_reward
async def ranked_in_the_call(completions: list[str], *, num_generations: int) -> list[float]:
    """1 for a longest completion of each group, else 0."""
    groups = [completions[at : at + num_generations] for at in range(0, len(completions), num_generations)]
    return [float(len(one) == max(map(len, group))) for group in groups for one in group]


def test_composites_and_coroutines_in_a_real_run(tmp_path):
    rows = [
        {"prompt": p["question"], "answer": str(p["answer"]), "kind": ("even", "odd")[p["answer"] % 2]}
        for p in PROBLEMS
    ]
    ranked = ranked_in_the_call.bind(num_generations=QUICK["num_generations"])
    rewards = [*map(gr.get_reward, COMPOSITES), judged_by_length, ranked]
    trainer = GRPOTrainer(
        model=MODEL,
        reward_funcs=gr.check_rewards(rewards, columns=rows[0], weights=[1.0] * 6).raise_for_errors().rewards,
        args=GRPOConfig(output_dir=str(tmp_path), reward_weights=[1.0] * 6, **QUICK),
        train_dataset=Dataset.from_list(rows),
    )
    trainer.train()
    logs = reward_log(trainer)
    assert trainer.state.global_step == 2
    for step, log in enumerate(logs):
        assert log["scheduled_tag_count/weight"] == 1 - step / 2  # the weight at the step that the state shows
        assert -0.5 <= log["rewards/clipped_scaled_repetition/mean"] <= 0
        assert {"gated_weighted/stopped", "weighted/boxed_answer", "judged_by_length/failed"} <= set(log)
        assert {f"rewards/{reward.name}/mean" for reward in rewards} <= set(log)
        assert log["rewards/ranked_in_the_call/mean"] >= 1 / QUICK["num_generations"]
    table = pandas.concat([pandas.read_parquet(path) for path in sorted((tmp_path / "completions").glob("*.parquet"))])
    assert {"max_length/reason", "arithmetic_steps/reason", "boxed_answer/reason"} <= set(table.columns)
    assert len(table) == 16


def test_rloo_trainer(tmp_path):
    trainer = RLOOTrainer(
        model=MODEL,
        reward_funcs=[gr.boxed_answer, gr.repetition],
        args=RLOOConfig(output_dir=str(tmp_path), **QUICK),
        train_dataset=conversational(),
    )
    trainer.train()
    assert [log["boxed_answer/bad_answer"] for log in reward_log(trainer)] == [0.0, 0.0]
    assert all(log["rewards/repetition/mean"] <= 0 for log in reward_log(trainer))


QUICK_COMMAND = {**QUICK, "save_strategy": "steps", "save_steps": 2}


def trained_by_command(tmp_path, run):
    """The log of ``trl grpo`` with two rewards by their paths; ``run`` runs it, given its words."""
    data = tmp_path / "data"
    data.mkdir()
    plain().to_json(data / "train.jsonl")
    words = ["--reward_funcs", "grpo_rewards.boxed_answer", "grpo_rewards.boxed_format"]
    options = {**QUICK_COMMAND, "model_name_or_path": MODEL, "dataset_name": data, "output_dir": tmp_path / "out"}
    run([*words, *(part for name, value in options.items() for part in (f"--{name}", str(value)))])
    (state,) = (tmp_path / "out").glob("checkpoint-*/trainer_state.json")
    return [log for log in json.loads(state.read_text())["log_history"] if "reward" in log]


def require_rewards(logs):
    assert [log["boxed_format/boxed"] for log in logs] != []
    assert all(log["boxed_answer/bad_answer"] == 0.0 for log in logs)


def test_trls_script_takes_a_reward_by_its_path(tmp_path, monkeypatch):
    def here(words):
        from trl.scripts import grpo

        grpo.main(*grpo.make_parser().parse_args_and_config(words, fail_with_unknown_args=False))

    monkeypatch.setattr(sys, "path", list(sys.path))  # the script adds the working directory
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    require_rewards(trained_by_command(tmp_path, here))


@pytest.mark.full
def test_trls_command_line_takes_a_reward_by_its_path(tmp_path):
    def launched(words):
        command = [str(Path(sys.executable).with_name("trl")), "grpo", *words]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        assert done.returncode == 0, done.stderr[-3000:]

    require_rewards(trained_by_command(tmp_path, launched))
