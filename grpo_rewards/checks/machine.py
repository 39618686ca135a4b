"""Does the package work on this machine, with what is installed? Everything is really tried."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import platform
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grpo_rewards import __version__
from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.answers.symbolic.pool import worker_count
from grpo_rewards.checks.findings import Finding, Severity
from grpo_rewards.installing import how_to_install
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.names import load_own, load_plugins, offered_plugins, plugin_failures

__all__ = ["CORE", "EXTRAS", "examine", "fits", "unsupported_features"]

# What pip installs with the package; a test holds all of these to pyproject.toml.
CORE = {
    "math-verify": ">=0.9,<1",
    "sympy": ">=1.13,!=1.14.0rc1",
    "mpmath": ">=1.3",
    "google-re2": ">=1.1",
    "jsonschema-rs": ">=0.50",
    "typer": ">=0.15.4",
    "rich": ">=13",
}
# What it installs with an extra.
EXTRAS = {
    "trl": {
        "trl": ">=0.29",
        "packaging": ">=23.0",
        "transformers": ">=4.56.2",
        "accelerate": ">=1.4",
        "datasets": ">=3.0",
        "torch": ">=2.6",
    },
    "instructions": {"py3langid": ">=0.4,<0.5"},
    "recipes": {
        "trl": ">=1.16,<2",
        "transformers": ">=5.3",
        "peft": ">=0.13",
        "matplotlib": ">=3.9",
        "psutil": ">=5.9.4",
        "tqdm": ">=4.66.3",
        "pyyaml": ">=6.0.1",
    },
}
NEEDED_FOR = {
    "trl": "GRPOTrainer and grpo_rewards.loss",
    "instructions": "the language of a text, which the reward instructions may need",
    "recipes": "the scripts of recipes/",
}
# What is imported here. Computer algebra is tried where it runs, in a worker.
IMPORTED_AS = {"google-re2": "re2", "jsonschema-rs": "jsonschema_rs", "mpmath": "mpmath"}
# Below the version of TRL, this does not work, as docs/stability.md found it.
UNSUPPORTED_BELOW = {
    "0.29": "nothing was tried with it",
    "1.0": "shares of reasons and the columns of the completions table are not logged, and 'reward' is a plain sum",
    "1.14": "a reward that is a coroutine ends the run",
    "1.15": "grpo-rewards validate-loss has nothing to compare, and exits with 3",
    "1.16": "the recipes do not run, and validate-loss takes no steps and exits with 3",
}
LEAST_PYTHON, NEWEST_TESTED = (3, 11), (3, 13)
WRITTEN_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,9})((?:[-._+]?[a-zA-Z].*)?)", re.ASCII)
BEFORE_RELEASE = re.compile(r"[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)[._-]?\d*", re.IGNORECASE)
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
REPORT_PREFIX = "grpo-rewards: "  # before what is read here, for imports may print
TRIAL_SECONDS_OF_MEMORY = 60
TRIAL_SECONDS_OF_IMPORTS = 300  # a network disk may be slow
# Takes twice what it may, as a formula that explodes does in a worker.
MEMORY_TRIAL = """
import resource
most = 1 << 30
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
most = most if hard == resource.RLIM_INFINITY else min(most, hard)
try:
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    bytearray(2 * most)
    print("taken")
except MemoryError:
    print("refused")
"""
TRIAL_OF_IMPORTS = """
import json, sys
def put(**found): print(f"{sys.argv[1]}{json.dumps(found)}", flush=True)
def tried(name, load):
    try:
        load()
    except BaseException as error:
        put(**{name: f"{type(error).__name__}: {error}"})
    else:
        put(**{name: ""})
def torch():
    import torch
    found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    kind = None if found is None else found.type
    names = [torch.cuda.get_device_name(at) for at in range(torch.cuda.device_count())] if kind == "cuda" else []
    bf16 = bool(torch.cuda.is_bf16_supported()) if kind == "cuda" else None
    put(accelerator=kind, count=torch.accelerator.device_count(), names=names, bf16=bf16, built_for=torch.version.cuda)
def trl():
    from trl import GRPOConfig, GRPOTrainer
