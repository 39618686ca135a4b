"""Decides whether two formulas are the same, by evaluating both at the same points, and whether two equations are."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, combinations, cycle, pairwise, permutations
from typing import Any, TypeVar

from grpo_rewards.answers.formulas.formula import (
    IMAGINARY_UNIT,
    MOST_DIGITS,
    SPARE_DIGITS,
    UNIT_VECTORS,
    ZERO,
    Formula,
    NotExact,
    Point,
    TooLarge,
    Undefined,
    bits,
    call,
    computed,
    difference,
    digits_needed,
    exact,
    has_endless_sum,
    has_symbols,
    holds,
    in_order,
    negative,
    number,
    numeric,
    power,
    product,
    rewritten,
    spend,
    subformulas,
    substituted,
    surely_differ,
    symbols,
    total,
)

# Draws the points at which two formulas are compared, from a hash of both.
#
# So a pair is judged alike everywhere, and no formula can be written to fit its points. Look here if two formulas that
# differ only in some region, beyond some constant or for some signs are taken for the same.

SMOOTH_POINTS = 16  # at most; mostly six are enough
KINKED_POINTS = 40  # at least, for formulas with kinks, which may agree in one region only
MOST_POINTS = 72
POSITIVE_POINTS = 8  # of those for formulas with kinks, at which all symbols are positive
SMOOTH_POSITIVE_POINTS = 3  # of those for other formulas
SMOOTH_EDGES = (0, 1, 2, 10)  # of the regions from which the numbers for these are drawn
SEPARATE_CONSTANTS = 24  # of both formulas whose both sides are looked at
COMBINED_CONSTANTS = 5  # so many are also looked at in pairs: the kink of |3x - 100| is at 100/3
CONSTANT_BITS = 4_000  # beyond a larger one no number is drawn
BEYOND = 41  # times the last edge, up to which numbers are drawn
WIDE_RANGE = 16  # a region whose end is so many times its beginning is drawn from on a logarithmic scale
EVERYDAY_NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 24, 25, 27, 30, 31, 32, 33, 36, 49, 60, 97)
WHOLE_CONSTANT = 1_000_000  # the largest constant whose neighbours are among the whole numbers
SUMMED_NUMBER = 20  # the largest everyday number up to which sums over an index are added up
SUMMED_CONSTANT = 100  # the same, if the formulas have no pieces; then they have factorials, or sums over an index
Drawn = TypeVar("Drawn")
WHOLE_NUMBER_SYMBOLS = frozenset("ijklmnpqN")  # symbols that usually stand for whole numbers


def drawn_points(one: Formula, other: Formula, *, kinked: bool) -> Iterator[Point]:
    """The points at which two formulas are compared: a number for each symbol of either.

    The numbers of different symbols are independent of each other in size and sign. If a formula has kinks, those of
    each symbol lie on both sides of every constant that occurs, of some combinations of constants, and of their
    negatives. They are whole where a formula needs whole numbers: small ones, and neighbours and multiples of the
    constants.
    """
    both = total((one, other))
    names = sorted(symbols(both))
    rounded = rounded_symbols(both)
    whole = whole_symbols(both) | (rounded & WHOLE_NUMBER_SYMBOLS)
    edges = [Fraction(edge) for edge in SMOOTH_EDGES]
    whole_numbers: list[int] = []
    count = SMOOTH_POINTS if names else 1
    if kinked:
        steps = _steps(both)
        edges = [Fraction(0), *steps, BEYOND * steps[-1]]
        whole_numbers = _whole_numbers(steps, both) if whole or rounded else []
        enough = max(KINKED_POINTS, POSITIVE_POINTS + 2 * len(steps) + 2, len(whole_numbers))
        count = min(enough, MOST_POINTS)
    seed = repr(sorted((repr(one), repr(other))))

    def numbers(name: str, place: int) -> Iterator[Fraction]:
        """The numbers that one symbol takes at the points, in order, without end."""
        draw = random.Random((seed + name).encode("utf-8", "backslashreplace"))
        whole_ones = map(Fraction, _shuffled(draw, whole_numbers))
        if name in whole:
            return whole_ones
        real_ones = _real_numbers(draw, edges, place, kinked)
        return chain.from_iterable(zip(real_ones, whole_ones, strict=False)) if name in rounded else real_ones

    columns = [numbers(name, place) for place, name in enumerate(names)]
    for _ in range(count):
        yield dict(zip(names, map(next, columns), strict=True))


def _real_numbers(draw: random.Random, edges: Sequence[Fraction], place: int, kinked: bool) -> Iterator[Fraction]:
    """Numbers from each region between two edges, and their negatives; at first only positive ones.

    Formulas without kinks have few points, so the signs of all symbols take one pattern after the other there.
    """
    regions = list(pairwise(edges))
    signed = _shuffled(draw, [(sign, region) for region in regions for sign in (1, -1)])
    for index, region in enumerate(_shuffled(draw, regions)):
        if kinked:
            sign, region = (1, region) if index < POSITIVE_POINTS else next(signed)
        else:
            sign = -1 if index >= SMOOTH_POSITIVE_POINTS and index >> place % 5 & 1 else 1
        yield sign * _within(*region, draw)


def _within(low: Fraction, high: Fraction, draw: random.Random) -> Fraction:
    """A number between two edges."""
    share = Fraction(draw.randrange(1, 2**16), 2**16)
    if not low or high < WIDE_RANGE * low:
        return low + (high - low) * share
    return low * (1 + share) * (1 << draw.randrange(math.floor(high / low).bit_length() - 1))


def _shuffled(draw: random.Random, items: Sequence[Drawn]) -> Iterator[Drawn]:
    """All items in some order, then all of them in another order, and so on."""
    while items:
        yield from draw.sample(items, len(items))


def _steps(formula: Formula) -> list[Fraction]:
    """The sizes at which a formula may change, in order: 1, its constants, and simple combinations of few of them."""
    constants = {abs(value) for value in _constants(formula)} - {0}
    found = sorted(value for value in constants if bits(value) <= CONSTANT_BITS)
    if len(found) > COMBINED_CONSTANTS:
        return [*found[: -1 : 1 + len(found) // SEPARATE_CONSTANTS], found[-1]]
    combined = {
        value for small, large in combinations(found, 2) for value in (large / small, large - small, large + small)
    }
    roots = {Fraction(math.isqrt(math.floor(value))) for value in found}
    return sorted({Fraction(1), *combined, *roots, *found} - {0})


def _constants(formula: Formula) -> Iterator[Fraction]:
    """The values of a formula's parts without symbols, from its numbers on. Draws on the budget."""
    for part in subformulas(formula):
        with suppress(TooLarge):
            value = None if symbols(part) else computed(part)
            if value is not None:
                yield value


