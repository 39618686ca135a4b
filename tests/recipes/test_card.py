"""The card says what was trained, on what, for what and with what result; the hub can read its metadata."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import countdown
import torch
from gsm8k import TASK
from huggingface_hub import ModelCard
from running.card import Card, Figure, card_settings, figures, launched, save_card, tried
from running.settings import settings

CARD = Card(
    name="qwen-gsm8k",
    base_model="Qwen/Qwen2.5-0.5B-Instruct",
    data="[openai/gsm8k](https://huggingface.co/datasets/openai/gsm8k)",
    dataset="openai/gsm8k",
    rewards={"boxed_answer": 1.0, "pattern(regex='a|b')": 0.2},
    settings={"learning_rate": 1e-6},
    figures=[
        Figure("`boxed_answer`, sampled", (0.25, (0.2, 0.3)), (0.5, (0.45, 0.55)), (0.25, (0.1, 0.4))),
        Figure("`think_format`, sampled", (None, None), (1.0, None), (None, None)),
    ],
    held_out="200 problems.",
    steps=500,
    launched="accelerate launch recipes/gsm8k.py",
    machine="NVIDIA H100",
    adapter=False,
    system_prompt="Reason\nfirst.",
    tried="python recipes/ask.py outputs/a --task gsm8k 'a question'",
    curve="reward_curve.png",
)


def test_the_hub_reads_its_metadata(tmp_path):
    CARD.written().save(tmp_path / "README.md")
    data = ModelCard.load(tmp_path / "README.md").data
    assert data.base_model == "Qwen/Qwen2.5-0.5B-Instruct"
    assert data.datasets == "openai/gsm8k"
    assert data.library_name == "transformers"
    assert {"grpo", "trl"} <= set(data.tags)
    adapter = replace(CARD, adapter=True, base_model="./here", dataset=None).written().data
    assert (adapter.library_name, adapter.base_model, adapter.datasets) == ("peft", None, None)
    assert "lora" in adapter.tags


def test_the_page_says_what_happened():
    page = CARD.written().text
    assert "A version of [Qwen/Qwen2.5-0.5B-Instruct](https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct)" in page
    assert "trained for 500 steps with GRPO on [openai/gsm8k]" in page
    assert "| mean | before | after | difference |" in page
    assert "| `boxed_answer`, sampled | 0.250 [0.200, 0.300] | 0.500 [0.450, 0.550] | +0.250 [+0.100, +0.400] |" in page
    assert "| `think_format`, sampled | none scored | 1.000 | none scored |" in page
    assert "## Try it\n\n```shell\npython recipes/ask.py outputs/a --task gsm8k 'a question'\n```" in page
    assert "95 % intervals" in page
    assert "| `pattern(regex='a&#124;b')` | 0.2 |" in page  # a bar would end the cell
    assert "![the rewards by step](reward_curve.png)" in page
    assert "> Reason first." in page
    assert "| `learning_rate` | `1e-06` |" in page
    assert "accelerate launch recipes/gsm8k.py" in page
    assert "trl 1." in page
    assert "None" not in page


def test_a_run_without_an_evaluation_says_so():
    page = replace(CARD, figures=[], curve=None, tried=None).written().text
    assert "Try it" not in page
    assert "None were evaluated." in page
    assert "![" not in page


def mean(value, interval):
    return {"mean": value, "interval": interval, "problems": 8}


def found(value, interval):
    return {"boxed_answer": mean(value, interval)}


def test_all_figures_are_reported_and_sampled_ones_first():
    results = {
        "before": {"greedy": found(0.3, None), "sampled": found(0.5, [0.4, 0.6]), "pass@k": {"4": mean(0.7, None)}},
        "after": {"greedy": found(1.0, None), "sampled": found(0.9, [0.85, 0.95]), "pass@k": {"4": mean(1, [0.9, 1])}},
        "difference": {"sampled": found(0.4, [0.3, 0.5]), "pass@k": {"4": mean(0.3, None)}},
    }
    assert figures(results) == [
        Figure("`boxed_answer`, sampled", (0.5, (0.4, 0.6)), (0.9, (0.85, 0.95)), (0.4, (0.3, 0.5))),
        Figure("`boxed_answer`, greedy", (0.3, None), (1.0, None), (None, None)),
        Figure("`pass@4`", (0.7, None), (1, (0.9, 1)), (0.3, None)),
    ]
    assert figures({"before": {}, "after": {}, "difference": {}}) == []


def test_a_run_without_an_evaluation_before_training_tells_the_one_after():
    (only,) = figures({"before": {}, "after": {"sampled": found(0.9, [0.8, 1.0])}, "difference": {}})
    page = replace(CARD, figures=[only]).written().text
    assert "| mean | after |" in page
    assert "| `boxed_answer`, sampled | 0.900 [0.800, 1.000] |" in page


def test_it_is_tried_where_it_is_and_with_the_task_of_a_recipe(monkeypatch):
    def line(task, script, trainer):
        monkeypatch.setattr("sys.argv", [script])
        return tried(task, trainer)

    there = SimpleNamespace(args=SimpleNamespace(output_dir="outputs/my run", push_to_hub=False))
    expected = "python recipes/ask.py 'outputs/my run' --task gsm8k 'a question'"
    assert line(TASK, "recipes/gsm8k.py", there) == expected
    assert line(TASK, "recipes/dynamic_sampling.py", there) == expected  # which trains on that task
    assert line(TASK, "gsm8k.py", there) == expected.replace("recipes/", "")
    hub = SimpleNamespace(args=SimpleNamespace(output_dir="out", push_to_hub=True), hub_model_id="me/it")
    assert line(TASK, "gsm8k.py", hub) == "python ask.py me/it --task gsm8k 'a question'"
    there.train_dataset = [{"prompt": [], "nums": [5, 2], "target": 7}]
    assert line(countdown.TASK, "countdown.py", there).endswith(
        """--task countdown --row '{"nums": [5, 2], "target": 7}'"""
    )
    assert line(replace(TASK, name="mine"), "elsewhere.py", there) is None


def test_the_launch_is_reported_without_secrets():
    own = ["recipes/gsm8k.py", "--hub_token", "abc", "--seed", "1", "--wandb_api_key=def"]
    assert launched(["bash"], own) == "python recipes/gsm8k.py --hub_token HIDDEN --seed 1 --wandb_api_key=HIDDEN"
    parent = ["/env/bin/python", "/env/bin/accelerate", "launch", "--num_processes", "2", "recipes/gsm8k.py"]
    assert launched(parent, own) == "accelerate launch --num_processes 2 recipes/gsm8k.py"
    assert launched([], ["a.py", "--system_prompt", "two words"]) == "python a.py --system_prompt 'two words'"


def test_settings_that_were_set_are_reported_and_secrets_are_not():
    _, training, model = settings(TASK, ["--hub_token", "abc", "--epsilon_high", "0.28", "--output_dir", "out"])
    shown_settings = card_settings(training)
    assert shown_settings["epsilon_high"] == 0.28
    assert shown_settings["learning_rate"] == 3e-4
    assert shown_settings["lr_scheduler_type"] == "constant"
    assert "abc" not in str(shown_settings)
    assert not {"output_dir", "hub_token", "optim", "logging_steps"} & set(shown_settings)
    assert card_settings(model) == {"dtype": "float32", "use_peft": False}


def test_a_run_that_ended_gets_its_card(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["recipes/gsm8k.py", "--seed", "3"])
    script, training, model = settings(TASK, ["--seed", "3"])
    script.reward_funcs, training.reward_weights = ["boxed_answer"], None
    trainer = SimpleNamespace(
        args=training,
        state=SimpleNamespace(global_step=7),
        accelerator=SimpleNamespace(num_processes=2, device=torch.device("cpu")),
    )
    results = {
        "problems": 4,
        "samples": 2,
        "before": {},
        "difference": {},
        "after": {"sampled": found(0.5, [0.1, 0.9])},
    }
    (tmp_path / "reward_curve.png").write_bytes(b"")
    save_card(tmp_path, TASK, trainer, results, script, model)
    page = (tmp_path / "README.md").read_text()
    assert "`tiny_word_problems`, trained for 7 steps with GRPO on generated problems (word_problems)" in page
    assert str(TASK.model.parent) not in page  # where a folder is means nothing elsewhere
    assert "It ran on CPU of 2 processes." in page
    assert "ask.py outputs/tiny-word_problems --task gsm8k 'a question'" in page
    assert "4 problems; sampled is the mean of 2 samples of each." in page
    assert "| `boxed_answer` | 1.0 |" in page
    assert json.dumps(ModelCard(page).data.to_dict())
