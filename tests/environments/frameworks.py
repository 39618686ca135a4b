"""Installs the programs that rewards are integrated with, each in an environment of its own, and runs its tests there.

    python tests/environments/frameworks.py               # all of them
    python tests/environments/frameworks.py verl swift
    python tests/environments/frameworks.py --required verl

A program that needs a GPU's packages is installed without what it asks for, and beside it what the parts that are used
import. What cannot be installed, or does not import, is said with the reason, and is no failure; so is what no time is
left for. With ``--required`` it is one, so that what runs every week does not pass by trying nothing. Run it with
Python 3.11, for which constraints.txt's torch is there. Exit status 1 if a test fails.
"""

import argparse
import re
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from fresh_environments import HERE, ROOT, TESTS_NEED, CommandFailed, Environment, Workplace, output_of, workplace

BUDGET = 1_800  # seconds after which no further program is begun
SETTINGS = ("-q", "-p", "no:cacheprovider", "-m", "full")


@dataclass(frozen=True)
class Framework:
    """A program, and how as little of it as is needed is installed.

    Attributes:
        package: the version that was read and is tried.
        module: what is imported of it.
        tests: the file whose tests run with it, in ``tests/integrations``.
        needs: what its used parts import, with spaces between. Without them it is installed with all that it asks for.
        torch: whether it needs that as well.
        last: what is installed last, without dependencies, because its versions contradict ours.
    """

    package: str
    module: str
    tests: str
    needs: str = ""
    torch: bool = False
    last: tuple[str, ...] = ()


TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FRAMEWORKS = {name: Framework(**row) for name, row in TABLE.items()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help=f"of {', '.join(FRAMEWORKS)}; without any, all")
    parser.add_argument("--required", action="store_true", help="what cannot be tried is a failure")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in FRAMEWORKS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(FRAMEWORKS)}")
    begin, failed = time.monotonic(), False
    with workplace() as place:
        wheel = place.wheel()
        for name in options.names or FRAMEWORKS:
            if time.monotonic() - begin > BUDGET:
                print(f"!!! {name} was NOT TRIED: {BUDGET} s are over.", flush=True)
                failed |= options.required
                continue
            failed |= tried(place, wheel, name, if_not=options.required)
    return int(failed)


def tried(place: Workplace, wheel: Path, name: str, if_not: bool = False) -> bool:
    """Prints what became of a program; whether its tests failed, or ``if_not`` where they could not be run."""
    framework = FRAMEWORKS[name]
    try:
        environment = place.environment(f"framework-{name}")
        install(environment, wheel, framework)
        environment.run("-c", f"import {framework.module}")
    except CommandFailed as failure:
        why = str(failure).strip().removesuffix("exit status 1").strip().splitlines()[-1]
        print(f"!!! {name} was NOT TRIED: {framework.package} is not there, or does not import: {why}", flush=True)
        return if_not
    try:
        print(f"{name}: {framework.package}, {run_tests(environment, framework)}", flush=True)
    except CommandFailed as failure:
        print(f"{name}: FAILED\n{failure}", flush=True)
        return True
    return False


def install(environment: Environment, wheel: Path, framework: Framework) -> None:
    torch = (environment.install_torch(),) if framework.torch else ()
    environment.install(wheel, *TESTS_NEED, *framework.needs.split(), *torch)
    alone = ("--no-deps",) if framework.needs else ()
    environment.install(*alone, framework.package)
    if framework.last:
        environment.install("--no-deps", *framework.last)


def run_tests(environment: Environment, framework: Framework) -> str:
    """pytest's last line.

    Raises:
        CommandFailed: a test failed, or none ran.
    """
    folder = HERE.parent / "integrations"
    files = (folder / framework.tests, folder / "test_page.py")  # of which the other programs' blocks skip themselves
    options = (*SETTINGS, "--basetemp", environment.work / "pytest")
    more = {**environment.compiled, "PROGRAM_UNDER_TEST": framework.package}  # it changes the process it is imported in
    printed = output_of([environment.python, "-m", "pytest", *files, *options], cwd=ROOT, more=more)
    last = printed.strip().splitlines()[-1]
    if re.search(r"\d+ passed", last) is None:
        raise CommandFailed(f"no test ran:\n{printed}")
    return last


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
