"""Decides whether two equations say the same, and compares formulas up to constants of integration; splits vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from grpo_rewards.answers.formulas.formula import (
    IMAGINARY_UNIT,
    Formula,
    call,
    difference,
    has_symbols,
    looks_arbitrary,
    negative,
    number,
    power,
    product,
    renamed,
    subformulas,
    substituted,
    symbols,
    total,
)
from grpo_rewards.answers.formulas.identity import same

# Decides whether two equations or inequalities say the same, each given as what stands on one side of a zero.
#
# Look here if ``xy = 2`` is not found to be ``y = 2/x``, or if ``x(x - 1) = 0`` is taken for ``x = 1``.


def same_relation(sign: str, one: Formula, other: Formula) -> bool | None:
    """Whether ``one`` = 0 says the same as ``other`` = 0, with any ``sign`` for =; ``None`` if undecided.

    Equations do if one is a multiple of the other, perhaps after denominators are cleared: ``y - 2/x`` and ``xy - 2``.
    Inequalities do if one is a positive multiple of the other. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    if sign not in ("=", "\\ne"):
        return _proportional(one, other, call("abs", one), call("abs", other))
    found = _proportional(one, other, one, other)
    if found is False:
        cleared, other_cleared = _cleared(one), _cleared(other)
        return _proportional(cleared, other_cleared, cleared, other_cleared)
    return found


def _proportional(one: Formula, other: Formula, size: Formula, other_size: Formula) -> bool | None:
    """Whether one = c · other for a number c; a positive one if the sizes are absolute values.

    Of a constant, such as ``0x - 1``, no other one is a multiple.
    """
    for formula in (one, other):
        vanishes = same(formula, number(0))
        if vanishes is not False:
            return None if vanishes is None else False
    if same(one, renamed(one)):
        return same(one, other)
    # f(x) / g(x) is constant if f(x) g(y) = g(x) f(y)
    return same(product((one, renamed(other_size))), product((other, renamed(size))))


def _cleared(formula: Formula) -> Formula:
    """A formula times each of its denominators that has symbols: ``xy - 2`` for ``y - 2/x``."""
    highest: dict[Formula, Fraction] = {}
    for part in subformulas(formula):
        if part.kind != "power" or not has_symbols(part):
            continue
        base, exponent = part.args
        if exponent.kind == "number" and exponent.value < 0:
            for factor in base.args if base.kind == "product" else (base,):
                highest[factor] = max(highest.get(factor, Fraction(0)), -exponent.value)
        elif exponent.kind == "product" and exponent.args[0].value < 0:  # e^{-x}
            highest[power(base, negative(exponent))] = Fraction(1)
    return product((formula, *(power(base, number(most)) for base, most in highest.items())))


# Compares formulas with constants of integration, whose letters mean nothing: ``C_1e^x + C_2e^{-x}``, ``x^2 + C``.
#
# Look here if ``x^2 + K`` is not found to be ``x^2 + C``, or if a letter with a meaning is taken for such a constant.

MOST_CONSTANTS = 3  # each order of them is tried; they are numbered up to 3
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
    of_gold = symbols(gold)
    ours = _arbitrary(of_gold)
    if not ours:
        return False
    unknowns = of_gold - set(ours)
    theirs = sorted(symbols(prediction) - unknowns)
    if not len(ours) == len(theirs) <= MOST_CONSTANTS or not _are_constants(theirs):
        return False
    for order in permutations(theirs):
        names = {Formula("symbol", name): Formula("symbol", to) for name, to in zip(order, ours, strict=True)}
        prediction_renamed = substituted(prediction, names)
        if agree := same(gold, prediction_renamed):
            return True
    if agree is False and len(ours) == 1 and unknowns and unknowns <= UNKNOWNS and ours[0] != "c":
        return _differ_by_number(gold, prediction_renamed, Formula("symbol", ours[0]))
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
    indices = "".join(sorted(name[-2] for name in names if name.endswith("}")))
    return indices in ("", "012"[: len(names)], "123"[: len(names)]) and all(map(CONSTANT_NAME.fullmatch, names))


def _differ_by_number(one: Formula, other: Formula, constant: Formula) -> bool | None:
    """Whether both are a function plus a constant, and the functions differ by a number.

    ``-C`` is not accepted for ``+C``: who writes it has most often changed a sign.
    """
    functions = []
    for formula in (one, other):
        function = substituted(formula, {constant: number(0)})
        is_added = [arg for arg in formula.args if constant.name in symbols(arg)] == [constant]
        if not (is_added and formula.kind == "sum") and not same(formula, total((function, constant))):
            return False
        functions.append(function)
    apart = difference(*functions)
    return same(apart, renamed(apart))  # a function of x that is the same for y is a number


# Splits a formula with unit vectors, ``3\mathbf{i} - 4\mathbf{j}``, into its components.

UNIT_VECTOR_LETTERS = ("i", "j", "k")


def components(formula: Formula, size: int) -> list[Formula] | None:
    """The components, as many as ``size``, of a vector in unit vectors i, j and k; ``None`` if it is none.

    A formula with i alone is a complex number, not a vector.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    if not 1 < size <= len(UNIT_VECTOR_LETTERS):
        return None
    names = UNIT_VECTOR_LETTERS[:size]
    units = [Formula("symbol", name) for name in names]
    formula = substituted(formula, {IMAGINARY_UNIT: units[0]})
    used = symbols(formula) & set(UNIT_VECTOR_LETTERS)
    if not used - {"i"} or not used <= set(names):
        return None
    found = [substituted(formula, {one: number(int(one == unit)) for one in units}) for unit in units]
    again = total(list(map(product, zip(found, units, strict=True))))
    return found if same(formula, again) else None
