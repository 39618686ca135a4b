"""Decides whether two values are equal, kind by kind: numbers, formulas, tuples, sets, equations and so on.

Throughout, "gold" is the value of the answer, and ``None`` means undecided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from grpo_rewards.answers.comparing.options import Taste
from grpo_rewards.answers.formulas.budget import TooLarge
from grpo_rewards.answers.formulas.formula import Formula, difference, has_symbols, number, product
from grpo_rewards.answers.formulas.identity import proportional, same
from grpo_rewards.answers.formulas.rounding import is_rounding, rounds, significant_digits, terminates
from grpo_rewards.answers.reading.measures import NAMES
from grpo_rewards.answers.reading.units import known_unit
from grpo_rewards.answers.values.kinds import (
    Approximated,
    Bracketed,
    Expression,
    Matrix,
    Named,
    Number,
    Relation,
    Union,
    Unordered,
    Value,
    are_named,
    are_points,
    as_formula,
    by_name,
    is_point,
)

__all__ = ["Equality"]

FLOAT_DIGITS = 15  # a decimal with so many significant digits is a float that was printed, not an exact number
MATCHED_ITEMS = 40  # of a set; in a larger one the items are not matched
HUNDREDTH = number(Fraction(1, 100))
Quantity: TypeAlias = Number | Expression
Decision = TypeVar("Decision", bool, int)


class Equality:
    """Compares one gold with one prediction.

    Args:
        taste: what is a matter of taste.
        known: what a symbolic comparison found earlier: (gold, prediction), both LaTeX, to whether they are equal.

    Attributes:
        undecided_pairs: the pairs (gold, prediction) of LaTeX that only a symbolic comparison can decide, and that
            ``known`` does not have. A dict for its order; the values mean nothing.
        too_large: whether something was not computed because it was too large.
        why: what made the two differ, in a few words; ``""`` if that cannot be said.
    """

    def __init__(self, taste: Taste, known: Mapping[tuple[str, str], bool | None]) -> None:
        self.taste = taste
        self.known = known
        self.undecided_pairs: dict[tuple[str, str], None] = {}
        self.too_large = False
        self.why = ""

    def equal(self, gold: Value, prediction: Value) -> bool | None:
        """Whether a prediction equals the gold; ``None`` if undecided."""
        if type(gold) is Number and type(prediction) is Number:  # nearly always
            return self._quantities(gold, prediction)
        if isinstance(gold, Named) or isinstance(prediction, Named):
            return self._named(gold, prediction)
        if isinstance(gold, Approximated):
            return self._any((self.equal(gold.exact, prediction), self.equal(gold.decimal, prediction)))
        if isinstance(prediction, Approximated):
            found = [self.equal(gold, prediction.exact)]
            # "4.96 \\approx 5.0" does not answer 5; but a decimal gold may be the rounded value of a formula
            is_exact = isinstance(prediction.exact, Number) and terminates(prediction.exact.value)
            if isinstance(gold, Number) and gold.places is not None and not is_exact:
                found.append(self.equal(gold, prediction.decimal))
            return self._any(found)
        if isinstance(gold, Number | Expression) and isinstance(prediction, Number | Expression):
            return True if gold == prediction else self._quantities(gold, prediction)
        if type(gold) is type(prediction) or {type(gold), type(prediction)} == {Unordered, Union}:
            return True if gold == prediction else self._of_one_kind(gold, prediction)
        if isinstance(prediction, Relation) and prediction.total is not None and self.taste.names == "optional":
            return self.equal(gold, prediction.total)  # "m + n = 6" answers 6
        if any(isinstance(one, Expression) and one.formula is None for one in (gold, prediction)):
            return None
        if {type(gold), type(prediction)} == {Bracketed, Unordered} and is_point(gold) and is_point(prediction):
            return self._in_order(by_name(gold.items), by_name(prediction.items))  # "x = 1, y = 2" answers (1, 2)
        return self._differ(f"{_kind(prediction)} is not {_kind(gold)}")

    def _of_one_kind(self, gold: Value, prediction: Value) -> bool | None:
        if isinstance(gold, Bracketed) and isinstance(prediction, Bracketed):
            if (gold.opening, gold.closing) != (prediction.opening, prediction.closing):
                return self._differ("the brackets differ")
            return self._in_order(gold.items, prediction.items)
        if isinstance(gold, Unordered | Union) and isinstance(prediction, Unordered | Union):
            if isinstance(gold, Union) != isinstance(prediction, Union) and are_points(
                (*gold.items, *prediction.items)
            ):
                return self._differ("points are no intervals")
            if are_named(gold) != are_named(prediction):
                if any(isinstance(one, Unordered) and one.braced for one in (gold, prediction)):
                    return self._differ("a set has no order")
                # "2, 1" does not answer "x = 1, y = 2"
                return self._in_order(by_name(gold.items), by_name(prediction.items))
            return self._in_any_order(gold.items, prediction.items)
        if isinstance(gold, Matrix) and isinstance(prediction, Matrix):
            if list(map(len, gold.rows)) != list(map(len, prediction.rows)):
                return self._differ("the shapes differ")
            return self._in_order(_flat(gold), _flat(prediction))
        if isinstance(gold, Relation) and isinstance(prediction, Relation):
            return self._relations(gold, prediction)
        return self._differ("spelled differently")

    def _named(self, gold: Value, prediction: Value) -> bool | None:
        """Whether two values are equal if one or both have a name: ``x = 5`` and 5.

        Two names must be the same, unless both values are equal as equations: ``y = 2x`` and ``x = y/2``.
        """
        if isinstance(gold, Named) and isinstance(prediction, Named):
            if gold.name == prediction.name:
                return self.equal(gold.of, prediction.of)
            return self._relations(_as_relation(gold), _as_relation(prediction), otherwise="the names differ")
        if isinstance(gold, Relation) or isinstance(prediction, Relation):
            return self._relations(_as_relation(gold), _as_relation(prediction))
        if self.taste.names == "required":
            return self._differ("a name is missing" if isinstance(gold, Named) else "a name too many")
        return self.equal(
            gold.of if isinstance(gold, Named) else gold, prediction.of if isinstance(prediction, Named) else prediction
        )

    def _relations(self, gold: Relation | None, prediction: Relation | None, otherwise: str = "") -> bool | None:
        """Whether two equations or inequalities say the same.

        Equations do if one is a multiple of the other; of inequalities, the factor must be positive. ``otherwise`` is
        the reason to give if they do not.
        """
        if gold is None or prediction is None:
            return self._differ(otherwise or "the relations differ")
        if gold.sign != prediction.sign:
            return self._differ("the relations differ")
        sign = self._guarded(lambda: proportional(gold.difference, prediction.difference))
        if sign is None:
            return None
        if sign > 0 or (sign < 0 and gold.sign in ("=", "\\ne")):
            return True
        return self._differ(otherwise or "the relations differ")

    def _quantities(self, gold: Quantity, prediction: Quantity) -> bool | None:
        units = self._units(gold.unit, prediction.unit)
        if units is not True:
            return units
        if isinstance(gold, Number) and isinstance(prediction, Number):
            return self._numbers(gold, prediction)
        one, other = self._formula(gold), self._formula(prediction)
        if one is None or other is None:
            return self._symbolic(gold, prediction)
        if isinstance(gold, Number) and not self.taste.unevaluated:
            return self._differ("the prediction is not a number" if has_symbols(other) else "unevaluated")
        agree: bool | None = self._guarded(lambda: same(one, other))
        if agree is False and isinstance(prediction, Number) and not has_symbols(one) and self._is_precise(prediction):
            agree = self._guarded(lambda: is_rounding(one, prediction.value, prediction.places or 0))
        return self._differ("the values differ") if agree is False else agree

    def _units(self, gold: str | None, prediction: str | None) -> bool | None:
        """Whether two units may stand for each other; ``None`` if undecided."""
        if gold == prediction or self.taste.units == "ignored":
            return True
        if gold is None or prediction is None:
            missing = self.taste.units == "required" and gold is not None
            return self._differ("the unit is missing") if missing else True
        if {gold, prediction} in ({"degree", "degreeC"}, {"degree", "degreeF"}):
            return True
        # two units of measure surely differ; other words ("eggs", "fresh eggs") may mean the same
        return self._differ("the units differ") if _is_measure(gold) and _is_measure(prediction) else None

    def _numbers(self, gold: Number, prediction: Number) -> bool:
        exact, said = self._worth(gold), self._worth(prediction)
        if exact == said:
            return True
        if self._is_precise(prediction):
            rounded = not terminates(exact) and rounds(said, prediction.places or 0, exact)
        else:
            is_float = _digits(gold) >= FLOAT_DIGITS and not terminates(said)
            rounded = is_float and rounds(exact, gold.places or 0, said)
        return rounded or self._differ("the values differ")

    def _worth(self, quantity: Number) -> Fraction:
        """The value of a number; 10 % is 10 or 0.1, depending on ``taste``."""
        return quantity.value / 100 if self._is_fraction(quantity) else quantity.value

    def _is_fraction(self, quantity: Quantity) -> bool:
        return quantity.unit == "percent" and self.taste.percent == "fraction"

    def _formula(self, quantity: Quantity) -> Formula | None:
        """A number or expression as a formula; ``None`` if it cannot be computed here."""
        if isinstance(quantity, Number):
            return number(self._worth(quantity))
        formula = quantity.formula
        return product((formula, HUNDREDTH)) if formula is not None and self._is_fraction(quantity) else formula

    def _is_precise(self, decimal: Number) -> bool:
        """Whether a decimal has as many significant digits as a rounding must have."""
        digits = self.taste.rounding_digits
        return digits is not None and _digits(decimal) >= digits

    def _symbolic(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """Whether a pair that needs symbolic algebra is equal, if ``known`` says so; ``None`` if undecided.

        A pair that is not in ``known`` yet is added to ``undecided_pairs``, if both sides are mathematics.
        """
        if isinstance(gold, Number) and not self.taste.unevaluated:
            return self._differ("unevaluated") if _is_mathematics(prediction) else None
        if not (_is_mathematics(gold) and _is_mathematics(prediction)):
            return None
        pair = _latex(gold), _latex(prediction)
        if pair not in self.known:
            self.undecided_pairs[pair] = None
        return self.known.get(pair)

    def _in_order(self, gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
        if len(gold) != len(prediction):
            return self._differ(f"{len(prediction)} items are not {len(gold)}")
        found = [self.equal(one, other) for one, other in zip(gold, prediction, strict=True)]
        return False if False in found else None if None in found else True

    def _in_any_order(self, gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
        """Whether the items can be matched in pairs; ``None`` if that depends on a pair that is undecided."""
        if len(gold) != len(prediction):
            return self._differ(f"{len(prediction)} items are not {len(gold)}")
        rest, others = _without_common(gold, prediction)
        if len(rest) > MATCHED_ITEMS:
            self.too_large = True
            return None
        table = [[self.equal(one, other) for other in others] for one in rest]
        self.why = ""
        # If one item differs from all on the other side, so do the two sides.
        if any(all(cell is False for cell in line) for line in (*table, *zip(*table, strict=True))):
            return self._differ("an item differs")
        free = set(range(len(others)))
        for line in table:
            match = next((index for index in free if line[index]), None)
            if match is None:
                undecided = any(None in line for line in table)
                return None if undecided else self._differ("an item differs")
            free.remove(match)
        return True

    def _any(self, found: Iterable[bool | None]) -> bool | None:
        """``True`` if any of them is, else ``None`` if any is undecided, else ``False``."""
        found = list(found)
        return True if True in found else None if None in found else False

    def _guarded(self, decide: Callable[[], Decision | None]) -> Decision | None:
        """What ``decide`` returns. If it is too large to be computed, ``None``, and ``too_large`` is set."""
        try:
            return decide()
        except TooLarge:
            self.too_large = True
            return None

    def _differ(self, why: str) -> bool:
        """``False``, after noting ``why``."""
        self.why = why
        return False


def _kind(value: Value) -> str:
    """The name of a value's kind, with its article, for a message: ``"a set"``."""
    name = "set" if isinstance(value, Unordered) else type(value).__name__.casefold()
    if isinstance(value, Bracketed):
        name = "interval" if (value.opening, value.closing) != ("(", ")") else "tuple or interval"
    return f"an {name}" if name[0] in "aeiou" and name != "union" else f"a {name}"


