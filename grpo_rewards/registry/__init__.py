"""All of the machinery: what a reward is, how one is written, found by name, called by a trainer and logged.

``interface`` the object that TRL calls · ``functions`` those made of a function · ``decorate`` the decorators ·
``names`` which reward has which name · ``plugins`` those of other packages · ``spec`` names with options, as in YAML ·
``catalogue`` from a spec to a reward · ``call`` one call of a trainer · ``ranks`` the processes that train together ·
``given_back`` what a reward gives back · ``log`` what a trainer's log gets · ``golds`` the gold of a row in it ·
``errors`` the error that rewards raise, and its messages.
"""

from grpo_rewards.registry.catalogue import get_reward, list_rewards
from grpo_rewards.registry.decorate import batch_reward, reward
from grpo_rewards.registry.errors import RewardError
from grpo_rewards.registry.functions import DependencyVerdict
from grpo_rewards.registry.golds import gold_columns
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import register

Asked = DependencyVerdict  # its former name

__all__ = [
    "DependencyVerdict",
    "Reward",
    "RewardError",
    "batch_reward",
    "get_reward",
    "gold_columns",
    "list_rewards",
    "register",
    "reward",
]
