"""Scripts in processes of their own that need not import the package anew, which takes a second of processor time.

One process imports what all scripts need, the public names of this package among it, and is forked for each of them.
No plug-in is looked for before that. Who wants to see a fresh interpreter uses ``run_python`` of conftest.py.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from places import ROOT

__all__ = ["Ended", "RunForked", "forking"]

SHARED = Path(__file__).resolve().parent
SERVER = """# forks a process for each script
import json, os, sys, traceback
sys.dont_write_bytecode = True
import pytest
import grpo_rewards.command_line, grpo_rewards.checks
grpo_rewards.reward
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in ((0, os.devnull), (1, asked["output"]), (2, asked["errors"])):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        sys.stdin = open(0, closefd=False)
        code = 0
        try:
            os.chdir(asked["folder"])
            sys.path[1:1] = asked["path"]
            sys.argv = ["-c"]
            exec(compile(asked["script"], "<string>", "exec"), {"__name__": "__main__"})
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Ended(NamedTuple):
    """How a script ended, and what it printed."""

    code: int
    output: str
    errors: str


RunForked = Callable[..., Ended]


@contextmanager
def forking(folder: Path) -> Iterator[RunForked]:
    """A function that runs ``script`` in the folder ``within``, where modules are found in the folders of ``path``.

    What scripts print lies in ``folder`` for the moment.
    """
    from processes import end_with_children, started  # conftest.py has the asserts of that one rewritten only later

    output, errors = folder / "forked-output", folder / "forked-errors"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(SHARED)))}
    command = [sys.executable, "-c", SERVER]
    with contextlib.ExitStack() as ending:
        servers: list[subprocess.Popen[str]] = []

        def run(script: str, *, within: Path = folder, path: tuple[Path, ...] = ()) -> Ended:
            if not servers:
                servers.append(
                    ending.enter_context(started(command, stdin=-1, stderr=None, env=environment, cwd=folder))
                )
            server = servers[0]
            assert server.stdin is not None
            assert server.stdout is not None
            for held in (output, errors):
                held.unlink(missing_ok=True)
            asked = {"script": script, "folder": within, "path": path, "output": output, "errors": errors}
            try:
                server.stdin.write(json.dumps(asked, default=str) + "\n")
                server.stdin.flush()
                code = int(server.stdout.readline())
            except BaseException:  # the limit of a test, Ctrl-C: the next script has a server of its own
                servers.clear()
                end_with_children(server.pid)
                raise
            return Ended(code, output.read_text(encoding="utf-8"), errors.read_text(encoding="utf-8"))

        yield run
