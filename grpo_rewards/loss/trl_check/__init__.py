"""Checks that TRL computes the loss that this package has from the papers, and all that leads to it.

``validate`` the check of the installed TRL, on batches made by hand and in whole steps · ``cases`` the settings and
tensors of the batches made by hand · ``standin`` an object that TRL's methods take for a trainer · ``expected`` this
package's loss for a trainer's settings · ``heads`` TRL's log-probabilities without logits · ``shuffled_rows`` how rows
are shuffled and parted · ``step`` a tiny model trained by a real trainer, and all of it computed again · ``report``
what was compared, and how far it was apart · ``support`` which versions of TRL are supported.

``watch`` the check inside a running trainer · ``recording`` what a trainer generates and makes a loss of ·
``generated`` the batch that must come of it · ``micro_batches`` its rows · ``findings`` what is wrong · ``watching``
what else a watched run looks at. In the loss, only this folder imports TRL.
"""

from grpo_rewards.loss.trl_check.report import Difference, Report
from grpo_rewards.loss.trl_check.validate import validate_trl_loss
from grpo_rewards.loss.trl_check.watch import LossMismatch, LossWatch, watch_loss

__all__ = ["Difference", "LossMismatch", "LossWatch", "Report", "validate_trl_loss", "watch_loss"]
