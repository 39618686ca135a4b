"""Rewards made of other rewards. Each is called like any reward, can be a part of another, and prints as a spec.

``weighing`` their weighted sum · ``choosing`` one reward only where another is earned, or another one for each kind of
row · ``adjusting`` another range of numbers, or a weight that changes over the training · ``composite`` what they have
in common.
"""

from grpo_rewards.compose.adjusting import clipped, scaled, scheduled
from grpo_rewards.compose.choosing import gated, routed
from grpo_rewards.compose.weighing import Weighted, weighted

__all__ = ["Weighted", "clipped", "gated", "routed", "scaled", "scheduled", "weighted"]
