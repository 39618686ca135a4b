"""The loss types by name: the function of each, and the surrogate and the aggregation that it is made of.

A new one is a function in ``formulas.py`` and its row in ``PARTS``, with its name in ``LossType``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from torch import Tensor

from grpo_rewards.loss.aggregation import length_scaled, over_constant, over_window, per_sequence, per_token
from grpo_rewards.loss.formulas import bnpo, cispo, dapo, dr_grpo, grpo, luspo, sapo, vespo
from grpo_rewards.loss.surrogates import (
    above_ceiling,
    cispo_surrogate,
    clipped_surrogate,
    sapo_surrogate,
    stopped_above,
    stopped_below,
    weighted_surrogate,
)

__all__ = ["AGGREGATIONS", "CLIPPED_ABOVE", "CLIPPED_BELOW", "FORMULAS", "LOSS_TYPES", "SURROGATES", "LossType"]

Formula = Callable[..., Tensor]
LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo", "luspo", "cispo", "sapo", "vespo"]

# the parts by name, whose first sentence ends with their equation: a LossMismatch quotes it
SURROGATES: dict[str, Formula] = {
    "clipped": clipped_surrogate,
    "cispo": cispo_surrogate,
    "sapo": sapo_surrogate,
    "vespo": weighted_surrogate,
}
AGGREGATIONS: dict[str, Formula] = {
    "per_sequence": per_sequence,
    "per_token": per_token,
    "length_scaled": length_scaled,
    "over_constant": over_constant,
    "over_window": over_window,
}
# the function of a loss type: the surrogate and the aggregation that it is made of
PARTS: dict[Formula, tuple[str, str]] = {
    grpo: ("clipped", "per_sequence"),
    bnpo: ("clipped", "per_token"),
    dr_grpo: ("clipped", "over_constant"),
    dapo: ("clipped", "over_window"),
    luspo: ("clipped", "length_scaled"),
    cispo: ("cispo", "over_window"),
    sapo: ("sapo", "per_sequence"),
    vespo: ("vespo", "over_window"),
}
LOSS_TYPES: dict[str, tuple[str, str]] = {function.__name__: parts for function, parts in PARTS.items()}
FORMULAS: dict[str, Formula] = {function.__name__: function for function in PARTS}
# surrogate: where it clips a ratio that is too small, and where one that is too great; no clip for one that is not here
CLIPPED_BELOW: dict[str, Formula] = {"clipped": stopped_below}
CLIPPED_ABOVE: dict[str, Formula] = {"clipped": stopped_above, "cispo": above_ceiling}
