"""Is it right? Five things are asked that: a set-up, a reward, a run, this machine, and the contract of a reward.

``findings`` what a check reports · ``setup`` before a model is loaded · ``reward`` which degenerate completions it
rewards · ``run`` what its log and its completions show · ``machine`` whether the package works here · ``contract``
whether a trainer can call a reward, also as tests of pytest, ``pytest_plugin``.

The names below are imported when they are first used, so that pytest, which loads the plug-in, loads little more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_rewards.checks.contract import BrokenContract, check_reward, find_breaches
    from grpo_rewards.checks.contract.clauses import CLAUSES, Breach, Clause
    from grpo_rewards.checks.contract.growth import TEXT_SHAPES, assert_linear
    from grpo_rewards.checks.findings import Finding, Report
    from grpo_rewards.checks.machine import examine
    from grpo_rewards.checks.reward.probed import Earned, Probed
    from grpo_rewards.checks.reward.probing import probe
    from grpo_rewards.checks.run.callback import RewardMonitor
    from grpo_rewards.checks.run.contents import zero_variance_groups
    from grpo_rewards.checks.run.files import Alert, read_run
    from grpo_rewards.checks.run.rules import alerts
    from grpo_rewards.checks.setup.all_checks import check_rewards
    from grpo_rewards.checks.setup.trials import check_answers

__all__ = [
    "CLAUSES",
    "TEXT_SHAPES",
    "Alert",
    "Breach",
    "BrokenContract",
    "Clause",
    "Earned",
    "Finding",
    "Probed",
    "Report",
    "RewardMonitor",
    "alerts",
    "assert_linear",
    "check_answers",
    "check_reward",
    "check_rewards",
    "examine",
    "find_breaches",
    "probe",
    "read_run",
    "zero_variance_groups",
]

_NAMES_IN = {
    "contract": "BrokenContract check_reward find_breaches",
    "contract.clauses": "CLAUSES Breach Clause",
    "contract.growth": "TEXT_SHAPES assert_linear",
    "findings": "Finding Report",
    "machine": "examine",
    "reward.probed": "Earned Probed",
    "reward.probing": "probe",
    "run.callback": "RewardMonitor",
    "run.contents": "zero_variance_groups",
    "run.files": "Alert read_run",
    "run.rules": "alerts",
    "setup.all_checks": "check_rewards",
    "setup.trials": "check_answers",
}
_DEFINED_BY = {name: module for module, names in _NAMES_IN.items() for name in names.split()}

if not TYPE_CHECKING:  # to a type checker, a name that is not above does not exist

    def __getattr__(name: str) -> Any:
        if name not in _DEFINED_BY:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(importlib.import_module(f"{__name__}.{_DEFINED_BY[name]}"), name)
