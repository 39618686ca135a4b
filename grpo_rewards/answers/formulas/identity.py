"""Decides whether two formulas are the same, by evaluating both at the same points.

The values are exact fractions if possible, and else have many digits. A polynomial that is not zero vanishes almost
nowhere, so two formulas that agree at several points are equal, if nobody chose the points to suit them (Schwartz 1980,
Zippel 1979). The points come from a hash of both formulas: a pair is judged alike everywhere, and no formula can be
written to fit its points.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from grpo_rewards.answers.formulas.budget import TooLarge, spend
from grpo_rewards.answers.formulas.exact import NotExact, Point, Undefined, exact
from grpo_rewards.answers.formulas.formula import Formula, has_symbols, number, product
from grpo_rewards.answers.formulas.high_precision import MOST_DIGITS, SPARE_DIGITS, digits_needed, numeric, size

__all__ = ["proportional", "same"]

POINTS = 9
KINKED_POINTS = 40  # for formulas with kinks, such as absolute values, which may agree in one region only
POINTS_NEEDED = 3  # at which formulas with symbols must agree
ENOUGH_AFTER_POINT = 5  # after the point with this index, that many are enough
SCALES = (1, Fraction(1, 4), 9, 1, Fraction(1, 3), 2, 40, Fraction(1, 20))
SAME_VALUE, DIFFERENT_VALUES = "same", "different"
SAME_BEYOND, DIFFERENT_BEYOND = "same beyond the reals", "different beyond the reals"
ONE_UNDEFINED, BOTH_UNDEFINED = "one undefined", "both undefined"
SIGNED_FROM = 3  # before this point all symbols are positive, at it all are negative, then each pattern has its turn
LARGE_VALUE_BITS = 100  # larger values are computed to more digits
# Formulas with WHOLE_NUMBER_FUNCTIONS are compared at whole numbers, those with ROUNDING_FUNCTIONS at some.
WHOLE_NUMBER_FUNCTIONS = frozenset(["factorial", "binom", "mod", "gcd", "lcm"])
ROUNDING_FUNCTIONS = frozenset(["floor", "ceil"])
KINKED_FUNCTIONS = WHOLE_NUMBER_FUNCTIONS | ROUNDING_FUNCTIONS | {"abs", "max", "min", "sgn"}
WHOLE_NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 24, 25, 27, 30, 31, 32, 33, 36, 49)
WHOLE_NUMBER_SYMBOLS = frozenset("ijklmnpqN")  # symbols that usually stand for whole numbers


def same(one: Formula, other: Formula) -> bool | None:
    """Whether two formulas have the same value wherever both are real; ``None`` if undecided.

    ``\\log`` without a base may be natural or decimal, if it is the same in both. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    if one == other:
        return True
    if not (_has_bare_log(one) or _has_bare_log(other)):
        return _same(one, other)
    results = [_same(_with_log(one, name), _with_log(other, name)) for name in ("ln", "lg")]
    return True if True in results else None if None in results else False