for name in sys.argv[2:]:
    tried(name, {"torch": torch, "trl": trl}[name])
"""


def examine() -> Iterator[Finding]:
    """Tries one thing after the other, and yields what was found about each as soon as it is known.

    A finding is an ``error`` if something is broken, a ``warning`` if something is degraded, a ``note`` for what is
    not installed or not there and need not be, and ``fine`` for what works.
    """
    yield from python_and_platform()
    yield from installed_packages()
    yield from symbolic_workers()
    yield from torch_and_trl()
    yield from reward_plugins()


def python_and_platform() -> Iterator[Finding]:
    """Yields a finding for Python, the platform, the ways to start processes, and the limit on memory."""
    its = sys.version_info[:2]
    message = f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}"
    if its < LEAST_PYTHON:
        yield Finding("error", "python", f"{message}: too old.", "Use Python 3.11, 3.12 or 3.13.")
    elif its > NEWEST_TESTED:
        yield Finding("note", "python", f"{message}: newer than what was tried.", "3.11 to 3.13 are tested.")
    else:
        yield Finding("fine", "python", message)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    message = f"{platform.platform()}, {cores} core{'' if cores == 1 else 's'} for this process"
    untried = "" if sys.platform == "linux" else ". The package was only ever run on Linux."
    yield Finding("warning" if untried else "fine", "platform", f"{message}{untried}")
    offered = multiprocessing.get_all_start_methods()  # the first one is the default
    message = f"{offered[0]} by default; {', '.join(offered)}"
    missing = "" if hasattr(os, "fork") else ". Without fork, no symbolic worker can be started."
    yield Finding("warning" if missing else "fine", "start methods", f"{message}{missing}")
    if missing:
        yield Finding("note", "memory limit", "There are no workers here whose memory could be limited.")
    else:
        yield _memory_limit()


def _memory_limit() -> Finding:
    """Whether a process that takes more memory than it may is refused, tried in one."""
    done = _run([sys.executable, "-I", "-c", MEMORY_TRIAL], TRIAL_SECONDS_OF_MEMORY)
    outcome = (
        done if isinstance(done, str) else done.stdout.strip() or _last_line(done) or f"exit status {done.returncode}"
    )
    if outcome == "refused":
        return Finding("fine", "memory limit", "A process that takes more than it may is refused.")
    why = "a process may take more than its limit" if outcome == "taken" else f"it could not be tried ({outcome})"
    message = f"The memory of symbolic workers has no bound here: {why}."
    return Finding("warning", "memory limit", message, "Their deadlines still hold. Leave memory free for them.")


def _run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str] | str:
    """A command that ended, or why it did not."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stderr.strip().splitlines() or [""])[-1]


def installed_packages() -> Iterator[Finding]:
    """Yields a finding for this package, for each package of the core, and for each extra."""
    pip_version = version_of("grpo-rewards")
    message = f"grpo-rewards {__version__} in {importlib.import_module('grpo_rewards').__path__[0]}"
    if pip_version is not None and pip_version != __version__:
        remedy = "Two are in each other's way: pip uninstall grpo-rewards, and install the one that is meant."
        yield Finding("warning", "grpo-rewards", f"{message}, while pip has installed {pip_version}.", remedy)
    else:
        yield Finding("fine", "grpo-rewards", message)
    for name, bounds in CORE.items():
        yield _of_core(name, bounds)
    for extra, packages in EXTRAS.items():
        yield from _of_extra(extra, packages)


def version_of(name: str) -> str | None:
    """The version of an installed package; ``None`` if it is not installed, ``""`` if it has none."""
    try:
        return version(name) or ""
    except PackageNotFoundError:
        return None


def _of_core(name: str, bounds: str) -> Finding:
    its, install = version_of(name), f"pip install '{name}{bounds}'"
    if its is None:
        return Finding("error", name, "It is not installed, and the package needs it.", install)
    if not fits(its, bounds):
        return Finding("error", name, f"{its or 'Its version'} is outside of {bounds}.", install)
    try:
        importlib.import_module(IMPORTED_AS.get(name, "rich"))
    # a binary of another Python or platform may raise anything
    except Exception as error:  # noqa: BLE001
        again = f"pip install --force-reinstall --no-deps {name}"
        return Finding("error", name, f"{its} cannot be imported: {type(error).__name__}: {error}", again)
    return Finding("fine", name, its)


