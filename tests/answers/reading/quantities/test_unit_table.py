"""Units by their names, symbols and plurals, and the size of each."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tables import each_row, tables_beside

from grpo_rewards.answers.reading.units import SIZES, SYMBOLS, known_unit

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


@pytest.mark.parametrize("symbol", ["pm", "B", "M"])
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