def proportional(one: Formula, other: Formula) -> int | None:
    """If one = c · other, the sign of c; 0 if they are not proportional; ``None`` if undecided.

    ``2x - 4`` and ``2 - x`` give -1. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    # without symbols (f(2) - 3 and f(5) - 4) both are numbers, and so always proportional: c must be 1 or -1
    if not (_symbols(one) or _symbols(other)):
        signs = {sign: same(one, product((number(sign), other))) for sign in (1, -1)}
        return next((sign for sign, agree in signs.items() if agree), None if None in signs.values() else 0)
    zero = Formula("number")
    for formula in (one, other):
        vanishes = same(formula, zero)
        if vanishes is not False:
            return 0 if vanishes else None
    # f(x) / g(x) is constant if f(x) g(y) = g(x) f(y)
    agree = same(product((one, _renamed(other))), product((other, _renamed(one))))
    return None if agree is None else _common_sign(one, other) if agree else 0


def _same(one: Formula, other: Formula) -> bool | None:
    """``same``, for formulas whose logarithms all have a base.

    One real point at which they differ makes them different. Otherwise they are the same if they agree at enough real
    points or, where there are too few of these, at enough complex ones.
    """
    names = sorted(_symbols(one) | _symbols(other))
    digits = SPARE_DIGITS + digits_needed(one) + digits_needed(other)
    count = _count(names, one, other)
    enough = count - 1 if count == KINKED_POINTS else ENOUGH_AFTER_POINT
    cost = 3 * (size(one)[0] + size(other)[0])
    found: Counter[str] = Counter()
    for index, point in enumerate(_points(names, one, other, count)):
        spend(cost)
        outcome = _at(point, one, other, digits)
        if outcome == DIFFERENT_VALUES:
            return False
        found[outcome] += 1
        if not names or (index >= enough and found[SAME_VALUE] >= POINTS_NEEDED):
            break
    if found[SAME_VALUE] >= (POINTS_NEEDED if names else 1):
        return True
    if found[DIFFERENT_BEYOND]:
        return False
    agreed = found[SAME_VALUE] + found[SAME_BEYOND]
    if agreed >= (POINTS_NEEDED if names else 1):
        return True
    return False if found[ONE_UNDEFINED] and not agreed else None


def _at(point: Point, one: Formula, other: Formula, digits: float) -> str:
    """How two formulas compare at a point. "Beyond the reals" means that a value on the way is not real."""
    try:
        return SAME_VALUE if exact(one, point) == exact(other, point) else DIFFERENT_VALUES
    except Undefined:
        defined = _is_defined(one, point), _is_defined(other, point)
        return ONE_UNDEFINED if any(defined) else BOTH_UNDEFINED
    except (NotExact, TooLarge):
        if digits > MOST_DIGITS:
            raise TooLarge("too many digits") from None
    try:
        agree, real = _agree(one, other, point, int(digits))
    except Undefined:
        defined = _is_defined(one, point), _is_defined(other, point)
        return ONE_UNDEFINED if any(defined) else BOTH_UNDEFINED
    return (SAME_VALUE if agree else DIFFERENT_VALUES) if real else (SAME_BEYOND if agree else DIFFERENT_BEYOND)


def _agree(one: Formula, other: Formula, point: Point, digits: int) -> tuple[bool, bool]:
    """(agree, is_real): whether two formulas agree at a point, and whether all values on the way are real.

    A difference that shrinks when the digits are doubled comes from rounding; one that does not is a real difference.
    """
    value, real = numeric(one, point, digits)
    against, other_real = numeric(other, point, digits)
    difference, size = abs(value - against), max(abs(value), abs(against))
    context = value.context
    magnitude = context.mag(size)
    if magnitude > LARGE_VALUE_BITS:  # next to a number so large, a small term would be lost in fifty digits
        if magnitude > 4 * MOST_DIGITS or digits + magnitude * 66 // 100 > MOST_DIGITS:
            raise TooLarge("a number of too many digits")
        digits += magnitude * 66 // 100  # twice the number's decimal digits, and a tenth more
        value, against = numeric(one, point, digits)[0], numeric(other, point, digits)[0]
        difference, size = abs(value - against), max(abs(value), abs(against))
    if difference <= size * context.mpf(10) ** (-digits * 4 // 5):
        return True, real and other_real
    finer = abs(numeric(one, point, 2 * digits)[0] - numeric(other, point, 2 * digits)[0])
    return bool(finer < difference / 1000), real and other_real


def _is_defined(formula: Formula, point: Point) -> bool:
    """Whether a formula has a value at a point. Draws on the budget."""
    try:
        numeric(formula, point, SPARE_DIGITS)
    except Undefined:
        return False
    return True


def _common_sign(one: Formula, other: Formula) -> int | None:
    """Assumes one = c · other. Returns the sign of c, or ``None`` if no point shows it."""
    ratio = product((one, other))
    names = sorted(_symbols(ratio))
    for point in _points(names, one, other, _count(names, one, other)):
        try:
            value, real = numeric(ratio, point, SPARE_DIGITS)
        except Undefined:
            continue
        if real and value:
            return 1 if value > 0 else -1
    return None


def _count(names: list[str], one: Formula, other: Formula) -> int:
    """At how many points two formulas are compared."""
    return KINKED_POINTS if names and (_is_kinked(one) or _is_kinked(other)) else POINTS


def _points(names: list[str], one: Formula, other: Formula, count: int) -> Iterator[Point]:
    """``count`` points that depend on both formulas: a number for each of the symbols ``names``.

    The numbers are whole if a formula needs whole numbers. Otherwise their signs vary, so that formulas that agree only
    at positive numbers are found to differ.
    """
    pair = sorted(repr(formula) for formula in (one, other))
    seed = hashlib.blake2b(repr(pair).encode("utf-8", "backslashreplace")).digest()
    rounded = _has(one, ROUNDING_FUNCTIONS) or _has(other, ROUNDING_FUNCTIONS)
    whole = _of_whole_numbers(one) or _of_whole_numbers(other) or (rounded and WHOLE_NUMBER_SYMBOLS.issuperset(names))
    for index in range(count):
        point = {}
        for place, name in enumerate(names):
            what = f"{index} {name}".encode("utf-8", "backslashreplace")
            drawn = int.from_bytes(hashlib.blake2b(what, key=seed, digest_size=2).digest(), "big")
            if whole or (rounded and index % 2):
                point[name] = Fraction(WHOLE_NUMBERS[drawn % len(WHOLE_NUMBERS)])
            else:
                scale = SCALES[(index + place) % len(SCALES)]
                point[name] = _sign(index, place) * scale * Fraction(20_011 + drawn, 49_999)
        yield point


def _sign(index: int, place: int) -> int:
    """The sign of a symbol at a point. At first all are positive, then all negative, then in every pattern."""
    if index <= SIGNED_FROM:
        return -1 if index == SIGNED_FROM else 1
    return -1 if (index - SIGNED_FROM) >> (place % 5) & 1 else 1


def _of_whole_numbers(formula: Formula) -> bool:
    """Whether a formula only makes sense for whole numbers: ``n!``, ``(-1)^n``."""
    if formula.kind == "power":
        base, exponent = formula.args
        if base.kind == "number" and base.value < 0 and has_symbols(exponent):
            return True
    return (_is_call(formula, WHOLE_NUMBER_FUNCTIONS) and has_symbols(formula)) or any(
        map(_of_whole_numbers, formula.args)
    )


def _is_kinked(formula: Formula) -> bool:
    """Whether a formula may have kinks, and so equal one formula in one region and another in the next.

    Absolute values, even roots and maxima do: ``|x|`` is x or -x.
    """
    if formula.kind == "power" and formula.args[1].kind == "number":
        even_root = formula.args[1].value.denominator % 2 == 0 and has_symbols(formula.args[0])
    else:
        even_root = False
    return even_root or _is_call(formula, KINKED_FUNCTIONS) or any(map(_is_kinked, formula.args))


def _is_call(formula: Formula, names: frozenset[str]) -> bool:
    return formula.kind == "call" and formula.name in names


def _has(formula: Formula, names: frozenset[str]) -> bool:
    return _is_call(formula, names) or any(_has(arg, names) for arg in formula.args)


def _symbols(formula: Formula) -> set[str]:
    if formula.kind == "symbol":
        return {formula.name}
    return set().union(*map(_symbols, formula.args)) if formula.args else set()


def _renamed(formula: Formula) -> Formula:
    """The formula with other symbols and other unknown functions: f(x) becomes g(y)."""
    is_free = formula.kind == "symbol" or formula.name.startswith("?")
    name = formula.name + "\0" if is_free else formula.name
    return formula._replace(name=name, args=tuple(map(_renamed, formula.args)))


def _has_bare_log(formula: Formula) -> bool:
    bare = formula.kind == "call" and formula.name == "log" and len(formula.args) == 1
    return bare or any(map(_has_bare_log, formula.args))


def _with_log(formula: Formula, name: str) -> Formula:
    """The formula with every logarithm without a base turned into ``name``: ``ln`` (natural) or ``lg`` (decimal)."""
    args = tuple(_with_log(arg, name) for arg in formula.args)
    bare = formula.kind == "call" and formula.name == "log" and len(args) == 1
    return formula._replace(name=name if bare else formula.name, args=args)
