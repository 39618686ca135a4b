"""Lets a dotted path name a module of the folder one works in, as ``python -m`` does."""

from __future__ import annotations

import os
import sys

__all__ = ["find_own_modules"]


def find_own_modules() -> None:
    """Appends the working folder to the places that modules are imported from."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
