"""Checks a setup, a reward, a run, this machine, and the contract of a reward.

``findings`` what a check reports · ``setup`` before a model is loaded · ``reward`` which degenerate completions it
rewards · ``run`` what its log and its completions show · ``machine`` whether the package works here · ``contract``
whether a trainer can call a reward, also as tests of pytest, ``pytest_plugin``.

The names below are imported when they are first used, so that pytest, which loads the plug-in, loads little more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_rewards.checks.contract import CLAUSES as CLAUSES
    from grpo_rewards.checks.contract import Breach as Breach
    from grpo_rewards.checks.contract import BrokenContract as BrokenContract
    from grpo_rewards.checks.contract import Clause as Clause
    from grpo_rewards.checks.contract import check_reward as check_reward
    from grpo_rewards.checks.contract import find_breaches as find_breaches
    from grpo_rewards.checks.findings import Finding as Finding
    from grpo_rewards.checks.findings import Report as Report
    from grpo_rewards.checks.growth import TEXT_SHAPES as TEXT_SHAPES
    from grpo_rewards.checks.growth import assert_linear as assert_linear
    from grpo_rewards.checks.machine import examine as examine
    from grpo_rewards.checks.reward.probing import Earned as Earned
    from grpo_rewards.checks.reward.probing import Probed as Probed
    from grpo_rewards.checks.reward.probing import probe as probe
    from grpo_rewards.checks.run.callback import RewardMonitor as RewardMonitor
    from grpo_rewards.checks.run.contents import zero_variance_groups as zero_variance_groups
    from grpo_rewards.checks.run.files import Alert as Alert
    from grpo_rewards.checks.run.files import read_run as read_run
    from grpo_rewards.checks.run.rules import alerts as alerts
    from grpo_rewards.checks.setup.all_checks import check_rewards as check_rewards
    from grpo_rewards.checks.setup.trials import check_answers as check_answers

_NAMES_IN = {
    "contract": "CLAUSES Breach BrokenContract Clause check_reward find_breaches",
    "findings": "Finding Report",
    "growth": "TEXT_SHAPES assert_linear",
    "machine": "examine",
    "reward.probing": "Earned Probed probe",
    "run.callback": "RewardMonitor",
    "run.contents": "zero_variance_groups",
    "run.files": "Alert read_run",
    "run.rules": "alerts",
    "setup.all_checks": "check_rewards",
    "setup.trials": "check_answers",
}
_DEFINED_BY = {name: module for module, names in _NAMES_IN.items() for name in names.split()}

if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist
    __all__ = sorted(_DEFINED_BY)

    def __getattr__(name: str) -> Any:
        if name not in _DEFINED_BY:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(importlib.import_module(f"{__name__}.{_DEFINED_BY[name]}"), name)
