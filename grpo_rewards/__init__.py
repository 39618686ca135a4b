"""Rule-based rewards for TRL: right about mathematics, impossible to stall, with a reason for every number.

The public names are those of ``public_names``. The module of each is imported when it is first used, so that one
reward, ``grpo_rewards.answers`` and ``grpo_rewards.loss`` can be used without the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from grpo_rewards.public_names import MODULE_OF

if TYPE_CHECKING:
    from grpo_rewards.compose import *
    from grpo_rewards.preflight import *
    from grpo_rewards.probing import *
    from grpo_rewards.registry import *
    from grpo_rewards.registry import Asked as Asked
    from grpo_rewards.rewards import *
    from grpo_rewards.verdict import *

__version__ = "0.3.0"

_SUBPACKAGES = (
    *("answers", "checkup", "completion", "compose", "describing", "integrations", "loss", "monitor", "preflight"),
    *("probing", "registry", "rewards", "scoring", "testing", "verdict"),
)

_FORMER_NAMES = {"Asked": "DependencyVerdict"}  # public names of earlier versions

if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist
    __all__ = sorted(MODULE_OF)

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES:
            return importlib.import_module(f"{__name__}.{name}")
        if name.endswith(")"):  # a spec with options, as trl grpo --reward_funcs hands it to getattr
            from grpo_rewards.registry import get_reward

            return get_reward(name)
        name = _FORMER_NAMES.get(name, name)
        if name not in MODULE_OF:
            import difflib

            near = difflib.get_close_matches(name, MODULE_OF, n=1)
            raise AttributeError(
                f"module '{__name__}' has no attribute '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
            )
        found = globals()[name] = getattr(importlib.import_module(MODULE_OF[name]), name)
        return found


def __dir__() -> list[str]:
    return sorted({*MODULE_OF, *_SUBPACKAGES, "__version__"})
