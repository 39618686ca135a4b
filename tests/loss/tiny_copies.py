"""Copies of a tiny trainer that took one step, on which TRL's own methods are called; it is made once."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from torch import Tensor

from grpo_rewards.loss.trl_check import tiny
from grpo_rewards.loss.trl_check.cases import ScoringCase
from grpo_rewards.loss.trl_check.contract import Forward


@cache
def base() -> Any:
    with tempfile.TemporaryDirectory() as folder, tiny.quietly(), tiny.alone():
        trainer = tiny.tiny_trainer(Path(folder))
        trainer.train()
    return trainer


def loss_trainer(logps: Tensor, entropies: Tensor, training: bool, world_size: int, **settings: Any) -> Any:
    return tiny.loss_trainer(base(), Forward(logps, entropies, None), training, world_size, **settings)


def scoring_trainer(case: ScoringCase) -> Any:
    return tiny.scoring_trainer(base(), case)
