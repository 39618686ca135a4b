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
from datasets import Dataset
from gsm8k import TASK
from peft import LoraConfig, get_peft_model
from places import TINY
from running.evaluation.checkpoints import checkpoint
from running.evaluation.compared_models import from_runs
from running.evaluation.untrained import NOT_TRAINED, policy_of
from running.sampling import Completion, ModelSampler, merged, verdicts
from running.settings import settings
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


def trial_of(folder, monkeypatch, *words):
    """The trial that a command line makes, and what is said greedily and sampled."""
    made = []
    monkeypatch.setattr(ask, "ModelSampler", lambda **how: made.append(ModelSampler(**how)) or sys.exit())
    with pytest.raises(SystemExit):
        ask.main([str(folder), "--task", "gsm8k", QUESTION, *map(str, words)])
    monkeypatch.undo()
    return made[0]


def run_folder(folder, **settings):
    shutil.copytree(TINY, folder, dirs_exist_ok=True)
    record = {"task": TASK.name, "max_completion_length": 32, **settings}
    (folder / "run.json").write_text(json.dumps({"settings": record}))
    return folder


def test_it_is_prompted_with_the_runs_template_and_sampling(tmp_path, monkeypatch):
    how = {"chat_template_kwargs": {"enable_thinking": False}, "temperature": 0.7, "top_p": 0.9, "min_p": None}
    run_folder(tmp_path, **how, reward_funcs=["boxed_answer"], system_prompt="Think.")

    def asked_with(*words):
        trial = trial_of(tmp_path, monkeypatch, *words)
        return trial, trial.policy.settings["template"], trial.policy.settings["generation"]

    trial, template, generation = asked_with()
    assert trial.greedy
    assert template == {"enable_thinking": False}
    assert [reward.name for reward in trial.rewards] == ["boxed_answer"]
    assert trial.prompt("?")[0] == {"role": "system", "content": "Think."}
    assert (generation["temperature"], generation["top_p"], generation["max_new_tokens"]) == (0.7, 0.9, 32)
    trial, _, generation = asked_with("--samples", 2, "--temperature", 0.5, "--max_new_tokens", 3)
    assert (trial.greedy, generation["temperature"], generation["max_new_tokens"]) == (False, 0.5, 3)
    trial, template, _ = asked_with("--temperature", 0, "--chat_template_kwargs", '{"enable_thinking": true}')
    assert trial.greedy
    assert template == {"enable_thinking": True}
    run_folder(tmp_path, **how, reward_funcs=["boxed_answer"], **{"task": "another"})
    assert len(asked_with("--system_prompt", "")[0].rewards) == len(TASK.rewards)


@pytest.mark.parametrize("greedy", [True, False])
def test_it_is_prompted_as_in_an_evaluation(greedy, tmp_path, monkeypatch):
    """Whatever the model's own generation_config.json says: of it counts what counts in training, and nothing else."""
    words = ("--samples", 1 if greedy else 2)
    run = {"generation_kwargs": {"suppress_tokens": [5]}, "temperature": 0.8}
    plain = trial_of(run_folder(tmp_path / "plain", **run), monkeypatch, *words)
    odd = run_folder(tmp_path / "odd", **run)
    own = json.loads((odd / "generation_config.json").read_text())
    own |= {"no_repeat_ngram_size": 2, "min_new_tokens": 25, "repetition_penalty": 5.0, "temperature": 9.0, "top_k": 1}
    (odd / "generation_config.json").write_text(json.dumps(own))
    trial = trial_of(odd, monkeypatch, *words)

    options = [*NOT_TRAINED, "--model_name_or_path", str(odd), "--output_dir", str(tmp_path / "evaluation")]
    _, training, model = settings(TASK, options, from_runs([str(odd)], TASK, [])[0])
    problems = Dataset.from_list([{"prompt": trial.prompt(QUESTION)}])
    examined = policy_of(checkpoint(str(odd)), trial.rewards, problems, training, model, options)
    monkeypatch.setattr("running.sampling.random.getrandbits", lambda _: 7)
    (expected,) = examined.answers([trial.prompt(QUESTION)], [7], greedy=greedy)
    assert next(trial.completions(QUESTION)).ids == expected.ids
    assert trial.policy.settings == examined.settings == plain.policy.settings
    assert trial.policy.settings["generation"]["suppress_tokens"] == [5]
    assert len(expected.ids) >= 25  # which the trainer lets through


def test_an_adapter_is_prompted_merged_and_saved_whole(adapter, tmp_path, capsys):
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


def test_a_merged_model_is_prompted_as_its_adapter_was_trained(adapter, tmp_path):
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


def test_a_task_of_several_columns_is_prompted_by_its_row(monkeypatch, capsys):
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
def test_mistakes_are_reported(words, says, adapter, capsys):
    words = [str(word).format(adapter=adapter) if "adapter" in str(word) else word for word in words]
    with pytest.raises(SystemExit) as stopped:
        asked(*words, capsys=capsys)
    assert says in str(stopped.value)


def test_a_folder_in_use_is_not_merged_into(adapter, tmp_path, capsys):
    (tmp_path / "precious").write_text("")
    with pytest.raises(SystemExit, match=r"exists already\. Name a new folder"):
        asked(adapter, "--task", "gsm8k", "?", "--merge_to", tmp_path, capsys=capsys)
