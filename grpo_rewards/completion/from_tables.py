"""Makes lists of the arrays and texts in which a table gives back what was stored in it as lists.

A parquet file that pandas reads holds each completion as an array of messages. Nothing of numpy is imported here.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["from_json", "without_arrays"]

DEEPEST = 12  # levels of messages, blocks and their parts; what is deeper stays as it is


def without_arrays(value: Any, levels: int = DEEPEST) -> Any:
    """The value with lists in place of arrays and other array-likes, also inside lists and dicts.

    Arrays of numbers stay as they are: images are, and no text is.

    Args:
        value: a completion, a message, or a part of one.
        levels: how deep it is looked into.
    """
    if value is None or isinstance(value, str | int | float) or levels == 0:
        return value
    if isinstance(value, dict):
        return {name: without_arrays(one, levels - 1) for name, one in value.items()}
    if not isinstance(value, list | tuple):
        dtype = getattr(value, "dtype", None)
        if not hasattr(value, "tolist") or (dtype is not None and getattr(dtype, "kind", "") not in ("O", "U", "T")):
            return value
        value = value.tolist()
    return [without_arrays(one, levels - 1) for one in value] if isinstance(value, list | tuple) else value


def from_json(value: Any) -> Any:
    """A value of a column, read if it is JSON; an array as a list. A text that is no JSON stays one."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value.tolist() if hasattr(value, "tolist") else value
