"""Where a part works, and how it runs a process that cannot take the others with it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from measuring.scale import Scale

__all__ = ["RECIPES", "Failed", "Place", "Skipped"]

RECIPES = Path(__file__).resolve().parents[1]


class Failed(Exception):
    """A part that did not do what it was to do, and why."""


class Skipped(Exception):
    """A part that cannot be done on this machine, and why."""


@dataclass(frozen=True)
class Place:
    """Where a part works, how large, and until when: a UNIX time at which it is stopped."""

    folder: Path
    scale: Scale
    deadline: float

    @property
    def until(self) -> float:
        """When training is to end by itself, which leaves time for a last step and evaluation, and to save."""
        return self.deadline - max(0.2 * (self.deadline - time.time()), 15)

    def start(self, *words: str | Path) -> str:
        """Runs a process until it ends, or is stopped at the deadline. Returns what it printed on standard output.

        Raises:
            Failed: it ended with another status than 0, or was stopped; with the last lines that it printed.
        """
        log, printed = self.folder / "log.txt", self.folder / "printed.txt"
        paths = [str(RECIPES), str(RECIPES.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        with log.open("a") as errors:
            process = psutil.Popen(
                list(map(str, words)), stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            )
            try:
                printed_text: str = process.communicate(timeout=max(self.deadline - time.time(), 1))[0]
            except subprocess.TimeoutExpired:
                raise Failed("it was stopped when its time was up; --minutes gives more, --only gives it all") from None
            finally:
                stop(process)
        with printed.open("a") as file:
            file.write(printed_text)
        if process.returncode:
            raise Failed(last_lines(log.read_text(errors="replace")))
        return printed_text


def stop(process: psutil.Popen) -> None:
    """Ends a process that still runs, and all that it has started, of which a launcher's are in groups of their own."""
    if process.poll() is None:
        for one in (*process.children(recursive=True), process):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        process.communicate()


def last_lines(log: str, lines: int = 12) -> str:
    """The end of a log, from the last traceback on if there is one."""
    at = log.rfind("Traceback (most recent call last)")
    return "\n".join(log[max(at, 0) :].strip().splitlines()[-lines:])
