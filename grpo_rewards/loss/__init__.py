"""GRPO from the papers: pure functions on tensors, with their equation in the docstring and again in the body.

``advantages`` from rewards · ``groups`` which of them teach anything · ``logps`` from logits · ``ratios`` how far the
policy has moved, and which tokens count · ``kl`` how far it is from the reference · ``reference`` when that is
refreshed · ``surrogates`` the loss of each token · ``aggregation`` of these into one number · ``formulas`` GRPO and its
relatives, one function each: the file to read first · ``loss_types`` these by name · ``batch``, ``grpo`` the whole
loss · ``shapes`` checks of what they are given · ``trl_check`` whether the installed TRL computes the same.
"""

from importlib.util import find_spec

from grpo_rewards.installing import how_to_install

if find_spec("torch") is None:
    raise ModuleNotFoundError(f"grpo_rewards.loss needs torch: {how_to_install('trl')}", name="torch")

from grpo_rewards.loss.advantages import combine_rewards, group_advantages, process_advantages, separate_advantages
from grpo_rewards.loss.aggregation import length_scaled, over_constant, over_window, per_sequence, per_token
from grpo_rewards.loss.groups import (
    dynamic_sampling,
    informative_groups,
    smallest_group_size,
    uninformative_probability,
)
from grpo_rewards.loss.grpo import LOSS_TYPES, GRPOLoss, grpo_loss
from grpo_rewards.loss.kl import kl_k1, kl_k2, kl_k3
from grpo_rewards.loss.logps import token_entropies, token_logps
from grpo_rewards.loss.ratios import high_entropy_mask, importance_sampling_ratio, log_ratio, off_policy_mask
from grpo_rewards.loss.reference import refreshed_reference
from grpo_rewards.loss.surrogates import (
    cispo_surrogate,
    clipped_surrogate,
    gamma_weights,
    sapo_surrogate,
    weighted_surrogate,
)
from grpo_rewards.loss.trl_check import LossMismatch, validate_trl_loss, watch_loss

__all__ = [
    "LOSS_TYPES",
    "GRPOLoss",
    "LossMismatch",
    "cispo_surrogate",
    "clipped_surrogate",
    "combine_rewards",
    "dynamic_sampling",
    "gamma_weights",
    "group_advantages",
    "grpo_loss",
    "high_entropy_mask",
    "importance_sampling_ratio",
    "informative_groups",
    "kl_k1",
    "kl_k2",
    "kl_k3",
    "length_scaled",
    "log_ratio",
    "off_policy_mask",
    "over_constant",
    "over_window",
    "per_sequence",
    "per_token",
    "process_advantages",
    "refreshed_reference",
    "sapo_surrogate",
    "separate_advantages",
    "smallest_group_size",
    "token_entropies",
    "token_logps",
    "uninformative_probability",
    "validate_trl_loss",
    "watch_loss",
    "weighted_surrogate",
]
