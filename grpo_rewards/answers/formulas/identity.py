"""Whether two formulas agree: at points drawn from both, exactly where they are rational, else to many digits.

A polynomial that is not zero vanishes almost nowhere, so formulas that agree at several points that neither of them
chose are equal (Schwartz 1980, Zippel 1979). The points come from a hash of the pair: the same pair is judged alike
everywhere, and no formula can be made to fit them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from grpo_rewards.answers.formulas.budget import TooLarge, spend
from grpo_rewards.answers.formulas.exact import NotExact, Point, Undefined, exact
from grpo_rewards.answers.formulas.formula import Formula, has_symbols, number, product
from grpo_rewards.answers.formulas.high_precision import digits_needed, numeric, size

__all__ = ["proportional", "same"]

POINTS = 9
KINKED_POINTS = 40  # for formulas that are one thing here and another there
NEEDED = 3  # points at which formulas with symbols must agree
ENOUGH = 5  # the index of the point from which on that many are enough
SCALES = (1, Fraction(1, 4), 9, 1, Fraction(1, 3), 2, 40, Fraction(1, 20))
SAME, DIFFERENT = "same", "different"
SAME_BEYOND, DIFFERENT_BEYOND = "same beyond the reals", "different beyond the reals"
ONE_UNDEFINED, BOTH_UNDEFINED = "one undefined", "both undefined"
SIGNED_FROM = 3  # the first points are positive in all symbols, the next one is negative in all, then signs alternate
DIGITS = 50  # beyond those that the numbers in a formula need
DIGITS_AT_MOST = 2_500
LARGE = 100  # bits of a value
# Functions of whole numbers, and those that differ between them: their formulas are compared at whole numbers.
OF_WHOLE_NUMBERS = frozenset(["factorial", "binom", "mod", "gcd", "lcm"])
ROUNDED = frozenset(["floor", "ceil"])
KINKED = OF_WHOLE_NUMBERS | ROUNDED | {"abs", "max", "min", "sgn"}
WHOLE_NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 24, 25, 27, 30, 31, 32, 33, 36, 49)
WHOLE_LETTERS = frozenset("ijklmnpqN")  # letters that mean whole numbers


def same(one: Formula, other: Formula) -> bool | None:
    """Whether two formulas have the same value wherever both are real; ``None`` where that cannot be told.

    ``\\log`` without a base may be natural or decimal, as long as it is the same in both.

    Raises:
        TooLarge: they must not be computed.
    """
    if one == other:
        return True
    if not (_has_bare_log(one) or _has_bare_log(other)):
        return _same(one, other)
    results = [_same(_with_log(one, name), _with_log(other, name)) for name in ("ln", "lg")]
    return True if True in results else None if None in results else False


def proportional(one: Formula, other: Formula) -> int | None:
    """The sign of the constant that one formula is of the other; 0: there is none; ``None``: it cannot be told.

    Raises:
        TooLarge: they must not be computed.
    """
    if not (_symbols(one) or _symbols(other)):  # f(2) = 3 and f(5) = 4 are constants, and so any multiple of another
        signs = {sign: same(one, product((number(sign), other))) for sign in (1, -1)}
        return next((sign for sign, agree in signs.items() if agree), None if None in signs.values() else 0)
    zero = Formula("number")
    for formula in (one, other):
        vanishes = same(formula, zero)
        if vanishes is not False:
            return 0 if vanishes else None
    # f(x) / g(x) is a constant if f(x) g(y) = g(x) f(y)
    agree = same(product((one, _renamed(other))), product((other, _renamed(one))))
    return None if agree is None else _common_sign(one, other) if agree else 0


def _same(one: Formula, other: Formula) -> bool | None:
    names = sorted(_symbols(one) | _symbols(other))
    digits = DIGITS + digits_needed(one) + digits_needed(other)
    count = _count(names, one, other)
    enough = count - 1 if count == KINKED_POINTS else ENOUGH
    cost = 3 * (size(one)[0] + size(other)[0])
    found: Counter[str] = Counter()
    for index, point in enumerate(_points(names, one, other, count)):
        spend(cost)
        outcome = _at(point, one, other, digits)
        if outcome == DIFFERENT:
            return False
        found[outcome] += 1
        if not names or (index >= enough and found[SAME] >= NEEDED):
            break
    if found[SAME] >= (NEEDED if names else 1):
        return True
    if found[DIFFERENT_BEYOND]:
        return False
    agreed = found[SAME] + found[SAME_BEYOND]
    if agreed >= (NEEDED if names else 1):
        return True
    return False if found[ONE_UNDEFINED] and not agreed else None


def _at(point: Point, one: Formula, other: Formula, digits: float) -> str:
    """How two formulas compare at a point; "beyond" the reals if a value on the way is not real."""
    try:
        return SAME if exact(one, point) == exact(other, point) else DIFFERENT
    except Undefined:
        defined = _is_defined(one, point), _is_defined(other, point)
        return ONE_UNDEFINED if any(defined) else BOTH_UNDEFINED
    except (NotExact, TooLarge):
        if digits > DIGITS_AT_MOST:
            raise TooLarge("too many digits") from None
    try:
        agree, real = _agree(one, other, point, int(digits))
    except Undefined:
        defined = _is_defined(one, point), _is_defined(other, point)
        return ONE_UNDEFINED if any(defined) else BOTH_UNDEFINED
    return (SAME if agree else DIFFERENT) if real else (SAME_BEYOND if agree else DIFFERENT_BEYOND)


def _agree(one: Formula, other: Formula, point: Point, digits: int) -> tuple[bool, bool]:
    """Whether two values agree, and whether both are real all along the way.

    A difference that shrinks as the digits double is rounding; one that stays is a difference.
    """
    value, real = numeric(one, point, digits)
    against, other_real = numeric(other, point, digits)
    difference, size = abs(value - against), max(abs(value), abs(against))
    context = value.context
    magnitude = context.mag(size)
    if magnitude > LARGE:  # of numbers so large, fifty digits would hide what is added to them
        if magnitude > 4 * DIGITS_AT_MOST or digits + magnitude * 66 // 100 > DIGITS_AT_MOST:
            raise TooLarge("a number of too many digits")
        digits += magnitude * 66 // 100  # twice its decimal digits, and a tenth more
        value, against = numeric(one, point, digits)[0], numeric(other, point, digits)[0]
        difference, size = abs(value - against), max(abs(value), abs(against))
    if difference <= size * context.mpf(10) ** (-digits * 4 // 5):
        return True, real and other_real
    finer = abs(numeric(one, point, 2 * digits)[0] - numeric(other, point, 2 * digits)[0])
    return bool(finer < difference / 1000), real and other_real


def _is_defined(formula: Formula, point: Point) -> bool:
    try:
        numeric(formula, point, DIGITS)
    except Undefined:
        return False
    return True


def _common_sign(one: Formula, other: Formula) -> int | None:
    """The sign of the quotient of two formulas, one of which is a constant times the other."""
    ratio = product((one, other))
    names = sorted(_symbols(ratio))
    for point in _points(names, one, other, _count(names, one, other)):
        try:
            value, real = numeric(ratio, point, DIGITS)
        except Undefined:
            continue
        if real and value:
            return 1 if value > 0 else -1
    return None


def _count(names: list[str], one: Formula, other: Formula) -> int:
    """At how many points two formulas are compared."""
    return KINKED_POINTS if names and (_is_kinked(one) or _is_kinked(other)) else POINTS


def _points(names: list[str], one: Formula, other: Formula, count: int) -> Iterator[Point]:
    """``count`` points of one number a symbol, empty ones without symbols.

    Whole ones for formulas of whole numbers. Where one formula may hold here and another there, points of all signs.
    """
    pair = sorted(repr(formula) for formula in (one, other))
    seed = hashlib.blake2b(repr(pair).encode("utf-8", "backslashreplace")).digest()
    rounded = _has(one, ROUNDED) or _has(other, ROUNDED)
    whole = _of_whole_numbers(one) or _of_whole_numbers(other) or (rounded and WHOLE_LETTERS.issuperset(names))
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
    """The sign of a symbol at a point: all positive, then all negative, then every pattern in turn."""
    if index <= SIGNED_FROM:
        return -1 if index == SIGNED_FROM else 1
    return -1 if (index - SIGNED_FROM) >> (place % 5) & 1 else 1


def _of_whole_numbers(formula: Formula) -> bool:
    if formula.kind == "power":
        base, exponent = formula.args
        if base.kind == "number" and base.value < 0 and has_symbols(exponent):
            return True
    return (_is_call(formula, OF_WHOLE_NUMBERS) and has_symbols(formula)) or any(map(_of_whole_numbers, formula.args))


def _is_kinked(formula: Formula) -> bool:
    """Whether it may be one formula here and another there: an absolute value, an even root, a maximum."""
    if formula.kind == "power" and formula.args[1].kind == "number":
        even_root = formula.args[1].value.denominator % 2 == 0 and has_symbols(formula.args[0])
    else:
        even_root = False
    return even_root or _is_call(formula, KINKED) or any(map(_is_kinked, formula.args))


def _is_call(formula: Formula, names: frozenset[str]) -> bool:
    return formula.kind == "call" and formula.name in names


def _has(formula: Formula, names: frozenset[str]) -> bool:
    return _is_call(formula, names) or any(_has(arg, names) for arg in formula.args)


def _symbols(formula: Formula) -> set[str]:
    if formula.kind == "symbol":
        return {formula.name}
    return set().union(*map(_symbols, formula.args)) if formula.args else set()


def _renamed(formula: Formula) -> Formula:
    """The formula in symbols, and functions that only have a name, of its own."""
    is_free = formula.kind == "symbol" or formula.name.startswith("?")
    name = formula.name + "\0" if is_free else formula.name
    return formula._replace(name=name, args=tuple(map(_renamed, formula.args)))


def _has_bare_log(formula: Formula) -> bool:
    bare = formula.kind == "call" and formula.name == "log" and len(formula.args) == 1
    return bare or any(map(_has_bare_log, formula.args))


def _with_log(formula: Formula, name: str) -> Formula:
    """The formula with logarithms without a base read as natural (``ln``) or decimal ones (``lg``)."""
    args = tuple(_with_log(arg, name) for arg in formula.args)
    bare = formula.kind == "call" and formula.name == "log" and len(args) == 1
    return formula._replace(name=name if bare else formula.name, args=args)
