"""A grader in a process of its own, which is killed with all that it started when a row takes too long.

    python tests/benchmarks/grader_process.py NAME

is such a process: it reads rows as lines of JSON, and for each writes one with whether the grader paid and the
processor time. The table starts it in an empty folder, where code that a grader runs for a model leaves its traces.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from answers import of_children
from graders import Judge, found
from labelled import Row

__all__ = ["GraderProcess", "Judged"]

MEMORY = 8 << 30  # bytes of addresses that a grader may have
STARTING = 300.0  # seconds by the clock for imports and the first rows, which are not measured
CLOCKS = 6  # so many times the limit of processor time a row may take by the clock, for some wait and do not work
LOOKED = 0.2  # seconds by the clock between looks at the processor time
WAITED = 0.002  # seconds by the clock beyond its own processor time, from which a row's child processes are asked
FIRST = (("1", r"\boxed{2}"), (r"\sqrt{x^2+1}", r"\boxed{\sqrt{1+x\cdot x}}"))  # what every process judges unmeasured


@dataclass(frozen=True)
class Judged:
    """What became of a row.

    Attributes:
        paid: whether the grader paid it; not if it raised, took too long or died.
        seconds: of processor time, that of its child processes included.
        ended: ``""``, ``"late"`` or ``"died"``.
        wrote: whether there is a file in its folder now, which only the model's code can have written.
    """

    paid: bool
    seconds: float
    ended: str = ""
    wrote: bool = False


class GraderProcess:
    """A grader that judges row by row; started again after a row that it did not survive."""

    def __init__(self, name: str, most: float) -> None:
        self.name, self.most = name, most
        self._folder = tempfile.TemporaryDirectory()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> GraderProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.cleanup()

    def judge(self, row: Row) -> Judged:
        """What the grader says of a row, within ``most`` seconds of processor time."""
        process = self._process or self._start()
        self._send(process, row)
        told, seconds = self._line(process, self.most, CLOCKS * self.most)
        if told is None:
            how = "late" if process.poll() is None else "died"
            self._end()
            return Judged(False, seconds, how, self._swept())
        return Judged(told["paid"], told["seconds"], wrote=self._swept())

    def _swept(self) -> bool:
        """Whether there were files in the folder; there are none now."""
        traces = list(Path(self._folder.name).iterdir())
        for trace in traces:
            trace.unlink()
        return bool(traces)

    def _start(self) -> subprocess.Popen[bytes]:
        name = str(Path(self.name).resolve()) if self.name.endswith(".py") else self.name
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(one).resolve()) for one in sys.path)},
            start_new_session=True,
        )
        if self._line(self._process, STARTING, STARTING)[0] is None:
            self._end()
            raise SystemExit(f"{self.name} does not start: see python {__file__} {name} < /dev/null")
        self._swept()
        return self._process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], row: Row) -> None:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has died since the row before; no line comes back
            process.stdin.write(json.dumps(row).encode() + b"\n")
            process.stdin.flush()

    @staticmethod
    def _line(process: subprocess.Popen[bytes], most: float, clock: float) -> tuple[Any, float]:
        """(what it says, or ``None`` where it says nothing in time or ends, the processor time of that wait)."""
        assert process.stdout is not None
        started, before, seconds = time.perf_counter(), None, 0.0
        while not select.select([process.stdout], [], [], LOOKED)[0]:
            now = used(process.pid)
            before = now if before is None else before
            seconds = max(now - before, seconds)
            if seconds > most or time.perf_counter() - started > clock:
                return None, seconds
        line = process.stdout.readline()
        if not line:
            process.wait()
        return (json.loads(line) if line else None), seconds

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):  # it is gone, and nothing that it started is left
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def used(pid: int) -> float:
    """Seconds of processor time of a process and all that it started."""
    total = 0.0
    with contextlib.suppress(psutil.Error):  # it has ended
        top = psutil.Process(pid)
        for one in (top, *top.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(one.cpu_times()[:4])  # user, system, and the same of its own that ended
    return total


def serve(name: str) -> None:
    """Judges the rows of standard input until it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    told = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # graders print
    judge = found(name).load()
    for gold, completion in FIRST:
        asked(judge, {"gold": gold, "completion": completion, "kind": ""})
    print(json.dumps("ready"), file=told, flush=True)
    children = of_children()
    for line in sys.stdin:
        row = json.loads(line)
        before, started = time.process_time(), time.perf_counter()
        paid = asked(judge, row)
        seconds, clock = time.process_time() - before, time.perf_counter() - started
        if clock - seconds > WAITED:
            now = of_children()
            seconds, children = seconds + now - children, now
        print(json.dumps({"paid": paid, "seconds": seconds}), file=told, flush=True)


def asked(judge: Judge, row: Row) -> bool:
    """Whether a grader pays; a grader that raises does not."""
    try:
        return judge(row)
    except Exception:  # noqa: BLE001  # whatever it raises, it has not paid the row
        return False


if __name__ == "__main__":
    serve(sys.argv[1])
