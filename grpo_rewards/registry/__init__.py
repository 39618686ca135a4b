"""What a reward is, and how one is written, found by name, called by a trainer and logged.

What happens between TRL's call and the number: ``interface`` is the object that TRL calls; ``call`` holds what the
trainer handed over; ``function`` reads the columns and calls the decorated function; ``interface`` makes verdicts of
what it returned; ``log`` logs them, and the trainer gets their numbers.

How a function becomes a reward: ``decorate`` has the decorators; ``signature`` reads what stands before and after the
star; ``coroutines`` is for one that waits.

How a reward is found: ``catalogue`` has the rewards of this package and of others by their names, and reads specs.
"""

from grpo_rewards.errors import RewardError
from grpo_rewards.registry.catalogue import get_reward, list_rewards, register
from grpo_rewards.registry.decorate import batch_reward, reward
from grpo_rewards.registry.function import DependencyVerdict
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.log import gold_columns

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
