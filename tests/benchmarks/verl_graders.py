"""Two of verl's graders, read from its files, for verl itself imports Ray and more: ``pip install --no-deps verl``.

``math_dapo`` judges the rows of AIME and of DAPO's own data, ``math_reward`` those of MATH.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from labelled import Row

__all__ = ["graders"]

FOLDER = Path(sysconfig.get_paths()["purelib"]) / "verl" / "utils" / "reward_score"


def graders() -> dict[str, Callable[[Row], bool]]:
    """Each with verl's version in its name; none where verl is not installed."""
    try:
        version = importlib.metadata.version("verl")
    except importlib.metadata.PackageNotFoundError:
        return {}
    dapo, mathematics = (_loaded(name) for name in ("math_dapo", "math_reward"))
    return {
        f"verl {version} math_dapo": lambda row: dapo.compute_score(row["completion"], str(row["gold"]))["acc"] is True,
        f"verl {version} math_reward": lambda row: mathematics.compute_score(row["completion"], str(row["gold"])) == 1,
    }


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"verl_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
