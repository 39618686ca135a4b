"""TRL held to the loss: that it passes as it is, that a changed TRL does not, and that a live trainer is watched."""

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import torch
import trl
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from typer.testing import CliRunner

import grpo_rewards as gr
from grpo_rewards.command_line import app
from grpo_rewards.loss import LossMismatch, validate_trl_loss, watch_loss
from grpo_rewards.loss.trl_check import cases, validate

MODEL = str(Path(__file__).parents[1] / "recipes" / "tiny_qwen3")


def test_the_installed_trl_computes_the_loss_of_the_papers():
    report = validate_trl_loss()
    assert report.mismatches == []
    assert report.trl == trl.__version__
    assert len(report.differences) > 2 * 900
    kinds = list(validate.kinds(report))
    assert kinds == [
        "grpo",
        "bnpo",
        "dr_grpo",
        "dapo",
        "luspo",
        "cispo",
        "sapo",
        "vespo",
        "advantages",
        "importance ratio",
    ]
    for kind in kinds:
        assert 0 <= report.largest(kind, torch.float64)[1] <= 1e-12
    assert torch.get_default_dtype() == torch.float32


def few(monkeypatch, count=40):
    """Leaves every so-manieth case, so that a test of a changed TRL is quick."""
    every = list(cases.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // count]))


COMPUTE = GRPOTrainer._compute_loss


def times(self, model, inputs):
    return COMPUTE(self, model, inputs) * (1 + 1e-5)


def value_alone(self, model, inputs):
    loss = COMPUTE(self, model, inputs)
    return loss + (loss * 1e-3 - (loss * 1e-3).detach())  # the same number, another gradient


def not_a_number(self, model, inputs):
    return COMPUTE(self, model, inputs) * torch.nan


@pytest.mark.parametrize("changed", [times, value_alone, not_a_number])
def test_a_changed_loss_is_found(changed, monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", changed)
    report = validate_trl_loss()
    assert {one.kind for one in report.mismatches} >= {"grpo", "dapo", "vespo"}
    result = CliRunner().invoke(app, ["validate-loss"])
    assert result.exit_code == 1
    assert "beyond tolerance" in result.output


def test_changed_advantages_and_ratios_are_found(monkeypatch):
    few(monkeypatch)
    score = GRPOTrainer._generate_and_score_completions

    def changed(self, inputs):
        output = score(self, inputs)
        return {**output, "advantages": output["advantages"] * 1.001}

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", changed)
    assert {one.kind for one in validate_trl_loss().mismatches} == {"advantages"}


def test_a_trl_of_another_inside_is_told_apart_from_a_mismatch(monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", lambda self, model, inputs: self.not_there)
    monkeypatch.setattr(validate, "advantage_cases", lambda dtype: iter(()))
    monkeypatch.setattr(validate, "sampling_cases", lambda: iter(()))
    result = CliRunner().invoke(app, ["validate-loss"])
    assert result.exit_code == 2
    assert "dapo: TRL" in result.output
    assert "could not be asked" in result.output


def test_what_an_older_trl_lacks_is_listed_and_the_rest_compared(monkeypatch):
    few(monkeypatch)

    def older(self, model, inputs):
        if self.loss_type == "luspo":
            raise ValueError("Unknown loss type: luspo")
        return COMPUTE(self, model, inputs)

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", older)
    monkeypatch.delattr(GRPOTrainer, "get_gamma_weights")
    report = validate_trl_loss()
    assert set(report.lacking) == {"luspo", "vespo"}
    assert report.lacking["luspo"][0] == "ValueError: Unknown loss type: luspo"
    assert report.mismatches == []
    assert {"dapo", "advantages"} <= {one.kind for one in report.differences}
    result = CliRunner().invoke(app, ["validate-loss"])
    assert result.exit_code == 0
    assert "vespo: TRL" in result.output


def test_the_command_prints_a_table_and_passes(monkeypatch):
    few(monkeypatch)
    result = CliRunner().invoke(app, ["validate-loss"])
    assert result.exit_code == 0
    assert "importance ratio" in result.output
    assert "0 beyond tolerance" in result.output
    assert "validate-loss" in CliRunner().invoke(app, ["--help"]).output


def trainer(folder, **options):
    settings = {
        "max_steps": 3,
        "per_device_train_batch_size": 8,
        "num_generations": 4,
        "max_completion_length": 16,
        "logging_steps": 1,
        "report_to": "none",
        "save_strategy": "no",
        "bf16": False,
        "use_cpu": True,
        "gradient_checkpointing": False,
        "disable_tqdm": True,
    }
    rows = [{"prompt": f"{n} + 2?\n", "answer": str(n + 2)} for n in range(40)]
    return GRPOTrainer(
        model=MODEL,
        reward_funcs=[gr.final_answer, gr.repetition],
        args=GRPOConfig(output_dir=str(folder), **{**settings, **options}),
        train_dataset=Dataset.from_list(rows),
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss_type": "grpo", "beta": 0.1, "use_bias_correction_kl": True, "gradient_accumulation_steps": 2},
        {"loss_type": "vespo", "steps_per_generation": 4, "num_iterations": 2},
        {"loss_type": "sapo", "importance_sampling_level": "sequence", "steps_per_generation": 2},
        {"loss_type": "cispo", "epsilon_high": 3.0, "top_entropy_quantile": 0.5, "entropy_coef": 0.01},
        {"loss_type": "luspo", "importance_sampling_level": "sequence", "use_adaptive_entropy": True},
        {"loss_type": "dr_grpo", "off_policy_mask_threshold": 0.1, "num_iterations": 2, "scale_rewards": "none"},
        {"loss_type": "bnpo", "mask_truncated_completions": True},
    ],
    ids=str,
)
def test_a_live_trainer_agrees_in_every_step(tmp_path, options):
    watched = trainer(tmp_path, **options)
    watch_loss(watched, every=1)
    watched.train()
    logged = [log["loss_check/max_abs_diff"] for log in watched.state.log_history if "loss_check/max_abs_diff" in log]
    assert len(logged) == 3
    assert all(0 <= one < 1e-6 for one in logged)


def test_only_every_so_manieth_step_is_checked(tmp_path):
    watched = trainer(tmp_path, max_steps=5)
    watch_loss(watched, every=2)
    watched.train()
    steps = [log["step"] for log in watched.state.log_history if "loss_check/max_abs_diff" in log]
    assert steps == [1, 3, 5]  # the first, third and fifth step


def test_a_wrong_loss_stops_the_run_and_says_where(tmp_path, monkeypatch):
    def wrong(self, model, inputs):
        return COMPUTE(self, model, {**inputs, "advantages": inputs["advantages"] * 1.01})

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", wrong)
    watched = trainer(tmp_path, reward_weights=[0.0, 1.0])
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch) as error:
        watched.train()
    said = str(error.value)
    assert "the loss is not that of 'dapo', which is the clipped surrogate -min(min(R, δ) A, clip(R, 1 - ε" in said
    assert "aggregated over_window, W Σ_it l_it / N with N the tokens of the whole accumulation window" in said
    assert "gradient by the log-probabilities, first at completion" in said
    assert "epsilon=0.2" in said


def wrong_in_the_second_micro_batch(self, model, inputs):
    loss = COMPUTE(self, model, inputs)
    return loss * 2 if self._step % 2 else loss


def tokens_counted_wrongly(self, model, inputs):
    return COMPUTE(self, model, {**inputs, "num_items_in_batch": inputs["num_items_in_batch"] * 3})


@pytest.mark.parametrize("changed", [value_alone, wrong_in_the_second_micro_batch, tokens_counted_wrongly])
def test_a_gradient_a_later_micro_batch_and_a_count_of_tokens_are_looked_at(changed, tmp_path, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", changed)
    watched = trainer(tmp_path, reward_weights=[0.0, 1.0], gradient_accumulation_steps=2)
    watch_loss(watched)
    with pytest.raises(LossMismatch):
        watched.train()


def test_gradients_are_compared_relative_to_their_own_size():
    from grpo_rewards.loss.trl_check.watch import _apart

    small = torch.full((8, 4096), 3e-6)  # of a token of a long completion
    assert _apart(small * -1, small).max() == 2
    assert _apart(small * 0, small).max() == 1
    assert _apart(small * 0, small * 0).max() == 0
    assert _apart(small * torch.nan, small).max() > 1e30


def test_watching_leaves_what_was_there_and_goes_on_after_a_resumption(tmp_path):
    watched = trainer(tmp_path, max_steps=4, save_strategy="steps", save_steps=2)
    calls = []
    forward = watched._get_per_token_logps_and_entropies
    watched._get_per_token_logps_and_entropies = lambda *args, **given: calls.append(1) or forward(*args, **given)
    watch_loss(watched, every=3)
    watched.train()
    assert len(calls) == 4
    resumed = trainer(tmp_path, max_steps=6)
    watch_loss(resumed, every=3)
    resumed.train(resume_from_checkpoint=str(tmp_path / "checkpoint-2"))
    steps = [log["step"] for log in resumed.state.log_history if "loss_check/max_abs_diff" in log and log["step"] > 2]
    assert steps == [3, 6]  # the first step that it trains, and three on
    alive = weakref.ref(resumed)
    del resumed
    gc.collect()
    assert alive() is None


def test_what_cannot_be_watched_says_so(tmp_path):
    with pytest.raises(TypeError, match="takes a GRPOTrainer, not int"):
        watch_loss(3)
    watched = trainer(tmp_path)
    with pytest.raises(ValueError, match="every must be a whole number of steps, 1 or more, not 0"):
        watch_loss(watched, every=0)
    watch_loss(watched)
    with pytest.raises(TypeError, match="is watched already"):
        watch_loss(watched)


SCRIPT = """
import json, pathlib, sys
import torch
sys.path.insert(0, {tests!r})
import test_trl_check as here
from grpo_rewards.loss import watch_loss

watched = here.trainer({folder!r} + "/out", loss_type="dapo", top_entropy_quantile=0.6, entropy_coef=0.01, beta=0.05,
                       gradient_accumulation_steps=2, max_steps=2)
watch_loss(watched, every=1)
watched.train()
logged = [log["loss_check/max_abs_diff"] for log in watched.state.log_history if "loss_check/max_abs_diff" in log]
ranks = watched.accelerator
pathlib.Path({folder!r}, f"rank{{ranks.process_index}}.json").write_text(json.dumps([ranks.num_processes, logged]))
ranks.wait_for_everyone()
torch.distributed.destroy_process_group()
"""


def test_two_ranks_of_gloo_are_each_held_to_it(tmp_path):
    script = tmp_path / "ranks.py"
    script.write_text(SCRIPT.format(tests=str(Path(__file__).parent), folder=str(tmp_path)))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stderr[-3000:]
    for rank in range(2):
        world_size, logged = json.loads((tmp_path / f"rank{rank}.json").read_text())
        assert (world_size, len(logged)) == (2, 2)
        assert all(one < 1e-6 for one in logged)


def test_importing_the_package_imports_neither_torch_nor_trl():
    code = "import sys; import grpo_rewards; print('torch' in sys.modules, 'trl' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["False", "False"]
