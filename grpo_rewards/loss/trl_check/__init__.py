"""Checks that TRL computes the loss that this package has from the papers.

``validate`` on batches made by hand · ``watch`` inside a running trainer · ``cases`` the settings and tensors for
``validate`` · ``standin`` an object that TRL's methods take for a trainer · ``expected`` this package's loss for a
trainer's settings. In the loss, only this folder imports TRL.
"""

from grpo_rewards.loss.trl_check.validate import Difference, Report, validate_trl_loss
from grpo_rewards.loss.trl_check.watch import LossMismatch, watch_loss

__all__ = ["Difference", "LossMismatch", "Report", "validate_trl_loss", "watch_loss"]
