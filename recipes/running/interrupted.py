"""The end of a program by Ctrl-C: a line that says how to go on, and the status that shells know it by."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

__all__ = ["end_interrupted", "ends_on_interrupt"]

INTERRUPTED = 130  # 128 and SIGINT


@contextmanager
def ends_on_interrupt(how_to_go_on: str = "") -> Iterator[None]:
    """Ends the program at Ctrl-C with one line in place of a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        end_interrupted(f"Interrupted. {how_to_go_on}".rstrip())


def end_interrupted(line: str) -> NoReturn:
    """Ends the program with a line, which of several processes the first one says."""
    if os.environ.get("RANK", "0") == "0":
        print(f"\n{line}", file=sys.stderr)
    sys.exit(INTERRUPTED)
