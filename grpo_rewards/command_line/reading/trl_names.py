"""The rewards that ``trl grpo`` knows by bare names, as it resolves them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from grpo_rewards.command_line.printing import need

__all__ = ["with_trl_names"]

TRL_FUNCTIONS = ("accuracy_reward", "reasoning_accuracy_reward", "think_format_reward")
OVERLONG = "get_soft_overlong_punishment"
OVERLONG_OPTIONS = {"max_completion_len": 1280, "soft_punish_cache": 256}  # those of its script


def with_trl_names(specs: Iterable[Any]) -> list[Any]:
    """The specs of a file of settings, with the dotted path in place of a name that ``trl grpo`` resolves itself.

    One of them stands for what a call gives, and becomes that function.
    """
    found: list[Any] = []
    for spec in specs:
        if spec in TRL_FUNCTIONS:
            _import_trl_rewards()
            spec = f"trl.rewards.{spec}"
        elif spec == OVERLONG:
            spec = getattr(_import_trl_rewards(), OVERLONG)(**OVERLONG_OPTIONS)
        found.append(spec)
    return found


def _import_trl_rewards() -> Any:
    need("trl", "trl")
    return importlib.import_module("trl.rewards")  # as the registry imports what a dotted path names
