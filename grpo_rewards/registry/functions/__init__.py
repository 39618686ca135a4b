"""Rewards that are functions.

``function`` the object made of one · ``coroutines`` of one that waits · ``signature`` the star rule ·
``model_arguments`` whether one looks at what the model did · ``option_types`` which values an option takes ·
``dependencies`` options that are rewards, whose verdicts a reward reads · ``pickled`` the way into another process ·
``logged_names`` the names under which it logs · ``reward_code`` when the code of one is another one.
"""

from grpo_rewards.registry.functions.coroutines import AsyncBatchReward, AsyncFunctionReward
from grpo_rewards.registry.functions.dependencies import DependencyVerdict
from grpo_rewards.registry.functions.function import FunctionReward

__all__ = ["AsyncBatchReward", "AsyncFunctionReward", "DependencyVerdict", "FunctionReward"]
