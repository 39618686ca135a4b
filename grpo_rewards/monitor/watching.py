"""Applies all rules to a run, step by step, and reports each thing once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grpo_rewards.completion_tables import Table
from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.contents import contents_of
from grpo_rewards.monitor.health import HEALTH_OF_LOG, HEALTH_OF_TABLES, Rule
from grpo_rewards.monitor.record import Record
from grpo_rewards.monitor.reward_hacking import HACKING_IN_LOG, HACKING_IN_TABLES
from grpo_rewards.monitor.weighing import adds_up, given_weights

__all__ = ["Watch", "alerts"]


class Watch:
    """A run as far as it was seen. For each step comes its log, and then its table if there is one.

    Args:
        gold: the names of the rewards that compare with what is known to be right; see ``alerts``.
        weights: those of the rewards, in the order of the log; where they are not given, 1 as long as it adds up so.

    Attributes:
        found: what was reported so far.
    """

    def __init__(self, gold: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> None:
        self.record = Record(gold)
        self.weights, self.adds_up = weights, True
        self.found: dict[tuple[str, str | None], Alert] = {}

    def log(self, log: Mapping[str, Any]) -> list[Alert]:
        """What the log of a step shows for the first time. Logs of evaluations are not read here."""
        if "reward" not in log:
            return []
        self.record.add_log(log)
        self.adds_up &= adds_up(log, self.record.rewards)
        return self._new((*HEALTH_OF_LOG, *HACKING_IN_LOG))

    def table(self, table: Table | None) -> list[Alert]:
        """What the table of the last logged step shows for the first time; ``None`` if the step has none."""
        if table is not None:
            rewards = self.record.rewards
            ones = dict.fromkeys(rewards, 1.0) if self.adds_up else None
            weights = ones if self.weights is None else given_weights(self.weights, rewards)
            self.record.add_table(contents_of(table, rewards, self.record.gold, weights))
        return self._new((*HEALTH_OF_TABLES, *(HACKING_IN_TABLES if table is not None else ())))

    def _new(self, rules: Iterable[Rule]) -> list[Alert]:
        new = []
        for alert in (alert for rule in rules for alert in rule(self.record)):
            if alert.key not in self.found:
                self.found[alert.key] = alert
                new.append(alert)
        return new


def alerts(
    history: Sequence[Mapping[str, Any]],
    tables: Mapping[int, Table],
    gold: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> list[Alert]:
    """What a run shows, from its log and its tables of completions; the same as ``RewardMonitor`` reports meanwhile.

    Args:
        history: one dict of numbers for each logged step, as ``trainer.state.log_history`` has them.
        tables: the tables of completions by step, as TRL writes them; ``{}`` if there are none.
        gold: the names of the rewards that compare with what is known to be right; by default those whose golds the
            tables have, other than those that are registered and only call another reward for what is right.
        weights: those of the rewards, in the order of the log, if they are known.

    Returns:
        The alerts in the order in which they were first seen, each rule and reward once.

    >>> alerts([{"step": at, "reward": 0.1, "frac_reward_zero_std": 1.0} for at in range(10)], {})[0].rule
    'no signal'
    """
    watch = Watch(gold, weights)
    for log in history:
        watch.log(log)
        if "reward" in log:
            watch.table(tables.get(int(log["step"])))
    return list(watch.found.values())
