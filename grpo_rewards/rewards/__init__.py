"""The catalogue: short functions that turn facts about a completion into points. Each is registered when it is used.

A new reward goes into the file of its family: a decorated function, and its name in that file's ``__all__`` and in
``grpo_rewards.public_names``. A new family is a new file, imported below for type checkers.

``correctness`` is what it says right? · ``format`` has it the requested form? · ``length`` is it long and short
enough? · ``content`` what is in the text? · ``building_blocks`` what several families share.
"""

import importlib
from typing import TYPE_CHECKING, Any

from grpo_rewards.public_names import OWN_REWARDS

if TYPE_CHECKING:
    from grpo_rewards.rewards.content.instructions import *
    from grpo_rewards.rewards.content.language import *
    from grpo_rewards.rewards.content.patterns import *
    from grpo_rewards.rewards.correctness.choice import *
    from grpo_rewards.rewards.correctness.mathematics import *
    from grpo_rewards.rewards.correctness.numeric import *
    from grpo_rewards.rewards.correctness.puzzles import *
    from grpo_rewards.rewards.correctness.tool_use import *
    from grpo_rewards.rewards.correctness.vision import *
    from grpo_rewards.rewards.correctness.words import *
    from grpo_rewards.rewards.format.blocks import *
    from grpo_rewards.rewards.format.tags import *
    from grpo_rewards.rewards.length import *
else:
    __all__ = sorted(name for name, module in OWN_REWARDS.items() if module.startswith(f"{__name__}."))

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(importlib.import_module(OWN_REWARDS[name]), name)
