"""Rewards made of rewards. Each can be part of another, is called as any reward is, and prints as a spec.

``weighing`` their sum · ``gating`` one where another is earned · ``scheduling`` a weight that changes · ``routing`` by
the kind of row · ``adjusting`` other ranges · ``composite`` what they have in common.
"""

from grpo_rewards.compose.adjusting import clipped, scaled
from grpo_rewards.compose.gating import gated
from grpo_rewards.compose.routing import routed
from grpo_rewards.compose.scheduling import scheduled
from grpo_rewards.compose.weighing import Weighted, weighted

__all__ = ["Weighted", "clipped", "gated", "routed", "scaled", "scheduled", "weighted"]
