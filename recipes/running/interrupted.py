"""The end of a program by Ctrl-C: a line that says how to go on, and the status that shells know it by."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ends_on_interrupt"]

INTERRUPTED = 130  # 128 and SIGINT


@contextmanager
def ends_on_interrupt(how_to_go_on: str = "") -> Iterator[None]:
    """Ends the program at Ctrl-C with one line in place of a traceback; of several processes the first says it."""
    try:
        yield
    except KeyboardInterrupt:
        if os.environ.get("RANK", "0") == "0":
            print(f"\nInterrupted. {how_to_go_on}".rstrip(), file=sys.stderr)
        sys.exit(INTERRUPTED)
