r"""Sets of numbers: unions and intersections of intervals, the solutions of inequalities, families such as ``2k\pi``.

Look here if ``x < 3`` or ``(-\infty, 1) \cup [1, 3)`` are not seen as the same set, or general solutions as the same.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, groupby
from typing import TypeAlias

from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    call,
    computed,
    difference,
    digits_needed,
    has_symbols,
    in_radians,
    negative,
    number,
    power,
    product,
    quotient,
    subformulas,
    substituted,
    symbols,
    total,
)
from grpo_rewards.answers.formulas.identity import as_line, rounded_symbols, same, whole_symbols
from grpo_rewards.answers.values.kinds import (
    INDEX,
    WHOLE_NUMBERS_SET,
    Bracketed,
    Expression,
    Family,
    Infinity,
    Named,
    Number,
    Quantity,
    Unordered,
    Value,
    as_formula,
    as_value,
    is_tuple,
    with_formulas,
)

# Unions, intersections and differences of sets of real numbers, brought to one form: disjoint intervals in order.
#
# The bounds of all sets cut the line into cells: in turn what lies between two bounds, and the next bound itself. A set
# is known by the cells that it holds.

MOST_BOUNDS = 100  # of all sets together
COMPARED_PLACES = 20  # behind the decimal point of a bound, or of a number of a family


# Where a set begins or ends: a place on the line, with 1 for what lies right behind it and -1 for what lies before it.
Edge: TypeAlias = tuple[Fraction | float, int]


class NotReal(ValueError):
    """A value is not a set of real numbers, or its bounds cannot be put in order."""


INDEX_SYMBOL = Formula("symbol", INDEX)
OF_LINE = Formula("symbol", "line")  # the parameter of a line that is given without one
LISTED_WHOLE_NUMBERS = 100  # of a set such as the whole numbers from 1 to 9
LEAST = {"\\mathbb{N}": 0, "\\mathbb{N}^{+}": 1}


MINUS_INFINITY, INFINITY = Infinity(-1), Infinity(1)
INFINITIES = {MINUS_INFINITY, INFINITY}
REALS = Bracketed("(", (MINUS_INFINITY, INFINITY), ")")


def union(sets: Iterable[Value]) -> Value:
    """The numbers that are in at least one of the sets.

    Raises:
        NotReal: a value is not a set of real numbers with known bounds.
        TooLarge: the bounds must not be computed.
    """
    return _combined(sets, any)


def intersection(sets: Iterable[Value]) -> Value:
    """The numbers that are in all of the sets. Raises what ``union`` raises."""
    return _combined(sets, all)


def without(sets: Iterable[Value]) -> Value:
    """The numbers of the first set that are in none of the others. Raises what ``union`` raises."""
    return _combined(sets, lambda held: held[0] and not any(held[1:]))


def _combined(sets: Iterable[Value], keeps: Callable[[list[bool]], bool]) -> Value:
    """The numbers that are kept, by which of the sets hold them: a point, an interval, a union or the empty set."""
    bounds: dict[Fraction | float, Value] = {-math.inf: MINUS_INFINITY, math.inf: INFINITY}
    every = [list(_intervals(one, bounds)) for one in sets]
    if len(bounds) > MOST_BOUNDS:
        raise NotReal
    line = sorted(bounds)
    cells = [(place, side) for place in line for side in (0, 1)][1:-2]

    def is_kept(cell: Edge) -> bool:
        return keeps([any(first <= cell <= last for first, last in several) for several in every])

    found: list[Value] = []
    for kept, group in groupby(cells, key=is_kept):
        run = list(group)
        (start, is_open), (end, reaches_on) = run[0], run[-1]
        if kept and run == [(start, 0)]:
            found.append(bounds[start])
        elif kept:
            high = bounds[line[line.index(end) + reaches_on]]
            found.append(Bracketed("(" if is_open else "[", (bounds[start], high), ")" if reaches_on else "]"))
    return found[0] if len(found) == 1 else Unordered(tuple(found))


def _intervals(value: Value, bounds: dict[Fraction | float, Value]) -> Iterator[tuple[Edge, Edge]]:
    """Where each interval that a value consists of begins and ends; puts their bounds among ``bounds``."""
    if isinstance(value, Unordered):
        for item in value.items:
            yield from _intervals(item, bounds)
        return
    interval = Bracketed("[", (value, value), "]") if isinstance(value, Quantity) else value
    if not isinstance(interval, Bracketed) or len(interval.items) != 2 or interval.opening not in "([":
        raise NotReal
    low, high = map(_place, interval.items)
    bounds |= zip((low, high), interval.items, strict=True)
    yield (low, int(interval.opening == "(")), (high, -int(interval.closing == ")"))


def _place(bound: Value) -> Fraction | float:
    """Where a bound is on the line of numbers. Raises ``NotReal`` if that is not known."""
    if isinstance(bound, Infinity):
        return bound.sign * math.inf
    return round(_real(as_formula(bound)), COMPARED_PLACES)


def _real(formula: Formula | None) -> Fraction:
    """The value of a formula. Raises ``NotReal`` if that is not one real number, or not known."""
    value = None if formula is None else computed(formula)
    if value is None:
        raise NotReal
    return value


# Solves inequalities in one unknown to sets of numbers: ``-x > -1``, ``|x - 2| \le 5``, ``x \ne 0``.
#
# Look here if an inequality is not seen to be the same as another one, or as an interval. Only what is linear in the
# unknown, and in absolute values and squares of it, is solved.

LESS, GREATER = ("<", "\\le"), (">", "\\ge")
MIRRORED = {">": "<", "\\ge": "\\le", "<": ">", "\\le": "\\ge", "\\ne": "\\ne"}
EVEN = Formula("symbol", "?even")  # stands for an absolute value or a square while its factor is looked for


def ray(sign: str, bound: Value) -> Value:
    """The interval of the numbers below or above a bound; both intervals for ``\\ne``."""
    if sign == "\\ne":
        return Unordered((ray("<", bound), ray(">", bound)))
    if sign in LESS:
        return Bracketed("(", (MINUS_INFINITY, bound), ")" if sign == "<" else "]")
    return Bracketed("(" if sign == ">" else "[", (bound, INFINITY), ")")


def solved(formula: Formula, sign: str) -> tuple[str, Value] | None:
    """(name, set) of what an inequality between a formula and 0 says of its one unknown; ``None`` if it is not solved.

    ``-2x - 6 < 0`` gives x and the interval from -3 to infinity.

    Raises:
        TooLarge: comparing the coefficients would take too much.
    """
    names = symbols(formula)
    if len(names) != 1:
        return None
    (name,) = names
    try:
        return name, _solution(formula, Formula("symbol", name), sign)
    except NotReal:
        return None


def as_condition(items: Sequence[Value], separators: Collection[str]) -> Value | None:
    """Several conditions on one name as one: ``x < -1 or x > 2``, ``x > 2 and x < 5``; ``None`` for other lists.

    With only commas between them, all must hold if that is possible (``x > 2, x < 5``); if not, they are alternatives
    (``x < -1, x > 2``).
    """
    named = [item for item in items if isinstance(item, Named)]
    if len(named) < len(items) or len({item.name for item in named}) != 1:
        return None
    if not any(isinstance(item.of, Bracketed | Unordered) for item in named):
        return None  # x = 1 or x = 2 is a list
    if named[0].name.isupper() and all(is_tuple(item.of) and INFINITIES.isdisjoint(item.of.items) for item in named):
        return None  # P(1, 2) or P(3, 4) is one, too
    sets = [item.of for item in named]
    try:
        together = intersection(sets)
        either = "or" in separators or ("and" not in separators and together == Unordered(()))
        return Named(named[0].name, union(sets) if either else together)
    except NotReal:
        return None


def _solution(formula: Formula, unknown: Formula, sign: str) -> Value:
    """The numbers for which ``formula`` is below 0, or as ``sign`` says. Raises ``NotReal`` if it is not linear."""
    even = next(filter(_is_even, subformulas(formula)), None)
    line = as_line(formula, unknown) if even is None else as_line(substituted(formula, {even: EVEN}), EVEN)
    if line is None:
        raise NotReal
    bound = quotient(negative(line[0]), line[1])
    turned = sign if _real(line[1]) > 0 else MIRRORED[sign]
    if even is None:
        return ray(turned, as_value(bound))
    inner = even.args[0]
    if even.kind == "power":  # x^2 < 9 is |x| < 3
        return _solution(difference(call("abs", inner), power(bound, HALF)), unknown, turned)
    both = (_solution(substituted(formula, {even: one}), unknown, sign) for one in (inner, negative(inner)))
    # |x| is the larger one of x and -x: it is below a bound where both are, and not equal to one where neither is
    return (union if turned in GREATER else intersection)(both)


def _is_even(formula: Formula) -> bool:
    """Whether a formula is an absolute value or a square of something with symbols."""
    is_square = formula.kind == "power" and formula.args[1] == number(2)
    return (is_square or formula.name == "abs") and has_symbols(formula)


# Functions by cases as formulas, so that ``x, x \ge 0; -x, x < 0`` is found to be ``|x|``.

EVERYWHERE, NOWHERE = number(1), call("?")  # a condition that always holds, and the value where none does
MOST_CASES, END_DIGITS = 12, 100  # of a function, and of the number where a case ends
# Values, each with its condition, which is above 0 where it holds; or the ends of cases: the unknown, and where it is.
Pairs: TypeAlias = list[tuple[Formula, Formula]]


def same_functions(one: Value, other: Value) -> bool | None:
    """Whether two functions, of which at least one is by cases, are the same; ``None`` if that is not known.

    Where ``one`` is not defined everywhere, a formula for ``other`` need not say so. Functions of whole numbers by
    cases that begin or end somewhere are not compared.

    Raises:
        TooLarge: comparing them would take too much.
    """
    ends: Pairs = []
    try:
        cases, others = _cases(one, ends), _cases(other, ends)
    except NotReal:
        return None
    if [condition for _, condition in others] == [EVERYWHERE]:
        others = [(others[0][0], condition) for _, condition in cases]
    every = total([*chain(*cases, *others)])
    if ends and (whole_symbols(every) or rounded_symbols(every)):
        return None
    found = []
    for order in (1, -1):  # where two cases hold, they must agree
        both = [Formula("cases", "cases", (*chain(*some[::order]), NOWHERE, EVERYWHERE)) for some in (cases, others)]
        found.append(same(*both))
        found += [same(*(substituted(side, dict([end])) for side in both)) for end in dict.fromkeys(ends)]
    return False if False in found else None if None in found else True


def _cases(value: Value, ends: Pairs) -> Pairs:
    """The cases of a function, of which a formula with symbols has one. Raises ``NotReal`` for other values."""
    if isinstance(value, Bracketed) and value.opening == "cases" and len(value.items) <= MOST_CASES:
        pairs = [case.items for case in value.items if isinstance(case, Bracketed)]
        return [(_known(of), condition) for of, where in pairs for condition in _conditions(where, ends)]
    formula = _known(value)
    if not has_symbols(formula):
        raise NotReal
    return [(formula, EVERYWHERE)]


def _conditions(condition: Value, ends: Pairs) -> list[Formula]:
    """Formulas of which one is above 0 where a condition on a name holds. Raises ``NotReal`` if it is not known."""
    if not isinstance(condition, Named):
        raise NotReal
    unknown = Formula("symbol", condition.name.strip())
    match condition.of:
        case Unordered(items):
            return [one for item in items for one in _conditions(replace(condition, of=item), ends)]
        case Family(of=family, domain=domain) if domain == WHOLE_NUMBERS_SET:
            first, second = (substituted(_known(family), {INDEX_SYMBOL: number(index)}) for index in (0, 1))
            index = quotient(difference(unknown, first), difference(second, first))
            return [total((EVERYWHERE, call("floor", index), negative(call("ceil", index))))]
        case Bracketed(opening, (low, high), closing):
            bounds = (low, 1, opening == "["), (high, -1, closing == "]")
        case place:
            bounds = (place, 1, True), (place, -1, True)
    signs, sides = "", []
    for bound, sign, is_closed in bounds:
        if not isinstance(bound, Infinity):
            end = _known(bound)
            if digits_needed(end) > END_DIGITS or not (has_symbols(end) or computed(end) is not None):
                raise NotReal
            ends.append((unknown, end))
            signs += "=" if is_closed else ">"
            sides.append(product((number(sign), difference(unknown, end))))
    return [Formula("positive", signs, tuple(sides))]


def _known(value: Value) -> Formula:
    """A value as a formula. Raises ``NotReal`` if it is none, has a unit, or was to be computed, ``3 + 4``."""
    formula = as_formula(value)
    if formula is None or getattr(value, "unit", None) is not None:
        raise NotReal
    if isinstance(value, Expression) and not has_symbols(formula) and isinstance(as_value(formula), Number):
        raise NotReal
    return formula


# Families of numbers: ``\frac{\pi}{2} + k\pi``, ``6k + 1``, ``n \equiv 1 \pmod 6``.

INDEX_LETTERS = frozenset("klmnpqjstN")  # that stand for a whole number even where nothing says so
OTHER_INDICES = [(sign, shift) for sign in (1, -1) for shift in range(-3, 4)]  # that a family of points may have
LISTED_INDICES = range(-40, 41)  # of each family, when two are compared
WITHIN = Fraction(9_137, 10_000)  # of the listed numbers; so that none lies at the border by chance


def whole_numbers_in(interval: Value, domain: str) -> Value | None:
    """The whole numbers of ``domain`` in an interval, as a set; ``None`` if they are too many, or not known."""
    try:
        ((first, last),) = _intervals(interval, {})
    except ValueError:  # several intervals, or none that is known
        return None
    least = max(first[0], LEAST.get(domain, first[0]))
    if not last[0] - least < LISTED_WHOLE_NUMBERS:  # nor if both are infinity
        return None
    possible = range(math.ceil(least), math.floor(last[0]) + 1)
    inside = tuple(Number(Fraction(whole)) for whole in possible if first <= (whole, 0) <= last)
    return inside[0] if len(inside) == 1 else Unordered(inside, braced=True)  # as a set of one is read


def with_index(value: Value) -> Value:
    """A value with ``INDEX`` for the only symbol of a formula that may stand for a whole number: n of ``n\\pi/L``."""

    def change(formula: Formula) -> Formula:
        names = symbols(formula) & INDEX_LETTERS
        is_family = len(names) == 1
        return substituted(formula, {Formula("symbol", names.pop()): INDEX_SYMBOL}) if is_family else formula

    return with_formulas(value, change)


def reindexed(value: Value, sign: int, shift: int) -> Value:
    """A family with ``sign * k + shift`` for its index k, in all its parts alike."""
    index = total((product((number(sign), INDEX_SYMBOL)), number(shift)))
    return with_formulas(value, lambda formula: substituted(formula, {INDEX_SYMBOL: index}))


def same_numbers(one: Value, other: Value) -> bool | None:
    """Whether two families, formulas in ``INDEX`` or lists of these, hold the same numbers.

    ``None`` if one is no family of numbers, or its numbers cannot be computed. All numbers of both around the first one
    are compared, as far as every formula was followed.

    Raises:
        TooLarge: computing them would take too much.
    """
    sides = [_formulas_in(value) for value in (one, other)]
    if not all(sides):
        return None
    try:
        centre = _number_at(sides[0][0], 0)
        listed = [[_numbers_around(centre, formula) for formula in side] for side in sides]
    except NotReal:
        return None
    followed = min(abs(end - centre) for side in listed for numbers in side for end in (numbers[0], numbers[-1]))
    near = [
        {round(one, COMPARED_PLACES) for numbers in side for one in numbers if abs(one - centre) <= WITHIN * followed}
        for side in listed
    ]
    return near[0] == near[1]


def _formulas_in(value: Value) -> list[Formula]:
    """The formulas of a family of numbers; ``[]`` if it is none, as ``x = 5t, y = 2t`` is a family of points."""
    if isinstance(value, Named):
        return _formulas_in(value.of)
    if isinstance(value, Unordered):
        found = [_formulas_in(item) for item in value.items]
        is_of_one = len({getattr(item, "name", "") for item in value.items}) == 1
        return list(chain.from_iterable(found)) if all(found) and is_of_one else []
    formula = as_formula(value)
    return [] if formula is None else [in_radians(formula)]


def _numbers_around(centre: Fraction, formula: Formula) -> list[Fraction]:
    """The numbers of a formula for the indices around the one that comes nearest to a number.

    Raises:
        NotReal: they are not known, or all the same.
    """
    first, second = _number_at(formula, 0), _number_at(formula, 1)
    if first == second:
        raise NotReal
    nearest = round((centre - first) / (second - first))
    return [_number_at(formula, nearest + index) for index in LISTED_INDICES]


def _number_at(formula: Formula, index: int) -> Fraction:
    return _real(substituted(formula, {INDEX_SYMBOL: number(index)}))
