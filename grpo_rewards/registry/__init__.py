"""All of the machinery: what a reward is, how one is written, found by name, called by a trainer and logged.

``errors`` the error that rewards raise, and its messages · ``call`` one call of a trainer, and the processes that train
together · ``log`` what a trainer's log gets, the gold of a row among it · ``interface`` the object that TRL calls ·
``model_arguments`` which arguments hold what the model did · ``signature`` the star rule · ``names`` which
reward has which name, those of other packages too · ``catalogue`` from a spec to a reward · ``function`` the reward
that is made of a function, and options that are rewards · ``coroutines`` of one that waits · ``decorate`` the
decorators.
"""

from grpo_rewards.registry.catalogue import get_reward, list_rewards
from grpo_rewards.registry.decorate import batch_reward, reward
from grpo_rewards.registry.errors import RewardError
from grpo_rewards.registry.function import DependencyVerdict
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.log import gold_columns
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
