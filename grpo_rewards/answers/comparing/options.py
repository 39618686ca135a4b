"""The options of a comparison: what a user may choose about how answers are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class GradingOptions:
    """How answers are compared; docs/answers.md has examples of each.

    Attributes:
        percent: ``"number"``: ``10\\%`` is 10, and as a prediction it also answers 0.1; ``"fraction"``: it is 0.1.
        units: ``"optional"``: a unit on one side only is ignored; ``"required"``: a prediction must have the unit of
            the gold; ``"ignored"``: units are never looked at.
        conversion: whether ``90 minutes`` answers ``1.5 hours``; without a unit on both sides nothing is converted.
        rounding_digits: how many significant digits a decimal needs to stand for a repeating or irrational gold that it
            correctly rounds; ``None``: it never stands for one. Conversely, a gold that is a printed float,
            3.14159265358979, is answered by the exact form that it stands for, ``\\pi``; 3.14159 is not.
        unevaluated: whether ``3+4`` answers 7. A sum, product, quotient or power of numbers was to be computed; the
            closed forms ``5!`` and ``\\binom{12}{4}`` answer 120 and 495 whatever this says.
        names: ``"optional"``: ``x=5`` and 5 are the same; ``"required"``: a prediction must have the name of the gold,
            or none if the gold has none.
    """

    percent: Literal["number", "fraction"] = "number"
    units: Literal["optional", "required", "ignored"] = "optional"
    conversion: bool = True
    rounding_digits: int | None = 6
    unevaluated: bool = False
    names: Literal["optional", "required"] = "optional"


DEFAULT_GRADING_OPTIONS = GradingOptions()
