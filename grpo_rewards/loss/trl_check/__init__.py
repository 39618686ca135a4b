"""Checks that TRL computes the loss that this package has from the papers, in the installed version and in a run.

``contract`` what of TRL is hooked, looked at first, and the hooks · ``expected`` what TRL should make of its settings
and tokens, and how far rounding may take it · ``report`` what was compared, and how far it was apart.

``validate`` the check of the installed TRL · ``cases`` the settings and tensors of the batches made by hand · ``tiny``
a tiny model that a real trainer trains, and copies of that trainer · ``watch`` the check inside a running trainer.

In the loss, only this folder imports TRL. ``tests/trl_parity`` of the repository checks the whole step around the loss.
"""

from grpo_rewards.loss.trl_check.validate import validate_trl_loss
from grpo_rewards.loss.trl_check.watch import LossMismatch, watch_loss

__all__ = ["LossMismatch", "validate_trl_loss", "watch_loss"]
