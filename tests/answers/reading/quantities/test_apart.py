"""Letters that stand apart from a number: its unit beside an amount, a variable otherwise."""

from __future__ import annotations

import pytest

from grpo_rewards.answers import compare

# Letters that a space parts from a number may be a unit, beside a bare number or an amount.
APART = [
    ("3 h", r"3\text{ hours}"),
    ("50 EUR", "50"),
    (r"\$25 USD", "25"),
    ("25 dollars", "USD 25"),
    ("3.00 × 10^8 m/s", r"3\times10^8"),
    ("100 m^2", "100"),
    ("25 m/s", "25"),
    ("10 s", "10"),
    ("10 s", r"10\text{ seconds}"),
    ("5 N", r"5\text{ newtons}"),
    ("3 L", r"3\text{ liters}"),
    ("72 sq. units", "72"),
    ("18 years old", "18"),
    ("3 quarts", r"12\text{ cups}"),
    (r"\sqrt{2} m", r"\sqrt2"),
    (r"5\sqrt{3} cm", r"5\sqrt3"),
    (r"\frac{5}{2} h", "2.5"),
    ("10 kg", "10"),
    ("70 kPa", "70"),
    ("70 dB", "70"),
    ("440 Hz", "440"),
    ("2 MB", r"2\text{ megabytes}"),
    ("9.81 m s^{-2}", "9.81"),
    ("9.81 m/s²", "9.81"),
    ("120 km/h", "120"),
    ("30 mi/gal", r"30\text{ mpg}"),
    ("50 per cent", "50"),
    ("12.50 GBP", "£12.50"),
]
VARIABLES = [
    ("3 h", "3 min"),
    ("10 m", "10 s"),
    ("10 m", "11"),
    ("10 m", r"10\text{ cm}"),
    ("5 x", "5"),
    ("5 n", "5"),
    ("5 k", "5"),
    ("5 K", "5"),
    ("3 a", "3"),
    ("5 y", "5"),
    ("2 e", "2"),
    ("2 i", "2"),
    ("2 m", "2n"),
    ("5 m + 1", "5"),
    ("5 USD or 6 USD", "5"),
    ("1 year", "365 days"),
    ("1.5 hours", "105 minutes"),
    ("10 m", r"10\text{ kg}"),
    (r"\sqrt{2} m", r"\sqrt3"),
    ("5 d", "5"),
    ("5 c", "5"),
    ("5 p", "5"),
    ("5 t", "5"),
    ("5 r", "5"),
    ("5 b", "5"),
    ("5 w", "5"),
    ("5 v", "5"),
    ("5 j", "5"),
    ("5 C", "5"),
    ("5 F", "5"),
    ("5 T", "5"),
    ("5 M", "5"),
    ("5 B", "5"),
    ("5 ab", "5"),
    ("5 xy", "5"),
    ("5 mn", "5"),
    ("5 gh", "5"),
    ("5 pi", "5"),
    ("5 mod 7", "5"),
    ("5 log 2", "5"),
    ("5 ln", "5"),
    ("5 i + 2", "5"),
    ("5 m = 3", "5"),
    ("5 m - 2", "5"),
    ("5 m n", "5"),
    ("5 m x", "5"),
    ("5 m^2 + 3", "5"),
    ("5 s t", "5"),
    ("5 A B", "5"),
]


@pytest.mark.parametrize(("prediction", "answer"), APART)
def test_letters_apart_from_a_number_may_be_its_unit(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), VARIABLES)
def test_most_letters_are_variables(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
