"""Tries the rewards in GRPOTrainer under several versions of TRL, and prints as a table what works in which.

    python tests/environments/older_trl.py            # 0.29, 1.0, 1.15 and the newest
    python tests/environments/older_trl.py 1.0 newest

Each TRL gets an environment with the newest of all else that it allows, and ``two_steps.py`` trains in it. A release
that is not on PyPI is replaced by the next one. Run it with Python 3.11, for which constraints.txt's torch is there.
Exit status 1 if something fails that this TRL offers.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fresh_environments import HERE, CommandFailed, Environment, Workplace, at_once, output_of, workplace

SERIES = ("0.29", "1.0", "1.15", "newest")
SHOWN = ("transformers", "accelerate", "datasets", "torch", "sympy", "mpmath")
NOT_ALL_COMPARED = 3  # validate-loss's exit status


@dataclass(frozen=True)
class Help:
    """What a TRL needs beyond what it asks for, and why."""

    requirements: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    why: str = ""


WITH_REQUESTS = Help(("requests",), why="TRL imports requests, which transformers 5 no longer brings along")
# where there is no GPU, Triton's interpreter runs the kernels
HELP = {
    "0.29": WITH_REQUESTS,
    "1.0": WITH_REQUESTS,
    "1.15": Help(("triton",), {"TRITON_INTERPRET": "1"}, "this TRL's loss knows no way without Triton"),
}


@dataclass(frozen=True)
class Tried:
    """What one TRL did; ``rows`` is its column of the table."""

    trl: str
    rows: dict[str, str]
    output: str

    @property
    def failed(self) -> bool:
        return any(cell.startswith("NO") for cell in self.rows.values())


def main(series: list[str]) -> int:
    released = releases()
    chosen = {name: release_of(name, released) for name in series}
    for name, version in chosen.items():
        if name != "newest" and series_of(version) != name:
            print(f"!!! TRL {name} is not on PyPI; {version} is taken in its place.")
    with workplace() as place:
        columns = at_once(partial(tried, place, place.wheel()), dict.fromkeys(chosen.values()))
    print(table(columns))
    for column in columns:
        if column.failed:
            print(f"\n== TRL {column.trl}\n{column.output}")
    return int(any(column.failed for column in columns))


def releases() -> list[str]:
    """All releases of TRL, the newest first; pre-releases are left out."""
    listed = output_of([sys.executable, "-m", "pip", "index", "versions", "trl"])
    line = listed.partition("Available versions: ")[2].partition("\n")[0]
    return line.split(", ")


def release_of(series: str, released: list[str]) -> str:
    """The newest release of a series; if there is none the next one after it, else the newest of all."""
    if series == "newest":
        return released[0]
    later = [version for version in released if numbers(version)[:2] >= numbers(series)]
    nearest = series_of(later[-1]) if later else series_of(released[0])
    return next(version for version in released if series_of(version) == nearest)


def numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def series_of(version: str) -> str:
    return ".".join(version.split(".")[:2])


def tried(place: Workplace, wheel: Path, trl: str) -> Tried:
    help_ = HELP.get(series_of(trl), Help())
    try:
        environment = place.environment(f"trl-{trl}")
        torch = environment.install_torch()
        environment.install(f"grpo-rewards[trl] @ {wheel.as_uri()}", f"trl=={trl}", torch, *help_.requirements)
        file = environment.work / "findings.json"
        output = environment.run(HERE / "two_steps.py", file, more=help_.environment)
        installed = environment.versions()
    except CommandFailed as failure:
        return Tried(trl, {"trains": "NO"}, str(failure))
    rows = {name: installed[name] for name in SHOWN}
    rows["needs beside it"] = " ".join(help_.requirements) or "nothing"
    rows |= together(json.loads(file.read_text()))
    rows["`grpo-rewards validate-loss`"] = loss_checked(environment)
    return Tried(trl, rows, output)


def together(findings: dict[str, str]) -> dict[str, str]:
    """One row for what was found with messages and with text, if it is the same."""
    kinds: dict[str, dict[str, str]] = {}
    for name, found in findings.items():
        what, _, data = name.rpartition(", ")
        kinds.setdefault(what, {})[data] = found
    return {what: one_cell(found) for what, found in kinds.items()}


def one_cell(found: dict[str, str]) -> str:
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    # what fails comes first, so that the cell says so
    return "; ".join(sorted((f"{cell} ({data})" for data, cell in found.items()), key=lambda cell: cell[:2] != "NO"))


def loss_checked(environment: Environment) -> str:
    done = subprocess.run(
        [environment.command("grpo-rewards"), "validate-loss"], cwd=environment.work, capture_output=True, text=True
    )
    said = re.search(r"([\d,]+) comparisons", done.stdout)
    if done.returncode not in (0, NOT_ALL_COMPARED) or not said:
        return f"NO: exit status {done.returncode}"
    if said[1] == "0":
        return "nothing to compare"
    return "what is compared agrees, the rest is unknown" if done.returncode else "agrees"


def table(columns: list[Tried]) -> str:
    """Markdown: a row for each thing that was looked at, a column for each TRL."""
    names = dict.fromkeys(name for column in columns for name in column.rows)
    lines = [["TRL", *(column.trl for column in columns)], ["---"] * (len(columns) + 1)]
    lines += [[name, *(column.rows.get(name, "-") for column in columns)] for name in names]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(SERIES)))
