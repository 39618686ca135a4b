"""What is a matter of taste when answers are compared."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_TASTE", "Taste"]


@dataclass(frozen=True, slots=True)
class Taste:
    """How answers are compared; docs/answers.md has examples of each.

    Attributes:
        percent: what ``10\\%`` is: ``"number"`` 10, or ``"fraction"`` 0.1.
        units: ``"optional"``: a unit on one side only is ignored; ``"required"``: a gold's unit must be given;
            ``"ignored"``: never looked at.
        rounding_digits: a decimal stands for a repeating or irrational gold if it is a correct rounding to at least so
            many significant digits; ``None``: never.
        unevaluated: whether ``3+4`` answers 7.
        names: ``"optional"``: ``x=5`` and 5 are the same; ``"required"``: a gold's name must be given, and no other.
    """

    percent: str = "number"
    units: str = "optional"
    rounding_digits: int | None = 6
    unevaluated: bool = False
    names: str = "optional"


DEFAULT_TASTE = Taste()
