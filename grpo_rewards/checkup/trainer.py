"""PyTorch, its accelerators and TRL, tried in a process of their own, whose crashes are reported here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_rewards.checkup.bounds import EXTRAS, fits
from grpo_rewards.checkup.installed import version_of
from grpo_rewards.checkup.trl_compat import unsupported_features
from grpo_rewards.installing import how_to_install
from grpo_rewards.preflight.report import Finding, Severity

__all__ = ["found"]

TRIAL_SECONDS_OF_IMPORTS = 300  # a network disk may be slow
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
REPORT_PREFIX = "grpo-rewards: "  # before what is read here, for imports may print
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


def found() -> Iterator[Finding]:
    """Yields findings for PyTorch, its accelerators and TRL, as far as they are installed."""
    versions = {name: its for name in ("torch", "trl") if (its := version_of(name)) is not None}
    reported = _tried(list(versions)) if versions else {}
    if "torch" in versions:
        yield from _torch(versions["torch"], reported)
    if "trl" in versions:
        yield from _trl(versions["trl"], reported)


def _tried(names: list[str]) -> dict[str, Any]:
    """What the process reported: for each package ``""`` or why it cannot be used, and the accelerators."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", TRIAL_OF_IMPORTS, REPORT_PREFIX, *names],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_SECONDS_OF_IMPORTS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return dict.fromkeys(names, str(error))
    reported: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        if line.startswith(REPORT_PREFIX):
            reported |= json.loads(line.removeprefix(REPORT_PREFIX))
    last = (done.stderr.strip().splitlines() or [""])[-1]
    ended = f"the process that imported it ended with {done.returncode}. {last}".strip()
    return {**dict.fromkeys(names, ended), **reported}


def _torch(its: str, reported: dict[str, Any]) -> Iterator[Finding]:
    if reported["torch"]:
        yield Finding(
            "error", "torch", f"{its} cannot be used: {reported['torch']}", "Reinstall torch for this Python."
        )
        return
    bounds = EXTRAS["trl"]["torch"]
    if not fits(its, bounds):
        yield Finding("error", "torch", f"{its} is outside of {bounds}.", f"pip install 'torch{bounds}'")
    else:
        yield Finding("fine", "torch", its)
    yield _accelerator(reported)


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


def _trl(its: str, reported: dict[str, Any]) -> Iterator[Finding]:
    why, bounds = reported["trl"], EXTRAS["trl"]["trl"]
    if why:
        yield Finding("error", "trl", f"GRPOTrainer of TRL {its} cannot be imported: {why}", _remedy(why))
    unsupported = unsupported_features(its)
    if unsupported:
        severity: Severity = "warning" if fits(its, bounds) else "error"
        supported = EXTRAS["recipes"]["trl"]
        message = f"TRL {its} is not {supported}. What does not work: {'; '.join(unsupported)}."
        yield Finding(severity, "trl", message, f"pip install 'trl{supported}'")
    elif not why:
        yield Finding("fine", "trl", f"{its}, and GRPOTrainer can be imported")


def _remedy(why: str) -> str:
    """What to install, if a package is missing."""
    missing = why.partition("No module named ")[2].strip().strip("'\"").partition(".")[0]
    return f"pip install {missing}" if missing.isidentifier() else how_to_install("trl")
