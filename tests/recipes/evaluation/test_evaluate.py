"""``recipes/evaluate.py`` on the tiny model: stopped and begun again, two models, an adapter, mistakes."""

import json
import shlex
import shutil
from pathlib import Path

import evaluate
import gsm8k
import pandas
import pytest
import torch
from datasets import Dataset
from own_rewards import mine  # noqa: F401  # a fixture
from peft import LoraConfig, get_peft_model
from places import RECIPES, TINY
from stopped_recipe import settings
from tables import each_row, tables_beside
from training.evaluation import Answer, Policy, scored
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerState

import grpo_rewards as gr

TABLES = tables_beside(__file__)
CONFIGS = sorted((RECIPES / "configs").rglob("*.yaml"))

QUICK = ["--task", "gsm8k", "--eval_size", "12", "--eval_samples", "2", "--max_completion_length", "20"]
QUICK += ["--eval_batch_tokens", "240", "--reward_funcs", "boxed_answer"]  # a few rows at once: several batches


def taken(folder: Path, *models: object, more: tuple[str, ...] = ()) -> dict:
    evaluate.main([*map(str, models), *QUICK, *more, "--output_dir", str(folder)])
    return json.loads((folder / "evaluation.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return taken(tmp_path_factory.mktemp("whole"), TINY)


def test_figures_are_those_of_the_kept_answers(whole):
    (path,) = whole["answers"]
    table = pandas.read_parquet(path)
    assert len(table) == 12 * 2
    assert whole["model"]["sampled"]["boxed_answer"]["mean"] == pytest.approx(table["boxed_answer"].mean())
    assert not list(Path(path).parent.glob("*.partial.*"))


def test_an_interrupted_evaluation_goes_on_and_has_the_same_figures(whole, tmp_path, monkeypatch, capsys):
    answered, inner = [], Policy.answers

    def killed_at_the_fourth(policy, prompts, seed):
        if len(answered) == 3:
            answered.append(None)
            raise KeyboardInterrupt
        answered.append(seed)
        return inner(policy, prompts, seed)

    monkeypatch.setattr(Policy, "answers", killed_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        taken(tmp_path, TINY)
    assert not list(tmp_path.glob("*.parquet"))
    assert taken(tmp_path, TINY)["model"] == whole["model"]
    assert len(answered) > 4
    assert len(set(answered)) == len(answered)  # no batch was answered twice
    monkeypatch.setattr(Policy, "answers", None)
    assert taken(tmp_path, TINY)["model"] == whole["model"]  # all is there, and nothing is asked


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """An adapter of the tiny model that changes what it says, as a trainer saves one."""
    torch.manual_seed(0)
    options = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM", init_lora_weights=False)
    folder = tmp_path_factory.mktemp("adapter")
    get_peft_model(AutoModelForCausalLM.from_pretrained(TINY), options).save_pretrained(folder)
    AutoTokenizer.from_pretrained(TINY).save_pretrained(folder)
    return folder


@pytest.mark.full
def test_an_adapter_beside_its_base(adapter, whole, tmp_path, capsys):
    found = taken(tmp_path, TINY, adapter)
    assert found["first"] == whole["model"]
    change = found["difference"]["sampled"]["boxed_answer"]
    means = [found[place]["sampled"]["boxed_answer"]["mean"] for place in ("first", "second")]
    assert change["mean"] == pytest.approx(means[1] - means[0])
    assert means[1] != means[0]
    said = capsys.readouterr().out
    assert f"second: {adapter}" in said
    assert said.split("held-out mean")[1].split()[:3] == ["first", "second", "difference"]


def test_other_weights_in_the_same_folder_are_another_model(tmp_path):
    model = tmp_path / "model"
    shutil.copytree(TINY, model)
    before = evaluate.weights_of(str(model))
    assert evaluate.weights_of(str(model)) == before
    (model / "model.safetensors").write_bytes((model / "model.safetensors").read_bytes())  # written again, by a run
    assert evaluate.weights_of(str(model)) != before


@each_row("line, says", TABLES["mistakes"])
def test_mistakes_are_reported_in_a_line(line, says):
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(shlex.split(line.replace("TINY", str(TINY))))
    assert says in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_configuration_of_a_run_can_be_evaluated(config, monkeypatch):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    _, training, _ = settings(gsm8k, ["--config", str(config), *evaluate.NOT_TRAINED, "--bf16", "false"])
    assert training.num_generations == 2


def test_a_column_of_the_data_does_not_take_the_place_of_the_problems_number():
    rows = Dataset.from_list([{"prompt": [{"role": "user", "content": "?"}], "problem": "b", "answer": "4"}] * 2)
    said = Answer([1, 2], [{"role": "assistant", "content": "\\boxed{4}"}])
    table = scored(rows, [[said], [said]], [gr.boxed_answer], "boxed_answer", TrainerState())
    assert table["problem"].tolist() == [0, 1]
    assert table["solved"].tolist() == [True, True]


def test_kept_answers_are_judged_anew_where_a_reward_does_something_else(mine, tmp_path, monkeypatch, capsys):  # noqa: F811
    words = ("--reward_funcs", "boxed_answer", "own_module.mine")

    def means():
        found = taken(tmp_path / "taken", TINY, more=words)
        assert len(list((tmp_path / "taken").glob("*.answers.jsonl"))) == 1
        return found["answers"], {name: one["mean"] for name, one in found["model"]["sampled"].items()}

    mine("return float('1' in completion)")
    (first,), before = means()
    assert "are judged by these" not in capsys.readouterr().out
    monkeypatch.setattr(Policy, "answers", None)  # nothing is asked again
    mine("return float('1' not in completion)")
    (second,), after = means()
    assert after["mine"] == pytest.approx(1 - before["mine"])
    assert after["boxed_answer"] == before["boxed_answer"]
    assert "has answers, which are judged by these rewards and golds." in capsys.readouterr().out
    monkeypatch.setattr(evaluate, "version", lambda _: "9.9")
    ((third,), again) = means()
    assert again == after
    assert len({first, second, third}) == 3


def test_a_model_can_be_given_one_question(capsys):
    row = ["--row", '{"question": "Ana buys 2 boxes of 3 eggs and sells 4. How many eggs are left?", "answer": "2"}']
    evaluate.main([str(TINY), "--task", "gsm8k", *row])
    first = capsys.readouterr().out.splitlines()
    verdict = next(line for line in first if line.startswith("    boxed_answer "))
    assert "answer '2'" in verdict
    evaluate.main([str(TINY), "--task", "gsm8k", *row])
    assert capsys.readouterr().out.splitlines() == first  # greedy
    evaluate.main([str(TINY), "--task", "gsm8k", "--ask", "What is 1 + 1?", "--eval_samples", "3"])
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("    think_format ")]) == 3
    assert not any("boxed_answer" in line for line in lines)  # which has nothing to compare with
