"""``recipes/evaluate.py`` on what runs left: prompted as in training, on the run's problems, and nothing mixed."""

import json
import shutil

import evaluate
import gsm8k
import pandas
import pytest
from evaluate import overlap, settings_of_runs
from places import TINY
from training.arguments import ScriptArguments
from training.evaluation import Policy

OF_RUN = {
    "recipe": gsm8k.NAME,
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


def run(folder, **more):
    """A folder with the tiny model and the record of a run."""
    shutil.copytree(TINY, folder, dirs_exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"settings": {**OF_RUN, **more}}))
    return str(folder)


def write(path, golds):
    path.write_text(json.dumps([{"question": f"Problem {at}?", "answer": gold} for at, gold in enumerate(golds)]))


def taken(*words):
    evaluate.main([*map(str, words), "--task", "gsm8k", "--output_dir", "out"])
    return json.loads(open("out/evaluation.json").read())


def test_a_run_is_prompted_as_it_was_trained_on_its_problems(tmp_path, monkeypatch, capsys):
    (tmp_path / "data.jsonl").write_text(
        "".join(json.dumps({"question": f"{n}?", "answer": n}) + "\n" for n in range(9))
    )
    prompted, inner = [], Policy.answers

    def seen(policy, prompts, seed):
        prompted.append((policy.trainer, prompts))
        return inner(policy, prompts, seed)

    monkeypatch.setattr(Policy, "answers", seen)
    found = taken(run(tmp_path / "run"), "--temperature", "0.6")
    assert (found["problems"], found["samples"]) == (3, 2)
    trainer, prompts = prompted[0]
    assert trainer.chat_template_kwargs == {"enable_thinking": False}
    how = trainer.generation_kwargs
    assert (how["temperature"], how["top_p"], how["max_new_tokens"]) == (0.6, 0.9, 6)
    assert prompts[0][0] == {"role": "system", "content": "Think."}
    said = next(line for line in capsys.readouterr().out.splitlines() if "run.json" in line)
    assert "system_prompt Think., " in said
    assert "max_completion_length 6" in said
    assert "learning_rate" not in said


def test_what_is_taken_of_runs(tmp_path):
    here = run(tmp_path / "run")
    later = str(shutil.copytree(TINY, tmp_path / "run" / "checkpoint-20"))
    assert settings_of_runs([later], gsm8k, []) == settings_of_runs([here], gsm8k, [])
    one, other = settings_of_runs([here, str(TINY)], gsm8k, [])
    assert one == other  # a model that no run left is prompted as the one that it is compared with
    assert one["temperature"] == 0.7
    assert "learning_rate" not in one
    # other data: how it is prompted stays, which problems does not
    (named,) = settings_of_runs([here], gsm8k, ["--dataset_path", "test.jsonl"])
    assert not {"dataset_path", "eval_size"} & named.keys()
    assert named["system_prompt"] == "Think."
    # a run of another recipe, and one that an earlier version recorded
    (of_other,) = settings_of_runs([run(tmp_path / "other", recipe="countdown")], gsm8k, [])
    assert "reward_funcs" not in of_other
    assert of_other["max_completion_length"] == 6
    assert settings_of_runs([run(tmp_path / "old", recipe=None, task=gsm8k.NAME)], gsm8k, []) == [one]
    assert "eval_size" not in settings_of_runs([run(tmp_path / "unevaluated", eval_size=0)], gsm8k, [])[0]
    assert settings_of_runs([str(TINY)], gsm8k, []) == [{}]


def test_two_runs_are_each_prompted_in_their_own_way_and_judged_alike(tmp_path):
    first, second = run(tmp_path / "first"), run(tmp_path / "second", temperature=1.5, reward_funcs=["think_format"])
    one, other = settings_of_runs([first, second], gsm8k, [])
    assert (one["temperature"], other["temperature"]) == (0.7, 1.5)
    assert one["reward_funcs"] == other["reward_funcs"] == ["boxed_answer"]


@pytest.mark.full
def test_other_golds_and_another_precision_are_another_file(tmp_path):
    model = [TINY, "--dataset_path", "data.json", "--eval_size", "99", "--max_completion_length", "4"]
    model += ["--reward_funcs", "boxed_answer", "--eval_samples", "1"]
    write(tmp_path / "data.json", [1, 2, 3])  # numbers; and all of them are evaluated, for nothing is trained
    first = taken(*model)
    assert first["problems"] == 3
    write(tmp_path / "data.json", [1, 2, 4])
    second = taken(*model)
    third = taken(*model, "--dtype", "bfloat16")
    files = [one["answers"][0] for one in (first, second, third)]
    assert len(set(files)) == 3
    assert sorted(pandas.read_parquet(files[1])["answer"].astype(int).unique()) == [1, 2, 4]
    assert taken(*model)["answers"] == second["answers"]


def test_problems_that_were_trained_on_are_reported(tmp_path):
    name, own = run(tmp_path / "run"), ScriptArguments(dataset_path="data.jsonl")
    assert overlap(name, own, 3) == ""
    said = f"warning: of these 9 problems the run of {name} held out 3; it trained on the others."
    assert overlap(name, own, 9) == said
    assert overlap(name, ScriptArguments(dataset_path="test.jsonl"), 9) == ""
    assert overlap(str(TINY), own, 9) == ""


@pytest.mark.parametrize("is_adapter", [False, True])
def test_a_quantized_run_is_evaluated_quantized(is_adapter, tmp_path, monkeypatch):
    class Adapted(dict):
        def merge_and_unload(self):
            return "merged"

    monkeypatch.setattr("training.checks.is_bitsandbytes_available", lambda: True)
    monkeypatch.setattr(evaluate, "get_quantization_config", lambda model: "4 bits" if model.load_in_4bit else None)
    monkeypatch.setattr(evaluate, "GRPOTrainer", lambda **how: how)
    monkeypatch.setattr(evaluate.AutoPeftModelForCausalLM, "from_pretrained", lambda name, **how: Adapted(how))
    name = run(tmp_path / "run", load_in_4bit=True, dtype="bfloat16")
    made = {}
    for options in ([], ["--load_in_4bit", "false"]):
        (found,) = settings_of_runs([name], gsm8k, options)
        _, training_args, model_args = evaluate.settings(gsm8k, name, options, found)
        monkeypatch.setattr(evaluate, "is_adapter", lambda _: is_adapter)
        made[model_args.load_in_4bit] = evaluate.untrained(None, [], training_args, model_args)
    if is_adapter:
        assert made[True]["model"]["quantization_config"] == "4 bits"
        assert made[True]["model"]["dtype"] == "bfloat16"
        assert made[False]["model"] == "merged"
    else:  # a trainer takes it under an adapter, which changes nothing
        assert (made[True]["model"], made[True]["quantization_config"]) == (name, "4 bits")
        assert made[True]["peft_config"].init_lora_weights is True
        assert (made[False]["quantization_config"], made[False]["peft_config"]) == (None, None)
