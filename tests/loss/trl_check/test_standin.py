"""TRL's own methods run on a copy of a tiny trainer, and their numbers are those worked by hand."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from tiny_copies import loss_trainer, scoring_trainer
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss.trl_check.cases import ScoringCase

LOGPS = torch.full((2, 3), -1.0)


def inputs(tokens):
    return {
        "prompt_ids": torch.ones(2, 2, dtype=torch.long),
        "prompt_mask": torch.ones(2, 2, dtype=torch.long),
        "completion_ids": torch.ones(2, 3, dtype=torch.long),
        "completion_mask": tensor([[1, 1, 0], [1, 1, 1]]),
        "advantages": tensor([2.0, -1.0]),
        "num_items_in_batch": tensor(tokens),
    }


@pytest.mark.parametrize(("tokens", "ranks", "expected"), [(5.0, 1, -0.2), (20.0, 2, -0.1)])
def test_trl_computes_its_loss_on_a_stand_in(tokens, ranks, expected):
    # on policy a token's loss is -A: (2 · -2 + 3 · 1) · ranks / tokens
    trainer = loss_trainer(LOGPS, torch.ones(2, 3), True, ranks)
    assert_close(trainer._compute_loss(trainer.model, inputs(tokens)), tensor(expected))


def test_trl_scores_on_a_stand_in():
    # rewards 1 and 0: mean 0.5, deviation √0.5 = 0.70711, and TRL adds 1e-4; an engine's ratio e^(-1 + 1.2) = 1.2214
    rewards, logps = tensor([[1.0], [0.0]]), torch.full((2, 6), -1.0)
    settings = {"use_vllm": True, "vllm_importance_sampling_correction": True, "num_generations": 2}
    settings |= {"vllm_importance_sampling_mode": "token_truncate"}
    trainer = scoring_trainer(ScoringCase(rewards, settings, logps, logps - 0.2))
    scored = trainer._generate_and_score_completions([{"prompt": ""}, {"prompt": ""}])
    assert_close(scored["advantages"], tensor([0.70701, -0.70701]), atol=1e-5, rtol=0)
    assert scored["completion_mask"].tolist() == [[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]]
    assert_close(scored["importance_sampling_ratio"][0], torch.full((6,), 1.2214), atol=1e-4, rtol=0)


def test_a_setting_stands_where_trl_looks_for_it():
    trainer = loss_trainer(LOGPS, LOGPS, False, 3, delta=1.5, beta=0.1)
    assert (trainer.args.delta, trainer.beta) == (1.5, 0.1)  # of GRPOConfig, and of GRPOTrainer
    assert not hasattr(trainer, "delta")
    assert (trainer.model.training, trainer.accelerator.num_processes) == (False, 3)
    assert loss_trainer(LOGPS, LOGPS, True, 1).args.delta is None  # settings of one are not those of the next