def _whole_numbers(steps: list[Fraction], formula: Formula) -> list[int]:
    """Small whole numbers, and those around each step and its multiples; 0 too if the formula has a sum to infinity."""
    largest = WHOLE_CONSTANT if is_piecewise(formula) else SUMMED_CONSTANT
    near: set[int] = set()
    for whole in (math.ceil(step) for step in steps if 2 < step <= largest):
        near |= {whole, whole + 1, whole - 1, 2 * whole - 1, 4 * whole}
    largest_first = sorted(near, reverse=True)[: MOST_POINTS - len(EVERYDAY_NUMBERS)]
    has_sum = any(part.kind == "repeated" for part in subformulas(formula))
    most = SUMMED_NUMBER if has_sum else EVERYDAY_NUMBERS[-1]
    first = [0] if has_endless_sum(formula) else []  # where the index of each sum begins
    return sorted({*first, *(whole for whole in EVERYDAY_NUMBERS if whole <= most), *largest_first})


# Finds kinks of a formula, and the symbols that must be whole.
#
# Look here if a formula is compared at numbers that it makes no sense for.

# Functions of whole numbers, functions that round, and all that may equal one formula here and another one there.
WHOLE_NUMBER_FUNCTIONS = frozenset(["factorial", "double factorial", "binom", "gcd", "lcm"])
ROUNDING_FUNCTIONS = frozenset(["floor", "ceil"])
PIECEWISE_FUNCTIONS = ROUNDING_FUNCTIONS | {"cases", "abs", "max", "min", "sgn", "gcd", "lcm"}
KINKED_FUNCTIONS = WHOLE_NUMBER_FUNCTIONS | PIECEWISE_FUNCTIONS
looks_arbitrary = re.compile(r"[CcK](?:_\{[0-9]\})?").fullmatch  # for the names of constants of integration


