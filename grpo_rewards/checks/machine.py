"""Does the package work on this machine, with what is installed? Everything is really tried."""

import importlib
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from grpo_rewards import __version__
from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.answers.symbolic.pool import worker_count
from grpo_rewards.checks.findings import Finding, Findings, Severity, finding_of
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.catalogue import load_own, load_plugins

NEEDED_FOR = {  # the core, and extras
    "": "every reward",
    "trl": "GRPOTrainer and grpo_rewards.loss",
    "instructions": "the language of a text, which the reward instructions may need",
    "report": "the commands report, watch and audit",
    "recipes": "the scripts of recipes/",
}
COMPILED = {"google-re2": "re2", "jsonschema-rs": "jsonschema_rs"}  # which only some Pythons and platforms can import
SUPPORTED_TRL = ">=1.16,<2"
NEWEST_TESTED = (3, 13)
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
REPORT_PREFIX = "grpo-rewards: "  # before what is read here, for imports may print
SECONDS_OF_IMPORTS = 300  # a network disk may be slow
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


def examine() -> Findings:
    """Tries one thing after the other, and yields what was found about each as soon as it is known.

    A finding is an ``error`` if something is broken, a ``warning`` if something is degraded, a ``note`` for what is
    not installed or not there and need not be, and ``fine`` for what works.
    """
    yield from python_and_platform()
    yield from installed_packages()
    yield from symbolic_workers()
    yield from torch_and_trl()
    yield from reward_plugins()


def python_and_platform() -> Findings:
    """Yields a finding for Python, and one for the platform."""
    kind = "newer" if sys.version_info[:2] > NEWEST_TESTED else "tested"
    implementation = f"{platform.python_version()} ({platform.python_implementation()})"
    yield finding_of(f"python.{kind}", which=implementation, at=sys.executable)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    where = f"{platform.platform()}, {cores} core{'' if cores == 1 else 's'} for this process"
    yield finding_of("platform.linux" if sys.platform == "linux" else "platform.other", where=where)


def installed_packages() -> Findings:
    """Yields a finding for this package, for the packages of the core, and for each extra."""
    pip_version = version_of("grpo-rewards")
    kind = "unknown" if pip_version is None else "there" if pip_version == __version__ else "clash"
    folder = importlib.import_module("grpo_rewards").__path__[0]
    yield finding_of(f"grpo-rewards.{kind}", its=__version__, folder=folder, other=pip_version)
    if pip_version is not None:
        yield from map(_of_packages, NEEDED_FOR)
    for name, module in COMPILED.items():
        try:
            importlib.import_module(module)
        except Exception as error:  # noqa: BLE001  # a binary of another Python or platform may raise anything
            yield finding_of("core.broken", name=name, error=f"{type(error).__name__}: {error}")


def _of_packages(extra: str) -> Finding:
    """What is missing of the core or an extra, and what does not fit, or else the version of each package."""
    wanted = needed(extra)
    versions = {name: version_of(name) for name in wanted}
    wrong = {name: its for name, its in versions.items() if its is None or not fits(its, wanted[name])}
    of = f"[{extra}]" if extra else "core"
    if not wrong:
        return finding_of("core.there", of=of, its=", ".join(f"{name} {its}" for name, its in versions.items()))
    severity: Severity = "error" if not extra else "warning" if any(wrong.values()) else "note"
    amiss = [
        f"{name} is not installed" if its is None else f"{name} {its} is outside of {wanted[name]}"
        for name, its in wrong.items()
    ]
    install = " ".join(f"'{name}{wanted[name]}'" for name in wrong)
    need = NEEDED_FOR[extra]
    return finding_of("core.amiss", severity=severity, of=of, need=need, amiss=", ".join(amiss), install=install)


def needed(extra: str = "") -> dict[str, SpecifierSet]:
    """The packages that pip installs with this one, or with an extra of it, each with the versions that fit."""
    found: dict[str, SpecifierSet] = {}
    for one in map(Requirement, requires("grpo-rewards") or ()):
        if one.marker.evaluate({"extra": extra}) if one.marker else not extra:
            found[one.name] = found.get(one.name, SpecifierSet()) & one.specifier
    return found


def version_of(name: str) -> str | None:
    """The version of an installed package; ``None`` if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def fits(version: str, bounds: SpecifierSet) -> bool:
    """Whether a version is within bounds such as ``>=1.16,<2``. One that cannot be read is not.

    What comes before a release, such as 1.16.0.dev0, is neither that release nor below the one before.

    >>> fits("1.16.0", SpecifierSet(">=1.16,<2")), fits("2.13.0+cpu", SpecifierSet(">=2.6"))
    (True, True)
    """
    try:
        return bounds.contains(Version(version), prereleases=True)
    except ValueError:  # of which InvalidVersion is one
        return False


def symbolic_workers() -> Findings:
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


def torch_and_trl() -> Findings:
    """Yields findings for PyTorch, its accelerators and TRL, as far as they are installed."""
    torch, trl = version_of("torch"), version_of("trl")
    if torch is None and trl is None:
        return
    reported = _tried()
    if torch is not None:
        why = reported["torch"]
        yield finding_of("torch.broken" if why else "torch.there", its=torch, why=why)
        if not why:
            yield _accelerator(reported)
    if trl is None:
        return
    why = reported["trl"]
    if why:
        yield finding_of("trl.broken", its=trl, why=why)
    if not fits(trl, SpecifierSet(SUPPORTED_TRL)):
        yield finding_of("trl.unsupported", its=trl, supported=SUPPORTED_TRL)
    elif not why:
        yield finding_of("trl.there", its=trl)


def _tried() -> dict[str, Any]:
    """What a process of its own reported: for torch and trl ``""`` or why it cannot be used, and the accelerators."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", TRIAL_OF_IMPORTS],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS_OF_IMPORTS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return dict.fromkeys(("torch", "trl"), str(error))
    why = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode != 1:  # 1 is the exit status after an exception
        why = f"the process that imported it ended with {done.returncode}. {why}".strip()
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


def reward_plugins() -> Findings:
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
        kind = "broken" if why else "there"
        yield finding_of(f"plug-ins.{kind}", plugin=plugin, entry=entry, why=why, name=plugin.partition(" ")[0])
    for message in dict.fromkeys(str(one.message) for one in caught):
        if message.startswith("the reward '"):  # whose name was taken; a failure is above
            yield finding_of("plug-ins.clash", message=message)
    if not plugins:
        yield finding_of("plug-ins.none")
