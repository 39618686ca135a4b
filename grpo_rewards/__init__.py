"""Rule-based rewards for TRL: right about mathematics, impossible to stall, with a reason for every number.

The public names are those of ``public_names``. The module of each is imported when it is first used, so that one
reward, ``grpo_rewards.answers`` and ``grpo_rewards.loss`` can be used without the rest.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grpo_rewards.public_names import MODULE_OF

if TYPE_CHECKING:
    from grpo_rewards.checks.reward.probing import Earned as Earned
    from grpo_rewards.checks.reward.probing import Probed as Probed
    from grpo_rewards.checks.reward.probing import probe as probe
    from grpo_rewards.checks.setup.all_checks import check_rewards as check_rewards
    from grpo_rewards.checks.setup.trials import check_answers as check_answers
    from grpo_rewards.compose import *
    from grpo_rewards.registry import *
    from grpo_rewards.registry import Asked as Asked
    from grpo_rewards.rewards import *
    from grpo_rewards.verdict import *

__version__ = "0.3.0"

_SUBPACKAGES = (
    *("answers", "checks", "completion", "compose", "integrations", "loss", "registry", "rewards"),
    *("scoring", "verdict"),
)
# Modules that users may import under an earlier name, and where their names are now.
_FORMER_MODULES = {
    **dict.fromkeys(("checkup", "monitor", "preflight", "probing", "testing"), "checks"),
    "monitor.audit": "checks.run.audit",
    "monitor.files": "checks.run.files",
    "monitor.groups": "checks.run.contents",
    "preflight.report": "checks.findings",
    "describing": "command_line.describing",
    "pytest_plugin": "checks.pytest_plugin",
    "registry.errors": "errors",
}

_FORMER_NAMES = {"Asked": "DependencyVerdict"}  # public names of earlier versions


class _FormerModule(ModuleType):
    """A module under an earlier name, whose names are looked up in the one that has them now, when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # it is no package, and who looks at all modules imports none
            raise AttributeError(name)
        return getattr(self._now(), name)

    def __dir__(self) -> list[str]:
        now = vars(self._now())
        vars(self).update({name: value for name, value in now.items() if not name.startswith("__")})
        return [*now]  # and they are in it from now on, for pytest looks for its hooks nowhere else

    def _now(self) -> ModuleType:
        return importlib.import_module(f"grpo_rewards.{_FORMER_MODULES[self.__name__.removeprefix('grpo_rewards.')]}")


for _name in _FORMER_MODULES:
    sys.modules[f"{__name__}.{_name}"] = _FormerModule(f"{__name__}.{_name}")

if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist
    __all__ = sorted(MODULE_OF)

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES or name in _FORMER_MODULES:
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
