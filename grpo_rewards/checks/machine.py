"""Does the package work on this machine, with what is installed? Everything is really tried."""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from grpo_rewards import __version__
from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.answers.symbolic.pool import worker_count
from grpo_rewards.checks.findings import Finding, Severity, finding_of
from grpo_rewards.installing import how_to_install
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.catalogue import load_own, load_plugins
from grpo_rewards.registry.errors import listed

NEEDED_FOR = {  # extras
    "trl": "GRPOTrainer and grpo_rewards.loss",
    "instructions": "the language of a text, which the reward instructions may need",
    "recipes": "the scripts of recipes/",
}
# What is imported here. Computer algebra is tried where it runs, in a worker.
IMPORTED_AS = {"google-re2": "re2", "jsonschema-rs": "jsonschema_rs", "mpmath": "mpmath"}
SUPPORTED_TRL = ">=1.16,<2"
# Below the version of TRL, this does not work, as docs/stability.md found it.
UNSUPPORTED_BELOW = {
    "0.29": "nothing was tried with it",
    "1.0": "shares of reasons and the columns of the completions table are not logged, and 'reward' is a plain sum",
    "1.14": "a reward that is a coroutine ends the run",
    "1.15": "grpo-rewards validate-loss has nothing to compare, and exits with 3",
    "1.16": "the recipes do not run, and validate-loss takes no steps and exits with 3",
}
NEWEST_TESTED = (3, 13)
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
TRIAL_OF_IMPORTS = f"""
import json
def report(**found): print({REPORT_PREFIX!r} + json.dumps(found), flush=True)
import torch
found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
kind = None if found is None else found.type
names = [torch.cuda.get_device_name(at) for at in range(torch.cuda.device_count())] if kind == "cuda" else []
bf16 = bool(torch.cuda.is_bf16_supported()) if kind == "cuda" else None
report(torch="", accelerator=kind, count=torch.accelerator.device_count(), names=names, bf16=bf16)
report(built_for=torch.version.cuda)
from trl import GRPOConfig, GRPOTrainer
report(trl="")
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
    """Yields a finding for Python, the platform, and the limit on memory."""
    kind = "newer" if sys.version_info[:2] > NEWEST_TESTED else "tested"
    implementation = f"{platform.python_version()} ({platform.python_implementation()})"
    yield finding_of(f"python.{kind}", which=implementation, at=sys.executable)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    where = f"{platform.platform()}, {cores} core{'' if cores == 1 else 's'} for this process"
    yield finding_of("platform.linux" if sys.platform == "linux" else "platform.other", where=where)
    yield _memory_limit() if hasattr(os, "fork") else finding_of("memory limit.no_workers")


def _memory_limit() -> Finding:
    """Whether a process that takes more memory than it may is refused, tried in one."""
    done = _run([sys.executable, "-I", "-c", MEMORY_TRIAL], TRIAL_SECONDS_OF_MEMORY)
    outcome = (
        done if isinstance(done, str) else done.stdout.strip() or _last_line(done) or f"exit status {done.returncode}"
    )
    if outcome == "refused":
        return finding_of("memory limit.refused")
    why = "a process may take more than its limit" if outcome == "taken" else f"it could not be tried ({outcome})"
    return finding_of("memory limit.no_bound", why=why)


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
    kind = "unknown" if pip_version is None else "there" if pip_version == __version__ else "clash"
    folder = importlib.import_module("grpo_rewards").__path__[0]
    yield finding_of(f"grpo-rewards.{kind}", its=__version__, folder=folder, other=pip_version)
    for name, bounds in needed().items():
        yield _of_core(name, bounds)
    for extra in NEEDED_FOR if pip_version is not None else ():
        yield from _of_extra(extra, needed(extra))


def needed(extra: str = "") -> dict[str, str]:
    """The packages that pip installs with this one, or with an extra of it, each with the versions that fit.

    There are none where pip did not install it.
    """
    try:
        requirements = [Requirement(one) for one in requires("grpo-rewards") or ()]
    except PackageNotFoundError:
        return {}
    found: dict[str, SpecifierSet] = {}
    for one in requirements:
        if one.marker.evaluate({"extra": extra}) if one.marker else not extra:
            found[one.name] = found.get(one.name, SpecifierSet()) & one.specifier
    return {name: ",".join(sorted(map(str, bounds), reverse=True)) for name, bounds in found.items()}


def version_of(name: str) -> str | None:
    """The version of an installed package; ``None`` if it is not installed, ``""`` if it has none."""
    try:
        return version(name) or ""
    except PackageNotFoundError:
        return None


def _of_core(name: str, bounds: str) -> Finding:
    its = version_of(name)
    if its is None or not fits(its, bounds):
        kind = "missing" if its is None else "outside"
        return finding_of(f"core.{kind}", of=name, its=its or "Its version", name=name, bounds=bounds)
    try:
        importlib.import_module(IMPORTED_AS.get(name, "rich"))
    # a binary of another Python or platform may raise anything
    except Exception as error:  # noqa: BLE001
        return finding_of("core.broken", of=name, its=its, name=name, error=f"{type(error).__name__}: {error}")
    return finding_of("core.there", of=name, its=its)


def _of_extra(extra: str, packages: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding about an extra that is there in part or whole, with the version of each package."""
    versions = {name: version_of(name) for name in packages}
    there = {name: its for name, its in versions.items() if its is not None}
    listing = ", ".join(f"{name} {its}" for name, its in there.items())
    wrong = [
        f"{name} {its} is outside of {packages[name]}" for name, its in there.items() if not fits(its, packages[name])
    ]
    more: dict[str, Any] = {"of": f"[{extra}]", "need": NEEDED_FOR[extra], "install": how_to_install(extra)}
    missing = [name for name in packages if name not in there]
    if missing:
        rest = f" There are {listing}." if there else ""
        yield finding_of("extra.missing", missing=listed(missing), rest=rest, **more)
    if wrong:
        yield finding_of("extra.outside", wrong=", ".join(wrong), **more)
    if not missing and not wrong:
        yield finding_of("core.there", of=f"[{extra}]", its=listing)


