"""The rewards of a run, tried before a model is loaded: what a recipe says of them, and when it does not."""

import json
import sys

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import competition_math
import countdown
import evaluate
import gsm8k
from places import TINY
from stopped_recipe import stopped
from training.rewards import in_evaluations

import grpo_rewards as gr

CONSTANT = ["--reward_funcs", "boxed_answer", "pattern(regex='$q')", "--reward_weights", "1", "0.5"]


def test_a_recipe_tries_its_rewards_and_says_what_it_found(monkeypatch, tmp_path, capsys):
    assert stopped(gsm8k, CONSTANT, monkeypatch, tmp_path) == "a model was loaded"
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("warning: ", "note: "))]
    assert len(said) == 1
    assert said[0].startswith("note: pattern gave 0, its least,")


@pytest.mark.parametrize("recipe", [gsm8k, competition_math, countdown], ids=lambda recipe: recipe.NAME)
def test_the_rewards_of_a_recipe_and_its_problems_leave_nothing_to_say(recipe, monkeypatch, tmp_path, capsys):
    assert stopped(recipe, [], monkeypatch, tmp_path) == "a model was loaded"
    assert not {"warning:", "note:"} & set(capsys.readouterr().out.split())


@pytest.mark.parametrize("elsewhere", ["turned off", "a second process", "an evaluation"])
def test_rewards_are_tried_by_the_first_process_of_a_training_unless_that_is_turned_off(
    elsewhere, monkeypatch, tmp_path
):
    called, recipe = [], evaluate if elsewhere == "an evaluation" else gsm8k
    check = recipe.check_rewards

    def checked(*given, thorough=False, **more):
        called.append(thorough)
        return check(*given, thorough=thorough, **more)

    monkeypatch.setattr(recipe, "check_rewards", checked)
    if elsewhere == "turned off":
        stopped(gsm8k, [*CONSTANT, "--thorough_check", "false"], monkeypatch, tmp_path)
    elif elsewhere == "a second process":
        monkeypatch.setattr("trl.GRPOConfig.process_index", 1)
        stopped(gsm8k, CONSTANT, monkeypatch, tmp_path)
    else:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(evaluate, "untrained", lambda *_: sys.exit("loaded"))
        with pytest.raises(SystemExit, match="loaded"):
            evaluate.main([str(TINY), "--task", "gsm8k", "--eval_size", "2"])
    assert called == [False]


def test_a_plain_function_of_trl_trains_beside_our_rewards(monkeypatch, tmp_path):
    def short(completions, **kwargs):
        return [float(len(one[0]["content"]) < 60) for one in completions]

    load = gsm8k.load_rewards
    monkeypatch.setattr(gsm8k, "load_rewards", lambda specs: [*load(specs), short])
    monkeypatch.chdir(tmp_path)
    options = "--max_steps 1 --eval_size 4 --eval_samples 1 --per_device_train_batch_size 8 --max_completion_length 8"
    gsm8k.main([*options.split(), "--reward_weights", "1", "0.2", "0.1", "--thorough_check", "false"])
    history = json.loads((tmp_path / "outputs/tiny-word_problems/trainer_state.json").read_text())["log_history"]
    assert any("rewards/short/mean" in log for log in history)
    assert not any("eval_sampled/short" in log for log in history)


def test_an_evaluation_reports_what_compares_no_completions():
    compares = gr.relative_length.bind(num_generations=8)
    inside = gr.weighted({compares: 1.0, gr.think_format: 0.5}, name="both")
    assert in_evaluations([gr.boxed_answer, compares, inside, len]) == [gr.boxed_answer]
