"""A process that ``multiprocessing`` spawns, as an asynchronous trainer does, and that scores what it is sent."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from multiprocessing.connection import Connection
from typing import Any

from grpo_rewards.testing.case import Case

__all__ = ["given_in_spawned"]

LONGEST_WAIT = 300  # seconds until what it was sent counts as lost

_other: list[Spawned] = []


class Spawned:
    """A daemonic process, started once and called again: starting one takes longer than calling it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def request(self, sent: bytes) -> Any:
        """The rewards, or the message of the process in their place.

        Raises:
            EOFError, OSError: it ended.
        """
        self.pipe.send_bytes(sent)
        if not self.pipe.poll(LONGEST_WAIT):
            self.process.kill()
            return f"the spawned process gave nothing in {LONGEST_WAIT} s"
        return pickle.loads(self.pipe.recv_bytes())


def given_in_spawned(case: Case) -> list[float | None] | str:
    """What the reward gives for the rows in a spawned process, or what went wrong there."""
    if not _other or not _other[0].process.is_alive():
        _other[:] = [Spawned()]
    try:
        sent = pickle.dumps((case.reward, case.rows, case.group))
        given: list[float | None] | str = _other[0].request(pickle.dumps((sys.path, sent)))
    except (EOFError, OSError):
        _other[0].process.join()
        status = _other[0].process.exitcode
        return (
            f"the spawned process ended with status {status}; the reason is in what it printed. A script that is run "
            'needs if __name__ == "__main__": around what it does'
        )
    return given


def serve(pipe: Connection) -> None:
    """Scores each case that comes through the pipe, until it is closed."""
    while True:
        try:
            path, sent = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        sys.path[:] = path
        try:
            given: Any = _scored(sent)
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            given = f"in a spawned process it raised {type(error).__name__}: {error}"
        pipe.send_bytes(pickle.dumps(given))


def _scored(sent: bytes) -> list[float | None]:
    case = Case(*pickle.loads(sent))
    return case.give(case.rows)
