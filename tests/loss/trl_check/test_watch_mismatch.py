"""What a mismatch does to a run: a large one ends it, a small one must come again, and what is not seen is refused."""

import logging

import pytest
from tiny_trainer import trainer, uneven
from trl import GRPOTrainer

from grpo_rewards.loss import LossMismatch, watch_loss

COMPUTE = GRPOTrainer._compute_loss


def off_by(share, in_steps):
    """A loss whose gradient is off by a share, in some steps."""

    def compute(self, model, inputs):
        loss = COMPUTE(self, model, inputs)
        wrong = loss * share
        return loss + (wrong - wrong.detach()) if self.state.global_step in in_steps else loss

    return compute


def run(tmp_path, monkeypatch, compute, max_steps=4, **options):
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", compute)
    watched = trainer(tmp_path, {"reward_funcs": [uneven]}, max_steps=max_steps)
    watch = watch_loss(watched, **options)
    watched.train()
    return watch


def test_a_small_mismatch_that_does_not_come_again_is_a_warning(tmp_path, monkeypatch, caplog):
    with caplog.at_level(logging.WARNING, "grpo_rewards"):
        watch = run(tmp_path, monkeypatch, off_by(1e-3, {0}), every=3)
    assert "It is small; the run goes on unless it comes again." in caplog.text
    assert "1 mismatches were small and did not repeat" in str(watch)
    # steps 0 and 3 are due, and step 1 because of the doubt
    assert watch.steps == {0, 1, 3}


def test_a_small_mismatch_that_comes_again_ends_the_run(tmp_path, monkeypatch):
    with pytest.raises(LossMismatch, match=r"^step 1: the loss is not that of 'dapo'"):
        run(tmp_path, monkeypatch, off_by(1e-3, {0, 1, 2, 3}))


def test_a_large_mismatch_ends_the_run_at_once_or_is_a_warning(tmp_path, monkeypatch, caplog):
    with pytest.raises(LossMismatch, match=r"^step 0: "):
        run(tmp_path, monkeypatch, off_by(0.5, {0, 1, 2, 3}))
    with caplog.at_level(logging.WARNING, "grpo_rewards"):
        run(tmp_path, monkeypatch, off_by(0.5, {0, 1, 2, 3}), on_mismatch="warn", every=1)
    assert caplog.text.count("the loss is not that of 'dapo'") == 4


def test_a_loss_that_goes_past_compute_loss_is_refused_early_or_at_the_first_step(tmp_path):
    class Own(GRPOTrainer):
        def _compute_loss(self, model, inputs):
            return super()._compute_loss(model, inputs)

    watched = trainer(tmp_path)
    watched.__class__ = Own
    with pytest.raises(TypeError, match=r"computes its loss in a way of its own, by Own\._compute_loss"):
        watch_loss(watched)
    watched.__class__ = GRPOTrainer
    with pytest.raises(ValueError, match="on_mismatch must be 'stop' or 'warn', not 'ignore'"):
        watch_loss(watched, on_mismatch="ignore")
    watch_loss(watched)
    watched.compute_loss = lambda model, inputs, **_: COMPUTE(watched, model, inputs)
    with pytest.raises(LossMismatch, match=r"not computed by GRPOTrainer\._compute_loss"):
        watched.train()


def test_rloo_is_refused():
    from trl import RLOOTrainer

    with pytest.raises(TypeError, match="watch_loss takes a GRPOTrainer, not RLOOTrainer"):
        watch_loss(RLOOTrainer.__new__(RLOOTrainer))


def test_the_report_says_what_there_was_to_see(tmp_path, capsys):
    watched = trainer(tmp_path, beta=0.1, num_iterations=2, learning_rate=1e-2)
    watch = watch_loss(watched, every=1)
    assert str(watch) == "watch_loss:\n- no loss was checked."
    watched.train()
    printed = capsys.readouterr().out
    assert str(watch) in printed
    assert "off policy in 1 of 3 micro-batches" in printed
    assert "reference computed again in 3 micro-batches" in printed
    assert "one rank: gathering and slicing could not go wrong" in printed


def test_the_report_says_what_could_not_be_seen(tmp_path, capsys):
    watched = trainer(tmp_path, reward_weights=[0.0, 0.0], max_steps=2)
    watch_loss(watched, every=1)
    watched.train()
    printed = capsys.readouterr().out
    assert "on policy: every ratio was 1 and the clip never active" in printed
    assert "no log-probabilities of a reference were computed again" in printed
    assert "advantages and masks computed again in 2 batches: all groups had equal rewards in 2," in printed
