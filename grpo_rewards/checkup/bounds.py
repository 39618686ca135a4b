"""Which versions of other packages are required, as pyproject.toml has it, and whether one fits."""

from __future__ import annotations

import re

__all__ = ["CORE", "EXTRAS", "fits"]

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
WRITTEN_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,9})((?:[-._+]?[a-zA-Z].*)?)", re.ASCII)
BEFORE_RELEASE = re.compile(r"[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)[._-]?\d*", re.IGNORECASE)


def fits(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as ``>=1.16,<2``. One that cannot be read is not.

    What comes before a release, such as 1.16.0.dev0, is neither that release nor below the one before.

    >>> fits("1.16.0", ">=1.16,<2"), fits("1.16.0.dev0", ">=1.16"), fits("2.13.0+cpu", ">=2.6")
    (True, False, True)
    """
    found = WRITTEN_VERSION.fullmatch(version)
    if found is None:
        return False
    is_released = BEFORE_RELEASE.match(found[2]) is None
    return all(_fits_one(version, _numbers(found[1]), is_released, bound) for bound in bounds.split(","))


def _fits_one(version: str, numbers: tuple[int, ...], is_released: bool, bound: str) -> bool:
    sign, other = re.fullmatch(r"(>=|<|!=)(.*)", bound).groups()  # type: ignore[union-attr]  # of the tables above
    if sign == "!=":
        return version != other
    if sign == "<":  # also not what comes before the release that is no longer wanted
        return numbers < _numbers(other)
    return (numbers, is_released) >= (_numbers(other), True)


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release without zeros at the end: 1.16.0 is 1.16."""
    numbers = [int(one) for one in release.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
