"""A step that goes wrong before the loss stops the run: whose log-probabilities, which advantages, which rows."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from tiny_trainer import trainer
from trl import GRPOTrainer

from grpo_rewards.loss import LossMismatch, watch_loss

SCORE, PREPARE = GRPOTrainer._generate_and_score_completions, GRPOTrainer._prepare_inputs
FORWARD, COMPUTE = GRPOTrainer._get_per_token_logps_and_entropies, GRPOTrainer._compute_loss


FAST = {"learning_rate": 1e-2}  # so that a step moves the policy away from its reference


def the_policy_as_reference(self, inputs):
    reference, self.ref_model = self.ref_model, self.model
    try:
        return SCORE(self, inputs)
    finally:
        self.ref_model = reference


def advantages_rolled_by_a_row(self, inputs):
    batch = SCORE(self, inputs)
    return {**batch, "advantages": batch["advantages"].roll(1)}


def no_old_log_probabilities(self, inputs):
    batch = SCORE(self, inputs)
    return {name: one for name, one in batch.items() if name != "old_per_token_logps"}


def always_the_first_micro_batch(self, generation_batch):
    PREPARE(self, generation_batch)
    return self._buffered_inputs[0]


def no_temperature(self, model, *given, **named):
    logps, *others = FORWARD(self, model, *given, **named)
    return logps * 0.9, *others  # about what a forgotten temperature does


def old_of_another_moment(self, inputs):
    batch = SCORE(self, inputs)
    return {**batch, "old_per_token_logps": batch["old_per_token_logps"] - 0.05}


def rows_without_their_reference(self, generation_batch):
    inputs = PREPARE(self, generation_batch)
    return {**inputs, "ref_per_token_logps": inputs["ref_per_token_logps"].roll(1, dims=0)}


def counted_twice(self, inputs):
    batch = SCORE(self, inputs)
    return {**batch, "num_items_in_batch": batch["num_items_in_batch"] * 2}


def a_reference_that_learns(self, model, inputs):
    with torch.no_grad():
        for own, of_policy in zip(self.ref_model.parameters(), self.model.parameters(), strict=True):
            own.lerp_(of_policy, 0.5)
    return COMPUTE(self, model, inputs)


@pytest.mark.parametrize(
    ("method", "wrong", "said", "options"),
    [
        ("_generate_and_score_completions", the_policy_as_reference, "ref_per_token_logps", {"beta": 0.1, **FAST}),
        ("_generate_and_score_completions", advantages_rolled_by_a_row, "advantages at completion", {}),
        ("_generate_and_score_completions", no_old_log_probabilities, "old_per_token_logps", {"num_iterations": 2}),
        ("_generate_and_score_completions", old_of_another_moment, "old_per_token_logps at", {"num_iterations": 2}),
        ("_generate_and_score_completions", counted_twice, "num_items_in_batch: TRL has", {}),
        ("_get_per_token_logps_and_entropies", no_temperature, "policy's log-probabilities at completion", {}),
        ("_prepare_inputs", rows_without_their_reference, "the row at completion 0: TRL has one that", {"beta": 0.1}),
        ("_compute_loss", a_reference_that_learns, "reference's parameter", {"beta": 0.1, "learning_rate": 1e-2}),
        ("_prepare_inputs", always_the_first_micro_batch, "the row at", {"gradient_accumulation_steps": 2}),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_wrong_step_is_found_in_a_run(method, wrong, said, options, tmp_path, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, method, wrong)
    watched = trainer(tmp_path, **options)
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch, match=said):
        watched.train()


def test_a_reference_that_is_the_policy_itself_is_found(tmp_path):
    watched = trainer(tmp_path, beta=0.1)
    watched.ref_model = watched.model
    watch_loss(watched)
    with pytest.raises(LossMismatch, match=r"the reference: TRL has the policy's own .*, a copy was expected"):
        watched.train()


def adapters_left_on(self, inputs):
    from contextlib import nullcontext

    from trl.trainer import grpo_trainer

    before, grpo_trainer.use_adapter = grpo_trainer.use_adapter, lambda *_, **__: nullcontext()
    try:
        return SCORE(self, inputs)
    finally:
        grpo_trainer.use_adapter = before


def test_under_peft_the_reference_is_the_model_without_its_adapter(tmp_path, monkeypatch):
    peft = pytest.importorskip("peft", reason="peft is not installed")
    options = {"beta": 0.1, "num_iterations": 2, "learning_rate": 1e-2}
    given = {"peft_config": peft.LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM")}
    watched = trainer(tmp_path, given, **options)
    watch = watch_loss(watched, every=1)
    watched.train()
    assert "reference computed again in 3 micro-batches" in str(watch)
    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", adapters_left_on)
    watched = trainer(tmp_path, given, **{**options, "learning_rate": 1.0})  # for an adapter begins as nothing
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch, match="ref_per_token_logps at completion"):
        watched.train()


def wrong_in_evaluation(self, inputs):
    batch = SCORE(self, inputs)
    return batch if self.model.training else {**batch, "advantages": batch["advantages"] + 0.5}


def test_the_first_batch_of_each_evaluation_is_checked(tmp_path, monkeypatch):
    options = {"eval_strategy": "steps", "eval_steps": 1, "max_steps": 2, "per_device_eval_batch_size": 8}
    watched = trainer(tmp_path, {"eval_rows": 4}, beta=0.1, num_generations_eval=2, **options)
    watch = watch_loss(watched, every=1)
    watched.train()
    assert "2 evaluation batches checked: the loss's value, and the batch, but no gradient" in str(watch)
    assert [log["eval_loss_check/max_abs_diff"] < 1e-6 for log in watched.state.log_history if "eval_loss" in log] == [
        True
    ] * 2
    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", wrong_in_evaluation)
    watched = trainer(tmp_path, {"eval_rows": 4}, **options)
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch, match="step 1: advantages at completion"):
        watched.train()


class Replays(GRPOTrainer):
    """A trainer that puts a row of its last batch in the place of one of the new."""

    last = None

    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        mixed = dict(batch)
        if self.last is not None:
            for name, old in batch.items():
                if torch.is_tensor(old) and old.dim() and old.shape == self.last[name].shape:
                    mixed[name] = torch.cat([self.last[name][:1], old[1:]])
        self.last = batch
        return mixed


def test_rows_of_a_trainer_with_batches_of_its_own_are_counted_and_not_called_wrong(tmp_path):
    watched = trainer(tmp_path)
    watched.__class__ = Replays
    watch = watch_loss(watched, every=1)
    watched.train()
    said = "3 batches were made in the trainer's own way: their advantages, masks and counts were not checked"
    assert said in str(watch)
    assert "no advantages were computed again" in str(watch)
