r"""Finds what is written with signs of arithmetic and says no sum: ranges, scores, dates, telephone numbers, sizes.

Look here if ``5-10`` counts as ``6-11``, or ``6 \times 4 \text{ cm}`` for ``8 \times 3 \text{ cm}``.
"""

from __future__ import annotations

import re
from fractions import Fraction

from grpo_rewards.answers.comparing.units import Quantity
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.values.kinds import Expression

__all__ = ["written_apart"]

PART_OF_RANGE = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")
# Numbers with the same sign between them, two of them at least; a date has two strokes, or it is a fraction.
RANGE_OR_SCORE = re.compile(rf"{PART_OF_RANGE.pattern}(?:--?{PART_OF_RANGE.pattern}){{1,4}}")
DATE_IN_DIGITS = re.compile(r"[0-9]{1,4}/[0-9]{1,4}/[0-9]{1,4}")
SIZE_IN_DIGITS = re.compile(rf"{PART_OF_RANGE.pattern}(?:\\cdot ?{PART_OF_RANGE.pattern}){{1,4}}")


def written_apart(gold: Quantity, prediction: Quantity) -> bool:
    """Whether the gold is a range, a score, a date or a size, and the prediction another one or none.

    A size is one only beside another size: an amount may be written as a product.
    """
    known = _range(gold)
    if known is not None:
        return known != _range(prediction)
    sizes = _size(gold), _size(prediction)
    return None not in sizes and sizes[0] != sizes[1]


def _range(quantity: Quantity) -> tuple[str, ...] | None:
    """The numbers of a range, a score, a date or a telephone number, in order; ``None`` for anything else."""
    if not isinstance(quantity, Expression) or quantity.formula is None:
        return None
    if DATE_IN_DIGITS.fullmatch(quantity.spelled):
        return tuple(quantity.spelled.split("/"))
    return _numbers(RANGE_OR_SCORE, quantity, quantity.formula, "sum")


def _size(quantity: Quantity) -> list[str] | None:
    """The lengths of a size with a unit, ``6 \\times 4 \\text{ cm}``, in no order; ``None`` for anything else."""
    if not isinstance(quantity, Expression) or quantity.formula is None or quantity.unit is None:
        return None
    found = _numbers(SIZE_IN_DIGITS, quantity, quantity.formula, "product")
    return None if found is None else sorted(found)


def _numbers(pattern: re.Pattern[str], quantity: Expression, formula: Formula, kind: str) -> tuple[str, ...] | None:
    """The numbers that ``pattern`` finds at the start, if they are all that the formula is made of; else ``None``."""
    found = pattern.match(quantity.spelled)
    if found is None or formula.kind != kind or any(part.kind != "number" for part in formula.args):
        return None
    numbers = tuple(PART_OF_RANGE.findall(found.group()))
    is_all = [abs(part.value) for part in formula.args] == [Fraction(one) for one in numbers]
    return numbers if is_all and (quantity.unit is not None or found.end() == len(quantity.spelled)) else None
