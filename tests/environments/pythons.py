"""Runs the core's tests under each Python that is supported, in an environment that has nothing but the core.

    python tests/environments/pythons.py              # 3.11, 3.12 and 3.13
    python tests/environments/pythons.py 3.12 3.13

Interpreters are looked for on the path and among pyenv's; one that is not there is skipped, and said to be. What is
a matter of algorithms, or waits for long, is left to the whole suite; so is more under the Python that runs this, which
is the suite's. Exit status 1 if a test fails.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fresh_environments import CONSTRAINTS, ROOT, TESTS_NEED, CommandFailed, Workplace, at_once, workplace

VERSIONS = ("3.11", "3.12", "3.13")
RUNNING = "{}.{}".format(*sys.version_info)
SAY_VERSION = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
TRAINERS = {"torch", "transformers", "trl", "datasets", "accelerate", "numpy"}
# Left to the whole suite, which runs under one Python: what is a matter of algorithms and not of the interpreter (texts
# of a megabyte, texts made at random, labelled data, attacks), and what waits for seconds until a worker is given up.
LEFT_OUT = (
    "linear megabyte no_text_raises labelled attack stuck_amid long_batch harms_no_other bombs registers "
    "heard_without put_together fuzzed neighbours corpora test_budget test_decide depend_on_what ends_in_time "
    "handler_that_raises workers_are_started killed_parent file_descriptors distinct_names "
    "main_guard read_from_stdin that_is_gone no_secret"
).split()
# So are thousands of rows of pure Python, what is counted over runs and sources, and what starts processes again and
# again: commands, planted rewards, hacks.
# In their place one test reads the rows of tests/data, and the doctests import and run every module. What grading does
# with processes is seen where these are tested, in answers/symbolic; what trains is tried under one Python, and so is a
# package that is installed into an environment of its own.
ROWS = """
    answers/reading answers/values answers/formulas answers/comparing answers/latex
    extraction constraints completion/tool_calls completion/padding rewards/content rewards/correctness
    rewards/correctness/test_grading.py benchmarks loss recipes
    checks/run/test_rules.py checks/run/test_audit.py test_words.py
    checks/contract checks/reward integrations report command_line/test_commands_page.py command_line/test_doctor.py
    command_line/test_trial.py command_line/test_own_modules.py
""".split()
# The whole suite runs these under the Python that runs this; what is new here is that there is no trainer.
WHERE_THE_SUITE_RAN = ("answers", "completion")


@dataclass(frozen=True)
class Outcome:
    """pytest's last line, or why it failed."""

    seconds: float
    passed: str = ""
    failure: str = ""


def main(versions: list[str]) -> int:
    interpreters = {version: path for version in versions if (path := interpreter(version)) is not None}
    with workplace() as place:
        outcomes = at_once(
            lambda version: tested(place, version, interpreters[version]), interpreters, most=len(VERSIONS)
        )
    for version, outcome in zip(interpreters, outcomes, strict=True):
        if outcome.failure:
            print(f"== Python {version}\n{outcome.failure}\n")
    for (version, path), outcome in zip(interpreters.items(), outcomes, strict=True):
        word = "FAILED" if outcome.failure else outcome.passed
        print(f"Python {version} in {outcome.seconds:.0f} s: {word} ({path})")
    for version in versions:
        if version not in interpreters:
            print(f"!!! Python {version} was NOT FOUND: nothing was tested with it. Install it, or name others.")
    return int(not interpreters or any(outcome.failure for outcome in outcomes))


def interpreter(version: str) -> str | None:
    """The first interpreter that runs and is of this version."""
    return next((path for path in candidates(version) if version_of(path) == version), None)


def candidates(version: str) -> Iterator[str]:
    yield sys.executable
    if (on_path := shutil.which(f"python{version}")) is not None:
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}*/bin/python"), reverse=True))


def version_of(path: str) -> str | None:
    """What it says when it is run: a shim may stand where there is no interpreter behind it."""
    try:
        said = subprocess.run([path, "-c", SAY_VERSION], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() if said.returncode == 0 else None


def tested(place: Workplace, version: str, python: str) -> Outcome:
    begin = time.monotonic()
    passed = failure = ""
    try:
        environment = place.environment(f"python{version}", python)
        environment.install("--constraint", CONSTRAINTS, "--editable", ROOT, *TESTS_NEED)
        if more := TRAINERS & set(environment.versions()):
            raise CommandFailed(f"the core brings {', '.join(sorted(more))} along")
        left_out = (*ROWS, *(WHERE_THE_SUITE_RAN if version == RUNNING else ()))
        ignored = [part for folder in left_out for part in ("--ignore", f"tests/{folder}")]
        passed = environment.run_core_tests("-k", " and ".join(f"not {name}" for name in LEFT_OUT), *ignored)
    except CommandFailed as failed:
        failure = str(failed)
    return Outcome(time.monotonic() - begin, passed, failure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(VERSIONS)))
