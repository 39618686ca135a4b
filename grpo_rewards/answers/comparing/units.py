"""Compares the units of two amounts, and puts one amount into the unit of the other.

Look here if two amounts are judged by the wrong unit: one that is missing, another one of the same kind, letters that
may be a unit or variables.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from grpo_rewards.answers.comparing.options import GradingOptions
from grpo_rewards.answers.formulas.formula import Formula, has_symbols, in_radians, number, power, product
from grpo_rewards.answers.formulas.rounding import float_error, terminates
from grpo_rewards.answers.reading.units import ONE_DEGREE, SAME, Ratio, is_measure, may_mean, ratio
from grpo_rewards.answers.values.kinds import Expression, Number, as_formula

__all__ = ["Quantity", "as_measures", "in_unit_of", "literally"]

HUNDREDTH_PART = Ratio(Fraction(1, 100))
Quantity: TypeAlias = Number | Expression


def in_unit_of(prediction: Quantity, gold: Quantity, options: GradingOptions) -> Quantity | str | None:
    """The gold in the unit of the prediction; why that cannot be, in a few words; ``None`` if it is undecided."""
    if prediction.unit == "percent" and gold.unit is None and options.percent == "number" and _is_share(gold):
        return "the percent sign makes it another number"  # for a gold of 0.5, 0.5 % is no answer
    found = _ratio(gold.unit, prediction.unit, options)
    return (gold if found == SAME else _converted(gold, found)) if isinstance(found, Ratio) else found


def _ratio(gold: str | None, prediction: str | None, options: GradingOptions) -> Ratio | str | None:
    """How many of the prediction's units the gold's unit is; why they differ; ``None`` if undecided."""
    if gold == prediction or options.units == "ignored":
        return SAME
    if gold is None or prediction is None:
        return "the unit is missing" if options.units == "required" and gold is not None else SAME
    if gold in ("degreeC", "degreeF") and prediction == "degree":
        return SAME  # the scale was left out; but no angle is a temperature
    if not is_measure(gold) or not is_measure(prediction):
        # other words ("eggs", "apples") may mean the same; fresh eggs are eggs
        return SAME if _is_kind_of(gold, prediction) else None
    found = SAME if may_mean(gold, prediction) else ratio(gold, prediction)
    if found is None:
        return None
    return found if isinstance(found, Ratio) and (found == SAME or options.conversion) else "the units differ"


def literally(gold: Quantity, prediction: Quantity, options: GradingOptions) -> tuple[Quantity, Quantity] | None:
    """Both amounts with a sign taken as the number that it is: 30 % is 0.3, and 60° are pi/3; ``None`` without one.

    Only where the other side has no unit. Degrees are put into radians only beside a formula, since only a multiple of
    pi can be equal to them.
    """
    if as_formula(gold) is None or as_formula(prediction) is None:
        return None
    if (
        {gold.unit, prediction.unit} == {None, "percent"}
        and options.percent == "number"
        and options.units != "required"
    ):
        one, other = (_converted(side, HUNDREDTH_PART) if side.unit else side for side in (gold, prediction))
        return one, other
    if {gold.unit, prediction.unit} != {None, "degree"} or options.units == "required":
        return None
    both = [_converted(one, ONE_DEGREE) if one.unit else _in_radians(one) for one in (gold, prediction)]
    return (both[0], both[1]) if all(isinstance(one, Expression) for one in both) else None


def _is_share(gold: Quantity) -> bool:
    """Whether a gold is a number between 0 and 1, and so most likely not meant in percent."""
    return isinstance(gold, Number) and 0 < abs(gold.value) < 1


def _in_radians(quantity: Quantity) -> Quantity:
    """An amount with the degrees in its formula, as in ``(\\pi/3)^\\circ``, in radians."""
    if isinstance(quantity, Number) or quantity.formula is None:
        return quantity
    return replace(quantity, formula=in_radians(quantity.formula))


def as_measures(gold: Quantity, prediction: Quantity) -> tuple[Quantity, Quantity] | None:
    """Both amounts with letters taken for a unit, where they may be one: ``10 m`` as ten metres; ``None`` if none may.

    Only beside a number or an amount with a unit: ``2 m`` beside ``2n`` is no length.
    """
    both = [one.measure if isinstance(one, Expression) and one.measure else one for one in (gold, prediction)]
    if (both[0] is gold and both[1] is prediction) or not all(map(_is_amount, both)):
        return None
    return both[0], both[1]


def _converted(quantity: Quantity, unit: Ratio) -> Quantity:
    """An amount in units that are each ``unit`` of another one, as an amount of those others, without a unit."""
    if isinstance(quantity, Number) and not unit.pi:
        places = None if quantity.places is None or not terminates(unit.factor) else quantity.places
        value = quantity.value * unit.factor
        if places is not None and float_error(quantity.value):
            value = Fraction(repr(float(value)))  # a float stays one
        return Number(value, None, places)
    formula = as_formula(quantity)
    if formula is None:
        return Expression("", None)
    scaled = product((number(unit.factor), power(Formula("constant", "pi"), number(Fraction(unit.pi))), formula))
    return Expression(quantity.spelled if isinstance(quantity, Expression) else str(quantity.value), scaled)


def _is_amount(quantity: Quantity) -> bool:
    formula = as_formula(quantity)
    return quantity.unit is not None or (formula is not None and not has_symbols(formula))


def _is_kind_of(unit: str, other: str) -> bool:
    """Whether two names of what is counted differ only in words before the noun: ``fresh egg`` and ``egg``."""
    one, two = unit.split(), other.split()
    return one[-1] == two[-1] and (set(one) <= set(two) or set(two) <= set(one))
