"""``recipes/evaluate.py`` on what runs left: asked as in training, on the run's problems, and nothing mixed."""

import json
import shutil

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import evaluate
import pandas
import torch
from gsm8k import TASK
from places import TINY
from running.before_loading import machine
from running.evaluation import untrained
from running.evaluation.checkpoints import Checkpoint
from running.evaluation.compared_models import from_runs, settings_note, trained_on
from running.evaluation.policies import TrainersPolicy
from running.recorded import recorded
from running.settings import TaskArguments, settings

OF_RUN = {
    "task": TASK.name,
    "system_prompt": "Think.",
    "chat_template_kwargs": {"enable_thinking": False},
    "max_completion_length": 6,
    "temperature": 0.7,
    "top_p": 0.9,
    "reward_funcs": ["boxed_answer"],
    "dataset_path": "data.jsonl",
    "eval_size": 3,
    "eval_samples": 2,
    "learning_rate": 0.1,
}

SPLIT = {"dataset_train_split": "train"}


def run(folder, settings=None, **more):
    """A folder with the tiny model and the record of a run."""
    shutil.copytree(TINY, folder, dirs_exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"settings": {**(OF_RUN if settings is None else settings), **more}}))
    return str(folder)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def write(path, golds):
    path.write_text(json.dumps([{"question": f"Problem {at}?", "answer": gold} for at, gold in enumerate(golds)]))


def taken(*words):
    evaluate.evaluate([*map(str, words), "--task", "gsm8k", "--output_dir", "out"])
    return json.loads(open("out/evaluation.json").read())


def test_a_run_is_prompted_as_it_was_trained_on_its_problems(place, monkeypatch, capsys):
    (place / "data.jsonl").write_text("".join(json.dumps({"question": f"{n}?", "answer": n}) + "\n" for n in range(9)))
    asked, inner = [], TrainersPolicy.answers

    def seen(policy, prompts, seeds, *, greedy):
        asked.append((policy.settings, prompts))
        return inner(policy, prompts, seeds, greedy=greedy)

    monkeypatch.setattr(TrainersPolicy, "answers", seen)
    found = taken(run(place / "run"), "--temperature", "0.6")
    assert (found["problems"], found["samples"]) == (3, 2)
    how, prompts = asked[0]
    assert how["template"] == {"enable_thinking": False}
    assert (how["generation"]["temperature"], how["generation"]["top_p"]) == (0.6, 0.9)
    assert how["generation"]["max_new_tokens"] == 6
    assert prompts[0][0] == {"role": "system", "content": "Think."}
    said = next(line for line in capsys.readouterr().out.splitlines() if "run.json" in line)
    assert "system_prompt Think., " in said
    assert "max_completion_length 6" in said
    assert "temperature" not in said  # the option's
    assert "learning_rate" not in said


def test_what_is_taken_of_runs(place):
    (place / "run").mkdir()
    here = run(place / "run")
    later = str(shutil.copytree(TINY, place / "run" / "checkpoint-20"))
    assert recorded(later) == recorded(here) == OF_RUN
    (place / "bad").mkdir()
    (place / "bad" / "run.json").write_text("[]")
    with pytest.raises(SystemExit, match=r"bad/run.json is no record of a run"):
        recorded(str(place / "bad"))
    one, other = from_runs([here, str(TINY)], TASK, [])
    assert one == other  # a model that no run left is asked as the one that it is compared with
    assert one["temperature"] == 0.7
    assert "learning_rate" not in one
    assert "(from the other's run.json" in settings_note(str(TINY), other, [])
    # other data: how it is asked stays, which problems does not
    (named,) = from_runs([here], TASK, ["--dataset_path", "test.jsonl"])
    assert not {"dataset_path", "eval_size"} & named.keys()
    assert named["system_prompt"] == "Think."
    # a run of another task
    (of_other,) = from_runs([run(place / "other", task="countdown")], TASK, [])
    assert "reward_funcs" not in of_other
    assert of_other["max_completion_length"] == 6
    assert "eval_size" not in from_runs([run(place / "unexamined", eval_size=0)], TASK, [])[0]
    assert from_runs([str(TINY)], TASK, []) == [{}]
    assert settings_note(str(TINY), {}, []) == ""


def test_two_runs_are_each_prompted_in_their_own_way_and_judged_alike(place):
    first = run(place / "first")
    second = run(place / "second", temperature=1.5, reward_funcs=["boxed_answer(boxed='first')", "think_format"])
    one, other = from_runs([first, second], TASK, [])
    assert (one["temperature"], other["temperature"]) == (0.7, 1.5)
    assert one["reward_funcs"] == other["reward_funcs"] == ["boxed_answer", "think_format"]
    third = run(place / "third", dataset_path="more.jsonl")
    with pytest.raises(SystemExit, match=r"were trained on other problems \(dataset_path differ\)"):
        from_runs([first, third], TASK, [])
    assert len(from_runs([first, third], TASK, ["--dataset_path", "data.jsonl"])) == 2


