"""The rewards of a run, tried before a model is loaded: what a recipe says of them, and when it does not."""

import json
import os
import runpy
import shutil
import subprocess
import sys

import competition_math
import countdown
import evaluate
import gsm8k
import pytest
from datasets import Dataset
from places import RECIPES, TINY
from stopped_recipe import stopped
from tables import each_row
from training.arguments import ScriptArguments
from training.rewards import accepted, in_evaluations, plain_function
from trl import GRPOConfig

import grpo_rewards as gr
from grpo_rewards import check_rewards

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
        monkeypatch.setattr(evaluate, "untrained", lambda *_: sys.exit("loaded"))
        with pytest.raises(SystemExit, match="loaded"):
            evaluate.main([str(TINY), "--task", "gsm8k", "--eval_size", "2"])
    assert called == [False]


def test_a_plain_function_of_trl_trains_beside_our_rewards(tmp_path, capsys):
    (tmp_path / "of_trl.py").write_text(
        "def short(completions, **kwargs):\n    return [float(len(one[0]['content']) < 60) for one in completions]\n"
    )
    rewards = "--reward_funcs boxed_answer of_trl.short --reward_weights 1 0.1 --thorough_check false"
    options = "--max_steps 1 --eval_size 4 --eval_samples 1 --per_device_train_batch_size 8 --max_completion_length 8"
    gsm8k.main([*options.split(), *rewards.split()])
    history = json.loads((tmp_path / "outputs/tiny-word_problems/trainer_state.json").read_text())["log_history"]
    assert any("rewards/short/mean" in log for log in history)
    assert not any("eval_sampled/short" in log for log in history)
    capsys.readouterr()
    evaluate.main([str(TINY), "--task", "gsm8k", "--ask", "1 + 1?", "--answer", "2", *rewards.split()[:3]])
    assert "    boxed_answer " in (said := capsys.readouterr().out)
    assert "    short " not in said  # it cannot say why


@each_row(
    "spec, name",
    [
        ("trl.rewards.think_format_reward", "think_format_reward"),
        ("math.sqrt", None),  # no function in Python
        ("boxed_answer", None),
        ("grpo_rewards.boxed_answer", None),  # a reward of ours
        ("pattern(regex='a.b')", None),
        ("trl.rewards.nothing", None),
        ("nowhere.at_all", None),
    ],
)
def test_a_plain_function_is_found_by_its_module_path(spec, name):
    assert getattr(plain_function(spec), "__name__", None) == name


def test_further_evaluation_sets_are_accepted_too():
    good, bad = (Dataset.from_list([{"prompt": "?", "answer": gold}] * 8) for gold in ("#### 1", "#### "))
    config = GRPOConfig(
        use_cpu=True, bf16=False, eval_strategy="steps", metric_for_best_model="mine/sampled/boxed_answer"
    )
    both = check_rewards([gr.boxed_answer], good), good, good, ScriptArguments(), config
    assert accepted(*both, mine=good)[0] == [gr.boxed_answer]
    with pytest.raises(SystemExit, match="cannot read the answers of 8 of 8 mine problems: rows 0, 1"):
        accepted(*both, mine=bad)
    with pytest.raises(SystemExit, match="no evaluation reports it"):
        accepted(*both)


@pytest.mark.parametrize("recipe", [gsm8k, competition_math, countdown], ids=lambda recipe: recipe.NAME)
def test_how_long_it_takes_is_said_of_the_default_only(recipe, monkeypatch):
    monkeypatch.setattr(recipe, "announce", lambda trainer, note: sys.exit(f"note: {note}"))
    for arguments, note in (([], "note: This takes about a minute on two cores."), (["--max_steps", "3"], "note: ")):
        with pytest.raises(SystemExit) as ended:
            recipe.main(arguments)
        assert str(ended.value) == note


def ended(script, text, **environment):
    """What a script says on its way out, in a process of its own."""
    script.write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    return done.stderr


def test_a_copy_elsewhere_says_what_it_needs_and_a_reward_that_it_declares_is_reported_in_a_line(tmp_path):
    text, copy = (RECIPES / "your_task.py").read_text(), tmp_path / "lessons.py"
    assert "Copy this beside gsm8k.py, or set PYTHONPATH" in ended(copy, text)
    said = ended(copy, text.replace("@reward\n", "@reward(rang=(0, 1))\n"), PYTHONPATH=str(RECIPES))
    line = text.splitlines().index("@reward") + 1
    assert said.startswith(f"error: {copy}, line {line}: @reward takes no 'rang'; did you mean 'range'?")
    assert said.count("\n") == 1


@each_row("script, own", [("gsm8k", "word_problems"), ("competition_math", "algebra")])
def test_a_copy_has_an_output_folder_of_its_own(script, own, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies")
    for name, expected in ((script, own), ("lessons", "lessons")):
        shutil.copy(RECIPES / f"{script}.py", folder / f"{name}.py")
        assert runpy.run_path(str(folder / f"{name}.py"), run_name="copied")["NAME"] == expected


def test_an_evaluation_reports_what_compares_no_completions():
    compares = gr.relative_length.bind(num_generations=8)
    inside = gr.weighted({compares: 1.0, gr.think_format: 0.5}, name="both")
    assert in_evaluations([gr.boxed_answer, compares, inside, len]) == [gr.boxed_answer]
