"""What a monitor reports about a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Alert"]


@dataclass(frozen=True)
class Alert:
    """One thing that a run shows, reported once.

    Attributes:
        kind: ``health`` for a run that learns less than it could, ``cheating`` for what looks as if the policy earned
            its rewards in another way than was meant.
        rule: which rule saw it, a short name such as ``no signal``.
        step: the step at which it was first seen.
        message: what was seen, with its numbers.
        remedy: what to do about it.
        reward: the name of the reward that it is about, if it is about one.
    """

    kind: Literal["health", "cheating"]
    rule: str
    step: int
    message: str
    remedy: str
    reward: str | None = None

    @property
    def key(self) -> tuple[str, str | None]:
        """What is reported once: the rule and the reward."""
        return self.rule, self.reward

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        what = "looks like reward hacking" if self.kind == "cheating" else "warning"
        return f"step {self.step}, {what} ({self.rule}): {self.message} {self.remedy}"
