"""One run of a trainer is recorded whole, left as it was, and not kept alive."""

import gc
import weakref

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from tiny_trainer import trainer

from grpo_rewards.loss.trl_check.generated import batch_settings, compare_batch, expected_batch
from grpo_rewards.loss.trl_check.micro_batches import Uses
from grpo_rewards.loss.trl_check.recording import Recording


def test_a_run_is_recorded_and_its_batches_are_the_expected_ones(tmp_path):
    options = {"beta": 0.1, "num_iterations": 2, "steps_per_generation": 2, "max_steps": 4}
    run = trainer(tmp_path, per_device_train_batch_size=4, mask_truncated_completions=True, **options)
    generations, losses, uses = [], [], []

    def generated(generation):
        generations.append(generation)
        uses.append(Uses(generation.batch, 2, 2))

    def wants(inputs):
        uses[-1].add(inputs)
        assert uses[-1].findings(inputs) == []
        return True

    def seen(call):
        assert call.loss.requires_grad
        losses.append((call.micro_step, [forward.whose for forward in call.forwards], call.settings["beta"]))

    recording = Recording(run, generated, wants, seen)
    run.train()
    assert losses == [(step, ["policy"], 0.1) for step in range(4)]
    assert uses[0].used_up
    (one,) = generations
    assert (one.step, one.micro_step, one.training) == (0, 0, True)
    assert [forward.whose for forward in one.forwards] == ["policy", "reference"]
    assert torch.equal(one.forwards[1].logps, one.batch["ref_per_token_logps"])
    assert torch.equal(
        one.forwards[0].given["input_ids"][:, -one.batch["completion_ids"].shape[1] :], one.batch["completion_ids"]
    )
    settings = batch_settings(run, True)
    expected = expected_batch(settings, one.prompts, one.completions, one.rewards_per_func)
    assert compare_batch(settings, one.batch, expected, one.rewards_per_func) == []
    recording.restore()
    assert not set(recording.watched) & set(vars(run))
    alive = weakref.ref(run)
    del run, recording, generated, wants, seen
    gc.collect()
    assert alive() is None


class Plain:
    """As much of a trainer as a recording needs."""

    def __init__(self):
        self.model = self.ref_model = torch.nn.Linear(1, 1)

    def _compute_loss(self, model, inputs):
        return "the class's"


def test_wrappers_from_before_and_after_are_called_and_stay():
    plain, heard = Plain(), []
    plain._compute_loss = lambda model, inputs: heard.append("before") or "the wrapper's"
    recording = Recording(plain)
    ours = plain._compute_loss
    assert plain._compute_loss(None, {}) == "the wrapper's"
    plain._compute_loss = lambda model, inputs: heard.append("after") or ours(model, inputs)
    recording.restore()
    assert plain._compute_loss(None, {}) == "the wrapper's"
    assert heard == ["before", "after", "before"]


def test_a_recording_whose_trainer_is_gone_says_so():
    plain = Plain()
    recording = Recording(plain)
    method = plain._compute_loss
    del plain
    gc.collect()
    with pytest.raises(ReferenceError, match="the trainer whose loss was watched no longer exists"):
        method(None, {})
    with pytest.raises(ReferenceError):
        recording.restore()
