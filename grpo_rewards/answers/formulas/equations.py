"""Decides whether two equations or inequalities say the same, each given as what stands on one side of a zero.

Look here if ``xy = 2`` is not found to be ``y = 2/x``, or if ``x(x - 1) = 0`` is taken for ``x = 1``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from grpo_rewards.answers.formulas.exact import Point, Undefined
from grpo_rewards.answers.formulas.formula import Formula, has_symbols, negative, number, power, product
from grpo_rewards.answers.formulas.high_precision import SPARE_DIGITS, numeric
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.points import Points
from grpo_rewards.answers.formulas.structure import renamed, substituted, symbols

__all__ = ["proportional", "same_relation"]

DENOMINATORS = 4  # of one equation that are cleared
TRIED = 24  # numbers between which the zero of a denominator is looked for
STEPS_TO_ZERO = 70  # halvings of the interval that holds it
NEAR = 10**8  # a formula with a pole is so many times as large next to its denominator's zero as elsewhere


def same_relation(sign: str, one: Formula, other: Formula) -> bool | None:
    """Whether ``one`` = 0 says the same as ``other`` = 0, with any ``sign`` for =; ``None`` if undecided.

    Equations do if one is a multiple of the other, perhaps after denominators are cleared: ``y - 2/x`` and ``xy - 2``.
    A denominator is cleared only if the formula really has a pole where it is zero, so that no solution is won or
    lost. Inequalities do if one is a positive multiple of the other. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    found = proportional(one, other)
    if found and symbols(one) and same(one, renamed(one)):
        found = 1 if same(one, other) else 0  # a constant, 0x - 1, is proportional to all others
    if sign not in ("=", "\\ne"):
        return None if found is None else found > 0
    if found:
        return True
    ours, theirs = _denominators(one), _denominators(other)
    if not (ours or theirs):
        return None if found is None else False
    if max(len(ours), len(theirs)) > DENOMINATORS:
        return None
    cleared = proportional(_cleared(one, ours), _cleared(other, theirs))
    if not cleared:
        return None if cleared is None else False
    return all(_is_pole(below, one) for below in ours) and all(_is_pole(below, other) for below in theirs)


def proportional(one: Formula, other: Formula) -> int | None:
    """If one = c · other, the sign of c; 0 if they are not proportional; ``None`` if undecided.

    ``2x - 4`` and ``2 - x`` give -1. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    # without symbols (f(2) - 3 and f(5) - 4) both are numbers, and so always proportional: c must be 1 or -1
    if not (symbols(one) or symbols(other)):
        signs = {sign: same(one, product((number(sign), other))) for sign in (1, -1)}
        return next((sign for sign, agree in signs.items() if agree), None if None in signs.values() else 0)
    zero = Formula("number")
    for formula in (one, other):
        vanishes = same(formula, zero)
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
    elif not has_symbols(base) and _leading(exponent) < 0:
        yield base, negative(exponent)


def _leading(exponent: Formula) -> Fraction:
    """The number with which a product begins; 1 if it begins with something else."""
    first = exponent.args[0] if exponent.kind == "product" else exponent
    return first.value if first.kind == "number" else Fraction(1)


def _is_pole(below: Formula, formula: Formula) -> bool:
    """Whether a formula is large wherever a denominator is nearly zero, as far as that can be seen.

    ``False`` for ``x/x`` or ``1/(x - 1) + 1/(1 - x)``, whose denominators are not really there. A denominator without a
    zero, such as ``e^x``, does no harm.
    """
    names = sorted(symbols(below))
    for point, name in zip(Points(below, formula), names * TRIED, strict=False):
        at = _zero(substituted(below, {other: number(point[other]) for other in point if other != name}), name)
        if at is None:
            continue
        far, near = _size(formula, point), _size(formula, {**point, name: at})
        if far is None or near is None:
            continue
        return bool(near > NEAR * max(far, 1))
    return True


def _zero(formula: Formula, name: str) -> Fraction | None:
    """A number of the symbol ``name`` next to which a formula is zero, but is not zero itself; else ``None``."""
    tried = sorted(Fraction(sign * numerator, 7) for numerator in range(1, 6 * TRIED, 6) for sign in (1, -1))
    found = [(at, _sign(formula, {name: at})) for at in [*tried, Fraction(0)]]
    if any(sign == 0 for _, sign in found):
        zero = next(at for at, sign in found if sign == 0)
        return zero + Fraction(1, 2**STEPS_TO_ZERO)
    ordered = sorted((at, sign) for at, sign in found if sign is not None)
    for (low, below), (high, above) in pairwise(ordered):
        if below != above:
            return _halved(formula, name, low, high, below)
    return None


def _halved(formula: Formula, name: str, low: Fraction, high: Fraction, below: int) -> Fraction:
    """A zero between two numbers at which a formula has different signs, ``below`` at the lower one."""
    for _ in range(STEPS_TO_ZERO):
        middle = (low + high) / 2
        low, high = (middle, high) if _sign(formula, {name: middle}) == below else (low, middle)
    return low


def _sign(formula: Formula, point: Point) -> int | None:
    """The sign of a formula's value; ``None`` if it is not real or there is none."""
    try:
        value, real = numeric(formula, point, SPARE_DIGITS)
    except Undefined:
        return None
    return (value > 0) - (value < 0) if real else None


def _size(formula: Formula, point: Point) -> Any:
    """The absolute value of a formula's value, as an ``mpf``; ``None`` if there is none."""
    try:
        return abs(numeric(formula, point, SPARE_DIGITS)[0])
    except Undefined:
        return None
