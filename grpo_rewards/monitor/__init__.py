"""Watches a run: what its log and its completions show of rewards that do not teach, and of reward hacking.

``alert`` what is reported · ``record`` what is known of a run so far · ``contents`` what a table of completions holds ·
``texts`` what one completion looks like · ``health`` rules on what teaches little · ``shares`` rules on suspicions that
are a share of the completions · ``reward_hacking`` the other ones · ``watching`` applies all rules, step by step ·
``files`` what a run left in its folder · ``audit`` all of it about a finished run · ``callback`` for a trainer, the
only module that needs transformers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.files import read_run
from grpo_rewards.monitor.watching import alerts

if TYPE_CHECKING:
    from grpo_rewards.monitor.callback import RewardMonitor

__all__ = ["Alert", "RewardMonitor", "alerts", "read_run"]


if not TYPE_CHECKING:  # the callback is derived from a class of transformers, which is imported when it is first used

    def __getattr__(name: str) -> Any:
        if name == "RewardMonitor":
            from grpo_rewards.monitor.callback import RewardMonitor

            return RewardMonitor
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
