"""What junk would a reward pay? The cheats that policies have found, tried on any reward, with what each earns.

``cheats`` the texts that deserve nothing · ``honest`` the ways to write an answer, right or wrong · ``scene`` what a
policy knows of a row and of the reward · ``echoes`` what a reward's own options ask for · ``rows`` problems to try them
on · ``asking`` one call, whatever the reward does in it · ``time_limit`` an end to calls that take for ever ·
``trying`` all of it, in its order · ``probed`` what came of it.
"""

from grpo_rewards.probing.probed import Earned, Probed
from grpo_rewards.probing.trying import probe

__all__ = ["Earned", "Probed", "probe"]
