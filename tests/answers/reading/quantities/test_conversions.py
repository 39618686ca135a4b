"""How many of one unit another one is, worked out from the definitions of both."""

from __future__ import annotations

from fractions import Fraction

from tables import each_row

from grpo_rewards.answers.reading.units import Ratio, is_measure, may_mean, ratio


@each_row(
    "unit, other, expected",
    [
        ("hour", "minute", Ratio(Fraction(60))),
        ("meter^{2}", "centimeter^{2}", Ratio(Fraction(10_000))),
        ("kilometer*hour^{-1}", "meter*second^{-1}", Ratio(Fraction(5, 18))),
        ("newton*kilogram^{-1}", "meter*second^{-2}", Ratio(Fraction(1))),
        ("degree", "radian", Ratio(Fraction(1, 180), 1)),
        ("revolution", "degree", Ratio(Fraction(360))),
        ("year", "month", Ratio(Fraction(12))),
        ("year", "day", None),  # 365 or 366
        ("gallon", "liter", None),  # American or British
        ("ton", "kilogram", None),
        ("gallon", "quart", Ratio(Fraction(4))),
        ("degreeC", "degreeF", False),  # 20 °C is 68 °F, but a difference of 20 °C is one of 36 °F
        ("dollar", "euro", False),
        ("hour", "meter", False),
        ("meter", "meter^{2}", False),
    ],
)
def test_the_ratio_of_two_units(unit: str, other: str, expected: object) -> None:
    assert ratio(unit, other) == expected


def test_counted_things_are_no_measure() -> None:
    assert is_measure("meter*second^{-2}")
    assert not is_measure("fresh egg")


def test_a_sign_may_mean_either_of_two_units() -> None:
    assert may_mean("yuan", "¥")
    assert may_mean("¥", "yen")
    assert not may_mean("yen", "yuan")
