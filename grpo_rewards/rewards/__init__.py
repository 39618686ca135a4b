"""The catalogue: short functions that turn facts about a completion into points. Importing it registers them.

A new reward goes into the file of its family: a decorated function, and its name in that file's ``__all__``. A new
family is a new file, named below.

``mathematics`` is the answer right? · ``numeric`` within a tolerance? · ``choice`` the right option? · ``words`` the
right text? · ``thinking`` thinking, answer and box in their places · ``tags`` any tags · ``blocks`` JSON and code ·
``length`` · ``patterns`` expressions, words and steps · ``repetitions`` · ``process`` what is computed on the way ·
``language``. ``building_blocks`` is what several of them share.
"""

from typing import TYPE_CHECKING

from grpo_rewards.registry import Reward
from grpo_rewards.rewards.blocks import *
from grpo_rewards.rewards.choice import *
from grpo_rewards.rewards.language import *
from grpo_rewards.rewards.length import *
from grpo_rewards.rewards.mathematics import *
from grpo_rewards.rewards.numeric import *
from grpo_rewards.rewards.patterns import *
from grpo_rewards.rewards.process import *
from grpo_rewards.rewards.repetitions import *
from grpo_rewards.rewards.tags import *
from grpo_rewards.rewards.thinking import *
from grpo_rewards.rewards.words import *

if not TYPE_CHECKING:  # a type checker sees the names above without it
    __all__ = sorted(name for name, value in globals().items() if isinstance(value, Reward))
