"""Rewards of other installed packages: each one is loaded."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.names import load_own, load_plugins, offered_plugins, plugin_failures

__all__ = ["found"]

PLUGINS = "plug-ins"


def found() -> Iterator[Finding]:
    """Yields a finding for each package that offers rewards, and for the warnings while they were loaded."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            load_own()
            load_plugins()
        except (ImportError, RewardError) as error:
            yield Finding("error", PLUGINS, f"The rewards cannot be loaded: {error}", "Mend what is named above.")
            return
    failures = plugin_failures()
    failed = {(plugin, entry) for plugin, entry, _ in failures}
    for plugin, entry, why in failures:
        remedy = f"Report it to its author, or pip uninstall {plugin.partition(' ')[0]}."
        yield Finding("error", PLUGINS, f"{plugin} cannot be loaded, with the rewards in '{entry}': {why}", remedy)
    for message in dict.fromkeys(str(one.message) for one in caught):
        if message.startswith("the reward '"):  # whose name was taken; a failure is above
            yield Finding("warning", PLUGINS, message)
    offered = offered_plugins()
    for plugin, entry in offered:
        if (plugin, entry) not in failed:
            yield Finding("fine", PLUGINS, f"{plugin}, with the rewards in '{entry}'")
    if not offered:
        yield Finding("fine", PLUGINS, "no installed package offers rewards")
