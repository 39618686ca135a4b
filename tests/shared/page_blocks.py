"""The blocks of the pages, and which of their commands are not run, or only by .ci/full, and why."""

import itertools
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from invoked import invoke
from places import RECIPES, ROOT
from tables import tables_beside

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_COMMANDS = [*PAGES, RECIPES / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "RELEASING.md"]
BLOCK = re.compile(r"^ *```(python|bash)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"(?:.*\\\n)*.*\n?")

TABLES = tables_beside(__file__)
NOT_RUN: Mapping[str, Mapping[str, str]] = TABLES["not_run"]
LONG: Mapping[str, Sequence[str]] = TABLES["long"]
LONG_FROM: Mapping[str, str] = TABLES["long_from"]
# The script of an installed package, whichever Python that is.
SHELL = 'set -euo pipefail\ngrpo-rewards() {{ "{python}" -m grpo_rewards "$@"; }}\n{commands}'


def title(page: Path) -> str:
    """What a page is called here: its path in the repository."""
    return page.relative_to(ROOT).as_posix()


def commands(block: str) -> list[str]:
    """The commands of a block, each with the lines that it goes on in, without empty lines and comments."""
    return [one for one in COMMAND.findall(block) if one.strip() and not one.strip().startswith("#")]


def begins(command: str, beginnings: Iterable[str]) -> str | None:
    """The one of the beginnings with which a command begins, if there is one."""
    return next((one for one in beginnings if command.strip().startswith(one)), None)


def to_run(page: Path, block: str, *, long: bool) -> str:
    """The commands of a block that are run: of those that take long none, unless they are asked for."""
    left_out = [*NOT_RUN.get(title(page), ()), *(() if long else LONG.get(title(page), ()))]
    return "".join(one for one in commands(block) if begins(one, left_out) is None)


def runs_long(page: Path, block: str) -> bool:
    """Whether this block of Python is the one from which on a page is left to ``.ci/full``."""
    return title(page) in LONG_FROM and block.startswith(LONG_FROM[title(page)])


def clone(folder: Path) -> None:
    """Makes of a folder what looks like a clone: its recipes and the examples of its docs, which may be changed."""
    for name in ("recipes", "docs/examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "outputs"))


def run_quickly(wanted: str, folder: Path, environment: Mapping[str, str]) -> None:
    """``run_commands`` in the working directory, but each ``grpo-rewards`` in this process, not in one of its own."""
    for ours, some in itertools.groupby(commands(wanted), lambda command: of_ours(command) is not None):
        if not ours:
            run_commands("".join(some), folder, environment)
            continue
        for command in some:
            done = invoke((of_ours(command) or [])[1:])
            assert done.exit_code == 0, f"{command}{done.output[-4000:]}{done.exception!r}"


def of_ours(command: str) -> list[str] | None:
    """The words of a ``grpo-rewards`` that needs nothing of a shell; ``None`` for any other command."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    plain = words[:1] == ["grpo-rewards"] and not any(re.fullmatch("[();<>|&]+", word) for word in words)
    return words if plain and "$" not in command else None


def run_commands(wanted: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Runs commands in a folder, as a reader does one after the other; all must end with status 0."""
    done = subprocess.run(
        ["bash", "-c", SHELL.format(python=sys.executable, commands=wanted)],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, f"{wanted}{done.stdout[-4000:]}{done.stderr[-4000:]}"
