"""Does the package work here, on this machine and with what is installed? Everything is really tried.

``bounds`` which versions are required · ``installed`` which are there · ``trainer`` PyTorch and TRL, tried in a
process of their own · ``trl_compat`` what does not work with another TRL · ``machine`` Python, platform, processes and
memory · ``workers`` computer algebra, started · ``plugins`` rewards of other packages.
"""

from __future__ import annotations

from collections.abc import Iterator

from grpo_rewards.checkup import installed, machine, plugins, trainer, workers
from grpo_rewards.preflight.report import Finding

__all__ = ["examine"]


def examine() -> Iterator[Finding]:
    """Tries one thing after the other, and yields what was found about each as soon as it is known.

    A finding is an ``error`` if something is broken, a ``warning`` if something is degraded, a ``note`` for what is
    not installed or not there and need not be, and ``fine`` for what works.
    """
    yield from machine.found()
    yield from installed.found()
    yield from workers.found()
    yield from trainer.found()
    yield from plugins.found()
