"""Puts values into the form in which they are compared: units, vectors, ratios; and finds what is no arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from grpo_rewards.answers.comparing.options import GradingOptions
from grpo_rewards.answers.formulas.formula import (
    Formula,
    has_symbols,
    in_radians,
    number,
    power,
    product,
    quotient,
    substituted,
    symbols,
)
from grpo_rewards.answers.formulas.high_precision import float_error
from grpo_rewards.answers.formulas.identity import components
from grpo_rewards.answers.reading.units import ONE_DEGREE, SAME, Ratio, is_measure, is_rate_of, ratio
from grpo_rewards.answers.reading.words import KINDS_OF_SOLUTIONS
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Named,
    Number,
    Quantity,
    Text,
    Unordered,
    Value,
    as_expression,
    as_formula,
    as_value,
    components_of,
    is_point,
    is_tuple,
    with_formulas,
)

# Compares the units of two amounts, and puts one amount into the unit of the other.
#
# Look here if two amounts are judged by the wrong unit: one that is missing, another one of the same kind, letters that
# may be a unit or variables.

HUNDREDTH_PART = Ratio(Fraction(1, 100))


def in_unit_of(prediction: Quantity, gold: Quantity, options: GradingOptions) -> Quantity | str | None:
    """The gold in the unit of the prediction; why that cannot be, in a few words; ``None`` if it is undecided."""
    unit, wanted = gold.unit, prediction.unit
    if unit is None and wanted == "percent" and isinstance(gold, Number) and 0 < abs(gold.value) < 1:
        return "the percent sign makes it another number"  # for a gold of 0.5, 0.5 % is no answer
    if unit == wanted or options.units == "ignored":
        return gold
    if unit is None or wanted is None:
        if "molarity" in str(unit or wanted):  # one of them has a unit
            return "M may be a million"
        return "the unit is missing" if options.units == "required" and unit is not None else gold
    if unit in ("degreeC", "degreeF") and wanted == "degree":
        return gold  # the scale was left out; but no angle is a temperature
    if not is_measure(unit) or not is_measure(wanted):
        return None  # other words ("eggs", "apples") may mean the same
    found = ratio(unit, wanted)
    if found == SAME or is_rate_of(unit, wanted) or is_rate_of(wanted, unit):
        return gold  # dollars may stand for dollars per hour
    if found is None:
        return None
    return _converted(gold, found) if isinstance(found, Ratio) and options.conversion else "the units differ"


def literally(gold: Quantity, prediction: Quantity, options: GradingOptions) -> tuple[Quantity, Quantity] | None:
    """Both amounts with a sign taken as the number that it is: 30 % is 0.3, and 60° are pi/3; ``None`` without one.

    Only where the other side has no unit. Degrees are put into radians only beside a formula, since only a multiple of
    pi can be equal to them.
    """
    units = {gold.unit, prediction.unit}
    if options.units == "required":
        return None
    if units == {None, "percent"}:
        return without_percent(gold), without_percent(prediction)
    if units != {None, "degree"}:
        return None
    both = (_converted(one, ONE_DEGREE) if one.unit else with_formulas(one, in_radians) for one in (gold, prediction))
    known, other = both
    return (known, other) if isinstance(known, Expression) and isinstance(other, Expression) else None


def without_percent(quantity: Quantity) -> Quantity:
    """10 % as 0.1; any other amount as it is."""
    is_percentage = quantity.unit == "percent" and as_formula(quantity) is not None
    return _converted(quantity, HUNDREDTH_PART) if is_percentage else quantity


def as_measures(gold: Quantity, prediction: Quantity) -> tuple[Quantity, Quantity] | None:
    """Both amounts with letters taken for a unit, where they may be one: ``10 m`` as ten metres; ``None`` if none may.

    Only beside a number or an amount with a unit: ``2 m`` beside ``2n`` is no length.
    """
    both = (one.measure if isinstance(one, Expression) and one.measure else one for one in (gold, prediction))
    known, other = both
    if (known is gold and other is prediction) or not (_is_amount(known) and _is_amount(other)):
        return None
    return known, other


def _converted(quantity: Quantity, unit: Ratio) -> Quantity:
    """An amount in units that are each ``unit`` of another one, as an amount of those others, without a unit."""
    if isinstance(quantity, Number) and not unit.pi:
        value = quantity.value * unit.factor
        if quantity.places is None:
            return Number(value)
        if float_error(quantity.value):
            value = Fraction(repr(float(value)))  # a float stays one
        return Number(value, None, quantity.places - round(math.log10(unit.factor)))
    formula = as_formula(quantity)
    if formula is None:
        return Expression("")
    scaled = product((number(unit.factor), power(Formula("constant", "pi"), number(unit.pi)), formula))
    return Expression(quantity.spelled if isinstance(quantity, Expression) else str(quantity.value), scaled)


def _is_amount(quantity: Quantity) -> bool:
    formula = as_formula(quantity)
    return quantity.unit is not None or (formula is not None and not has_symbols(formula))


# Finds what is written with signs of arithmetic and says no sum: ranges, scores, dates, telephone numbers, sizes.
#
# Look here if ``5-10`` counts as ``6-11``, or ``6 \times 4 \text{ cm}`` for ``8 \times 3 \text{ cm}``.

PART_OF_RANGE = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")
# Two to five numbers with one sign between them.
NUMBERS_APART = {
    kind: re.compile(rf"{PART_OF_RANGE.pattern}(?:{sign}{PART_OF_RANGE.pattern}){{1,4}}")
    for kind, sign in (("sum", "--?"), ("product", r"\\cdot ?"))
}
DATE_IN_DIGITS = re.compile(r"[0-9]{1,4}/[0-9]{1,4}/[0-9]{1,4}")  # two strokes, or it is a fraction


def written_apart(gold: Quantity, prediction: Quantity) -> bool:
    """Whether the gold is a range, a score, a date or a size, and the prediction another one or none.

    A size is one only beside another size: an amount may be written as a product.
    """
    known, other = _parts_apart(gold), _parts_apart(prediction)
    return known is not None and known != other and (other is not None or known[0] != "product")


def _parts_apart(quantity: Quantity) -> tuple[str, list[str]] | None:
    """(kind, numbers) of a range, a score, a date or a telephone number, in order, or of a size, sorted.

    ``None`` for anything else.
    """
    if not isinstance(quantity, Expression) or quantity.formula is None:
        return None
    if DATE_IN_DIGITS.fullmatch(quantity.spelled):
        return "date", quantity.spelled.split("/")
    kind, parts = quantity.formula.kind, quantity.formula.args
    found = NUMBERS_APART[kind].match(quantity.spelled) if kind in NUMBERS_APART else None
    if found is None:
        return None
    numbers = PART_OF_RANGE.findall(found[0])
    if [abs(part.value) for part in parts] != list(map(Fraction, numbers)):
        return None
    return kind, sorted(numbers) if kind == "product" else numbers


# Puts values into the form of the other side: vectors into components, ratios to one scale, lists of equations.
#
# Look here if the same answer in another form, a column or ``3\mathbf{i} + 4\mathbf{j}`` for ``(3, 4)``, is missed.

WITHOUT_SOLUTION = re.compile(rf"no({KINDS_OF_SOLUTIONS}*)solution|none")  # as reading has it
NOTHING = number(0)
PARAMETERS = frozenset(["s", "t", "u", "k", "n", "m", "r", "\\lambda", "\\mu"])


def in_proportion(parts: Sequence[Value]) -> Sequence[Value]:
    """The parts of a ratio, each divided by the first one, of ``14:6`` as of ``7:3`` 1 and three sevenths.

    As they are if the first one is 0, or if a part is no formula.
    """
    formulas = [part for part in map(as_formula, parts) if part is not None]
    if len(formulas) < len(parts) or formulas[0] == NOTHING:
        return parts
    return [as_expression(quotient(part, formulas[0])) for part in formulas]


def as_fraction(value: Value) -> Value:
    """A ratio of two as the fraction that it is; any other value as it is."""
    match value:
        case Bracketed(":", (first, second)):
            above, below = as_formula(first), as_formula(second)
            if above and below and below != NOTHING:
                found = quotient(above, below)
                return Number(found.value) if found.kind == "number" else as_expression(found)
    return value


def as_vectors(gold: Value, prediction: Value) -> tuple[Sequence[Value], Sequence[Value]] | None:
    """The components of two vectors that are written in different ways; ``None`` if they are not two vectors.

    A vector is a tuple, a column or a row, or a sum of unit vectors, ``3\\mathbf{i} - 4\\mathbf{j}``. Raises
    ``TooLarge``.
    """
    sides = components_of(gold), components_of(prediction)
    size = max(map(len, sides))
    one, other = (side or _unit_vectors(value, size) for side, value in zip(sides, (gold, prediction), strict=True))
    return (one, other) if one and other else None


def _unit_vectors(value: Value, size: int) -> Sequence[Value]:
    """The components of a sum of unit vectors; none if it is none."""
    formula = as_formula(value)
    found = None if formula is None else components(formula, size)
    return list(map(as_value, found or ()))


def with_parameter_of(gold: Value, prediction: Value) -> Value:
    """The prediction with the gold's parameter in place of its own: ``(1+t, 2t)`` for ``(1+s, 2s)``.

    Only for points, in which nothing else is unknown and two components or more depend on the parameter.
    """
    ours, theirs = _parameter_of(gold), _parameter_of(prediction)
    if ours == theirs or not (ours and theirs):
        return prediction
    renaming = {Formula("symbol", theirs): Formula("symbol", ours)}
    return with_formulas(prediction, lambda formula: substituted(formula, renaming))


def _parameter_of(value: Value) -> str:
    """The only symbol in the components of a point, in none of their names; ``""`` if there is none."""
    if not is_point(value):
        return ""
    names = "".join(item.name for item in value.items if isinstance(item, Named))
    formulas = [as_formula(item.of if isinstance(item, Named) else item) for item in value.items]
    found = [name for formula in formulas if formula is not None for name in symbols(formula)]
    is_one = len({*found}) == 1 < len(found) and found[0] in PARAMETERS and found[0] not in names
    return found[0] if is_one else ""


def without_name(value: Value, other: Value) -> Value:
    """What a value with a name says beside one without a name; any other value as it is.

    ``x = y = z = 1`` is a list of three beside a list or a point. ``C(10, 3)`` is a number of choices beside a number.
    ``y = \\pm x`` is a list of two named values.
    """
    match value, other:
        case Named(of=of, others=(_, *_)), Unordered() | Bracketed():
            return Unordered(tuple(Named(name, of) for name in value.names))
        case Named(name=name, of=of, symbol=Formula() as symbol), Expression() | Number() if is_tuple(of):
            return Expression(name, symbol)
        case Named(name=name, of=Unordered(items), symbol=symbol), _:
            return Unordered(tuple(Named(name, item, symbol) for item in items))
    return value.of if isinstance(value, Named) else value


def have_no_solution(gold: Value, prediction: Value) -> bool:
    """Whether both are the empty set, or say that there is no solution.

    That there is none at all answers that there is no integer; "no integer" answers only a gold of that kind. "No real
    solution" answers any.
    """
    known, found = _kind_without_solution(gold), _kind_without_solution(prediction)
    return known is not None and found in ("", known, "real")


def _kind_without_solution(value: Value) -> str | None:
    """Of which kind there is no solution, ``real`` or ``""``; ``None`` for a value that does not say so."""
    if isinstance(value, Text):
        found = WITHOUT_SOLUTION.fullmatch(value.spelled)
        return None if found is None else found[1] or ""
    return "" if isinstance(value, Unordered) and not value.items else None
