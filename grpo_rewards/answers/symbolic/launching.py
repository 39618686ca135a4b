"""Starts the broker's process, with nothing of this one but what it needs. Look here if it starts wrongly."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

__all__ = ["import_path", "launch"]

BROKER = Path(__file__).with_name("broker.py")

# The broker gets no other environment variables, and so no tokens and no keys.
PASSED_ON_VARIABLES = frozenset(
    """
    PATH HOME USER LANG LANGUAGE TZ TMPDIR LD_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX
    PYTHONHOME PYTHONNOUSERSITE PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE
    """.split()
)
PASSED_ON_PREFIXES = ("LC_", "DYLD_")
# A fixed order of sets and a single thread, so that every process decides a pair alike.
FIXED_VARIABLES = {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


def launch() -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
    """Starts a broker. Returns its process, the socket to it, and the file with its stderr (a pipe could fill up)."""
    ours, theirs = socket.socketpair()
    with theirs, ExitStack() as undo:
        undo.enter_context(ours)
        errors = undo.enter_context(_scratch_file())
        process = subprocess.Popen(
            [sys.executable, str(BROKER)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=os.path.sep,
            env={name: value for name, value in os.environ.items() if _is_passed_on(name)} | FIXED_VARIABLES,
            start_new_session=True,  # Ctrl-C is for the training process
        )
        undo.pop_all()
    return process, ours, errors


def _scratch_file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError:  # there is no folder to write to, so what the broker writes is lost
        return open(os.devnull, "w+b")


def _is_passed_on(name: str) -> bool:
    return name in PASSED_ON_VARIABLES or name.startswith(PASSED_ON_PREFIXES)


def import_path() -> list[str]:
    """Where the broker imports from: as this process does, but last from the script's folder and the working directory.

    These may hold a ``sympy.py`` or the like that is not meant.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = os.path.sep
    entries = [os.path.normpath(os.path.join(here, entry)) for entry in sys.path if isinstance(entry, str)]
    last = {here}
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    if script and getattr(main, "__spec__", None) is None:  # run as a file, not with -m
        last.add(os.path.dirname(os.path.join(here, script)))
    return sorted(dict.fromkeys(entries), key=lambda entry: entry in last)