def fits(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as ``>=1.16,<2``. One that cannot be read is not.

    What comes before a release, such as 1.16.0.dev0, is neither that release nor below the one before.

    >>> fits("1.16.0", ">=1.16,<2"), fits("1.16.0.dev0", ">=1.16"), fits("2.13.0+cpu", ">=2.6")
    (True, False, True)
    """
    try:
        return SpecifierSet(bounds).contains(Version(version), prereleases=True)
    except ValueError:  # of which InvalidVersion is one
        return False


def symbolic_workers() -> Iterator[Finding]:
    """Yields a finding for computer algebra, really started, with how long it took: each worker decides a pair."""
    before = time.monotonic()
    failure = symbolic_failure()
    seconds = time.monotonic() - before
    if failure:
        yield finding_of("symbolic workers.broken", failure=failure)
        return
    for warning in symbolic_warnings():
        yield finding_of("symbolic workers.limited", warning=warning)
    if count := worker_count(None):
        yield finding_of("symbolic workers.started", number=count, seconds=seconds)


def torch_and_trl() -> Iterator[Finding]:
    """Yields findings for PyTorch, its accelerators and TRL, as far as they are installed."""
    versions = {name: its for name in ("torch", "trl") if (its := version_of(name)) is not None}
    reported = _tried() if versions else {}
    if "torch" in versions:
        its, bounds, why = versions["torch"], needed("trl").get("torch", ""), reported["torch"]
        kind = "broken" if why else "there" if fits(its, bounds) else "outside"
        yield finding_of(f"torch.{kind}", its=its, bounds=bounds, why=why)
        if not why:
            yield _accelerator(reported)
    if "trl" in versions:
        yield from _trl(versions["trl"], reported["trl"])


def _tried() -> dict[str, Any]:
    """What a process of its own reported: for torch and trl ``""`` or why it cannot be used, and the accelerators."""
    done = _run([sys.executable, "-c", TRIAL_OF_IMPORTS], TRIAL_SECONDS_OF_IMPORTS)
    if isinstance(done, str):
        return {"torch": done, "trl": done}
    ended = f"the process that imported it ended with {done.returncode}. {_last_line(done)}".strip()
    why = _last_line(done) if done.returncode == 1 else ended
    reported: dict[str, Any] = {"torch": why, "trl": why}
    for line in done.stdout.splitlines():
        if line.startswith(REPORT_PREFIX):
            reported |= json.loads(line.removeprefix(REPORT_PREFIX))
    return reported


def _accelerator(reported: dict[str, Any]) -> Finding:
    kind, names = reported.get("accelerator"), reported.get("names") or []
    if kind is None and NVIDIA_DRIVER.exists():
        cuda = reported.get("built_for")
        why = f"torch is built for CUDA {cuda} and does not see it" if cuda else "torch is built without CUDA"
        return finding_of("accelerator.not_seen", why=why)
    if kind is None:
        return finding_of("accelerator.none")
    bf16 = {True: ", with bf16", False: ", without bf16", None: ""}[reported.get("bf16")]
    each = f": {', '.join(dict.fromkeys(names))}" if names else ""
    return finding_of("accelerator.there", number=reported.get("count", 1), kind=kind, each=each, bf16=bf16)


def _trl(its: str, why: str) -> Iterator[Finding]:
    if why:
        missing = why.partition("No module named ")[2].strip().strip("'\"").partition(".")[0]
        install = f"pip install {missing}" if missing.isidentifier() else how_to_install("trl")
        yield finding_of("trl.broken", its=its, why=why, install=install)
    if unsupported := unsupported_features(its):
        severity: Severity = "warning" if fits(its, needed("trl").get("trl", "")) else "error"
        features = "; ".join(unsupported)
        yield finding_of("trl.unsupported", severity=severity, its=its, supported=SUPPORTED_TRL, features=features)
    elif not why:
        yield finding_of("trl.there", its=its)


def unsupported_features(trl: str) -> list[str]:
    """What does not work with a version of TRL, in sentences without a full stop; ``[]`` if nothing is known of it.

    Of a release behind 1.16 and below 2 nothing is known: it is accepted, and validate-loss says what changed.

    >>> unsupported_features("1.15.0")
    ['the recipes do not run, and validate-loss takes no steps and exits with 3']
    """
    found = [what for least, what in UNSUPPORTED_BELOW.items() if not fits(trl, f">={least}")]
    if not found and not fits(trl, SUPPORTED_TRL):
        found.append("nothing was tried with it, and it is not supported")
    return found


def reward_plugins() -> Iterator[Finding]:
    """Yields a finding for each package that offers rewards, and for the warnings while they were loaded."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            load_own()
            plugins = load_plugins()
        except (ImportError, RewardError) as error:
            yield finding_of("plug-ins.none_loaded", error=error)
            return
    for plugin, entry, why in plugins:
        if why:
            yield finding_of("plug-ins.broken", plugin=plugin, entry=entry, why=why, name=plugin.partition(" ")[0])
    for message in dict.fromkeys(str(one.message) for one in caught):
        if message.startswith("the reward '"):  # whose name was taken; a failure is above
            yield finding_of("plug-ins.clash", message=message)
    for plugin, entry, why in plugins:
        if not why:
            yield finding_of("plug-ins.there", plugin=plugin, entry=entry)
    if not plugins:
        yield finding_of("plug-ins.none")
