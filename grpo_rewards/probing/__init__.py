"""Which degenerate completions earn a reward? Known reward hacks, tried on any reward, with what each earns.

``hacks`` the texts that deserve nothing · ``honest`` the ways to write an answer, right or wrong · ``answers`` right
and wrong ones in many spellings · ``scene`` what a policy knows of a row and of the reward · ``echoes`` what a reward's
own options look for · ``rows`` problems to try them on · ``calls`` one call, whatever the reward does in it ·
``pairs`` graders of a completion and its gold · ``probe_reward`` all of it, in its order · ``probed`` the result.
"""

from grpo_rewards.probing.probe_reward import probe
from grpo_rewards.probing.probed import Earned, Probed

__all__ = ["Earned", "Probed", "probe"]
