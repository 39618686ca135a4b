"""Rewards made of other rewards. Each is called like any reward, can be a part of another, and prints as a spec.

``weighing`` their weighted sum · ``gating`` one reward only where another is earned · ``scheduling`` a weight that
changes over the training · ``routing`` another reward for each kind of row · ``adjusting`` another range of numbers ·
``composite`` what they have in common.
"""

from grpo_rewards.compose.adjusting import clipped, scaled
from grpo_rewards.compose.gating import gated
from grpo_rewards.compose.routing import routed
from grpo_rewards.compose.scheduling import scheduled
from grpo_rewards.compose.weighing import Weighted, weighted

__all__ = ["Weighted", "clipped", "gated", "routed", "scaled", "scheduled", "weighted"]
