"""Where the problems of a run come from: a file, a data set on the hub or in a folder, or the task's generator."""

from __future__ import annotations

from running.reading.columns import as_came, without_unread
from running.reading.files import LINE
from running.reading.problems import as_prompts, load_problems

__all__ = ["LINE", "as_came", "as_prompts", "load_problems", "without_unread"]
