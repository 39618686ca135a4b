"""How many of one unit another one is: an hour is 60 minutes, a metre per second 3.6 kilometres per hour.

Look here if two quantities with different units are judged wrongly. Only exact ratios are known. Scales of temperature
are not converted, because 20 °C is 68 °F, but a difference of 20 °C is one of 36 °F. Counted things are no units.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.reading.quantities.unit_table import SIZES, UnitSize

__all__ = ["ONE_DEGREE", "SAME", "Ratio", "is_measure", "is_rate_of", "may_mean", "ratio"]


class Ratio(NamedTuple):
    """``factor`` times a power of pi: how many of one unit another one is. Only angles have a power of pi."""

    factor: Fraction
    pi: int = 0


SAME = Ratio(Fraction(1))
ONE_DEGREE = Ratio(Fraction(1, 180), 1)  # in radians, which are plain numbers
# What a sign or a word may mean that leaves open which unit it is.
_MEANINGS = {
    "¥": ("yen", "yuan"),
    "pound": ("pound", "£"),
    "分": ("minute", "fen"),
    "cent": ("cent", "eurocent"),
    "penny": ("cent", "pence"),
}
_MONEY = frozenset("usd eur gbp jpy cny inr rub krw ¥".split())  # base units
# Units of the same kind whose ratio is not fixed: a year has 365 days or 366, and countries differ over the gallon.
_VARIES = {"month": "s", "floz": "m3"}


def is_measure(unit: str) -> bool:
    """Whether a unit is one of measure (``cm``), not the name of what is counted (``egg``)."""
    return all(name in SIZES for name, _ in _factors(unit))


def may_mean(unit: str, other: str) -> bool:
    """Whether two names may mean the same unit: ``¥`` is a yen or a yuan, a pound may be money, a wage hourly."""
    have_one = not set(_meanings(unit)).isdisjoint(_meanings(other))
    return have_one or any(
        is_rate_of(one, two) or _is_rate_without_money(one, two) for one, two in ((unit, other), (other, unit))
    )


def _is_rate_without_money(rate: str, of_money: str) -> bool:
    """Whether ``18 per week`` may stand for ``$18 per week``, or for ``$18`` where that is a wage."""
    per = [(name, power) for name, power in _factors(rate) if power < 0]
    of = [name for name, power in _factors(of_money) if power > 0 and name in SIZES]
    is_money = len(of) == 1 and SIZES[of[0]].powers[0][0] in _MONEY
    rest = [(name, power) for name, power in _factors(of_money) if power < 0]
    return is_money and len(per) == len(_factors(rate)) and rest in ([], per)


def _meanings(unit: str) -> tuple[str, ...]:
    return _MEANINGS.get(unit, (unit,))


def is_rate_of(unit: str, money: str) -> bool:
    """Whether a unit is money per something: of dollars per hour, only the dollars are often written."""
    if money not in SIZES or SIZES[money].powers[0][0] not in _MONEY:
        return False
    others = [power for name, power in _factors(unit) if name != money]
    return (money, 1) in _factors(unit) and bool(others) and all(power < 0 for power in others)


@lru_cache(maxsize=1_024)
def ratio(unit: str, other: str) -> Ratio | bool | None:
    """How many of ``other`` one ``unit`` is, for two units of measure.

    ``False`` if they measure different things; ``None`` if they measure the same, but the ratio is not known exactly.
    """
    if unit == other:
        return SAME
    found = [_fixed_ratio(one, two) for one in _meanings(unit) for two in _meanings(other)]
    return next((one for one in found if one), None if None in found else False)


def _fixed_ratio(unit: str, other: str) -> Ratio | bool | None:
    """``ratio`` for two units that each have one meaning."""
    one, two = _size(unit), _size(other)
    if one.powers != two.powers and _roughly(one) != _roughly(two):
        return False
    if one.factor is None or two.factor is None or one.powers != two.powers:
        return None
    return Ratio(one.factor / two.factor, _pi(unit) - _pi(other))


def _factors(unit: str) -> list[tuple[str, int]]:
    """The units in a product, each with its power: (meter, 1) and (second, -2) of ``meter*second^{-2}``."""
    split = [factor.partition("^") for factor in unit.split("*")]
    return [(name, int(power.strip("{}") or 1)) for name, _, power in split]


def _size(unit: str) -> UnitSize:
    """The size of a product of units of measure, without its power of pi."""
    total: Counter[str] = Counter()
    factor: Fraction | None = Fraction(1)
    for name, power in _factors(unit):
        size = SIZES[name]
        factor = None if factor is None or size.factor is None else factor * size.factor**power
        for base, times in size.powers:
            total[base] += times * power
    return UnitSize(factor, tuple(sorted((base, times) for base, times in total.items() if times and base != "pi")))


def _pi(unit: str) -> int:
    """The power of pi in the size of a product of units."""
    return sum(power * dict(SIZES[name].powers).get("pi", 0) for name, power in _factors(unit))


def _roughly(size: UnitSize) -> Counter[str]:
    """The powers of a size, where a month counts as a time and a fluid ounce as a volume."""
    total: Counter[str] = Counter()
    for base, times in size.powers:
        kind = _VARIES.get(base, base)
        total[kind.rstrip("3")] += times * (3 if kind.endswith("3") else 1)
    return total
