"""The versions that are asked for are those of pyproject.toml, and one fits by the rules of Python's packaging."""

from __future__ import annotations

import re
import tomllib

import pytest
from places import ROOT
from tables import each_row

from grpo_rewards.checks.machine import CORE, EXTRAS, fits, unsupported_features


def by_name(requirements: list[str]) -> dict[str, str]:
    pairs = [re.fullmatch(r"([\w-]+)((?:[<>=!]=?[^,]+,?)+)", one) for one in requirements if "[" not in one]
    return {pair[1]: pair[2] for pair in pairs if pair}


def test_the_bounds_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert by_name(project["dependencies"]) == CORE
    extras = {name: by_name(project["optional-dependencies"][name]) for name in EXTRAS}
    assert extras == EXTRAS


VERSIONS = (
    *("0.28.9", "0.29", "0.29.0", "0.29.1", "1.0.0", "1.14.0rc1", "1.14.0", "1.15.0", "1.16.0.dev0", "1.16.0rc1"),
    *("1.16", "1.16.0", "1.16.0+cpu", "1.16.0.post1", "1.17.0.dev0", "2.0.0rc1", "2.0.0.dev1", "2.0.0", "2.13.0+cu126"),
    *("10.0", "v1.16"),
)


@each_row("bounds", sorted({*CORE.values(), *(one for its in EXTRAS.values() for one in its.values())}))
@each_row("version", VERSIONS)
def test_a_version_fits_as_packaging_has_it(version: str, bounds: str) -> None:
    specifiers = pytest.importorskip("packaging.specifiers", reason="packaging is not installed")
    assert fits(version, bounds) == specifiers.SpecifierSet(bounds).contains(version, prereleases=True)


@each_row("version", ["", "unknown", "१.२", "1" * 5000, "1." * 5000, "\x1b[2J", "main@abc"])
def test_what_is_no_version_does_not_fit(version: str) -> None:
    assert not fits(version, ">=0.0")


def test_an_older_trl_misses_what_newer_ones_have() -> None:
    # the table of docs/stability.md
    assert unsupported_features("1.16.0") == []
    assert unsupported_features("1.15.0") == [
        "the recipes do not run, and validate-loss takes no steps and exits with 3"
    ]
    assert [len(unsupported_features(one)) for one in ("0.28.0", "0.29.1", "1.0.0", "1.14.0")] == [5, 4, 3, 2]
    assert unsupported_features("1.17.0") == []  # accepted, and not tested
    assert "not supported" in unsupported_features("2.0.0")[0]
    assert unsupported_features("1.16.0.dev0") == unsupported_features("1.15.0")


def test_the_supported_versions_of_trl_are_those_of_the_check_of_the_loss() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check.contract import ACCEPTED_TRL

    first, last = ACCEPTED_TRL
    assert EXTRAS["recipes"]["trl"] == f">={first},<{last}"
