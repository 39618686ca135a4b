"""What both measurements read and call: labelled completions, and the two rewards that are compared on them."""

import logging
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))

from labelled_files import Row  # after the path to it
from labelled_files import rows_in as rows  # likewise

__all__ = ["DATA", "Row", "call", "installed", "rows", "said", "trl_accuracy"]

DATA = Path(__file__).parents[3] / "shared" / "data"


def said(completion: Any) -> Any:
    """A text as a conversational trainer hands it over; other forms of a completion stay as they are."""
    return [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion


def call(some: Sequence[Row]) -> dict[str, Any]:
    """What a trainer passes for these rows; ``answer`` is what ours reads, ``solution`` what TRL's does."""
    golds = [row["gold"] for row in some]
    return {
        "prompts": [[{"role": "user", "content": "?"}] for _ in some],
        "completions": [said(row["completion"]) for row in some],
        "completion_ids": [[0]] * len(some),
        "answer": golds,
        "solution": golds,
        "trainer_state": None,
        "log_metric": lambda name, value: None,
        "log_extra": lambda column, values: None,
    }


def installed(package: str) -> str | None:
    """The version of a distribution that is installed, or ``None``."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def trl_accuracy() -> Callable[..., list[float | None]]:
    """TRL's ``accuracy_reward``, silent: it warns of each gold that it cannot read, for which it gives ``None``."""
    from trl.rewards import accuracy_reward

    logging.getLogger("trl.rewards.accuracy_rewards").setLevel(logging.ERROR)
    reward: Callable[..., list[float | None]] = accuracy_reward
    return reward
