"""Several processes that train together, each a Python of its own, joined by gloo over a file."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from places import ROOT

SHARED = Path(__file__).resolve().parent
JOIN = """
import json, os, sys
import torch.distributed as dist
RANK, RANKS = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
def say(found):
    with open(f"said_{RANK}.json", "w") as file: json.dump(found, file)
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()
def join():
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meeting", rank=RANK, world_size=RANKS)
"""


def together(
    folder: Path, script: str, *, ranks: int = 2, limit: float = 300, path: tuple[Path, ...] = ()
) -> list[Any]:
    """What each of several processes says that run the same script.

    In the script ``RANK`` is its place, ``join()`` makes the group, which a trainer does by itself, and ``say(value)``
    says something; modules are found in the folders of ``path``, too. A process that waits for another one in vain is
    killed after ``limit`` seconds, and fails the test.
    """
    (folder / "script.py").write_text(JOIN + script)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = []
    for rank in range(ranks):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks)}
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "ACCELERATE_USE_CPU": "true"}
        modules = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, SHARED, *path))), "PYTHONDONTWRITEBYTECODE": "1"}
        env = {**os.environ, **place, **meeting, **modules, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, "script.py"]
        running.append(
            subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        )
    try:
        errors = [process.communicate(timeout=limit)[1] for process in running]
    finally:
        for process in running:
            process.kill()
    for process, error in zip(running, errors, strict=True):
        assert process.returncode == 0, error[-3000:]
    return [json.loads((folder / f"said_{rank}.json").read_text()) for rank in range(ranks)]
