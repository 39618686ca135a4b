"""One run of a trainer is recorded whole, left as it was, and not kept alive."""

import gc
import weakref

from tiny_trainer import trainer

from grpo_rewards.loss.trl_check.contract import Recording
from grpo_rewards.loss.trl_check.expected import batch_settings, compare_batch, expected_batch


def test_a_run_is_recorded_and_its_batches_are_the_expected_ones(tmp_path):
    options = {"beta": 0.1, "num_iterations": 2, "steps_per_generation": 2, "max_steps": 4}
    run = trainer(tmp_path, per_device_train_batch_size=4, mask_truncated_completions=True, **options)
    alive = weakref.ref(run)
    generations, losses = [], []

    def seen(call):
        assert call.loss.requires_grad
        shapes = [(forward.logps.shape, forward.entropies.shape) for forward in call.forwards]
        assert shapes == [(call.inputs["completion_ids"].shape,) * 2]
        losses.append((call.micro_step, call.settings["beta"]))

    recording = Recording(run, generations.append, seen)
    run.train()
    assert losses == [(step, 0.1) for step in range(4)]
    (one,) = generations
    assert (one.step, one.micro_step, one.training) == (0, 0, True)
    settings = batch_settings(run, True)
    expected = expected_batch(settings, one.prompts, one.completions, one.rewards_per_func)
    assert compare_batch(settings, one.batch, expected, one.rewards_per_func) == []
    del run, recording, seen
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
