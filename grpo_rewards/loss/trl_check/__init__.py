"""Whether TRL computes the loss that this package has from the papers.

``validate`` over hand-made batches · ``watch`` inside a live trainer · ``cases`` the settings and tensors · ``standin``
what stands for a trainer · ``expected`` from a trainer's settings to this package's loss. Only this folder imports TRL.
"""

from grpo_rewards.loss.trl_check.validate import Difference, Report, validate_trl_loss
from grpo_rewards.loss.trl_check.watch import LossMismatch, watch_loss

__all__ = ["Difference", "LossMismatch", "Report", "validate_trl_loss", "watch_loss"]
