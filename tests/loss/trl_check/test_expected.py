"""What a trainer's settings and tensors come to, worked by hand: tokens of a window, the entropy bonus, the ratio."""

import pytest
import torch
from tables import each_row
from tiny_copies import loss_trainer
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss.trl_check.contract import loss_settings
from grpo_rewards.loss.trl_check.expected import auxiliary_share, expected_loss

LOGPS = torch.full((2, 3), -1.0, dtype=torch.float64)
ENTROPIES = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).double()
# On policy a token's loss is -A: two tokens of -2 and three of 1 make -1.
INPUTS = {
    "completion_mask": tensor([[1, 1, 0], [1, 1, 1]]),
    "advantages": tensor([2.0, -1.0]).double(),
    "num_items_in_batch": tensor(24.0),
}
HALF = {"importance_sampling_ratio": torch.full((2, 3), 0.5, dtype=torch.float64)}


def loss_of(inputs=INPUTS, training=True, world_size=1, buffered=None, **settings):
    trainer = loss_trainer(LOGPS, ENTROPIES, training, world_size, **settings)
    trainer._buffered_inputs = buffered
    return expected_loss(trainer, loss_settings(trainer), inputs, LOGPS, ENTROPIES).loss.item()


@each_row(
    "given, expected",
    [
        ({}, -1 / 24),
        ({"inputs": {**INPUTS, "tool_mask": tensor([[0, 1, 1], [1, 1, 1]])}}, 1 / 24),  # one token of -2 less
        ({"current_gradient_accumulation_steps": 2, "steps_per_generation": 4}, -1 / 12),  # 2 of 4 parts of 24 tokens
        ({"current_gradient_accumulation_steps": 2, "steps_per_generation": 4, "training": False}, -1 / 24),
        ({"world_size": 2}, -2 / 24),
        # 5 and 3 tokens lie in the buffer, whatever TRL says
        ({"buffered": [INPUTS, {"completion_mask": torch.ones(1, 3)}]}, -1 / 8),
        ({"buffered": [INPUTS], "training": False}, -1 / 24),
        # the grpo loss is a mean by completion, (-2 + 1) / 2, divided by the steps of training alone
        ({"loss_type": "grpo", "current_gradient_accumulation_steps": 4}, -0.5 / 4),
        ({"loss_type": "grpo", "current_gradient_accumulation_steps": 4, "training": False}, -0.5),
    ],
)
def test_the_tokens_and_steps_of_a_window(given, expected):
    assert_close(loss_of(**given), expected)


@each_row(
    "settings, share",
    [
        ({}, 1.0),
        ({"use_vllm": True, "vllm_importance_sampling_correction": False}, 1.0),
        ({"vllm_importance_sampling_correction": True}, 1.0),
        ({"use_vllm": True, "vllm_importance_sampling_correction": True}, 0.5),
    ],
)
def test_the_importance_ratio_counts_if_both_settings_are_on(settings, share):
    assert_close(loss_of({**INPUTS, **HALF}, **settings), -share / 24)


@pytest.mark.parametrize(
    ("settings", "bonus"),
    [
        ({"entropy_coef": 0.1}, 0.1),
        # the entropy of the last step is 0.1 in a stand-in
        ({"entropy_coef": 0.1, "use_adaptive_entropy": True, "entropy_target": 0.2}, 0.1),
        ({"entropy_coef": 0.1, "use_adaptive_entropy": True, "entropy_target": 0.05}, 0.0),
    ],
)
def test_an_adaptive_bonus_is_given_below_its_target_alone(settings, bonus):
    trainer = loss_trainer(LOGPS, ENTROPIES, True, 1, **settings)
    assert loss_settings(trainer)["entropy_coef"] == bonus


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (1, 3 / 24),  # half of the entropies 1, 2, 4, 5, 6 are at least 4: the second completion's three tokens
        (2, 2 * 1 / 24),  # with 5.5, 6, 7 on the other rank the median of eight is 5.25: the last token alone
    ],
)
def test_the_highest_entropies_are_those_of_all_ranks(ranks, expected):
    trainer = loss_trainer(LOGPS, ENTROPIES, True, ranks, top_entropy_quantile=0.5)
    others = tensor([5.5, 6.0, 7.0, -1.0]).double()  # -1 is padding
    trainer.accelerator.gather = lambda own: torch.cat([own, others])
    found = expected_loss(trainer, loss_settings(trainer), INPUTS, LOGPS, ENTROPIES)
    assert_close(found.loss.item(), expected)


@pytest.mark.parametrize(
    ("training", "enabled", "share"), [(True, True, 0.075), (False, True, 0.3), (True, False, 0.0)]
)
def test_an_auxiliary_loss_is_shared_by_a_window_in_training(training, enabled, share):
    # 0.3 / 4 micro-batches; an evaluation has no window
    of_experts = {"aux_loss_enabled": enabled, "router_aux_loss_coef": 0.3, "current_gradient_accumulation_steps": 4}
    trainer = loss_trainer(torch.zeros(1, 1), torch.zeros(1, 1), training, 1, **of_experts)
    assert auxiliary_share(trainer) == pytest.approx(share)


def test_a_setting_stands_where_trl_looks_for_it():
    trainer = loss_trainer(LOGPS, LOGPS, False, 3, delta=1.5, beta=0.1)
    assert (trainer.args.delta, trainer.beta) == (1.5, 0.1)  # of GRPOConfig, and of GRPOTrainer
    assert not hasattr(trainer, "delta")
    assert (trainer.model.training, trainer.accelerator.num_processes) == (False, 3)
    assert loss_trainer(LOGPS, LOGPS, True, 1).args.delta is None  # settings of one are not those of the next
