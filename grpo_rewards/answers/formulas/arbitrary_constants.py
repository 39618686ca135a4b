"""Compares formulas with constants of integration, whose letters mean nothing: ``C_1e^x + C_2e^{-x}``, ``x^2 + C``.

Look here if ``x^2 + K`` is not found to be ``x^2 + C``, or if a letter with a meaning is taken for such a constant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from grpo_rewards.answers.formulas.formula import Formula, difference, total
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.structure import looks_arbitrary, renamed, substituted, symbols

__all__ = ["same_up_to_constants"]

MOST_CONSTANTS = 3  # each order of them is tried
# What the constants of a prediction may be called, and the unknowns that a solution with constants is a function of.
CONSTANT_NAME = re.compile(r"[A-DKMa-dk](?:_\{[0-9]\})?|\\(?:alpha|beta|gamma|lambda|mu)(?:_\{[0-9]\})?")
COORDINATES = frozenset("xyz")
UNKNOWNS = COORDINATES | {"t", "n", "\\theta", "\\varphi"}


def same_up_to_constants(gold: Formula, prediction: Formula) -> bool | None:
    """Whether two formulas are the same, perhaps with other letters for arbitrary constants; ``None`` if undecided.

    A prediction must have as many constants as the gold, each in the place of one of the gold's. If there is one, and
    it is only added, the formulas may also differ by a number: ``\\sin^2 x + C`` is ``-\\cos^2 x + K``. Draws on the
    budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    agree = same(gold, prediction)
    if agree is not False:
        return agree
    ours = _arbitrary(symbols(gold))
    unknowns = symbols(gold) - set(ours)
    theirs = sorted(symbols(prediction) - unknowns)
    if not 0 < len(ours) == len(theirs) <= MOST_CONSTANTS or not _are_constants(theirs):
        return False
    for order in permutations(theirs):
        names = {name: Formula("symbol", to) for name, to in zip(order, ours, strict=True)}
        if agree := same(gold, substituted(prediction, names)):
            return True
    if agree is False and len(ours) == 1 and unknowns and unknowns <= UNKNOWNS and ours[0] != "c":
        return _same_derivative(gold, ours[0], prediction, theirs[0])
    return agree


def _arbitrary(names: set[str]) -> list[str]:
    """Those of a gold's symbols that are arbitrary constants.

    They have the letters C, c or K. Without an index they are known by what stands with them: C and K by unknowns and
    parameters in small letters (``Ce^{kt}``, but not ``CV``), c by coordinates (``cx``, but not ``c^2`` or ``mc``).
    """
    found = {name for name in names if looks_arbitrary(name)}
    others = names - found
    if not others:
        return []
    is_solution = others <= UNKNOWNS or not any(other[0].isupper() for other in others)
    return sorted(name for name in found if "_" in name or (others <= COORDINATES if name == "c" else is_solution))


def _are_constants(names: Sequence[str]) -> bool:
    """Whether symbols can be the constants of a prediction: single letters, or letters numbered from 0 or 1 on."""
    indices = sorted(name[-2] for name in names if name.endswith("}"))
    expected = [str(first + place) for first in (0, 1) for place in range(len(names))]
    is_numbered = indices in (expected[: len(names)], expected[len(names) :])
    return (is_numbered or not indices) and all(map(CONSTANT_NAME.fullmatch, names))


def _same_derivative(gold: Formula, ours: str, prediction: Formula, theirs: str) -> bool | None:
    """Whether both are a function plus a constant (``ours``, ``theirs``), and the functions differ by a number.

    ``-C`` is not accepted for ``+C``: who writes it has most often changed a sign.
    """
    one, other = _without(gold, ours), _without(prediction, theirs)
    if one is None or other is None:
        return False
    apart = difference(one, other)
    return same(apart, renamed(apart))  # a function of x that is the same for y is a number


def _without(formula: Formula, constant: str) -> Formula | None:
    """A sum without its term ``constant``, or a multiple of it; ``None`` if there is no such term or one more."""
    terms = [term for term in formula.args if constant not in symbols(term)]
    added = [term for term in formula.args if constant in symbols(term)]
    if formula.kind != "sum" or len(added) != 1 or not terms:
        return None
    factors = added[0].args if added[0].kind == "product" else added
    bare = [factor for factor in factors if not (factor.kind == "number" and factor.value > 0)]
    return total(terms) if bare == [Formula("symbol", constant)] else None
