"""How an extra of this package is installed: from a clone, for there is no release on PyPI yet."""

from pathlib import Path

__all__ = ["how_to_install"]


def how_to_install(extra: str) -> str:
    """The command that installs an extra: of the clone that this is, or in any clone.

    >>> how_to_install("ray").endswith("[ray]'")
    True
    """
    clone = Path(__file__).resolve().parents[1]
    if (clone / "pyproject.toml").is_file():
        return f"pip install -e '{clone}[{extra}]'"
    return f"in a clone of grpo-rewards, pip install '.[{extra}]'"
