"""The kinds of answers that are compared exactly, and when two of one kind are equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from grpo_rewards.answers.units import is_known_unit

__all__ = [
    "Based",
    "Bracketed",
    "Expression",
    "Infinity",
    "Named",
    "Number",
    "Text",
    "Union",
    "Unordered",
    "Value",
    "equal",
]

# A decimal stands for a repeating gold if it is rounded correctly to at least so many significant digits.
SIGNIFICANT_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number. ``places``: digits behind the point of a decimal, ``None`` for other spellings."""

    value: Fraction
    unit: str | None = None
    places: int | None = None


@dataclass(frozen=True, slots=True)
class Infinity:
    sign: int


@dataclass(frozen=True, slots=True)
class Based:
    """A numeral in a base: ``2516_8``."""

    digits: str
    base: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words, a choice letter, a time or a ratio: equal if spelled alike."""

    spelled: str


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A tuple or an interval, with its delimiters: ``(1, 2)`` may be either, ``[1, 2)`` is an interval."""

    opening: str
    items: tuple[Value, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Unordered:
    r"""A set, or a list of several answers; ``\pm 5`` is one of two."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Union:
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value that was given a name: ``x = 5``, ``x \\in (1, 2)``."""

    name: str
    of: Value


@dataclass(frozen=True, slots=True)
class Expression:
    """Anything else; equal if spelled alike, else only a symbolic comparison can tell."""

    spelled: str


Value: TypeAlias = Number | Infinity | Based | Text | Bracketed | Unordered | Union | Named | Expression


def equal(gold: Value, prediction: Value) -> bool | None:
    """Whether a prediction equals the gold; ``None`` where that cannot be decided exactly."""
    if isinstance(gold, Named) and isinstance(prediction, Named):
        return equal(gold.of, prediction.of) if gold.name == prediction.name else _equal_named(gold, prediction)
    if isinstance(gold, Named) or isinstance(prediction, Named):
        return equal(
            gold.of if isinstance(gold, Named) else gold, prediction.of if isinstance(prediction, Named) else prediction
        )
    if isinstance(gold, Expression) or isinstance(prediction, Expression):
        return True if gold == prediction else None
    if type(gold) is not type(prediction):
        return False
    if isinstance(gold, Number) and isinstance(prediction, Number):
        return _equal_numbers(gold, prediction)
    if isinstance(gold, Bracketed) and isinstance(prediction, Bracketed):
        if (gold.opening, gold.closing) != (prediction.opening, prediction.closing):
            return False
        return _equal_in_order(gold.items, prediction.items)
    if isinstance(gold, Unordered | Union) and isinstance(prediction, Unordered | Union):
        return _equal_in_any_order(gold.items, prediction.items)
    return gold == prediction


def _equal_named(gold: Named, prediction: Named) -> bool | None:
    """Of two names: never equal, unless the right sides are expressions, as in ``N = n`` and ``n = N``."""
    return None if isinstance(gold.of, Expression) or isinstance(prediction.of, Expression) else False


def _equal_numbers(gold: Number, prediction: Number) -> bool | None:
    if gold.unit is not None and prediction.unit is not None and gold.unit != prediction.unit:
        # of two units of measure it is known that they differ; of other words ("eggs", "fresh eggs") it is not
        return False if is_known_unit(gold.unit) and is_known_unit(prediction.unit) else None
    if gold.value == prediction.value:
        return True
    return prediction.places is not None and not _terminates(gold.value) and _is_rounding_of(gold.value, prediction)


def _is_rounding_of(exact: Fraction, decimal: Number) -> bool:
    assert decimal.places is not None
    significant = len(str(abs(decimal.value.numerator * 10**decimal.places // decimal.value.denominator)))
    return significant >= SIGNIFICANT_DIGITS and abs(exact - decimal.value) * 2 * 10**decimal.places <= 1


def _terminates(value: Fraction) -> bool:
    """Whether the decimal expansion ends: the denominator divides a power of ten."""
    denominator = value.denominator
    return pow(10, denominator.bit_length(), denominator) == 0


def _equal_in_order(gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
    if len(gold) != len(prediction):
        return False
    return _all(equal(one, other) for one, other in zip(gold, prediction, strict=True))


def _equal_in_any_order(gold: Sequence[Value], prediction: Sequence[Value]) -> bool | None:
    """A matching of the items; undecided where an item could only be matched symbolically."""
    if len(gold) != len(prediction):
        return False
    table = [[equal(one, other) for other in prediction] for one in gold]
    # An item of either side that equals nothing on the other decides; both ways, so that the comparison is symmetric.
    if any(all(cell is False for cell in line) for line in (*table, *zip(*table, strict=True))):
        return False
    free = set(range(len(prediction)))
    for line in table:
        match = next((index for index in free if line[index]), None)
        if match is None:
            return None if any(None in line for line in table) else False
        free.remove(match)
    return True


def _all(results: Iterable[bool | None]) -> bool | None:
    found = list(results)
    if False in found:
        return False
    return None if None in found else True
