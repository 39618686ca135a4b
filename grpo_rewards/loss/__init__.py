"""GRPO from the papers: pure functions on tensors, with their equation in the docstring and again in the body.

``advantages`` from rewards · ``groups`` which of them teach anything · ``logps`` from logits · ``ratios`` how far the
policy has moved, and which tokens count · ``kl`` how far it is from the reference, and the next reference ·
``surrogates`` the loss of each token · ``aggregation`` of these into one number · ``formulas`` GRPO and its relatives,
one function each: the file to read first · ``loss_types`` these by name · ``grpo`` the whole loss · ``shapes`` checks
of what they are given · ``trl_check`` whether the installed TRL computes the same.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from grpo_rewards.installing import how_to_install

if find_spec("torch") is None:
    raise ModuleNotFoundError(f"grpo_rewards.loss needs torch: {how_to_install('trl')}", name="torch")

from grpo_rewards.loss import advantages, aggregation, groups, grpo, kl, logps, ratios, surrogates, trl_check
from grpo_rewards.loss.advantages import *
from grpo_rewards.loss.aggregation import *
from grpo_rewards.loss.groups import *
from grpo_rewards.loss.grpo import *
from grpo_rewards.loss.kl import *
from grpo_rewards.loss.logps import *
from grpo_rewards.loss.ratios import *
from grpo_rewards.loss.surrogates import *
from grpo_rewards.loss.trl_check import *

if not TYPE_CHECKING:  # a type checker sees the names above without it
    modules = (advantages, aggregation, groups, grpo, kl, logps, ratios, surrogates, trl_check)
    __all__ = sorted(name for module in modules for name in module.__all__)
