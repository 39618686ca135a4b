"""Decides whether two values are equal, kind by kind: numbers, formulas, tuples, sets, equations and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from grpo_rewards.answers.comparing.forms import (
    as_fraction,
    as_measures,
    as_vectors,
    have_no_solution,
    in_proportion,
    in_unit_of,
    literally,
    with_parameter_of,
    without_name,
    without_percent,
    written_apart,
)
from grpo_rewards.answers.comparing.options import GradingOptions
from grpo_rewards.answers.formulas.exact import TooLarge
from grpo_rewards.answers.formulas.formula import (
    Formula,
    difference,
    has_endless_sum,
    has_power_of_i,
    has_symbols,
    number,
)
from grpo_rewards.answers.formulas.high_precision import (
    FLOAT_DIGITS,
    float_error,
    half_unit,
    is_near,
    terminates,
)
from grpo_rewards.answers.formulas.identity import same_relation, same_up_to_constants
from grpo_rewards.answers.reading.words import name_one_kind
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
    is_named,
    is_point,
    not_understood,
    shown,
    with_argument_of,
    without_indices,
)
from grpo_rewards.answers.values.sets import (
    INDEX_SYMBOL,
    LEAST,
    OTHER_INDICES,
    REALS,
    reindexed,
    same_numbers,
    with_index,
)

CLOSED_FORMS = ("factorial", "double factorial", "binom")
MATCHED_ITEMS = 60  # of a set; in a larger one the items are not matched
YES_OR_NO = frozenset("yes no true false".split())
UNEVALUATED = "unevaluated"
FLOAT_READING = "the answer is a float, which is known to so many digits only"
ROUNDED_READING = "one is a correct rounding of the other"
UNITS_OF_RATIOS = (None, "percent")
Decision = TypeVar("Decision")


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

    def __init__(self, options: GradingOptions, known: Mapping[tuple[str, str], bool | None]) -> None:
        self.options = options
        self.known = known
        self.undecided_pairs: dict[tuple[str, str], None] = {}
        self.too_large = False
        self.why = self.reading = ""

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
            return self._any((self.equal(gold.exact, prediction), self.equal(gold.decimal, prediction)))
        if isinstance(prediction, Approximated):
            found = [self.equal(gold, prediction.exact)]
            # "4.96 \\approx 5.0" does not answer 5; but a decimal gold may be the rounded value of a formula
            is_exact = isinstance(prediction.exact, Number) and terminates(prediction.exact.value)
            if isinstance(gold, Number) and gold.places is not None and not is_exact:
                found.append(self.equal(gold, prediction.decimal))
            return self._any(found)
        if have_no_solution(gold, prediction):
            return True
        prediction = with_parameter_of(gold, prediction)
        if len(kinds) == 1:
            return self._of_one_kind(gold, prediction)
        if isinstance(prediction, Relation) and prediction.total is not None and self.options.names == "optional":
            return self.equal(gold, prediction.total)  # "m + n = 6" answers 6
        if any(isinstance(one, Expression) and one.formula is None for one in (gold, prediction)):
            return None
        if gold == REALS and getattr(prediction, "spelled", "") == "R":
            return True
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
                if gold.opening == ":":
                    return self._items(in_proportion(gold.items), in_proportion(prediction.items))
                # the cases of a function may come in any order
                return self._items(gold.items, prediction.items, in_order=gold.opening != "cases")
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

    def _collections(self, gold: Unordered, prediction: Unordered) -> bool | None:
        """Whether two sets or lists hold the same; in their order, if only one of them names its items."""
        units = [{getattr(item, "unit", None) for item in side.items} for side in (gold, prediction)]
        items = (*gold.items, *prediction.items)
        # "3, 2" does not answer "2 apples, 3 oranges"; and yes and no are the answers to several questions
        in_order = {None} in units and max(map(len, units)) > 1
        in_order |= all(isinstance(one, Text) and one.spelled in YES_OR_NO for one in items)
        if are_named(gold) == are_named(prediction):
            return self._items(gold.items, prediction.items, in_order=in_order)
        if gold.braced or prediction.braced:
            return self.differ("a set has no order")
        if any(all(isinstance(item, Relation) for item in side.items) for side in (gold, prediction)):
            return self.differ("a point is no list of equations")
        return self._items(by_name(gold.items), by_name(prediction.items))  # "2, 1" is no "x = 1, y = 2"

    def _named(self, gold: Value, prediction: Value) -> bool | None:
        """Whether two values are equal if one or both have a name: ``x = 5`` and 5.

        Two names must be the same, unless both values are equal as equations: ``y = 2x`` and ``x = y/2``.
        """
        if isinstance(gold, Named) and isinstance(prediction, Named):
            is_one = not gold.others and is_named(prediction, gold.name)
            are_same = is_one or sorted(gold.names) == sorted(prediction.names)
            if not are_same and isinstance(gold.of, Named) != isinstance(prediction.of, Named):  # (1) a_n = 2n
                is_labelled = isinstance(gold.of, Named)
                return self.equal(gold.of, prediction) if is_labelled else self.equal(gold, prediction.of)
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
        of = families[0].of
        if len(families) == 1 and Bracketed in map(type, (of, *getattr(of, "items", ()))):
            return self.differ("whole numbers are no interval")
        if len(families) == 1 and self._guarded(same_numbers, of, as_expression(INDEX_SYMBOL)):
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
        return self._any(self.equal(one, reindexed(other, *index)) for index in OTHER_INDICES)

    def _relations(self, gold: Value, prediction: Value, otherwise: str = "the relations differ") -> bool | None:
        """Whether two equations or inequalities, or names with their values, say the same.

        Equations do if one is a multiple of the other, perhaps once denominators are cleared; of inequalities, the
        factor must be positive. ``otherwise`` is the reason to give if they do not.
        """
        one, other = _as_relation(gold, prediction), _as_relation(prediction, gold)
        if one is None or other is None or one.sign != other.sign:
            return self.differ(otherwise)
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
        if agree and found is not gold:
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
        if agree is False and isinstance(prediction, Number) and not has_symbols(one) and self._is_precise(prediction):
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
        if not error or has_symbols(formula) or not isinstance(prediction, Expression):
            return False
        if not self._guarded(is_near, formula, gold.value, error):
            return False
        is_in_digits = "." in prediction.spelled or isinstance(self._guarded(as_value, formula), Number)
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

    def _any(self, found: Iterable[bool | None]) -> bool | None:
        """``True`` if any of them is, else ``None`` if any is undecided, else ``False``."""
        found = list(found)
        return True if True in found else None if None in found else False

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
    return right == number(0) and [part.kind for part in left.args] == ["symbol", "number"]


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
