"""Keeps what is read apart from what is written: a run must not score its own output, nor write over its input."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grpo_rewards.registry import RewardError

__all__ = ["PART", "PLACE", "UNREADABLE", "without_output"]

PLACE, UNREADABLE = ".place.json", ".malformed.jsonl"  # what lies beside an output, behind its name
PART = "part-*.parquet"


def without_output(files: Sequence[Path], named: Sequence[str], output: Path) -> list[Path]:
    """The files but for those that an earlier run of the same command wrote, as a pattern or a folder finds them.

    Args:
        files: what is to be read.
        named: the patterns as they were given.
        output: where the verdicts go.

    Raises:
        RewardError: a file that is to be read would be written over.
    """
    begun = output.with_name(output.name + PLACE).exists()
    of_output = [path for path in files if _is_of(path, output)]
    for path in of_output:
        if str(path) in named or not begun:
            raise RewardError(f"{path} is to be read, and is where the verdicts go ({output}). Give another output.")
    rest = [path for path in files if path not in of_output]
    if not rest:
        raise RewardError(f"there is nothing to read beside what was written before in {output}.")
    return rest


def _is_of(path: Path, output: Path) -> bool:
    """Whether the run that writes ``output`` writes this file."""
    whole, there = output.resolve(), path.resolve()
    beside = {whole.with_name(whole.name + ending) for ending in ("", PLACE, UNREADABLE)}
    return there in beside or (there.parent == whole and there.match(PART))
