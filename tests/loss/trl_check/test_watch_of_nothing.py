"""What is left of a watch when its trainer is gone."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

from grpo_rewards.loss.trl_check.watch import _Watch


class Trainer:
    """Anything that can be weakly referred to."""


def test_a_watch_whose_trainer_is_gone_says_so_with_and_without_asserts():
    trainer = Trainer()
    watch = _Watch(trainer, every=1)
    del trainer
    with pytest.raises(ReferenceError, match="the trainer whose loss was watched no longer exists"):
        watch(None, {})
