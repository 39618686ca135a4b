"""A live trainer is watched: it agrees in every step, and a wrong loss stops it and says where."""

import gc
import weakref
from pathlib import Path

import pytest
from tables import tables_beside
from tiny_trainer import trainer
from together import together
from trl import GRPOTrainer

from grpo_rewards.loss import LossMismatch, watch_loss

TABLES = tables_beside(__file__)

COMPUTE = GRPOTrainer._compute_loss


LIVE = TABLES["a_live_trainer_agrees_in_every_step"]


@pytest.mark.parametrize(
    "options", [*LIVE[:3], *(pytest.param(one, marks=pytest.mark.full) for one in LIVE[3:])], ids=str
)
def test_a_live_trainer_agrees_in_every_step(tmp_path, options):
    watched = trainer(tmp_path, **options)
    watch_loss(watched, every=1)
    watched.train()
    logged = [log["loss_check/max_abs_diff"] for log in watched.state.log_history if "loss_check/max_abs_diff" in log]
    assert len(logged) == 3
    assert all(0 <= one < 1e-6 for one in logged)


def test_a_wrong_loss_stops_the_run_and_says_where(tmp_path, monkeypatch):
    def wrong(self, model, inputs):
        return COMPUTE(self, model, {**inputs, "advantages": inputs["advantages"] * 1.01})

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", wrong)
    watched = trainer(tmp_path, reward_weights=[0.0, 1.0])
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch) as error:
        watched.train()
    said = str(error.value)
    assert "the loss is not that of 'dapo', -W/N Σ_it min(R_it A_it, clip(R_it, 1 - ε, 1 + ε_high) A_it). S" in said
    assert "the gradient by the log-probabilities at completion" in said
    assert "epsilon=0.2" in said


def wrong_in_the_second_micro_batch(self, model, inputs):
    loss = COMPUTE(self, model, inputs)
    return loss * 2 if self._step % 2 else loss


def test_each_micro_batch_of_a_step_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", wrong_in_the_second_micro_batch)
    watched = trainer(tmp_path, reward_weights=[0.0, 1.0], gradient_accumulation_steps=2)
    watch_loss(watched)
    with pytest.raises(LossMismatch):
        watched.train()


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


ON_RANKS = """
import tiny_trainer
from trl import GRPOTrainer
from grpo_rewards.loss import LossMismatch, watch_loss

SCORE = GRPOTrainer._generate_and_score_completions

def of_another_rank(self, inputs):
    batch = SCORE(self, inputs)
    own = self.accelerator.process_index * len(inputs)
    of_all = self.accelerator.gather(batch["advantages"])
    return {**batch, "advantages": of_all.roll(-len(inputs))[own : own + len(inputs)]}

watched = tiny_trainer.trainer("out", loss_type="dapo", top_entropy_quantile=0.6, entropy_coef=0.01, beta=0.05,
                               gradient_accumulation_steps=2, max_steps=2)
watch = watch_loss(watched, every=1)
watched.train()
GRPOTrainer._generate_and_score_completions = of_another_rank
wrong = tiny_trainer.trainer("out", {"reward_funcs": [tiny_trainer.uneven]})
watch_loss(wrong, every=1)
said = "nothing"
try:
    wrong.train()
except LossMismatch as error:
    said = str(error)
logged = [log["loss_check/max_abs_diff"] for log in watched.state.log_history if "loss_check/max_abs_diff" in log]
say([logged, said, watch.lines[-1]])
"""


@pytest.mark.full
def test_two_ranks_of_gloo_are_each_held_to_it(tmp_path):
    for logged, said, last in together(tmp_path, ON_RANKS, path=(Path(__file__).parents[1],)):
        assert len(logged) == 2
        assert all(one < 1e-6 for one in logged)
        assert said.startswith("step 0: advantages at completion"), said
        assert last == "2 ranks, each checked; the counts are of the first"
