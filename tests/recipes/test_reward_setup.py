"""The rewards of a run, tried before a model is loaded: what a recipe says of them, and when it does not."""

import sys

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import evaluate
import gsm8k
from places import TINY
from running import reward_setup
from running.resuming.same_run import MAY_CHANGE
from stopped_recipe import stopped

CONSTANT = ["--reward_funcs", "boxed_answer", "pattern(regex='$q')", "--reward_weights", "1", "0.5"]


def test_a_recipe_tries_its_rewards_and_says_what_it_found(monkeypatch, tmp_path, capsys):
    assert stopped(gsm8k.TASK, CONSTANT, monkeypatch, tmp_path) == "a model was loaded"
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("warning: ", "note: "))]
    assert len(said) == 1
    assert said[0].startswith("warning: pattern gave 0 to all of ")


def test_the_rewards_of_a_task_leave_nothing_to_say(monkeypatch, tmp_path, capsys):
    assert stopped(gsm8k.TASK, [], monkeypatch, tmp_path) == "a model was loaded"
    assert not {"warning:", "note:"} & set(capsys.readouterr().out.split())


def test_a_spec_that_an_earlier_run_recorded_finds_the_reward_where_it_is_now():
    (found,) = reward_setup.named_rewards(["running.exam.harness.strict_match"])
    assert found.score("#### 7", answer="7") == 1.0


@pytest.mark.parametrize("elsewhere", ["turned off", "a second process", "an evaluation"])
def test_rewards_are_tried_by_the_first_process_of_a_training_unless_that_is_turned_off(
    elsewhere, monkeypatch, tmp_path
):
    asked, check = [], reward_setup.check_rewards
    monkeypatch.setattr(
        reward_setup, "check_rewards", lambda *_, thorough, **more: asked.append(thorough) or check(*_, **more)
    )
    if elsewhere == "turned off":
        stopped(gsm8k.TASK, [*CONSTANT, "--thorough_check", "false"], monkeypatch, tmp_path)
    elif elsewhere == "a second process":
        monkeypatch.setattr("trl.GRPOConfig.process_index", 1)
        stopped(gsm8k.TASK, CONSTANT, monkeypatch, tmp_path)
    else:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(evaluate, "policy_of", lambda *_: sys.exit("asked"))
        with pytest.raises(SystemExit, match="asked"):
            evaluate.evaluate([str(TINY), "--task", "gsm8k", "--eval_size", "2"])
    assert asked == [False]
    assert "thorough_check" in MAY_CHANGE  # a run goes on without it
