"""What can be checked before a model is loaded.

``checks`` all checks of one run · ``report`` what they found · ``distinct_names`` names for all rewards of a
run · ``columns`` what rewards read · ``tools`` what a run's tools need · ``template``, ``tokens`` and ``group_size``
what is bound in rewards about a run · ``golds`` the rows that cannot be scored.
"""

from grpo_rewards.preflight.checks import check_rewards
from grpo_rewards.preflight.golds import check_answers

__all__ = ["check_answers", "check_rewards"]
