"""When two values are equal: kind by kind, exactly where that can be done."""

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

# A decimal with so many significant digits is a float that was written out, not an exact number.
FLOAT_DIGITS = 15
ITEMS = 40  # of sets whose items are matched one with another
HUNDREDTH = number(Fraction(1, 100))
Quantity: TypeAlias = Number | Expression
Decision = TypeVar("Decision", bool, int)


class Equality:
    """Compares a gold with a prediction.

    Attributes:
        left: pairs of formulas, gold first, that only a symbolic comparison can tell, after a comparison that was
            undecided; what ``known`` says of them is believed.
        too_large: whether something was refused.
        why: what made the two differ, where that can be said.
    """

    def __init__(self, taste: Taste, known: Mapping[tuple[str, str], bool | None]) -> None:
        self.taste = taste
        self.known = known
        self.left: dict[tuple[str, str], None] = {}
        self.too_large = False
        self.why = ""

    def equal(self, gold: Value, prediction: Value) -> bool | None:
        """Whether a prediction equals the gold; ``None`` where that is undecided."""
        if type(gold) is Number and type(prediction) is Number:  # nearly always
            return self._quantities(gold, prediction)
        if isinstance(gold, Named) or isinstance(prediction, Named):
            return self._named(gold, prediction)
        if isinstance(gold, Approximated):
            return self._any((self.equal(gold.exact, prediction), self.equal(gold.decimal, prediction)))
        if isinstance(prediction, Approximated):
            found = [self.equal(gold, prediction.exact)]
            # 4.96 \\approx 5.0 is no 5; but a decimal gold may be what a formula comes to
            is_exact = isinstance(prediction.exact, Number) and terminates(prediction.exact.value)
            if isinstance(gold, Number) and gold.places is not None and not is_exact:
                found.append(self.equal(gold, prediction.decimal))
            return self._any(found)
        if isinstance(gold, Number | Expression) and isinstance(prediction, Number | Expression):
            return True if gold == prediction else self._quantities(gold, prediction)
        if type(gold) is type(prediction) or {type(gold), type(prediction)} == {Unordered, Union}:
            return True if gold == prediction else self._of_one_kind(gold, prediction)
        if isinstance(prediction, Relation) and prediction.total is not None and self.taste.names == "optional":
            return self.equal(gold, prediction.total)  # m + n = 6, where 6 is asked for
        if any(isinstance(one, Expression) and one.formula is None for one in (gold, prediction)):
            return None
        if {type(gold), type(prediction)} == {Bracketed, Unordered} and is_point(gold) and is_point(prediction):
            return self._in_order(by_name(gold.items), by_name(prediction.items))  # (1, 2) and x = 1, y = 2
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
                return self._in_order(by_name(gold.items), by_name(prediction.items))  # x = 1, y = 2 is no 2, 1
            return self._in_any_order(gold.items, prediction.items)
        if isinstance(gold, Matrix) and isinstance(prediction, Matrix):
            if list(map(len, gold.rows)) != list(map(len, prediction.rows)):
                return self._differ("the shapes differ")
            return self._in_order(_flat(gold), _flat(prediction))
        if isinstance(gold, Relation) and isinstance(prediction, Relation):
            return self._relations(gold, prediction)
        return self._differ("spelled differently")

    def _named(self, gold: Value, prediction: Value) -> bool | None:
        """``x = 5`` and 5; two names must be the same, or two equations say the same."""
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
        """Equations are the same if one is a multiple of the other; an inequality must keep its direction."""
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
        """Whether two units may stand for one another; ``None`` where that is not known."""
        if gold == prediction or self.taste.units == "ignored":
            return True
        if gold is None or prediction is None:
            missing = self.taste.units == "required" and gold is not None
            return self._differ("the unit is missing") if missing else True
        if {gold, prediction} in ({"degree", "degreeC"}, {"degree", "degreeF"}):
            return True
        # of two units of measure it is known that they differ; of other words ("eggs", "fresh eggs") it is not
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
        return quantity.value / 100 if self._is_fraction(quantity) else quantity.value

    def _is_fraction(self, quantity: Quantity) -> bool:
        return quantity.unit == "percent" and self.taste.percent == "fraction"

    def _formula(self, quantity: Quantity) -> Formula | None:
        if isinstance(quantity, Number):
            return number(self._worth(quantity))
        formula = quantity.formula
        return product((formula, HUNDREDTH)) if formula is not None and self._is_fraction(quantity) else formula

    def _is_precise(self, decimal: Number) -> bool:
        """Whether a decimal has the digits that a rounding must have."""
        digits = self.taste.rounding_digits
        return digits is not None and _digits(decimal) >= digits

    def _symbolic(self, gold: Quantity, prediction: Quantity) -> bool | None:
        """What is known of a pair that needs symbolic algebra; a pair that is mathematics on both sides is left."""
        if isinstance(gold, Number) and not self.taste.unevaluated:
            return self._differ("unevaluated") if _is_mathematics(prediction) else None
        if not (_is_mathematics(gold) and _is_mathematics(prediction)):
            return None
        pair = _latex(gold), _latex(prediction)
        if pair not in self.known:
            self.left[pair] = None
        return self.known.get(pair)

    def _in_order(self, gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
        if len(gold) != len(prediction):
            return self._differ(f"{len(prediction)} items are not {len(gold)}")
        found = [self.equal(one, other) for one, other in zip(gold, prediction, strict=True)]
        return False if False in found else None if None in found else True

    def _in_any_order(self, gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
        """A matching of the items; undecided where an item could only be matched symbolically."""
        if len(gold) != len(prediction):
            return self._differ(f"{len(prediction)} items are not {len(gold)}")
        rest, others = _without_common(gold, prediction)
        if len(rest) > ITEMS:
            self.too_large = True
            return None
        table = [[self.equal(one, other) for other in others] for one in rest]
        self.why = ""
        # An item of either side that equals nothing on the other decides.
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
        found = list(found)
        return True if True in found else None if None in found else False

    def _guarded(self, decide: Callable[[], Decision | None]) -> Decision | None:
        try:
            return decide()
        except TooLarge:
            self.too_large = True
            return None

    def _differ(self, why: str) -> bool:
        self.why = why
        return False


def _kind(value: Value) -> str:
    """How a message calls a kind of value."""
    name = "set" if isinstance(value, Unordered) else type(value).__name__.casefold()
    if isinstance(value, Bracketed):
        name = "interval" if (value.opening, value.closing) != ("(", ")") else "tuple or interval"
    return f"an {name}" if name[0] in "aeiou" and name != "union" else f"a {name}"


def _without_common(gold: Sequence[Value], prediction: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """The items of each side that the other does not have in the same spelling."""
    ours, theirs = Counter(gold), Counter(prediction)
    return list((ours - theirs).elements()), list((theirs - ours).elements())


def _flat(matrix: Matrix) -> list[Value]:
    return [item for row in matrix.rows for item in row]


def _as_relation(value: Value) -> Relation | None:
    """``y = 2x`` as an equation like any other; ``None`` for what is none."""
    if isinstance(value, Relation):
        return value
    if not isinstance(value, Named) or value.symbol is None or not isinstance(value.of, Number | Expression):
        return None
    right = as_formula(value.of)
    # y = 5 is not x = 5, nor is 2x = 10; but \\cos x = 1/2 is 2\\cos x = 1
    if right is None or not (has_symbols(right) or value.symbol.kind == "call"):
        return None
    return Relation("=", difference(value.symbol, right))


def _is_mathematics(quantity: Quantity) -> bool:
    return isinstance(quantity, Number) or quantity.formula is not None or quantity.symbolic


def _latex(quantity: Quantity) -> str:
    if isinstance(quantity, Expression):
        return quantity.spelled
    return f"\\frac{{{quantity.value.numerator}}}{{{quantity.value.denominator}}}"


def _is_measure(unit: str) -> bool:
    """Whether a unit is one of measure, not what is counted."""
    names = [factor.partition("^")[0] for factor in unit.split("*")]
    return all(known_unit(name) is not None or name in NAMES or name.startswith("degree") for name in names)


def _digits(decimal: Number) -> int:
    """The significant digits of a decimal; 0 for a number that is written otherwise."""
    return 0 if decimal.places is None else significant_digits(decimal.value, decimal.places)