@pytest.mark.full
def test_other_golds_and_another_precision_are_another_file(place):
    model = [TINY, "--dataset_path", "data.json", "--eval_size", "99", "--max_completion_length", "4"]
    model += ["--reward_funcs", "boxed_answer", "--eval_samples", "1"]
    write(place / "data.json", [1, 2, 3])  # numbers; and all of them are asked, for nothing is trained
    first = taken(*model)
    assert first["problems"] == 3
    write(place / "data.json", [1, 2, 4])
    second = taken(*model)
    third = taken(*model, "--dtype", "bfloat16")
    files = [one["answers"][0] for one in (first, second, third)]
    assert len(set(files)) == 3
    assert sorted(pandas.read_parquet(files[1])["answer"].astype(int).unique()) == [1, 2, 4]
    assert taken(*model)["answers"] == second["answers"]


def test_problems_that_were_trained_on_are_reported(place):
    name = run(place / "run", dataset_train_split="train", dataset_test_split="test")
    own = TaskArguments(dataset_path="data.jsonl")
    assert trained_on(name, own, 3) == ""
    said = f"warning: of these 9 problems the run of {name} held out 3; it trained on the other 6."
    assert trained_on(name, own, 9) == said
    assert trained_on(name, TaskArguments(dataset_path="test.jsonl"), 9) == ""
    assert trained_on(str(TINY), own, 9) == ""
    named = run(place / "named", dataset_path=None, dataset_name="some/data", dataset_test_split="train", **SPLIT)
    assert "held out 3; it trained on the other 6" in trained_on(
        named, TaskArguments(dataset_name="some/data", dataset_test_split="train"), 9
    )
    assert trained_on(named, TaskArguments(dataset_name="some/data", dataset_test_split="test"), 9) == ""


def test_a_yamls_output_folder_is_the_runs(place, monkeypatch):
    (place / "run.yaml").write_text("output_dir: of_the_run\n")
    names, task, folder, options = evaluate.parsed([str(TINY), "--task", "gsm8k", "--config", "run.yaml"])
    assert str(folder) == "outputs/evaluations"
    assert (names, task, options) == ([str(TINY)], TASK, ["--config", "run.yaml"])


class Loaded(Checkpoint):
    """Says how it was loaded in place of loading anything."""

    def model(self, **options):
        return options

    def merged(self, **options):
        return {"merged": True, **options}


@pytest.mark.parametrize("base", [None, "some/base"])
def test_a_quantized_run_is_evaluated_quantized(place, monkeypatch, base):
    monkeypatch.setattr(machine, "is_bitsandbytes_available", lambda: True)
    monkeypatch.setattr(untrained, "get_quantization_config", lambda model: "4 bits" if model.load_in_4bit else None)
    monkeypatch.setattr(untrained, "GRPOTrainer", lambda **how: how)
    name = run(place / "run", load_in_4bit=True, dtype="bfloat16")
    made = {}
    for options in ([], ["--load_in_4bit", "false"]):
        (found,) = from_runs([name], TASK, options)
        _, training, model = settings(TASK, [*options, "--model_name_or_path", name, *untrained.NOT_TRAINED], found)
        untrained.refuse_what_cannot_load(training, model)
        one = Loaded(name, None, base, None, 8, None, "")
        made[model.load_in_4bit] = untrained.trainer_of(one, [], None, training, model)
    if base is None:  # a trainer takes it under an adapter, which changes nothing
        assert (made[True]["model"], made[True]["quantization_config"]) == (name, "4 bits")
        assert made[True]["peft_config"].init_lora_weights is True
        assert (made[False]["quantization_config"], made[False]["peft_config"]) == (None, None)
    else:
        assert made[True]["model"]["quantization_config"] == "4 bits"
        assert made[True]["model"]["dtype"] == "bfloat16"
        assert made[False]["model"]["merged"]
        assert "quantization_config" not in made[False]["model"]


def test_vllm_loads_a_quantized_run_as_it_does_any(place, monkeypatch):
    monkeypatch.setattr(machine, "is_vllm_available", lambda: True)
    monkeypatch.setattr(machine, "is_bitsandbytes_available", lambda: True)
    name = run(place / "run", load_in_4bit=True)
    (found,) = from_runs([name], TASK, ["--use_vllm"])
    assert "load_in_4bit" not in found
    assert "trained quantized, and evaluated unquantized, as vLLM loads it" in settings_note(
        name, found, ["--use_vllm"]
    )
    asked = ["--use_vllm", "--load_in_4bit", "--model_name_or_path", name, *untrained.NOT_TRAINED]
    _, training, model = settings(TASK, asked)
    with pytest.raises(SystemExit, match="--use_vllm loads the model unquantized"):
        untrained.refuse_what_cannot_load(training, model)


def test_half_precision_is_a_runs_own_only_where_something_computes_in_it(place, monkeypatch):
    name = run(place / "run", bf16=True)
    assert "bf16" not in from_runs([name], TASK, [])[0]
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    assert from_runs([name], TASK, [])[0]["bf16"] is True
