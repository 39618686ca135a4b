"""All of the machinery: what a reward is, how one is written, found by name, called by a trainer and logged.

``interface`` the object that TRL calls · ``function`` the one made of a function · ``coroutines`` the one that waits ·
``signature`` the star rule · ``decorate`` the decorators · ``names`` which reward has which name · ``plugins`` those of
other packages · ``spec`` names with options, as spelled in YAML · ``catalogue`` from a spec to a reward · ``call`` one
call of a trainer · ``log`` what a trainer's log gets · ``errors`` what is said where something is wrong.
"""

from grpo_rewards.registry.catalogue import get_reward, list_rewards
from grpo_rewards.registry.decorate import batch_reward, reward
from grpo_rewards.registry.errors import RewardError
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import register

__all__ = ["Reward", "RewardError", "batch_reward", "get_reward", "list_rewards", "register", "reward"]
