"""A run of a trainer is recorded beside what others have put around its methods."""

from tiny_trainer import trainer

from grpo_rewards.loss.trl_check.contract import Recording


def test_wrappers_from_before_and_after_are_called(tmp_path):
    run, called = trainer(tmp_path, max_steps=2), []

    class Recorder(Recording):
        def on_generation(self, what):
            called.append((what.step, what.micro_step))

        on_loss = on_generation

    compute = run._compute_loss
    run._compute_loss = lambda *given: called.append("before") or compute(*given)
    recording = Recorder(run)
    ours = run._compute_loss
    run._compute_loss = lambda *given: called.append("after") or ours(*given)
    run.train()
    assert called == [(0, 0), "after", "before", (0, 0), (1, 1), "after", "before", (1, 1)]  # generated, and its loss
    assert recording.changed == {}
