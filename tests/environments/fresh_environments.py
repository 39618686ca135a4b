"""Virtual environments made with uv in a temporary folder that is deleted at the end, for the scripts beside this file.

Packages come from where pip is told to look for them, ``find-links`` included: a CPU wheel of torch that lies there is
taken before the one with CUDA on PyPI.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CONSTRAINTS = ROOT / "constraints.txt"
AT_ONCE = 2  # environments; one waits for the network, or for a child process, while another one computes
LONGEST = 1800  # seconds that a command may take
TAIL = 6_000  # characters of a failed command's output that are shown
FEWEST_TESTS = 700  # of the core; fewer means that they skipped themselves
TESTS_NEED = ("pytest", "pytest-timeout", "hypothesis", "psutil")
One = TypeVar("One")
Result = TypeVar("Result")


class CommandFailed(Exception):
    """A command that ended with another status than 0; its text is the command and the end of its output."""


def output_of(command: Iterable[str | Path], *, cwd: Path | None = None, more: Mapping[str, str] | None = None) -> str:
    """Runs a command without a model hub and returns what it printed, errors included; ``more`` is environment.

    Raises:
        CommandFailed: its status is not 0, or it took half an hour.
    """
    words = [str(word) for word in command]
    quiet = {"HF_HUB_OFFLINE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CUDA_VISIBLE_DEVICES": ""}
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env={**os.environ, **quiet, **(more or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired as late:
        raise CommandFailed(f"$ {' '.join(words)}\nno end after {LONGEST} s") from late
    if done.returncode:
        raise CommandFailed(f"$ {' '.join(words)}\n{done.stdout[-TAIL:]}\nexit status {done.returncode}")
    return done.stdout


@dataclass(frozen=True)
class Environment:
    """A virtual environment; ``work`` is an empty folder in which its commands run."""

    folder: Path
    work: Path
    uv: str
    find_links: tuple[str, ...]

    @property
    def python(self) -> Path:
        return self.command("python")

    def command(self, name: str) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / name

    def install(self, *what: str | Path) -> None:
        """Installs requirements; options of ``uv pip install`` may stand among them."""
        links = [word for place in self.find_links for word in ("--find-links", place)]
        output_of([self.uv, "pip", "install", "--quiet", "--python", self.python, *links, *what])

    def install_torch(self) -> str:
        """Installs the torch of constraints.txt, without what it needs, and returns the requirement that it meets.

        By itself, because a resolution to the lowest versions would pass over a local wheel ("2.13.0+cpu").
        """
        (pinned,) = re.findall(r"^torch==.*$", CONSTRAINTS.read_text(), re.MULTILINE)
        self.install("--no-deps", pinned)
        return f"torch=={self.versions()['torch']}"

    def versions(self) -> dict[str, str]:
        """The version of each distribution that is installed."""
        listed = output_of([self.uv, "pip", "list", "--quiet", "--format", "json", "--python", self.python])
        return {one["name"]: one["version"] for one in json.loads(listed)}

    def run(self, *arguments: str | Path, more: Mapping[str, str] | None = None) -> str:
        """Runs its Python in its working folder."""
        return output_of([self.python, *arguments], cwd=self.work, more={**self.compiled, **(more or {})})

    @property
    def compiled(self) -> dict[str, str]:
        """Environment by which what one process compiles is there for the next, and nothing lands in the checkout.

        uv leaves packages uncompiled: every process that compares formulas would compile sympy, for 3 s of CPU.
        """
        return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}

    def run_core_tests(self, *more: str) -> str:
        """Runs the tests, of which those that need a trainer skip themselves, and returns pytest's last line.

        ``more`` are options of pytest.

        Raises:
            CommandFailed: a test failed, or so few ran that this shows nothing.
        """
        needs_trainers = (
            "grpo_rewards/loss",
            "grpo_rewards/checks/run/callback.py",
        )  # to be imported by their doctests
        what = ("tests", "grpo_rewards", *(part for one in needs_trainers for part in ("--ignore", one)))
        options = ("-q", "-p", "no:cacheprovider", "--basetemp", self.work / "pytest")
        printed = output_of([self.python, "-m", "pytest", *what, *options, *more], cwd=ROOT, more=self.compiled)
        last = printed.strip().splitlines()[-1]
        passed = re.search(r"(\d+) passed", last)
        if passed is None or int(passed[1]) < FEWEST_TESTS:
            raise CommandFailed(f"fewer than {FEWEST_TESTS} tests passed:\n{printed[-TAIL:]}")
        return last


@dataclass(frozen=True)
class Workplace:
    """The temporary folder with uv, what it installs from, and the environments."""

    folder: Path
    uv: str
    find_links: tuple[str, ...]

    def environment(self, name: str, python: str | Path = sys.executable) -> Environment:
        """A new environment for an interpreter."""
        folder, work = self.folder / name, self.folder / f"{name}-work"
        work.mkdir()
        output_of([self.uv, "venv", "--quiet", "--python", python, folder])
        return Environment(folder, work, self.uv, self.find_links)

    def wheel(self) -> Path:
        """The package as it is now: a wheel does not change while others edit the checkout."""
        output_of([self.uv, "build", "--quiet", "--wheel", "--out-dir", self.folder / "dist", ROOT])
        (wheel,) = (self.folder / "dist").glob("*.whl")
        return wheel


@contextmanager
def workplace() -> Iterator[Workplace]:
    """A temporary folder with uv, deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="grpo-rewards-environments-", ignore_cleanup_errors=True) as folder:
        yield Workplace(Path(folder), _uv(Path(folder)), _find_links())


def at_once(work: Callable[[One], Result], over: Iterable[One], most: int = AT_ONCE) -> list[Result]:
    """What ``work`` returns for each, in order, at most ``most`` at a time."""
    with ThreadPoolExecutor(most) as pool:
        return list(pool.map(work, over))


def _uv(folder: Path) -> str:
    """uv from the path or beside this Python, else installed into the folder."""
    beside = shutil.which("uv", path=str(Path(sys.executable).parent))
    if found := shutil.which("uv") or beside:
        return found
    output_of([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder / "uv", "uv"])
    return str(folder / "uv" / "bin" / "uv")


def _find_links() -> tuple[str, ...]:
    """Where pip looks for packages beside its index; uv does not read pip's settings."""
    named = os.environ.get("PIP_FIND_LINKS")
    if named is None:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.find-links"], capture_output=True, text=True
        )
        named = asked.stdout if asked.returncode == 0 else ""
    return tuple(named.split())
