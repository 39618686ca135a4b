"""One run of a trainer is recorded whole, left as it was, and not kept alive."""

import gc
import weakref

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from tiny_trainer import trainer

from grpo_rewards.loss.trl_check.expected import batch_settings, compare_batch, expected_batch
from grpo_rewards.loss.trl_check.recording import Recording
from grpo_rewards.loss.trl_check.watch import Rows


def test_a_run_is_recorded_and_its_batches_are_the_expected_ones(tmp_path):
    options = {"beta": 0.1, "num_iterations": 2, "steps_per_generation": 2, "max_steps": 4}
    run = trainer(tmp_path, per_device_train_batch_size=4, mask_truncated_completions=True, **options)
    alive = weakref.ref(run)
    generations, losses, uses = [], [], []

    def generated(generation):
        generations.append(generation)
        uses.append(Rows(generation.batch, 2, 2))

    def wants(inputs):
        uses[-1].add(inputs, alive()._step)
        assert uses[-1].findings() == []
        return True

    def seen(call):
        assert call.loss.requires_grad
        losses.append((call.micro_step, [forward.whose for forward in call.forwards], call.settings["beta"]))

    recording = Recording(run, generated, seen, wants)
    run.train()
    assert losses == [(step, ["policy"], 0.1) for step in range(4)]
    assert uses[0].left_over() == []
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
    del run, recording, generated, wants, seen
    gc.collect()
    assert alive() is None


def test_wrappers_from_before_and_after_are_called(tmp_path):
    run, called = trainer(tmp_path, max_steps=1), []
    compute = run._compute_loss
    run._compute_loss = lambda *given: called.append("before") or compute(*given)
    recording = Recording(run, lambda generation: None, lambda call: called.append("recorded"))
    ours = run._compute_loss
    run._compute_loss = lambda *given: called.append("after") or ours(*given)
    run.train()
    assert called == ["after", "before", "recorded"]
    assert recording.changed == {}


def test_a_recording_whose_trainer_is_gone_says_so(tmp_path):
    run = trainer(tmp_path)
    Recording(run, lambda generation: None, lambda call: None)
    method = run._compute_loss
    del run
    gc.collect()
    with pytest.raises(ReferenceError, match="the trainer whose loss was watched no longer exists"):
        method(None, {})
