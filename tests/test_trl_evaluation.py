"""What this package's rewards do when TRL evaluates: the weights of schedules, and what is logged."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from places import TINY
from quiet_training import QUIET

import grpo_rewards as gr


def test_a_schedule_has_the_weight_of_the_step_and_reasons_are_logged_apart(tmp_path):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    fading = gr.scheduled(gr.final_answer, start=1.0, end=0.0, over=1.0, name="fading")
    rows = Dataset.from_list([{"prompt": f"{n} + 2?\n", "answer": str(n + 2)} for n in range(16)])
    settings = GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=4,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        eval_strategy="steps",
        eval_steps=2,
        **QUIET,
    )
    trainer = GRPOTrainer(
        model=str(TINY),
        reward_funcs=[fading],
        args=settings,
        train_dataset=rows,
        eval_dataset=rows.select(range(2)),
    )
    assert trainer.evaluate()["eval_fading/weight"] == 1.0  # step 0; max_steps is not known yet
    trainer.train()
    logs = trainer.state.log_history
    # of step s there is 1 - s / 4; the log after a training step is of the step before it
    assert [log["fading/weight"] for log in logs if "fading/weight" in log] == [1.0, 0.75, 0.5, 0.25]
    evaluated = [log for log in logs if "eval_fading/weight" in log and log["step"] > 0]
    assert [(log["step"], log["eval_fading/weight"]) for log in evaluated] == [(2, 0.5), (4, 0.0)]
    reasons = sorted(name for name in evaluated[0] if name.startswith("eval_final_answer/"))
    assert "eval_final_answer/correct" in reasons
    assert {name.removeprefix("eval_") for name in reasons} == {
        name for log in logs for name in log if name.startswith("final_answer/")
    }