def _of_extra(extra: str, packages: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding about an extra that is there in part or whole, with the version of each package."""
    versions = {name: version_of(name) for name in packages}
    missing = [name for name, its in versions.items() if its is None]
    there = ", ".join(f"{name} {its}" for name, its in versions.items() if its is not None)
    wrong = [name for name, its in versions.items() if its is not None and not fits(its, packages[name])]
    check, remedy = f"[{extra}]", how_to_install(extra)
    if missing:
        message = f"Not installed: {', '.join(missing)}, needed for {NEEDED_FOR[extra]}. The rest works without."
        yield Finding("note", check, f"{message} There are {there}." if there else message, remedy)
    if wrong:
        bounds = ", ".join(f"{name} {versions[name]} is outside of {packages[name]}" for name in wrong)
        yield Finding("warning", check, f"For {NEEDED_FOR[extra]}, {bounds}.", remedy)
    if not missing and not wrong:
        yield Finding("fine", check, there)


def fits(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as ``>=1.16,<2``. One that cannot be read is not.

    What comes before a release, such as 1.16.0.dev0, is neither that release nor below the one before.

    >>> fits("1.16.0", ">=1.16,<2"), fits("1.16.0.dev0", ">=1.16"), fits("2.13.0+cpu", ">=2.6")
    (True, False, True)
    """
    found = WRITTEN_VERSION.fullmatch(version)
    if found is None:
        return False
    numbers, is_released = _release(found[1]), BEFORE_RELEASE.match(found[2]) is None
    for bound in bounds.split(","):
        sign, other = re.fullmatch(r"(>=|<|!=)(.*)", bound).groups()  # type: ignore[union-attr]  # of the tables above
        # what comes before the release that is no longer wanted is not wanted, either
        least = (_release(other), True) if sign == ">=" else ()
        if (sign == "!=" and version == other) or (sign == "<" and numbers >= _release(other)):
            return False
        if least and (numbers, is_released) < least:
            return False
    return True


def _release(written: str) -> tuple[int, ...]:
    """The numbers of a release without zeros at the end: 1.16.0 is 1.16."""
    numbers = [int(one) for one in written.split(".") if one.isdecimal()]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def symbolic_workers() -> Iterator[Finding]:
    """Yields a finding for computer algebra, really started, with how long it took: each worker decides a pair."""
    before = time.monotonic()
    failure, check = symbolic_failure(), "symbolic workers"
    seconds = time.monotonic() - before
    if failure:
        message = f"They do not work: {failure} Answers that need computer algebra, such as integrals, earn nothing."
        yield Finding("error", check, message, "Reinstall math-verify and sympy.")
        return
    for warning in symbolic_warnings():
        yield Finding("warning", check, warning)
    if count := worker_count(None):
        message = f"{count} started, and each decided a pair of formulas, in {seconds:.1f} s together"
        yield Finding("fine", check, message)


def torch_and_trl() -> Iterator[Finding]:
    """Yields findings for PyTorch, its accelerators and TRL, as far as they are installed."""
    versions = {name: its for name in ("torch", "trl") if (its := version_of(name)) is not None}
    reported = _tried(list(versions)) if versions else {}
    if "torch" in versions:
        its, bounds = versions["torch"], EXTRAS["trl"]["torch"]
        if reported["torch"]:
            message = f"{its} cannot be used: {reported['torch']}"
            yield Finding("error", "torch", message, "Reinstall torch for this Python.")
        elif not fits(its, bounds):
            yield Finding("error", "torch", f"{its} is outside of {bounds}.", f"pip install 'torch{bounds}'")
        else:
            yield Finding("fine", "torch", its)
        if not reported["torch"]:
            yield _accelerator(reported)
    if "trl" in versions:
        yield from _trl(versions["trl"], reported["trl"])


def _tried(names: list[str]) -> dict[str, Any]:
    """What a process of its own reported: for each package ``""`` or why it cannot be used, and the accelerators."""
    done = _run([sys.executable, "-c", TRIAL_OF_IMPORTS, REPORT_PREFIX, *names], TRIAL_SECONDS_OF_IMPORTS)
    if isinstance(done, str):
        return dict.fromkeys(names, done)
    ended = f"the process that imported it ended with {done.returncode}. {_last_line(done)}".strip()
    reported: dict[str, Any] = dict.fromkeys(names, ended)
    for line in done.stdout.splitlines():
        if line.startswith(REPORT_PREFIX):
            reported |= json.loads(line.removeprefix(REPORT_PREFIX))
    return reported


def _accelerator(reported: dict[str, Any]) -> Finding:
    kind, names = reported.get("accelerator"), reported.get("names") or []
    if kind is None and NVIDIA_DRIVER.exists():
        cuda = reported.get("built_for")
        why = f"torch is built for CUDA {cuda} and does not see it" if cuda else "torch is built without CUDA"
        message = f"There is an NVIDIA driver, and {why}: training would run on the processor."
        return Finding("warning", "accelerator", message, "Install torch for the driver's CUDA, see pytorch.org.")
    if kind is None:
        return Finding("note", "accelerator", "none: training runs on the processor, which is enough for tiny models")
    bf16 = {True: ", with bf16", False: ", without bf16", None: ""}[reported.get("bf16")]
    each = f": {', '.join(dict.fromkeys(names))}" if names else ""
    return Finding("fine", "accelerator", f"{reported.get('count', 1)} × {kind}{each}{bf16}")


def _trl(its: str, why: str) -> Iterator[Finding]:
    if why:
        missing = why.partition("No module named ")[2].strip().strip("'\"").partition(".")[0]
        remedy = f"pip install {missing}" if missing.isidentifier() else how_to_install("trl")
        yield Finding("error", "trl", f"GRPOTrainer of TRL {its} cannot be imported: {why}", remedy)
    if unsupported := unsupported_features(its):
        severity: Severity = "warning" if fits(its, EXTRAS["trl"]["trl"]) else "error"
        supported = EXTRAS["recipes"]["trl"]
        message = f"TRL {its} is not {supported}. What does not work: {'; '.join(unsupported)}."
        yield Finding(severity, "trl", message, f"pip install 'trl{supported}'")
    elif not why:
        yield Finding("fine", "trl", f"{its}, and GRPOTrainer can be imported")


def unsupported_features(trl: str) -> list[str]:
    """What does not work with a version of TRL, in sentences without a full stop; ``[]`` if nothing is known of it.

    Of a release behind 1.16 and below 2 nothing is known: it is accepted, and validate-loss says what changed.

    >>> unsupported_features("1.15.0")
    ['the recipes do not run, and validate-loss takes no steps and exits with 3']
    """
    found = [what for least, what in UNSUPPORTED_BELOW.items() if not fits(trl, f">={least}")]
    if not found and not fits(trl, EXTRAS["recipes"]["trl"]):
        found.append("nothing was tried with it, and it is not supported")
    return found


def reward_plugins() -> Iterator[Finding]:
    """Yields a finding for each package that offers rewards, and for the warnings while they were loaded."""
    check = "plug-ins"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            load_own()
            load_plugins()
        except (ImportError, RewardError) as error:
            yield Finding("error", check, f"The rewards cannot be loaded: {error}", "Mend what is named above.")
            return
    failures = plugin_failures()
    for plugin, entry, why in failures:
        remedy = f"Report it to its author, or pip uninstall {plugin.partition(' ')[0]}."
        yield Finding("error", check, f"{plugin} cannot be loaded, with the rewards in '{entry}': {why}", remedy)
    for message in dict.fromkeys(str(one.message) for one in caught):
        if message.startswith("the reward '"):  # whose name was taken; a failure is above
            yield Finding("warning", check, message)
    failed, offered = {(plugin, entry) for plugin, entry, _ in failures}, offered_plugins()
    for plugin, entry in offered:
        if (plugin, entry) not in failed:
            yield Finding("fine", check, f"{plugin}, with the rewards in '{entry}'")
    if not offered:
        yield Finding("fine", check, "no installed package offers rewards")
