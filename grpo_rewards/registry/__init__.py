"""All of the machinery: what a reward is, how one is written, found by name, called by a trainer and checked.

``signature`` the star rule · ``call`` one call of a trainer · ``reward`` the object that TRL calls · ``function`` the
one made of a function · ``coroutines`` the one that waits · ``decorate`` the decorators · ``catalogue`` the names ·
``spec`` names with options, as spelled in YAML · ``log`` what a trainer's log gets · ``preflight`` what can be checked
before a model is loaded.
"""

from grpo_rewards.registry.call import Call, Texts
from grpo_rewards.registry.catalogue import get_reward, list_rewards, register_composer
from grpo_rewards.registry.decorate import batch_reward, reward
from grpo_rewards.registry.errors import RewardError
from grpo_rewards.registry.preflight import check_answers, check_rewards
from grpo_rewards.registry.reward import Reward

__all__ = [
    "Call",
    "Reward",
    "RewardError",
    "Texts",
    "batch_reward",
    "check_answers",
    "check_rewards",
    "get_reward",
    "list_rewards",
    "register_composer",
    "reward",
]
