"""Two processes that train the tiny model together, by gloo, and what each of them saw.

``python -m grpo_rewards.loss.trl_check.step.ranks FOLDER`` is one of them.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from grpo_rewards.loss.trl_check.step.live import Seen, train
from grpo_rewards.loss.trl_check.step.runs import RUNS_OF_RANKS

__all__ = ["Ranks", "RanksFailed", "alone"]

TWO_RANKS = 2
RANKS_TIMEOUT = 240.0  # in seconds, from the start of the processes; they need about 15 where nothing else runs
# By which a launcher, of torch, accelerate or MPI, tells a process that it is one of many, and how they compute.
LAUNCHER_VARIABLES = ("RANK", "WORLD_SIZE", "NODE_RANK")
LAUNCHER_PREFIXES = (
    *("LOCAL_", "GROUP_", "ROLE_", "MASTER_", "TORCHELASTIC_", "ACCELERATE_", "FSDP_", "PARALLELISM_CONFIG_"),
    *("OMPI_", "PMI_", "MPI_", "MV2_COMM_"),
)


class RanksFailed(RuntimeError):
    """The processes could not be started, did not end, or ended with an error."""


class Ranks:
    """The two processes, started at once, in the background, and ended with the block.

    Args:
        folder: where the model is saved; the processes write what they saw there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started = time.monotonic()
        self.processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Ranks:
        try:
            self._start(_free_port())
        except BaseException:  # the first of them, if the second could not be started
            self.__exit__()
            raise
        return self

    def _start(self, port: int) -> None:
        for rank in range(TWO_RANKS):
            environment = {
                **{name: value for name, value in os.environ.items() if not _is_of_a_launcher(name)},
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
                "WORLD_SIZE": str(TWO_RANKS),
                "LOCAL_WORLD_SIZE": str(TWO_RANKS),
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "OMP_NUM_THREADS": "1",
                "CUDA_VISIBLE_DEVICES": "",
                "HF_HUB_OFFLINE": "1",
            }
            with open(self.folder / f"errors{rank}", "w") as errors:
                command = [sys.executable, "-m", __name__, str(self.folder)]
                self.processes.append(
                    subprocess.Popen(command, env=environment, stdout=errors, stderr=errors, text=True)
                )

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def seen(self) -> list[list[Seen]]:
        """Returns what each rank saw in each of ``RUNS_OF_RANKS``, when both have ended.

        Raises:
            RanksFailed: one ended with an error, or they take longer than ``RANKS_TIMEOUT``.
        """
        while any(process.poll() is None for process in self.processes):
            failed = [rank for rank, process in enumerate(self.processes) if process.poll()]
            late = time.monotonic() - self.started > RANKS_TIMEOUT
            if failed or late:
                break
            time.sleep(0.05)
        for rank, process in enumerate(self.processes):
            if process.poll() is None and not any(other.poll() for other in self.processes):
                raise RanksFailed(f"rank {rank} of two did not end within {RANKS_TIMEOUT:.0f} s")
            if process.poll():
                said = (self.folder / f"errors{rank}").read_text()[-1500:]
                raise RanksFailed(f"rank {rank} of two ended with status {process.returncode}: {said}")
            if not (self.folder / f"rank{rank}.pt").exists():
                raise RanksFailed(f"rank {rank} of two ended with status 0 before its runs did")
        saved = [torch.load(self.folder / f"rank{rank}.pt", weights_only=False) for rank in range(TWO_RANKS)]
        return [list(of_run) for of_run in zip(*saved, strict=True)]


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Takes what a launcher says of ranks and precision out of the environment, and puts it back afterwards."""
    before = _taken_out()
    try:
        yield
    finally:
        _taken_out()  # accelerate writes some itself
        os.environ.update(before)


def _taken_out() -> dict[str, str]:
    return {name: os.environ.pop(name) for name in list(os.environ) if _is_of_a_launcher(name)}


def _is_of_a_launcher(name: str) -> bool:
    return name in LAUNCHER_VARIABLES or name.startswith(LAUNCHER_PREFIXES)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def main(folder: Path) -> None:
    """Trains each of ``RUNS_OF_RANKS`` as one of the ranks, and writes down what was seen."""
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    seen: list[Any] = [train(run, folder) for run in RUNS_OF_RANKS]
    torch.save(seen, folder / f"rank{os.environ['RANK']}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
