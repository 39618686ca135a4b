"""A trained model, or an adapter, is asked, judged and merged."""

import io
import json
import shutil
import sys
from dataclasses import replace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import ask
import torch
from gsm8k import TASK
from peft import LoraConfig, get_peft_model
from places import TINY
from running.exam.examinees import from_runs
from running.trying import Completion, Trial, merged, verdicts
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


class Keyboard:
    """What is typed, line by line; a Ctrl-C where it says so."""

    def __init__(self, monkeypatch, *lines):
        self.lines, self.prompts = list(lines), []
        monkeypatch.setattr("builtins.input", self.typed)
        monkeypatch.setattr(sys, "stdin", self)

    def isatty(self):
        return True

    def typed(self, prompt):
        self.prompts.append(prompt)
        line = self.lines.pop(0)
        if line is KeyboardInterrupt:
            raise line
        return line


def test_questions_can_be_typed(monkeypatch):
    keyboard = Keyboard(monkeypatch, QUESTION, "7", "Another?", "", "")
    assert list(ask.typed(TASK)) == [{"question": QUESTION, "answer": "7"}, {"question": "Another?"}]
    assert keyboard.lines == []
    assert keyboard.prompts[:2] == ["question (empty to end)> ", "answer, if you know it> "]


def test_ctrl_c_ends_without_a_traceback(monkeypatch, capsys):
    Keyboard(monkeypatch, KeyboardInterrupt)
    with pytest.raises(SystemExit) as stopped:
        ask.main([str(TINY), "--task", "gsm8k"])
    assert stopped.value.code == 130
    assert capsys.readouterr().err.endswith("\nInterrupted.\n")


def test_a_task_that_asks_about_several_columns_says_what_it_needs(monkeypatch, capsys):
    with pytest.raises(SystemExit) as stopped:
        asked(TINY, "--task", "countdown", "Reach 7 with 3, 4", capsys=capsys)
    assert str(stopped.value) == (
        "error: a problem of countdown is made from its columns nums, target: there is no target. Give them all with "
        """--row '{"nums": "…", "target": "…"}', or pipe in such lines."""
    )
    words = (TINY, "--task", "countdown", "--max_new_tokens", 2)
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"nums": [3, 4], "target": 7}\n'))
    piped = asked(*words, capsys=capsys)
    assert piped.startswith("> Reach 7 with 3, 4, each used once")
    assert "expression_reaches 0: " in piped
    Keyboard(monkeypatch, "[3, 4]", "7", "")
    assert asked(*words, capsys=capsys) == piped


def test_it_is_asked_with_the_runs_template_and_sampling(tmp_path, monkeypatch):
    def asked_with(*words):
        made = []
        monkeypatch.setattr(ask, "Trial", lambda **how: made.append(how) or sys.exit())
        with pytest.raises(SystemExit):
            ask.main([str(tmp_path), "--task", "gsm8k", "?", *words])
        return made[0]

    shutil.copytree(TINY, tmp_path, dirs_exist_ok=True)
    run = {"chat_template_kwargs": {"enable_thinking": False}, "temperature": 0.7, "top_p": 0.9, "min_p": None}
    run |= {"task": TASK.name, "reward_funcs": ["boxed_answer"]}
    (tmp_path / "run.json").write_text(json.dumps({"settings": run}))
    assert asked_with()["template"] == {"enable_thinking": False}
    assert asked_with()["temperature"] is None  # one answer is greedy
    assert asked_with()["rewards"] == ["boxed_answer"]
    assert asked_with("--samples", "2")["temperature"] == 0.7
    assert asked_with("--samples", "2", "--temperature", "0.5")["temperature"] == 0.5
    assert asked_with("--chat_template_kwargs", '{"enable_thinking": true}')["template"] == {"enable_thinking": True}
    (tmp_path / "run.json").write_text(json.dumps({"settings": {**run, "task": "another"}}))
    assert asked_with()["rewards"] == list(TASK.rewards)