def is_piecewise(formula: Formula) -> bool:
    """Whether a formula holds a function that is put together of pieces: one that rounds, ``|x|``, a maximum."""
    return holds(formula, PIECEWISE_FUNCTIONS)


def has_kink(part: Formula) -> bool:
    """Whether a formula, apart from what is in it, may equal one formula in one region and another one in the next.

    Absolute values, even roots and maxima do (``|x|`` is x or -x), and so does what is for whole numbers only.
    """
    if part.kind == "power":
        base, exponent = part.args
        is_even_root = exponent.value.denominator % 2 == 0 and has_symbols(base)
        return is_even_root or _alternates(part)
    return part.kind == "repeated" or part.name in KINKED_FUNCTIONS


def _alternates(part: Formula) -> bool:
    """Whether a formula is a power such as ``(-1)^n``, whose sign changes from one whole number to the next."""
    is_signed = part.kind == "power" and part.args[0].value < 0 and part.args[1].name not in ROUNDING_FUNCTIONS
    return is_signed and bool(symbols(part.args[1]))  # of an index, too


def whole_symbols(formula: Formula) -> set[str]:
    """The symbols that must be whole for a formula to make sense: the n of ``n!``, of ``(-1)^n``, of a bound."""
    found: set[str] = set()
    for part in subformulas(formula):
        if part.kind == "repeated":
            found |= symbols(part.args[1]) | symbols(part.args[2])
        elif part.name in WHOLE_NUMBER_FUNCTIONS or _alternates(part):
            found |= symbols(part)
    return found


def rounded_symbols(formula: Formula) -> set[str]:
    """The symbols that a formula rounds: the y of ``\\lfloor y/4\\rfloor``."""
    rounded = (symbols(part) for part in subformulas(formula) if part.name in ROUNDING_FUNCTIONS)
    return set().union(*rounded)


def renamed(formula: Formula) -> Formula:
    """The formula with other symbols and other unknown functions: f(x) becomes g(y)."""

    def change(part: Formula) -> Formula:
        is_free = part.kind == "symbol" or part.name.startswith("?")
        return part._replace(name=part.name[:1] + "\0" + part.name[1:]) if is_free else part

    return rewritten(formula, change)


def with_log(formula: Formula, name: str) -> Formula:
    """The formula with ``ln`` (natural) or ``lg`` (decimal) for every ``log``; one that has a base keeps it."""

    def change(part: Formula) -> Formula:
        return part._replace(name=name) if part.name == "log" and len(part.args) == 1 else part

    return rewritten(formula, change)


# Compares two formulas at the points.

FIRST_NUMBERS = tuple(Fraction(f"1.{digits}") for digits in (3719, 8263, 6127, 2371, 9173))  # of the quick look
QUICK_LOOK_STEPS = 50
POINTS_NEEDED = 3  # at which formulas with symbols must agree
ENOUGH_AFTER_POINT = 5  # after the point with this index, that many are enough, unless a formula has kinks
# A complex number in place of z: its imaginary part is an unknown function of the real one.
_Z = Formula("symbol", "z")
COMPLEX_Z = {_Z: total((_Z, product((IMAGINARY_UNIT, call("?Im", _Z)))))}
LARGE_VALUE_BITS = 100  # larger values are computed to more digits


