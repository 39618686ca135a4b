"""Units by their names, symbols and plurals, the size of each, and how many of one another one is."""

from fractions import Fraction

import pytest
from tables import each_row, tables_beside

from grpo_rewards.answers.reading.units import SIZES, SYMBOLS, Ratio, is_measure, known_unit, ratio

TABLES = tables_beside(__file__)


@each_row("word, unit", TABLES["a_unit_by_any_spelling_in_the_singular_and_plural"])
def test_a_unit_by_any_spelling_in_the_singular_and_plural(word: str, unit: str | None) -> None:
    assert known_unit(word) == unit


@each_row(
    "symbol, unit",
    [("mW", "milliwatt"), ("MW", "megawatt"), ("km", "kilometer"), ("GeV", "gigaelectronvolt"), ("mL", "milliliter")],
)
def test_capitals_matter_in_a_symbol(symbol: str, unit: str) -> None:
    assert SYMBOLS[symbol] == unit


@pytest.mark.parametrize("symbol", ["pm", "B"])
def test_what_more_often_means_something_else_is_no_symbol(symbol: str) -> None:
    assert symbol not in SYMBOLS


@each_row(
    "unit, factor, powers",
    [
        ("kilometer", 1000, (("m", 1),)),
        ("newton", 1000, (("g", 1), ("m", 1), ("s", -2))),
        ("inch", Fraction(254, 10_000), (("m", 1),)),  # exactly 2.54 cm, by definition
        ("lb", Fraction(45359237, 100_000), (("g", 1),)),  # exactly 0.45359237 kg, by definition
        ("ton", None, (("g", 1),)),  # metric, short or long
    ],
)
def test_the_size_of_a_unit_is_exact_or_unknown(unit: str, factor: object, powers: object) -> None:
    assert SIZES[unit] == (factor, powers)


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
    assert ratio("yuan", "¥") == ratio("¥", "yen") == Ratio(Fraction(1))
    assert ratio("yen", "yuan") is False
