"""Rule-based rewards for TRL: right about mathematics, impossible to stall, with a reason for every number.

The public names are those of ``rewards``, ``compose``, ``preflight``, ``registry`` and ``verdict``. They are imported
when one of them is first used, so that ``grpo_rewards.answers`` and ``grpo_rewards.loss`` can be used without the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_rewards.compose import *
    from grpo_rewards.preflight import *
    from grpo_rewards.registry import *
    from grpo_rewards.rewards import *
    from grpo_rewards.verdict import *

__version__ = "0.2.0"

_PARTS = ("compose", "preflight", "registry", "rewards", "verdict")  # whose names are public
_SUBPACKAGES = (
    *_PARTS,
    *("answers", "checkup", "completion", "describing", "integrations", "loss", "monitor", "scoring", "testing"),
)


def _public() -> dict[str, Any]:
    modules = [importlib.import_module(f"{__name__}.{part}") for part in _PARTS]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES:
            return importlib.import_module(f"{__name__}.{name}")
        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        public = _public()
        globals().update(public, __all__=sorted(public))
        if name not in globals():
            import difflib

            near = difflib.get_close_matches(name, public, n=1)
            raise AttributeError(
                f"module '{__name__}' has no attribute '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
            )
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*_public(), *_SUBPACKAGES, "__version__"})
