"""The recipe as a user runs it, in short runs of the tiny model, and what it says when something is wrong."""

import importlib
import importlib.util
import json
import os
import shlex
import subprocess
import sys

import gsm8k
import pandas
import pytest
import torch
from places import DATA, RECIPES
from stopped_recipe import stopped
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

GSM8K = DATA / "gsm8k" / "train.jsonl"
QUICK = "--max_steps 2 --save_steps 1 --eval_size 8 --eval_samples 2 --max_completion_length 20".split()
QUICK += ["--per_device_train_batch_size", "16"]


@pytest.mark.full
def test_a_run_prints_its_table_and_writes_its_files(tmp_path):
    command, alone = [sys.executable, RECIPES / "gsm8k.py", *QUICK], {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    first = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, **alone})
    assert first.returncode == 0, first.stderr[-3000:]
    assert "Running on" in first.stdout
    assert "boxed_answer" in first.stdout.split("held-out mean")[1]
    folder = tmp_path / "outputs" / "tiny-word_problems"
    results = json.loads((folder / "eval.json").read_text())
    assert results["steps"] == 2
    for when in ("before", "after"):
        assert 0.0 <= results[when]["sampled"]["boxed_answer"]["mean"] <= 1.0
    assert (folder / "model.safetensors").exists()
    assert "packed-chunk-0" in (folder / "report.html").read_text()
    assert "trl" in (folder / "README.md").read_text()  # TRL's card
    table = pandas.read_parquet(next((folder / "completions").glob("*.parquet")))
    assert {"boxed_answer", "boxed_answer/reason", "think_format/reason"} <= set(table.columns)
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    assert {"boxed_answer/no_box", "boxed_answer/correct", "rewards/boxed_answer/mean"} <= set(
        next(log for log in history if "reward" in log)
    )


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_it_trains_on_gsm8ks_own_file_with_rewards_from_the_command_line(tmp_path, capsys):
    rewards = "--reward_funcs boxed_answer soft_overlong(max_tokens=20,buffer=4) --reward_weights 1 0.1"
    rewards += " --thorough_check false"  # of all golds the next test asks
    gsm8k.main(["--dataset_path", str(GSM8K), *QUICK, *rewards.split()])
    said = capsys.readouterr().out
    folder = tmp_path / "outputs" / "tiny-train"
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    (last,) = [log for log in history if log.get("step") == 2 and "reward" in log]
    assert last["boxed_answer/bad_answer"] == 0.0
    expected = last["rewards/boxed_answer/mean"] + 0.1 * last["rewards/soft_overlong/mean"]
    assert last["reward"] == pytest.approx(expected, abs=1e-5)
    assert "word_problems" not in said


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_every_gold_of_gsm8k_can_be_read():
    from grpo_rewards import boxed_answer, check_answers

    answers = [json.loads(line)["answer"] for line in GSM8K.read_text().splitlines()]
    assert check_answers([boxed_answer], {"answer": answers}) == {}
    assert len(answers) == 7473  # as published


# by name: the command line, what is said, and the recipe where it is another one
MISTAKES = {name: (shlex.split(line), says, *recipe) for name, line, says, *recipe in TABLES["mistakes"]}


def circumstances(monkeypatch, name):
    """A machine on which what is asked for is missing, whatever this one has."""
    has_all = name not in ("logger", "vllm", "bitsandbytes", "flash attention", "liger")
    for what in ("vllm", "bitsandbytes", "flash_attn_2", "liger_kernel"):
        monkeypatch.setattr(f"training.checks.is_{what}_available", lambda: has_all)
    monkeypatch.setattr("training.checks.get_available_reporting_integrations", list)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("transformers.integrations.deepspeed._hf_deepspeed_config_weak_ref", None)  # then put back
    if name in ("optimizer", "deepspeed"):
        monkeypatch.setattr("transformers.trainer_optimizer.is_bitsandbytes_available", lambda: False)


# what this machine may have, by the mistake that one makes where it has not
THERE = {
    "optimizer": importlib.util.find_spec("deepspeed") is not None,
    "deepspeed": importlib.util.find_spec("deepspeed") is not None,
    "no accelerator": torch.accelerator.is_available(),
}


@each_row("name", [name for name in MISTAKES if not THERE.get(name)])
def test_mistakes_are_reported_before_a_model_is_loaded(name, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        require_told(name, tmp_path_factory.mktemp("mistake"), monkeypatch, *MISTAKES[name])


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


GOOD = [{"question": f"What is {n} + 1?", "answer": f"#### {n + 1}"} for n in range(40)]
SUMS = [{"nums": [5, 2, 3], "target": 17 + n} for n in range(40)]
MATH = [{"problem": f"What is ${n} + 1$?", "solution": f"It is $\\boxed{{{n + 1}}}$."} for n in range(40)]
FILES = {
    "helper.py": """import grpo_rewards as gr
@gr.reward
def mine(completion, hint): return float(hint in completion)
""",
    "bad.yaml": "max_step: 3\n",
    "zero.json": '{"zero_optimization": {"stage": 2}, "train_batch_size": "auto"}',
    "good.jsonl": lines(*GOOD),
    "empty.jsonl": "",
    "unreadable.jsonl": lines(*GOOD, {"question": "?", "answer": "#### "}),
    "questions.jsonl": lines(*[{"q": "?"}] * 40),
    "nothing.jsonl": lines(*[{"question": None, "answer": "#### 1"}] * 3),
    "damaged.jsonl": '{"question": "?", "answer": "1"}\n\n{"question": "?", \n',
    "numbers.jsonl": lines(*[{"numbers": [1, 2], "target": 3}] * 40),
    "sums.jsonl": lines(*SUMS, {"nums": None, "target": 3}, {"nums": [1, 2, 3], "target": None}),
    "math.jsonl": lines(*MATH, {"problem": "?", "solution": "Seven."}, {"problem": "?", "solution": "$7$"}),
    "folder/train.jsonl": lines(*[{"question": "?", "answer": "1"}] * 9),
    "below/nothing": "",
    "strange/config.json": '{"model_type": "unheard_of"}',
    "adapter/adapter_config.json": '{"base_model_name_or_path": "./nowhere", "peft_type": "LORA"}',
}


def require_told(name, tmp_path, monkeypatch, arguments, says, recipe="gsm8k"):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    circumstances(monkeypatch, name)
    given = ["--eval_size", "0", "--thorough_check", "false", *arguments]
    said = stopped(importlib.import_module(recipe), given, monkeypatch, tmp_path)
    assert says in said
    assert said.count("\n") == 0
