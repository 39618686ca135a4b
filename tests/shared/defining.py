"""Functions defined by their source."""

from typing import Any


def define(source: str) -> Any:
    """What ``source`` defines as ``f``, in a file called ``mine.py``."""
    namespace: dict[str, Any] = {"__name__": "mine"}
    exec(compile(source, "mine.py", "exec"), namespace)  # noqa: S102  # a table of signatures reads best as text
    return namespace["f"]
