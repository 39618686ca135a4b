"""Which packages are there, whether their versions fit, and whether those of the core can be imported."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version

from grpo_rewards import __version__
from grpo_rewards.checkup.bounds import CORE, EXTRAS, fits
from grpo_rewards.installing import how_to_install
from grpo_rewards.preflight.report import Finding

__all__ = ["found", "version_of"]

# What is imported here. Computer algebra is tried where it runs, in a worker.
IMPORTED_AS = {"google-re2": "re2", "jsonschema-rs": "jsonschema_rs", "mpmath": "mpmath"}
NEEDED_FOR = {
    "trl": "GRPOTrainer and grpo_rewards.loss",
    "instructions": "the language of a text, which the reward instructions may need",
    "recipes": "the scripts of recipes/",
}


def found() -> Iterator[Finding]:
    """Yields a finding for this package, for each package of the core, and for each extra."""
    yield _itself()
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


def _itself() -> Finding:
    pip_version = version_of("grpo-rewards")
    place = str(importlib.import_module("grpo_rewards").__path__[0])
    message = f"grpo-rewards {__version__} in {place}"
    if pip_version is not None and pip_version != __version__:
        remedy = "Two are in each other's way: pip uninstall grpo-rewards, and install the one that is meant."
        return Finding("warning", "grpo-rewards", f"{message}, while pip has installed {pip_version}.", remedy)
    return Finding("fine", "grpo-rewards", message)


def _of_core(name: str, bounds: str) -> Finding:
    its = version_of(name)
    if its is None:
        return Finding("error", name, "It is not installed, and the package needs it.", _install(name, bounds))
    if not fits(its, bounds):
        return Finding("error", name, f"{its or 'Its version'} is outside of {bounds}.", _install(name, bounds))
    try:
        importlib.import_module(IMPORTED_AS.get(name, "rich"))
    # a binary of another Python or platform may raise anything
    except Exception as error:  # noqa: BLE001
        again = f"pip install --force-reinstall --no-deps {name}"
        return Finding("error", name, f"{its} cannot be imported: {type(error).__name__}: {error}", again)
    return Finding("fine", name, its)


def _of_extra(extra: str, packages: Mapping[str, str]) -> Iterator[Finding]:
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


def _install(name: str, bounds: str) -> str:
    return f"pip install '{name}{bounds}'"