def _without_common(gold: Sequence[Value], prediction: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """The items of each side without those that occur on both sides in the same spelling."""
    ours, theirs = Counter(gold), Counter(prediction)
    return list((ours - theirs).elements()), list((theirs - ours).elements())


def _flat(matrix: Matrix) -> list[Value]:
    return [item for row in matrix.rows for item in row]


def _as_relation(value: Value) -> Relation | None:
    """A value as an equation or inequality: ``y = 2x``, which names y, is ``y - 2x = 0``; ``None`` if it is neither."""
    if isinstance(value, Relation):
        return value
    if not isinstance(value, Named) or value.symbol is None or not isinstance(value.of, Number | Expression):
        return None
    right = as_formula(value.of)
    # "y = 5" only names 5; 2x = 10 does not equal "x = 5". But "\\cos x = 1/2" equals 2\\cos x = 1.
    if right is None or not (has_symbols(right) or value.symbol.kind == "call"):
        return None
    return Relation("=", difference(value.symbol, right))


def _is_mathematics(quantity: Quantity) -> bool:
    """Whether computer algebra can read a quantity."""
    return isinstance(quantity, Number) or quantity.formula is not None or quantity.symbolic


def _latex(quantity: Quantity) -> str:
    if isinstance(quantity, Expression):
        return quantity.spelled
    return f"\\frac{{{quantity.value.numerator}}}{{{quantity.value.denominator}}}"


def _is_measure(unit: str) -> bool:
    """Whether a unit is one of measure (``cm``), not the name of what is counted (``eggs``)."""
    names = [factor.partition("^")[0] for factor in unit.split("*")]
    return all(known_unit(name) is not None or name in NAMES or name.startswith("degree") for name in names)


def _digits(decimal: Number) -> int:
    """How many significant digits a decimal has; 0 for a number that is not written as a decimal."""
    return 0 if decimal.places is None else significant_digits(decimal.value, decimal.places)
