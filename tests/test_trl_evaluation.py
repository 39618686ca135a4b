"""What this package's rewards do when TRL evaluates: the weights of schedules, and what is logged."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from tiny_trainer import trainer

import grpo_rewards as gr


def test_a_schedule_has_the_weight_of_the_step_and_reasons_are_logged_apart(tmp_path):
    fading = gr.scheduled(gr.final_answer, start=1.0, end=0.0, over=1.0, name="fading")
    few = {"per_device_train_batch_size": 4, "per_device_eval_batch_size": 4, "max_completion_length": 8}
    evaluated = {"eval_strategy": "steps", "eval_steps": 2}
    run = trainer(tmp_path, {"reward_funcs": [fading], "eval_rows": 2}, max_steps=4, **few, **evaluated)
    assert run.evaluate()["eval_fading/weight"] == 1.0  # step 0; max_steps is not known yet
    run.train()
    logs = run.state.log_history
    # of step s there is 1 - s / 4; the log after a training step is of the step before it
    assert [log["fading/weight"] for log in logs if "fading/weight" in log] == [1.0, 0.75, 0.5, 0.25]
    evaluated = [log for log in logs if "eval_fading/weight" in log and log["step"] > 0]
    assert [(log["step"], log["eval_fading/weight"]) for log in evaluated] == [(2, 0.5), (4, 0.0)]
    reasons = sorted(name for name in evaluated[0] if name.startswith("eval_final_answer/"))
    assert "eval_final_answer/correct" in reasons
    assert {name.removeprefix("eval_") for name in reasons} == {
        name for log in logs for name in log if name.startswith("final_answer/")
    }