def test_the_template_and_the_sampling_reach_the_model():
    def trial(**more):
        how = {"system_prompt": None, "template": {}, "max_new_tokens": 2, "temperature": None, "samples": 1}
        return Trial(str(TINY), ["think_format"], **{**how, "sampling": {}, **more})

    sampled = trial(temperature=0.7, sampling={"top_p": 0.9, "min_p": None, "repetition_penalty": 1.2})
    assert sampled.how == {
        **{"do_sample": True, "num_return_sequences": 1, "max_new_tokens": 2},
        **{"temperature": 0.7, "top_p": 0.9, "top_k": 0, "repetition_penalty": 1.2},
    }
    assert "top_p" not in trial(sampling={"top_p": 0.9}).how
    other = trial(template={"enable_thinking": True})
    rendered = []
    other.tokenizer.apply_chat_template = lambda *_, **how: rendered.append(how) or sys.exit()
    with pytest.raises(SystemExit):
        next(other.completions("?"))
    assert rendered[0]["enable_thinking"] is True


def test_an_adapter_is_asked_merged_and_saved_whole(adapter, tmp_path, capsys):
    words = ("--task", "gsm8k", QUESTION, "--answer", "7")
    before = asked(adapter, *words, capsys=capsys)
    assert "think_format" not in before  # the run's rewards, not the task's
    whole = tmp_path / "merged"
    after = asked(adapter, *words, "--merge_to", whole, capsys=capsys)
    assert after == f"The merged model is in {whole}.\n{before}"
    assert (whole / "model.safetensors").is_file()
    assert not (whole / "adapter_config.json").exists()
    alone = asked(whole, *words, capsys=capsys)
    assert alone == before
    # the adapter does something: its model says otherwise
    assert asked(TINY, *words, "--reward_funcs", "boxed_answer", "--max_new_tokens", 9, capsys=capsys) != before


def test_a_merged_model_is_asked_as_its_adapter_was_trained(adapter, tmp_path):
    record = adapter / "run.json"
    before = record.read_text()
    of_run = {"temperature": 0.7, "system_prompt": "Think.", "load_in_4bit": True, "reward_funcs": ["boxed_answer"]}
    record.write_text(json.dumps({"settings": {**of_run, "task": TASK.name}, "versions": {"trl": "1"}}))
    shutil.copytree(adapter, tmp_path / "run" / "checkpoint-2", ignore=lambda *_: ["run.json"])
    shutil.copy(record, tmp_path / "run" / "run.json")
    try:
        for at, one in enumerate((adapter, tmp_path / "run" / "checkpoint-2")):
            folder = tmp_path / f"merged-{at}"
            merged(str(one), folder)
            assert json.loads((folder / "run.json").read_text())["merged_from"] == str(one)
            (found,) = from_runs([str(folder)], TASK, [])  # what evaluate.py and filter.py take
            assert found == {"temperature": 0.7, "system_prompt": "Think.", "reward_funcs": ["boxed_answer"]}
    finally:
        record.write_text(before)


def test_a_task_of_several_columns_is_asked_by_its_row(monkeypatch, capsys):
    several = replace(
        TASK, columns=("numbers", "target"), ask=lambda row: f"Reach it with {row['numbers']}.", rewards={}
    )
    monkeypatch.setattr(ask, "task_called", lambda _: several)
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
        (["{adapter}", "--task", "gsm8k", "?", "--merge_to", "/proc/new"], "--merge_to /proc/new cannot be written"),
        ([TINY, "--task", "gsm8k", "--row", "[1]"], "--row must be a JSON object with question, answer"),
        ([TINY, "--task", "gsm8k", "?", "--reward_funcs", "boxed_anser"], "did you mean 'boxed_answer'"),
    ],
)
def test_mistakes_are_told(words, says, adapter, capsys):
    words = [str(word).format(adapter=adapter) if "adapter" in str(word) else word for word in words]
    with pytest.raises(SystemExit) as stopped:
        asked(*words, capsys=capsys)
    assert says in str(stopped.value)


def test_a_folder_in_use_is_not_merged_into(adapter, tmp_path, capsys):
    (tmp_path / "precious").write_text("")
    with pytest.raises(SystemExit, match=r"exists already\. Name a new folder"):
        asked(adapter, "--task", "gsm8k", "?", "--merge_to", tmp_path, capsys=capsys)
