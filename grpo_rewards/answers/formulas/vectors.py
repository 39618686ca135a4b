r"""Splits a formula with unit vectors, ``3\mathbf{i} - 4\mathbf{j}``, into its components."""

from __future__ import annotations

from grpo_rewards.answers.formulas.formula import (
    Formula,
    number,
    product,
    total,
)
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.structure import replaced, symbols

__all__ = ["components"]

UNIT_VECTOR_LETTERS = ("i", "j", "k")
IMAGINARY = Formula("constant", "i")


def components(formula: Formula, size: int) -> list[Formula] | None:
    """The components, as many as ``size``, of a vector in unit vectors i, j and k; ``None`` if it is none.

    A formula with i alone is a complex number, not a vector.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    names = UNIT_VECTOR_LETTERS[:size]
    units = [Formula("symbol", name) for name in names]
    formula = replaced(formula, IMAGINARY, units[0])
    used = symbols(formula) & set(UNIT_VECTOR_LETTERS)
    if not 1 < size <= len(UNIT_VECTOR_LETTERS) or not used - {"i"} or not used <= set(names):
        return None
    found = [_with(formula, units, index) for index in range(size)]
    again = total([product((part, unit)) for part, unit in zip(found, units, strict=True)])
    return found if same(formula, again) else None


def _with(formula: Formula, units: list[Formula], index: int) -> Formula:
    """The formula with the unit vector at ``index`` as 1 and the others as 0."""
    for at, unit in enumerate(units):
        formula = replaced(formula, unit, number(int(at == index)))
    return formula
