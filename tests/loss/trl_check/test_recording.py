"""A run of a trainer is recorded beside what others have put around its methods."""

from tiny_trainer import trainer

from grpo_rewards.loss.trl_check.contract import Recording


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
