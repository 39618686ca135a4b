"""The loss types by name: the function of each, and the surrogate and the aggregation that it is made of.

A new one is a function in ``formulas.py`` and its row in ``LOSS_TYPES``, with its name in ``LossType``.
"""

from collections.abc import Callable
from typing import Literal

from torch import Tensor

from grpo_rewards.loss import formulas

Formula = Callable[..., Tensor]
LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo", "luspo", "cispo", "sapo", "vespo"]

LOSS_TYPES: dict[str, tuple[str, str]] = {
    "grpo": ("clipped", "per_sequence"),
    "bnpo": ("clipped", "per_token"),
    "dr_grpo": ("clipped", "over_constant"),
    "dapo": ("clipped", "over_window"),
    "luspo": ("clipped", "length_scaled"),
    "cispo": ("cispo", "over_window"),
    "sapo": ("sapo", "per_sequence"),
    "vespo": ("vespo", "over_window"),
}
# the function of each, whose docstring's first sentence ends with its equation: a LossMismatch quotes it
FORMULAS: dict[str, Formula] = {name: getattr(formulas, name) for name in LOSS_TYPES}
