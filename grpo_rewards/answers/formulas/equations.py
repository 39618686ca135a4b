"""Decides whether two equations say the same, and compares formulas up to constants of integration; splits vectors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import (
    IMAGINARY_UNIT,
    Formula,
    difference,
    has_symbols,
    looks_arbitrary,
    negative,
    number,
    power,
    product,
    renamed,
    substituted,
    symbols,
    total,
)
from grpo_rewards.answers.formulas.high_precision import SPARE_DIGITS, numeric
from grpo_rewards.answers.formulas.identity import Points, same

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
    found = proportional(one, other)
    if found and same(one, renamed(one)):
        found = 1 if same(one, other) else 0  # a constant, 0x - 1, is proportional to all others
    if sign not in ("=", "\\ne"):
        return None if found is None else found > 0
    ours, theirs = _denominators(one), _denominators(other)
    if not found and (ours or theirs):
        found = proportional(_cleared(one, ours), _cleared(other, theirs))
    return None if found is None else found != 0


def proportional(one: Formula, other: Formula) -> int | None:
    """If one = c · other, the sign of c; 0 if they are not proportional; ``None`` if undecided.

    ``2x - 4`` and ``2 - x`` give -1. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    for formula in (one, other):
        vanishes = same(formula, number(0))
        if vanishes is not False:
            return 0 if vanishes else None
    # f(x) / g(x) is constant if f(x) g(y) = g(x) f(y)
    agree = same(product((one, renamed(other))), product((other, renamed(one))))
    return None if agree is None else _common_sign(one, other) if agree else 0


def _common_sign(one: Formula, other: Formula) -> int | None:
    """Assumes one = c · other. Returns the sign of c, or ``None`` if no point shows it."""
    ratio = product((one, other))
    for point in Points(one, other):
        try:
            value, real = numeric(ratio, point, SPARE_DIGITS)
        except Undefined:
            continue
        if real and value:
            return 1 if value > 0 else -1
    return None


def _cleared(formula: Formula, denominators: Mapping[Formula, Formula]) -> Formula:
    return product((formula, *(power(base, exponent) for base, exponent in denominators.items())))


def _denominators(formula: Formula) -> dict[Formula, Formula]:
    """The denominators of a formula's terms that have symbols, each with its highest exponent."""
    highest: dict[Formula, Formula] = {}
    for term in formula.args if formula.kind == "sum" else (formula,):
        for base, exponent in _divisors(term):
            before = highest.get(base)
            if before is None or (before.kind == exponent.kind == "number" and before.value < exponent.value):
                highest[base] = exponent
    return highest


def _divisors(term: Formula) -> Iterator[tuple[Formula, Formula]]:
    """(base, exponent) of each denominator of a product: (x, 2) of ``y/x^2``, (e, x) of ``e^{-x}``."""
    if term.kind == "product":
        for factor in term.args:
            yield from _divisors(factor)
    if term.kind == "sum":  # -(1/x - 1/y), and the sum on one side of an equation
        for one in term.args:
            yield from _divisors(one)
    if term.kind != "power" or not has_symbols(term):
        return
    base, exponent = term.args
    if exponent.kind == "number" and exponent.value < 0:
        for inner in base.args if base.kind == "product" else (base,):
            if has_symbols(inner):
                yield inner, number(-exponent.value)
    elif not has_symbols(base) and exponent.kind == "product" and exponent.args[0].value < 0:
        yield base, negative(exponent)


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
    indices = "".join(sorted(name[-2] for name in names if name.endswith("}")))
    return indices in ("", "012"[: len(names)], "123"[: len(names)]) and all(map(CONSTANT_NAME.fullmatch, names))


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


# Splits a formula with unit vectors, ``3\mathbf{i} - 4\mathbf{j}``, into its components.

UNIT_VECTOR_LETTERS = ("i", "j", "k")


def components(formula: Formula, size: int) -> list[Formula] | None:
    """The components, as many as ``size``, of a vector in unit vectors i, j and k; ``None`` if it is none.

    A formula with i alone is a complex number, not a vector.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    names = UNIT_VECTOR_LETTERS[:size]
    units = [Formula("symbol", name) for name in names]
    formula = substituted(formula, {IMAGINARY_UNIT: units[0]})
    used = symbols(formula) & set(UNIT_VECTOR_LETTERS)
    if not 1 < size <= len(UNIT_VECTOR_LETTERS) or not used - {"i"} or not used <= set(names):
        return None
    found = [substituted(formula, {one: number(int(one == unit)) for one in units}) for unit in units]
    again = total([product((part, unit)) for part, unit in zip(found, units, strict=True)])
    return found if same(formula, again) else None
