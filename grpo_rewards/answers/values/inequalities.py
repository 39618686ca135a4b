r"""Solves inequalities in one unknown to sets of numbers: ``-x > -1``, ``|x - 2| \le 5``, ``x \ne 0``.

Look here if an inequality is not seen to be the same as another one, or as an interval. Only what is linear or
quadratic in the unknown, or in one absolute value, is solved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from grpo_rewards.answers.formulas.exact import NotExact, Undefined, exact
from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    difference,
    negative,
    number,
    power,
    product,
    quotient,
    total,
)
from grpo_rewards.answers.formulas.high_precision import SPARE_DIGITS, numeric
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.structure import replaced, symbols
from grpo_rewards.answers.values.intervals import NotReal, intersection, union
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Union,
    Unordered,
    Value,
    as_formula,
    as_value,
)

__all__ = ["GREATER", "LESS", "MIRRORED", "as_condition", "ray", "solved"]

LESS, GREATER = ("<", "\\le"), (">", "\\ge")
MIRRORED = {">": "<", "\\ge": "\\le", "<": ">", "\\le": "\\ge", "\\ne": "\\ne"}
UNKNOWN = Formula("symbol", "?unknown")  # stands for an absolute value while the inequality is solved for it
ZERO, ONE = number(0), number(1)


def ray(sign: str, bound: Value) -> Value:
    """The interval of the numbers below or above a bound; both intervals for ``\\ne``."""
    if sign == "\\ne":
        return Union((ray("<", bound), ray(">", bound)))
    if sign in LESS:
        return Bracketed("(", (Infinity(-1), bound), ")" if sign == "<" else "]")
    return Bracketed("(" if sign == ">" else "[", (bound, Infinity(1)), ")")


def solved(left: Formula, sign: str, right: Formula) -> tuple[str, Value] | None:
    """(name, set) of what an inequality between two formulas says of its one unknown; ``None`` if it is not solved.

    ``-2x < 6`` gives x and the interval from -3 to infinity.

    Raises:
        TooLarge: comparing the coefficients would take too much.
    """
    names = symbols(left) | symbols(right)
    if len(names) != 1 or sign not in MIRRORED:
        return None
    (name,) = names
    if name.startswith("?"):
        return None
    try:
        found = _linear(difference(left, right), Formula("symbol", name), sign)
        return None if found is None else (name, found)
    except (NotReal, Undefined):
        return None


def as_condition(items: Sequence[Value], separators: Collection[str]) -> Value | None:
    """Several conditions on one name as one: ``x < -1 or x > 2``, ``x > 2 and x < 5``; ``None`` for other lists.

    With only commas between them, all must hold if that is possible (``x > 2, x < 5``); if not, they are alternatives
    (``x < -1, x > 2``).
    """
    named = [item for item in items if isinstance(item, Named)]
    if len(named) < len(items) or len({item.name for item in named}) != 1:
        return None
    if not any(isinstance(item.of, Bracketed | Union) for item in named):
        return None  # x = 1 or x = 2 is a list
    sets = [item.of for item in named]
    try:
        together = intersection(sets)
        either = "or" in separators or ("and" not in separators and together == Unordered(()))
        return Named(named[0].name, union(sets) if either else together)
    except NotReal:
        return None


def _linear(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """The numbers for which ``formula`` is below 0, or as ``sign`` says; ``None`` if it is not linear."""
    if any(_absolute_values(formula)):
        return _of_absolute_value(formula, unknown, sign)
    slope, offset = replaced(formula, unknown, ONE), replaced(formula, unknown, ZERO)
    slope = difference(slope, offset)
    line = total((product((slope, unknown)), offset))
    direction = None if symbols(slope) else _sign(slope)
    if not direction or not same(formula, line):
        return _quadratic(formula, unknown, sign)
    bound = as_value(quotient(negative(offset), slope))
    return ray(sign if direction > 0 else MIRRORED[sign], bound)


def _quadratic(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """``_linear`` for a quadratic formula: the numbers between its roots, or beyond them; ``None`` if it is none."""
    at = [replaced(formula, unknown, number(value)) for value in (-1, 0, 1)]
    if any(map(symbols, at)):
        return None
    first = _folded(product((HALF, total((at[0], at[2], product((number(-2), at[1])))))))
    second, third = _folded(product((HALF, difference(at[2], at[0])))), _folded(at[1])
    parabola = total((product((first, power(unknown, number(2)))), product((second, unknown)), third))
    opens = _sign(first)
    discriminant = _folded(difference(power(second, number(2)), product((number(4), first, third))))
    if not opens or not same(formula, parabola) or _sign(discriminant) <= 0:
        return None  # always or never so, or at one point: that is no interval
    root = power(discriminant, HALF)
    ends = [
        as_value(quotient(total((negative(second), product((number(side), root)))), product((number(2), first))))
        for side in (-opens, opens)
    ]
    if sign == "\\ne":
        return intersection([ray(sign, end) for end in ends])
    below, above = (sign, MIRRORED[sign]) if sign in LESS else (MIRRORED[sign], sign)
    is_between = (sign in LESS) == (opens > 0)
    low, high = ends
    return (
        intersection([ray(above, low), ray(below, high)]) if is_between else union([ray(below, low), ray(above, high)])
    )


def _of_absolute_value(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """``_linear``, for a formula that holds the unknown in one absolute value only, as ``2|x - 1| - 6`` does."""
    inside = set(_absolute_values(formula))
    if len(inside) != 1 or unknown == UNKNOWN:
        return None
    (absolute,) = inside
    outside = replaced(formula, absolute, UNKNOWN)
    if symbols(outside) != {UNKNOWN.name}:
        return None
    found = _linear(outside, UNKNOWN, sign)
    if not isinstance(found, Bracketed | Union):
        return None
    pieces = [_between(absolute.args[0], unknown, *piece) for piece in _pieces(found)]
    return None if None in pieces else union([piece for piece in pieces if piece is not None])


def _between(
    inner: Formula, unknown: Formula, low: Formula | None, has_low: bool, high: Formula | None, has_high: bool
) -> Value | None:
    """The numbers for which the absolute value of ``inner`` lies between two bounds; ``None`` if it is not linear."""
    both_signs = inner, negative(inner)
    found: list[Value | None] = []
    if high is not None:
        found += [_linear(difference(one, high), unknown, "\\le" if has_high else "<") for one in both_signs]
    if low is not None:
        sides = [_linear(difference(one, low), unknown, "\\ge" if has_low else ">") for one in both_signs]
        found.append(None if None in sides else union([side for side in sides if side is not None]))
    return None if None in found or not found else intersection([one for one in found if one is not None])


def _pieces(found: Bracketed | Union) -> Iterator[tuple[Formula | None, bool, Formula | None, bool]]:
    """(low, has_low, high, has_high) of each interval of a set of numbers; a bound is ``None`` if it is infinite."""
    for one in found.items if isinstance(found, Union) else (found,):
        if isinstance(one, Bracketed):
            low, high = (None if isinstance(item, Infinity) else _finite(item) for item in one.items)
            yield low, one.opening == "[", high, one.closing == "]"


def _finite(bound: Value) -> Formula:
    formula = as_formula(bound) if isinstance(bound, Number | Expression) else None
    if formula is None:
        raise NotReal
    return formula


def _absolute_values(formula: Formula) -> Iterator[Formula]:
    if formula.kind == "call" and formula.name == "abs" and symbols(formula):
        yield formula
        return
    for arg in formula.args:
        yield from _absolute_values(arg)


def _folded(formula: Formula) -> Formula:
    """The same formula as a number, if it is a rational one."""
    return as_formula(as_value(formula)) or formula


def _sign(formula: Formula) -> int:
    """-1, 0 or 1: the sign of a formula without symbols."""
    try:
        value = exact(formula, {})
        return (value > 0) - (value < 0)
    except NotExact:
        found, is_real = numeric(formula, {}, SPARE_DIGITS)
    if not is_real or isinstance(found, found.context.mpc):
        raise NotReal
    return int(found > 0) - int(found < 0)
