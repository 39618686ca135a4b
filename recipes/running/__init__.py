"""What the recipes share: a task, and the run that trains on it.

A recipe says what its problems, its prompt and its rewards are, as a ``Task``, and calls ``run`` with it.
"""

from __future__ import annotations

from running import needed  # noqa: F401  # isort: skip  # before anything that it looks for

from running.task import Task
from running.training import run

__all__ = ["Task", "run"]
