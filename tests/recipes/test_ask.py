"""A trained model, or an adapter, is asked, judged and merged."""

import io
import json
import sys
from dataclasses import replace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import ask
import torch
from gsm8k import TASK
from peft import LoraConfig, get_peft_model
from places import TINY
from running.trying import Completion, verdicts
from transformers import AutoModelForCausalLM

from grpo_rewards import get_reward

QUESTION = "Tom has 3 apples. He buys 4 more. How many apples does he have?"


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """A LoRA adapter of the tiny model that changes what it says: its second matrix is not zero."""
    torch.manual_seed(0)
    config = LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(TINY), config)
    folder = tmp_path_factory.mktemp("run")
    model.save_pretrained(folder)
    (folder / "run.json").write_text(
        json.dumps({"settings": {"reward_funcs": ["boxed_answer"], "max_completion_length": 9}})
    )
    return folder


def asked(*words, capsys):
    ask.main([str(word) for word in words])
    return capsys.readouterr().out


def test_a_model_answers_and_each_reward_gives_its_verdict(capsys):
    said = asked(TINY, "--task", "gsm8k", QUESTION, "--answer", "7", "--max_new_tokens", 32, capsys=capsys)
    verdict = next(line for line in said.splitlines() if line.startswith("    boxed_answer"))
    assert verdict.split()[1] in ("0:", "1:")
    assert "answer '7'" in verdict
    assert "    think_format" in said
    # greedy: the same again
    assert said == asked(TINY, "--task", "gsm8k", QUESTION, "--answer", "7", "--max_new_tokens", 32, capsys=capsys)


def test_without_a_gold_a_reward_says_what_it_would_need(capsys):
    said = asked(TINY, "--task", "gsm8k", QUESTION, "--samples", 2, "--max_new_tokens", 4, capsys=capsys)
    assert said.count("boxed_answer: not judged without answer (--answer, or --row)") == 2
    assert said.count("    think_format 0: ") == 2


def test_verdicts_say_number_reason_and_what_was_compared():
    rewards = [get_reward("boxed_answer"), get_reward("think_format")]
    completion = Completion([{"role": "user", "content": "?"}], r"<think>3 + 4 = 7</think>\boxed{7}", [1])
    right, formed = verdicts(rewards, completion, {"answer": "7"})
    assert right == "boxed_answer 1: correct, prediction '7', answer '7'"
    assert formed == "think_format 1: well_formed"
    assert next(iter(verdicts(rewards, completion, {"answer": "8"}))).startswith(
        "boxed_answer 0: wrong, prediction '7'"
    )


def test_questions_come_from_a_pipe_or_as_a_row(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{QUESTION}\n\nAnother?\n"))
    said = asked(TINY, "--task", "gsm8k", "--max_new_tokens", 2, capsys=capsys)
    assert [line for line in said.splitlines() if line.startswith("> ")] == [f"> {QUESTION}", "> Another?"]
    row = json.dumps({"question": QUESTION, "answer": "#### 7"})
    said = asked(TINY, "--task", "gsm8k", "--row", row, "--max_new_tokens", 2, capsys=capsys)
    assert f"> {QUESTION}" in said
    assert "answer '#### 7'" in said


def test_questions_can_be_typed(capsys, monkeypatch):
    typed = iter([QUESTION, "7", "Another?", "", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    monkeypatch.setattr(sys, "stdin", type("Keyboard", (), {"isatty": staticmethod(lambda: True)}))
    assert list(ask.typed()) == [(QUESTION, "7"), ("Another?", None)]
    assert list(typed) == []


def test_an_adapter_is_asked_merged_and_saved_whole(adapter, tmp_path, capsys):
    words = ("--task", "gsm8k", QUESTION, "--answer", "7")
    before = asked(adapter, *words, capsys=capsys)
    assert "think_format" not in before  # the run's rewards, not the task's
    merged = tmp_path / "merged"
    after = asked(adapter, *words, "--merge_to", merged, capsys=capsys)
    assert after == f"The merged model is in {merged}.\n{before}"
    assert (merged / "model.safetensors").is_file()
    assert not (merged / "adapter_config.json").exists()
    alone = asked(merged, *words, "--reward_funcs", "boxed_answer", "--max_new_tokens", 9, capsys=capsys)
    assert alone == before
    # the adapter does something: its model says otherwise
    assert asked(TINY, *words, "--reward_funcs", "boxed_answer", "--max_new_tokens", 9, capsys=capsys) != before


def test_a_task_of_several_columns_is_asked_by_its_row(monkeypatch, capsys):
    several = replace(
        TASK, columns=("numbers", "target"), ask=lambda row: f"Reach it with {row['numbers']}.", rewards={}
    )
    monkeypatch.setattr(ask, "task_of", lambda _: several)
    row = json.dumps({"numbers": [1, 2], "target": 3})
    words = ("--task", "gsm8k", "--row", row, "--max_new_tokens", 2, "--reward_funcs", "think_format")
    assert "> Reach it with [1, 2]." in asked(TINY, *words, capsys=capsys)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([TINY, "--task", "gsm9k", "?"], "there is no --task gsm9k. Tasks: competition_math"),
        (["./nowhere", "--task", "gsm8k", "?"], "./nowhere: there is no such folder"),
        ([TINY, "--task", "gsm8k", "?", "--merge_to", "new"], "holds no adapter"),
        ([TINY, "--task", "gsm8k", "--row", "{"], "--row is no JSON"),
        ([TINY, "--task", "gsm8k", "--row", "[1]"], "--row must be a JSON object with question, answer"),
        ([TINY, "--task", "gsm8k", "?", "--reward_funcs", "boxed_anser"], "did you mean 'boxed_answer'"),
    ],
)
def test_mistakes_are_told(words, says, capsys):
    with pytest.raises(SystemExit) as stopped:
        asked(*words, capsys=capsys)
    assert says in str(stopped.value)


def test_a_folder_in_use_is_not_merged_into(adapter, tmp_path, capsys):
    (tmp_path / "precious").write_text("")
    with pytest.raises(SystemExit, match=r"exists already\. Name a new folder"):
        asked(adapter, "--task", "gsm8k", "?", "--merge_to", tmp_path, capsys=capsys)
