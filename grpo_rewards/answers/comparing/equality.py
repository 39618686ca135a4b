"""Decides whether two values are equal, kind by kind, and puts them into the form in which they are compared."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import Literal, TypeVar

from grpo_rewards.answers.formulas.formula import (
    FLOAT_DIGITS,
    PI,
    ZERO,
    Formula,
    TooLarge,
    call,
    difference,
    float_error,
    half_unit,
    has_endless_sum,
    has_power_of_i,
    has_symbols,
    in_radians,
    is_near,
    number,
    power,
    product,
    quotient,
    subformulas,
    substituted,
    symbols,
    terminates,
)
from grpo_rewards.answers.formulas.identity import (
    WHOLE_NUMBER_SYMBOLS,
    as_line,
    components,
    looks_arbitrary,
    same_relation,
    same_up_to_constants,
)
from grpo_rewards.answers.latex.tree import word_set
from grpo_rewards.answers.reading.units import ONE_DEGREE, SAME, Ratio, is_measure, is_rate_of, ratio
from grpo_rewards.answers.reading.words import KINDS_OF_SOLUTIONS, name_one_kind
from grpo_rewards.answers.values.kinds import (
    WHOLE_NUMBERS_SET,
    Approximated,
    Bracketed,
    Expression,
    Family,
    Matrix,
    Named,
    Number,
    Quantity,
    Relation,
    Text,
    Unordered,
    Value,
    are_named,
    as_expression,
    as_formula,
    as_value,
    by_name,
    components_of,
    is_named,
    is_point,
    is_tuple,
    not_understood,
    shown,
    with_argument_of,
    with_formulas,
    without_indices,
)
from grpo_rewards.answers.values.sets import (
    INDEX_SYMBOL,
    LEAST,
    OF_LINE,
    OTHER_INDICES,
    reindexed,
    same_functions,
    same_numbers,
    with_index,
)


@dataclass(frozen=True)
class GradingOptions:
    """How answers are compared; docs/answers.md has examples of each.

    Attributes:
        percent: ``"number"``: ``10\\%`` is 10, and as a prediction it also answers 0.1; ``"fraction"``: it is 0.1.
        units: ``"optional"``: a unit on one side only is ignored; ``"required"``: a prediction must have the unit of
            the gold; ``"ignored"``: units are never looked at.
        conversion: whether ``90 minutes`` answers ``1.5 hours``; without a unit on both sides nothing is converted.
        rounding_digits: how many significant digits a decimal needs to stand for a repeating or irrational gold that it
            correctly rounds; ``None``: it never stands for one. Conversely, a gold that is a printed float,
            3.14159265358979, is answered by the exact form that it stands for, ``\\pi``; 3.14159 is not.
        unevaluated: whether ``3+4`` answers 7. A sum, product, quotient or power of numbers was to be computed; the
            closed forms ``5!`` and ``\\binom{12}{4}`` answer 120 and 495 whatever this says.
        names: ``"optional"``: ``x=5`` and 5 are the same; ``"required"``: a prediction must have the name of the gold,
            or none if the gold has none.
    """

    percent: Literal["number", "fraction"] = "number"
    units: Literal["optional", "required", "ignored"] = "optional"
    conversion: bool = True
    rounding_digits: int | None = 6
    unevaluated: bool = False
    names: Literal["optional", "required"] = "optional"


DEFAULT_GRADING_OPTIONS = GradingOptions()


PRIMED = re.compile(r"\w'+")  # f', which computer algebra takes for f
CLOSED_FORMS = ("factorial", "double factorial", "binom")
MATCHED_ITEMS = 60  # of a set; in a larger one the items are not matched
YES_OR_NO = word_set("yes no true false")
DOUBLE_ROOT = {frozenset(["x_{1}", "x_{2}"]), frozenset("x")}  # x_1 = x_2 = 3 says x = 3
UNEVALUATED = "unevaluated"
FLOAT_READING = "the answer is a float, which is known to so many digits only"
ROUNDED_READING = "one is a correct rounding of the other"
UNITS_OF_RATIOS = (None, "percent")
Decision = TypeVar("Decision")


@dataclass
class Equality:
    """Compares one gold with one prediction.

    Args:
        options: how answers are compared.
        known: what a symbolic comparison found earlier: (gold, prediction), both LaTeX, to whether they are equal.

    Attributes:
        undecided_pairs: the pairs (gold, prediction) of LaTeX that only a symbolic comparison can decide, and that
            ``known`` does not have. A dict for its order; the values mean nothing.
        too_large: whether something was not computed because it was too large.
        why: what made the two differ, in a few words; ``""`` if there is nothing to say.
        reading: how an amount was read that was found equal, ``28 percent is read as 0.28``; ``""`` if as it stands.
    """

    options: GradingOptions
    known: Mapping[tuple[str, str], bool | None]
    undecided_pairs: dict[tuple[str, str], None] = field(default_factory=dict)
    too_large: bool = False
    why: str = ""
    reading: str = ""

    def equal(self, gold: Value, prediction: Value) -> bool | None:
        """Whether a prediction equals the gold; ``None`` if undecided."""
        if gold == prediction:
            return True
        if isinstance(gold, Quantity) and isinstance(prediction, Quantity):
            return self._quantities(gold, prediction)
        kinds = {type(gold), type(prediction)}
        if Named in kinds:
            return self._named(gold, prediction)
        if Family in kinds:
            return self._families(gold, prediction)
        if isinstance(gold, Approximated):
            return any_of((self.equal(gold.exact, prediction), self.equal(gold.decimal, prediction)))
        if isinstance(prediction, Approximated):
            found = [self.equal(gold, prediction.exact)]
            # "4.96 \\approx 5.0" does not answer 5; but a decimal gold may be the rounded value of a formula
            is_exact = isinstance(prediction.exact, Number) and terminates(prediction.exact.value)
            if isinstance(gold, Number) and gold.places is not None and not is_exact:
                found.append(self.equal(gold, prediction.decimal))
            return any_of(found)
        if have_no_solution(gold, prediction):
            return True
        prediction = self._guarded(with_parameter_of, gold, prediction) or prediction
        if len(kinds) == 1:
            return self._of_one_kind(gold, prediction)
        functions = self._functions(gold, prediction)
        if functions is not None or self.too_large:
            return functions
        if self.options.names == "optional":
            if isinstance(prediction, Relation) and prediction.total is not None:
                return self.equal(gold, prediction.total)  # "m + n = 6" answers 6
            if isinstance(gold, Relation) and gold.total is not None and states_total(gold):
                return self.equal(gold.total, prediction)
        if any(isinstance(one, Expression) and one.formula is None for one in (gold, prediction)):
            return None
        fractions = as_fraction(gold), as_fraction(prediction)  # 3:2 is three halves
        if all(getattr(one, "unit", "") in UNITS_OF_RATIOS for one in fractions):
            return self.equal(*fractions)
        vectors = self._guarded(as_vectors, gold, prediction)
        if vectors is not None:
            return self._items(*vectors)
        if is_point(gold) and is_point(prediction):
            return self._items(by_name(gold.items), by_name(prediction.items))  # "x = 1, y = 2" answers (1, 2)
        return self.differ("the kinds differ, such as a set and an interval")

    def _of_one_kind(self, gold: Value, prediction: Value) -> bool | None:
        match gold, prediction:
            case Bracketed(), Bracketed():
                if (gold.opening, gold.closing) != (prediction.opening, prediction.closing):
                    return self.differ("the brackets differ")
                if gold.opening != "cases":
                    return self._items(in_proportion(gold), in_proportion(prediction))
                found = self._items(gold.items, prediction.items, in_order=False)
                functions = None if found else self._functions(gold, prediction)
                return functions if functions is not None or self.too_large else found
            case Unordered(), Unordered():
                return self._collections(gold, prediction)
            case Matrix(), Matrix():
                if list(map(len, gold.rows)) != list(map(len, prediction.rows)):
                    return self.differ("the shapes differ")
                return self._items(gold.items, prediction.items)
            case Relation(), Relation():
                return self._relations(gold, prediction)
            case Text(), Text() if name_one_kind(gold.spelled, prediction.spelled):
                return True
        return self.differ("spelled differently")

    def _functions(self, gold: Value, prediction: Value) -> bool | None:
        """Whether two functions, of which at least one is by cases, are the same; ``None`` if that is not known."""
        found = self._guarded(same_functions, gold, prediction)
        return self.differ("the functions differ") if found is False else found

    def _collections(self, gold: Unordered, prediction: Unordered) -> bool | None:
        """Whether two sets or lists hold the same; in their order, if only one of them names its items."""
        units = [{getattr(item, "unit", None) for item in side.items} for side in (gold, prediction)]
        items = (*gold.items, *prediction.items)
        # "3, 2" does not answer "2 apples, 3 oranges"; and yes and no are the answers to several questions
        in_order = {None} in units and max(map(len, units)) > 1
        in_order |= all(isinstance(one, Text) and one.spelled in YES_OR_NO for one in items)
        kinds = [{type(item) for item in side.items} for side in (gold, prediction)]
        totals = {item.difference.args[0] for item in items if isinstance(item, Relation)}
        in_order |= len(totals) > 1 and {Relation} in kinds and {Number} in kinds  # "a + b = 1, ab = 2" and "1, 2"
        if are_named(gold) == are_named(prediction):
            return self._items(gold.items, prediction.items, in_order=in_order)
        if gold.braced or prediction.braced:
            return self.differ("a set has no order")
        return self._items(by_name(gold.items), by_name(prediction.items))  # "2, 1" is no "x = 1, y = 2"

    def _named(self, gold: Value, prediction: Value) -> bool | None:
        """Whether two values are equal if one or both have a name: ``x = 5`` and 5.

        Two names must be the same, unless both values are equal as equations: ``y = 2x`` and ``x = y/2``.
        """
        if isinstance(gold, Named) and isinstance(prediction, Named):
            names = {frozenset(gold.names), frozenset(prediction.names)}
            are_same = len(names) == 1 or names == DOUBLE_ROOT or (not gold.others and is_named(prediction, gold.name))
            renamed = prediction.of if are_same else with_argument_of(gold, prediction)
            if renamed is not None:
                return self.equal(gold.of, renamed)
            return self._relations(gold, prediction, otherwise="the names differ")
        named, other = (gold, prediction) if isinstance(gold, Named) else (prediction, gold)
        if isinstance(other, Relation):
            return self._relations(gold, prediction)
        if self.options.names == "required" and not isinstance(other, Unordered):
            return self.differ("a name is missing" if named is gold else "a name too many")
        return self.equal(without_name(gold, prediction), without_name(prediction, gold))

    def _families(self, gold: Value, prediction: Value) -> bool | None:
        """Whether two families of numbers are the same; ``None`` if undecided.

        The other side may be a formula whose letter is not declared, ``6k + 1``; then its domain is ignored. But the
        whole numbers above 2 are not the interval.
        """
        sides: Sequence[Value] = (gold, prediction)
        families = [side for side in sides if isinstance(side, Family)]
        if len(families) == 1:
            of = families[0].of
            if Bracketed in map(type, (of, *getattr(of, "items", ()))):
                return self.differ("whole numbers are no interval")
            if self._guarded(same_numbers, of, as_expression(INDEX_SYMBOL)):
                return self.differ("a formula is not all whole numbers, unless it says so")
        if {family.domain for family in families} == LEAST.keys():
            sides = families = [  # with an index that begins at 0, where it begins at 1
                Family(reindexed(family.of, 1, LEAST[family.domain]), "\\mathbb{N}") for family in families
            ]
        domains = {family.domain for family in families}
        if len(domains) > 1:
            return self.differ("the sets of whole numbers differ")
        one, other = (side.of if isinstance(side, Family) else with_index(side) for side in sides)
        if domains != {WHOLE_NUMBERS_SET}:
            return self.equal(one, other)
        found = self._guarded(same_numbers, one, other)
        if found is not None:
            return found or self.differ("the numbers differ")
        # x = 3 + 5t, y = -1 - 3t with -t, or t + 1, for t
        return any_of([self.equal(one, reindexed(other, *index)) for index in OTHER_INDICES])

    def _relations(self, gold: Value, prediction: Value, otherwise: str = "the relations differ") -> bool | None:
        """Whether two equations or inequalities, or names with their values, say the same.

        Equations do if one is a multiple of the other, perhaps once denominators are cleared; of inequalities, the
        factor must be positive. ``otherwise`` is the reason to give if they do not.
        """
        one, other = _as_relation(gold, prediction), _as_relation(prediction, gold)
        if one is None or other is None or one.sign != other.sign:
            return self.differ(otherwise)
        if len({frozenset(filter(str.isupper, symbols(side.difference))) for side in (one, other)}) > 1:
            return self.differ("the names differ")  # AQ : QB is no AP : PB
        agree = self._guarded(same_relation, one.sign, one.difference, other.difference)
        return self.differ(otherwise) if agree is False else agree

    def _quantities(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """Whether two amounts are equal, in any way in which each may be meant."""
        if written_apart(gold, prediction):
            return self.differ("a range, a score or a date is no sum")
        if self.options.percent == "fraction":
            gold, prediction = without_percent(gold), without_percent(prediction)
        self.reading = ""
        agree = self._in_one_unit(gold, prediction)
        if agree is True:
            return True
        also = literally(gold, prediction, self.options) or as_measures(gold, prediction)
        if also is None:
            return agree
        why = self.why
        agree = self._in_one_unit(*also) or agree
        if agree:
            read, meant = (prediction, gold) if also[0] is gold else (gold, prediction)
            self.reading = f"{shown(read)} is read as {shown(meant)}"
        self.why = why
        return agree

    def _in_one_unit(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """Whether two amounts are equal once both are in the unit of the prediction."""
        found = in_unit_of(prediction, gold, self.options)
        if found is None:
            return None
        if isinstance(found, str):
            return self.differ(found)
        agree = self._of_values(found, prediction)
        if agree and found is not gold and isinstance(found, Number):
            self.reading = f"{shown(gold)} is {shown(replace(found, unit=prediction.unit))}"
        return agree

    def _of_values(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """Whether two amounts in the same unit are equal."""
        if isinstance(gold, Number) and isinstance(prediction, Number):
            return self._numbers(gold, prediction)
        one, other = as_formula(gold), as_formula(prediction)
        if one is None or other is None:
            return self._symbolic(gold, prediction)
        if isinstance(gold, Number) and self._is_float_of(gold, prediction, other):
            self.reading = FLOAT_READING
            return True
        if isinstance(gold, Number) and has_symbols(other) and not self.options.unevaluated:
            return self.differ("the prediction is not a number")
        agree = self._guarded(same_up_to_constants, one, other)
        if agree and not self.options.unevaluated:
            # a factorial or binomial of numbers and nothing else: 5!
            is_closed = other.name in CLOSED_FORMS and all(arg.kind == "number" for arg in other.args)
            was_computed = isinstance(gold, Number) and not is_closed
            if was_computed or (has_power_of_i(other) and not has_power_of_i(one)):
                return self.differ(UNEVALUATED)
        if agree is None and not self.too_large and (has_endless_sum(one) or has_endless_sum(other)):
            return self._symbolic(gold, prediction)
        if agree is False and isinstance(prediction, Number) and self._is_precise(prediction):
            agree = self._guarded(is_near, one, prediction.value, _known_within(prediction))
            self.reading = ROUNDED_READING
        return self.differ("the values differ") if agree is False else agree

    def _numbers(self, gold: Number, prediction: Number) -> bool:
        if gold.value == prediction.value:
            return True
        distance, error = abs(gold.value - prediction.value), _float_error(gold)
        if distance <= error:
            self.reading = FLOAT_READING
            return True
        may_round = not terminates(gold.value) or (error > 0 and _digits(gold) >= FLOAT_DIGITS)
        if may_round and self._is_precise(prediction) and distance <= _known_within(prediction):
            self.reading = ROUNDED_READING
            return True
        return self.differ("the values differ")

    def _is_float_of(self, gold: Number, prediction: Quantity, formula: Formula) -> bool:
        """Whether a gold is the float of an exact form, ``\\frac{\\pi}{4}`` that no digits write out."""
        error = _float_error(gold)
        if not error or not self._guarded(is_near, formula, gold.value, error):
            return False
        is_in_digits = "." in _latex(prediction) or isinstance(self._guarded(as_value, formula), Number)
        return self.options.unevaluated or not is_in_digits

    def _is_precise(self, decimal: Number) -> bool:
        """Whether a decimal has as many significant digits as a rounding must have."""
        digits = self.options.rounding_digits
        return digits is not None and _digits(decimal) >= digits

    def _symbolic(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """Whether a pair that needs symbolic algebra is equal, if ``known`` says so; ``None`` if undecided.

        A pair that is not in ``known`` yet is added to ``undecided_pairs``, if both sides are mathematics.
        """
        if not_understood(gold) or not_understood(prediction):
            return None
        if isinstance(gold, Number) and not self.options.unevaluated:
            return self.differ(UNEVALUATED)
        pair = _latex(gold), _latex(prediction)
        if len({frozenset(PRIMED.findall(one)) for one in pair}) > 1:
            return None
        if pair not in self.known:
            self.undecided_pairs[pair] = None
        return self.known.get(pair)

    def _items(self, gold: Sequence[Value], prediction: Sequence[Value], *, in_order: bool = True) -> bool | None:
        """Whether all items are equal, in their order or in any; ``None`` if that depends on an undecided pair."""
        if len(gold) != len(prediction):
            return self.differ(f"{len(prediction)} items are not {len(gold)}")
        if in_order:
            found = list(map(self.equal, gold, prediction))
            return False if False in found else None if None in found else True
        if len(gold) > MATCHED_ITEMS:
            self.too_large = True
            return None
        gold, prediction = without_indices(gold, prediction)
        alone, free = [], list(prediction)
        needed_before = dict(self.undecided_pairs)
        for one in gold:
            partner = next((place for place, other in enumerate(free) if self.equal(one, other)), None)
            if partner is None:
                alone.append(one)
            else:
                del free[partner]
        self.undecided_pairs, self.why = needed_before, ""
        if not alone:
            return True
        left = [[self.equal(one, other) for other in free] for one in alone]  # only these have to be decided
        if any(set(line) == {False} for line in (*left, *zip(*left, strict=True))):
            return self.differ("an item differs")
        return None

    def _guarded(self, compute: Callable[..., Decision | None], *args: object) -> Decision | None:
        """What ``compute`` returns. If it is too large to be computed, ``None``, and ``too_large`` is set."""
        try:
            return compute(*args)
        except TooLarge:
            self.too_large = True
            return None

    def differ(self, why: str) -> bool:
        """``False``, after noting ``why``."""
        self.why = why
        return False


def any_of(found: Sequence[bool | None]) -> bool | None:
    """``True`` if any of them is, else ``None`` if any is undecided, else ``False``."""
    return True if True in found else None if None in found else False


# What may be added up, multiplied or divided to a number that is an answer: sides, angles, vectors, two roots.
SUMMAND = re.compile(
    r"[a-qswA-W](?:_\{(?:\\triangle )?[0-9A-Z]*\})?|[xyz]_\{[1-9]\}|\\(?:alpha|beta|gamma|angle\w+)|\\vec\{(?!r)\w+\}"
)


def states_total(relation: Relation) -> bool:
    """Whether a number answers an equation: ``a + b = 7``, ``x_1 x_2 = 3``, ``\\frac{x}{y} = 2``, but not a curve."""
    left = relation.difference.args[0]
    every = [part for part in subformulas(left) if part.kind in ("sum", "product", "power")]
    parts = [arg for part in every for arg in (part.args[:1] if part.kind == "power" else part.args)]
    if any(part.kind == "number" and part.value != 1 for part in parts):
        return False
    names = symbols(left)
    sides = [Formula("symbol", name) for name in names] if len(names) == 2 else []
    ratios = [quotient(*pair) for pair in permutations(sides, 2)]
    # |x| = 5 is still to be solved for x
    return left in (*ratios, call("abs", Formula("symbol", "z"))) or all(map(SUMMAND.fullmatch, names))


def _as_relation(value: Value, other: Value) -> Relation | None:
    """A value as an equation or inequality: ``y = 2x``, which names y, is ``y - 2x = 0``; ``None`` if it is neither.

    ``x = 4`` only names 4, unless the ``other`` side is the line ``x - 4 = 0``.
    """
    if isinstance(value, Relation):
        return value
    if not isinstance(value, Named) or value.symbol is None:
        return None
    right = as_formula(as_fraction(value.of))
    if right is None:
        return None
    # 2x = 10 does not equal "x = 5". But "\\cos x = 1/2" equals 2\\cos x = 1.
    is_equation = has_symbols(right) or value.symbol.kind in ("call", "product")
    return Relation("=", difference(value.symbol, right)) if is_equation or _is_line(other) else None


def _is_line(value: Value) -> bool:
    """Whether a value is the equation of a line along an axis, ``x - 4 = 0``, which is as short as ``x = 4``."""
    if not isinstance(value, Relation):
        return False
    left, right = value.difference.args
    return right == ZERO and [part.kind for part in left.args] == ["symbol", "number"]


def _latex(quantity: Quantity) -> str:
    if isinstance(quantity, Expression):
        return quantity.spelled
    return f"\\frac{{{quantity.value.numerator}}}{{{quantity.value.denominator}}}"


def _float_error(decimal: Number) -> Fraction:
    """How far a decimal may be from what it stands for if it is a printed float; 0 for any other number."""
    return Fraction(0) if decimal.places is None else float_error(decimal.value)


def _known_within(decimal: Number) -> Fraction:
    """How far a decimal may be from what it is a rounding of."""
    return max(half_unit(decimal.places or 0), _float_error(decimal))


def _digits(decimal: Number) -> int:
    """How many digits a decimal has without leading zeros, 2 for 0.050; 0 for a number that is not a decimal."""
    return 0 if decimal.places is None else len(str(int(abs(decimal.value) * Fraction(10) ** decimal.places)))


# Compares the units of two amounts, and puts one amount into the unit of the other.
#
# Look here if two amounts are judged by the wrong unit: one that is missing, another one of the same kind, letters that
# may be a unit or variables.

HUNDREDTH_PART = Ratio(Fraction(1, 100))
# How many kelvins a degree of a scale is, and its zero.
KELVINS = {"kelvin": (Fraction(1), Fraction(0)), "degreeC": (Fraction(1), Fraction("273.15"))}
KELVINS["degreeF"] = Fraction(5, 9), Fraction("459.67") * Fraction(5, 9)


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
    if unit in KELVINS and wanted in KELVINS and isinstance(gold, Number) and options.conversion:
        (size, zero), (other_size, other_zero) = KELVINS[unit], KELVINS[wanted]
        return Number((gold.value * size + zero - other_zero) / other_size)
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
    known, other = (
        _converted(one, ONE_DEGREE) if one.unit else with_formulas(one, in_radians) for one in (gold, prediction)
    )
    return (known, other) if isinstance(known, Expression) and isinstance(other, Expression) else None


def without_percent(quantity: Quantity) -> Quantity:
    """10 % as 0.1; any other amount as it is."""
    return _converted(quantity, HUNDREDTH_PART) if quantity.unit == "percent" else quantity


def as_measures(gold: Quantity, prediction: Quantity) -> tuple[Quantity, Quantity] | None:
    """Both amounts with letters taken for a unit, where they may be one: ``10 m`` as ten metres; ``None`` if none may.

    Only beside a number or an amount with a unit: ``2 m`` beside ``2n`` is no length.
    """
    known, other = (one.measure if isinstance(one, Expression) and one.measure else one for one in (gold, prediction))
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
    scaled = product((number(unit.factor), power(PI, number(unit.pi)), formula))
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
# How names are spelled that are words: "area" and Tom, but neither AB nor ab.
NAME_IN_WORDS = re.compile(r"\\(?:max|min) |[A-Z][a-z]{2}|[a-z]{4,}")
# The usual letters of quantities that are easily confused. Any other letter may stand for any quantity.
LETTERS_OF_QUANTITIES = {
    **{"radius": "r R", "diameter": "d D", "area": "A S T K", "perimeter": "P C L p s"},
    **{"deviation": "\\sigma s S", "variance": "D V S"},
}
PARAMETERS = word_set(r"s t u k n m r \lambda \mu") | {OF_LINE.name}


def in_proportion(value: Bracketed) -> Sequence[Value]:
    """The parts of a ratio, each divided by the first one, of ``14:6`` as of ``7:3`` 1 and three sevenths.

    The items as they are of a value that is no ratio, if the first one is 0, or if one is no formula.
    """
    formulas = [part for part in map(as_formula, value.items) if part is not None]
    if value.opening != ":" or len(formulas) < len(value.items) or formulas[0] == ZERO:
        return value.items
    return [as_expression(quotient(part, formulas[0])) for part in formulas]


def as_fraction(value: Value) -> Value:
    """A ratio of two as the fraction that it is; any other value as it is."""
    match value:
        case Bracketed(":", (first, second)):
            above, below = as_formula(first), as_formula(second)
            if above and below and below != ZERO:
                found = quotient(above, below)
                return Number(found.value) if found.kind == "number" else as_expression(found)
    return value


def as_vectors(gold: Value, prediction: Value) -> tuple[Sequence[Value], Sequence[Value]] | None:
    """The components of two vectors that are written in different ways; ``None`` if they are not two vectors.

    A vector is a tuple, a column or a row, or a sum of unit vectors, ``3\\mathbf{i} - 4\\mathbf{j}``. Raises
    ``TooLarge``.
    """
    sides = components_of(gold), components_of(prediction)
    if Unordered in map(type, (gold, prediction)) and not all(sides):
        return None  # 0, 0, 1 is not k
    size = max(map(len, sides))
    one, other = (side or _unit_vectors(value, size) for side, value in zip(sides, (gold, prediction), strict=True))
    return (one, other) if one and other else None


def _unit_vectors(value: Value, size: int) -> Sequence[Value]:
    """The components of a sum of unit vectors; none if it is none."""
    formula = as_formula(value)
    return [] if formula is None else list(map(as_value, components(formula, size)))


def with_parameter_of(gold: Value, prediction: Value) -> Value:
    """The prediction with the gold's parameter in place of its own: ``(1+t, 2t)`` for ``(1+s, 2s)``.

    Only for points, in which nothing else is unknown and two components or more depend on the parameter, and only if
    its names differ. Where a component of both is linear in it, the parameter may start and run otherwise:
    ``(3-s, 4-2s)`` is the same line.
    """
    if not (is_point(gold) and is_point(prediction)):
        return prediction
    known, found = _components(gold), _components(prediction)
    ours, theirs = _parameter(known), _parameter(found)
    if not (ours and theirs) or ours == theirs != OF_LINE:
        return prediction  # what both name alike may be a given quantity
    is_real = WHOLE_NUMBER_SYMBOLS.isdisjoint((ours.name, theirs.name))  # (2k, 4k) is no (k, 2k)
    if OF_LINE in (ours, theirs) and not is_real:
        return prediction
    pairs = zip(known.values(), found.values(), strict=False) if is_real else ()
    lines = ((one, line) for one, other in pairs if as_line(one, ours) and (line := as_line(other, theirs)))
    one, line = next(lines, (ours, None))
    meaning = one if line is None else quotient(difference(one, line[0]), line[1])
    return with_formulas(prediction, lambda formula: substituted(formula, {theirs: meaning}))


def _components(value: Bracketed | Unordered) -> dict[str, Formula]:
    """The formulas in the components of a point, by the names or places of these."""
    named = (
        item if isinstance(item, Named) else Named(str(place), item) for place, item in enumerate(by_name(value.items))
    )
    return {item.name: formula for item in named if (formula := as_formula(item.of)) is not None}


def _parameter(components: dict[str, Formula]) -> Formula | None:
    """The only symbol in the components of a point, in none of their names; ``None`` if there is none."""
    found = [name for formula in components.values() for name in symbols(formula)]
    is_one = len({*found}) == 1 < len(found) and found[0] in PARAMETERS and found[0] not in "".join(components)
    return Formula("symbol", found[0]) if is_one else None


def without_words(one: Value, other: Value) -> tuple[Value, Value]:
    """What both say, without their names if only one name is words that the other one may stand for: "area = 5" and
    ``S = 5``, but not "diameter = 5" and ``r = 5``; or if both are constants of solutions, as in ``xy = C``.
    """
    if not (isinstance(one, Named) and isinstance(other, Named)):
        return one, other
    is_solution = isinstance(one.of, Expression) and symbols(one.of.formula or ZERO) >= {"x", "y"}
    if is_solution and looks_arbitrary(one.name.upper()) and looks_arbitrary(other.name.upper()):
        return one.of, other.of
    worded, letter = (one, other) if NAME_IN_WORDS.fullmatch(one.name) else (other, one)
    if NAME_IN_WORDS.fullmatch(letter.name) or not NAME_IN_WORDS.fullmatch(worded.name):
        return one, other
    own = [letters for word, letters in LETTERS_OF_QUANTITIES.items() if worded.name.endswith(word)]
    known = " ".join(LETTERS_OF_QUANTITIES.values()).split()
    is_of_another = own and letter.name.strip() in known and letter.name.strip() not in own[0].split()
    return (one, other) if is_of_another else (one.of, other.of)


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