def same(one: Formula, other: Formula) -> bool | None:
    """Whether two formulas have the same value wherever both are real; ``None`` if undecided.

    ``\\log`` without a base may be natural or decimal, if it is the same in both. Sums to infinity are the
    same if their terms are, else undecided. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    if one == other:
        return True
    both = total((one, other))
    pairs = [(one, other)]
    names = {part.name for part in subformulas(both)}
    if "log" in names:
        pairs = [(with_log(one, name), with_log(other, name)) for name in ("ln", "lg")]
    if {IMAGINARY_UNIT.name, "abs"} <= names:  # |z - i| = |z + 1| is a line of complex z
        pairs = [(substituted(one, COMPLEX_Z), substituted(other, COMPLEX_Z)) for one, other in pairs]
    results = [_same(*pair) for pair in pairs]
    return True if True in results else None if None in results or has_endless_sum(both) else False


def _same(one: Formula, other: Formula) -> bool | None:
    """``same``, for formulas whose logarithms all have a base.

    One real point at which they differ makes them different. Otherwise they are the same if they agree at enough real
    points or, where there are too few of these, at enough complex ones.
    """
    both = total((one, other))
    names = sorted(symbols(both))
    spend(QUICK_LOOK_STEPS)
    if surely_differ(one, other, dict(zip(names, cycle(FIRST_NUMBERS), strict=False))):
        return False
    if in_order(one) == in_order(other):
        return True
    needed, enough = (POINTS_NEEDED, ENOUGH_AFTER_POINT) if names else (1, 0)
    has_pieces = is_piecewise(both)
    kinked = bool(names) and any(map(has_kink, subformulas(both)))
    # \sqrt{|x|} is not \sqrt{x}. But \sqrt{xy} is \sqrt{x}\sqrt{y}, as for positive numbers, and \ln|x| + C may be
    # written \ln x + C: nobody keeps account of where an antiderivative is defined.
    compares_domains = has_pieces and not any(map(looks_arbitrary, names))
    digits, cost = SPARE_DIGITS + digits_needed(both), 3 * len(list(subformulas(both)))
    found: Counter[tuple[bool, bool]] = Counter()  # by whether they agree, and whether all values are real
    too_large = 0
    for index, point in enumerate(drawn_points(one, other, kinked=kinked)):
        spend(cost)
        try:
            agree, reals = _agree(one, other, point, digits)
        except Undefined:
            continue
        except TooLarge:
            spend(0)  # fails if there is no budget left for other points
            too_large += 1
            continue
        if not agree and (reals == 2 or (reals == 1 and compares_domains)):
            return False
        found[agree, reals == 2] += 1
        if index >= enough and found[True, True] >= needed and not kinked:
            break
    if too_large and (has_pieces or found[True, True] < needed):
        raise TooLarge("too large at a point, or at most of them")
    if found[True, True] >= needed:
        return True
    if found[False, False]:
        return False
    return True if found.total() >= needed else None


def _agree(one: Formula, other: Formula, point: Point, needed: float) -> tuple[bool, int]:
    """Whether two formulas agree at a point, and for how many of them all values on the way are real.

    A difference that shrinks when the digits are doubled comes from rounding; one that does not is a real difference.
    """
    try:
        return exact(one, point) == exact(other, point), 2
    except NotExact:
        pass  # to many digits, then
    if needed > MOST_DIGITS:
        raise TooLarge("too many digits")

    def computed_to(digits: int) -> tuple[Any, Any, int]:
        """The difference of both at the point, the larger size, and how many of them are real."""
        (value, is_real), (against, is_other_real) = (numeric(formula, point, digits) for formula in (one, other))
        return abs(value - against), max(abs(value), abs(against)), is_real + is_other_real

    digits = int(needed)
    difference, size, reals = computed_to(digits)
    context = size.context
    magnitude = context.mag(size)
    if magnitude > LARGE_VALUE_BITS:  # next to a number so large, a small term would be lost in fifty digits
        digits += magnitude * 66 // 100  # twice the number's decimal digits, and a tenth more
        if digits > MOST_DIGITS:
            raise TooLarge("a number of too many digits")
        difference, size, reals = computed_to(digits)
    if difference <= size * context.mpf(10) ** (-digits * 4 // 5):
        return True, reals
    return bool(computed_to(2 * digits)[0] < difference / 1000), reals


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
    if one.args[:1] == other.args[:1] and same(total(one.args[1:]), total(other.args[1:])):
        return True  # as mostly, and at less cost
    if sign not in ("=", "\\ne"):
        return _proportional(one, other, is_positive=True)
    found = _proportional(one, other)
    return _proportional(_cleared(one), _cleared(other)) if found is False else found


def _proportional(one: Formula, other: Formula, *, is_positive: bool = False) -> bool | None:
    """Whether one = c · other for a number c, which must be positive if ``is_positive``.

    Of a constant, such as ``0x - 1``, no other one is a multiple.
    """
    for formula in (one, other):
        vanishes = same(formula, ZERO)
        if vanishes is not False:
            return None if vanishes is None else False
    if same(one, renamed(one)):
        return same(one, other)
    # f(x) / g(x) is constant if f(x) g(y) = g(x) f(y)
    size, other_size = (renamed(call("abs", part) if is_positive else part) for part in (one, other))
    return same(product((one, other_size)), product((other, size)))


def _cleared(formula: Formula) -> Formula:
    """A formula times each of its denominators that has symbols: ``xy - 2`` for ``y - 2/x``."""
    highest: dict[Formula, Fraction] = {}
    for part in subformulas(formula):
        if part.kind != "power" or not has_symbols(part):
            continue
        base, exponent = part.args
        if exponent.value < 0:
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
    unknowns = of_gold - set(ours)
    theirs = sorted(symbols(prediction) - unknowns)
    if not 0 < len(ours) == len(theirs) <= MOST_CONSTANTS or not _are_constants(theirs):
        return False
    for order in permutations(theirs):
        names = {Formula("symbol", name): Formula("symbol", to) for name, to in zip(order, ours, strict=True)}
        prediction_renamed = substituted(prediction, names)
        if agree := same(gold, prediction_renamed):
            return True
    if agree is False and len(ours) == 1 and unknowns <= UNKNOWNS and ours[0] != "c":
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
        function = substituted(formula, {constant: ZERO})
        is_added = [arg for arg in formula.args if constant.name in symbols(arg)] == [constant]
        if not (is_added and formula.kind == "sum") and not same(formula, total((function, constant))):
            return False
        functions.append(function)
    apart = difference(*functions)
    return same(apart, renamed(apart))  # a function of x that is the same for y is a number


# Finds the straight lines among formulas.


def as_line(formula: Formula, symbol: Formula) -> tuple[Formula, Formula] | None:
    """(start, slope) of a formula such as ``1 + 2t``; ``None`` if it is constant, no line, or has another symbol.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    start, after = (substituted(formula, {symbol: number(value)}) for value in (0, 1))
    slope = difference(after, start)
    return (start, slope) if computed(slope) and same(formula, total((start, product((slope, symbol))))) else None


# Splits a formula with unit vectors, ``3\mathbf{i} - 4\mathbf{j}``, into its components.


def components(formula: Formula, size: int) -> list[Formula]:
    """The components, as many as ``size``, of a vector in unit vectors i, j and k; none if it is none.

    A formula with i alone is a complex number, not a vector.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    if not 1 < size <= len(UNIT_VECTORS):
        return []
    names = UNIT_VECTORS[:size]
    units = [Formula("symbol", name) for name in names]
    formula = substituted(formula, {IMAGINARY_UNIT: units[0]})
    used = symbols(formula) & set(UNIT_VECTORS)
    if not used - {"i"} or not used <= set(names):
        return []
    terms = formula.args if formula.kind == "sum" else (formula,)
    found = []
    for unit in units:
        values = {one: number(int(one == unit)) for one in units}
        found.append(total([substituted(term, values) for term in terms if unit.name in symbols(term)]))
    again = total(list(map(product, zip(found, units, strict=True))))
    return found if same(formula, again) else []
