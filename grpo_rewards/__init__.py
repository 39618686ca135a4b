"""Rule-based rewards for TRL: right about mathematics, impossible to stall, with a reason for every number.

The public names are those of ``rewards``, ``compose``, ``preflight``, ``probing``, ``registry`` and ``verdict``. They
are imported when one of them is first used, so that ``grpo_rewards.answers`` and ``grpo_rewards.loss`` can be used
without the rest.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_rewards.compose import *
    from grpo_rewards.preflight import *
    from grpo_rewards.probing import *
    from grpo_rewards.registry import *
    from grpo_rewards.registry import Asked as Asked
    from grpo_rewards.rewards import *
    from grpo_rewards.verdict import *

__version__ = "0.2.0"

_PARTS = ("compose", "preflight", "probing", "registry", "rewards", "verdict")  # whose names are public
_SUBPACKAGES = (
    *_PARTS,
    *("answers", "checkup", "completion", "describing", "integrations", "loss", "monitor", "scoring", "testing"),
)

_FORMER_NAMES = {"Asked": "DependencyVerdict"}  # public names of earlier versions


def _public() -> dict[str, Any]:
    modules = [importlib.import_module(f"{__name__}.{part}") for part in _PARTS]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES:
            return importlib.import_module(f"{__name__}.{name}")
        if name.endswith(")"):  # a spec with options, as trl grpo --reward_funcs hands it to getattr
            from grpo_rewards.registry import get_reward

            return get_reward(name)
        if name in _FORMER_NAMES:
            return __getattr__(_FORMER_NAMES[name])
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

    class _SpecsAsModules:
        """Makes modules of the beginnings of specs, so that ``trl grpo --reward_funcs`` takes specs with dots in them.

        TRL splits a name at its last dot, and imports what stands before it. Of
        ``grpo_rewards.gated(boxed_answer, by=think_format, above=0.5)`` that is no module's name, but this makes one,
        in which ``5)`` is the reward that the whole spells. No other import is answered here.
        """

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            if not name.startswith(f"{__name__}.") or "(" not in name:
                return None
            return importlib.machinery.ModuleSpec(name, _SpecsAsModules, is_package=True)

        @staticmethod
        def create_module(spec: Any) -> Any:
            module = types.ModuleType(spec.name)
            begun = spec.name.removeprefix(f"{__name__}.")

            def of_whole(rest: str) -> Any:
                if not rest.endswith(")"):
                    raise AttributeError(f"module '{__name__}' has no attribute '{begun}.{rest}'")
                return __getattr__(f"{begun}.{rest}")

            module.__getattr__ = of_whole
            return module

        @staticmethod
        def exec_module(module: Any) -> None:
            pass

    if not any(getattr(one, "__qualname__", "") == _SpecsAsModules.__qualname__ for one in sys.meta_path):
        sys.meta_path.append(_SpecsAsModules)


def __dir__() -> list[str]:
    return sorted({*_public(), *_SUBPACKAGES, "__version__"})
