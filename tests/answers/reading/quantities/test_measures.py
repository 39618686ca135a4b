"""Units of measure, money, percent and degrees: the same in any spelling, optional, and never another one."""

import pytest
from answer_pairs import assert_different, assert_different_by_value, assert_equal, assert_equal_both_ways, rows

UNITS = [
    (r"10\text{ cm}", "10"),
    ("10 meters", r"10 \text{ m}"),
    (r"10\ \mathrm{m}", "10"),
    ("18 eggs", "18"),
    (r"210\ \text{ways}", "210"),
    ("864", r"864 \mbox{ inches}^2"),
    ("864 inches^2", r"864 \mbox{ inches}^2"),
    (r"\$36", "36 dollars"),
    ("$1,000.50", "1000.5"),
    ("10%", r"10\%"),
    (r"10\text{ percent}", "10"),
    ("80°", r"80^\circ"),
    (r"120\text{ degrees}", r"120^{\circ}"),
    (r"5 \text{ million}", "5,000,000"),
]
OTHER_UNITS = [
    ("5 cm", r"5 \text{ inches}"),
    ("18 ft^2", r"18 \text{ ft}^3"),
]
EQUAL = {
    "units and money": [
        (r"5\pi\text{ cm}^2", r"5\pi"),
        (r"\$5\sqrt{2}", r"5\sqrt2"),
        ("12 km per hour", "12 km/h"),
        (r"2x^\circ", "2x"),
        (r"9.8\text{ m/s}^2", r"9.8 \mathrm{m}\,\mathrm{s}^{-2}"),
        ("9.8 m/s^2", r"9.8\frac{\text{m}}{\text{s}^2}"),
        ("5 mph", "5 miles per hour"),
        (r"5 \text{ square feet}", r"5\text{ ft}^2"),
        (r"5\text{ sq. ft}", "5 ft^2"),
        ("5 km", r"5\text{ kilometres}"),
        (r"5\text{ kWh}", "5"),
        (r"5\ \Omega", "5"),
        (r"5\text{ kg m}^{-3}", "5"),
        (r"5 (\text{cm})", "5"),
        (r"5\text{ degrees Celsius}", "5"),
        (r"9.8\text{ m s}^{-2}", r"9.8\text{ m/s}^2"),
        (r"10\text{ lbs}", r"10\text{ pounds}"),
        (r"10 \text{ units}^2", r"10\text{ square units}"),
        (r"20\text{ degrees Celsius}", r"20^\circ\text{C}"),
        ("1.5mg", r"\frac{3mg}{2}"),
    ],
}
DIFFERENT = {
    "units that differ": [
        (r"5\text{ kg}", r"5\text{ g}"),
        (r"5\text{ m/s}", r"5\text{ s/m}"),
        ("5 km/h", "5 mph"),
        (r"5\text{ ms}", r"5\text{ m}"),
        ("5m^2", "5"),
        (r"5\text{ MW}", r"5\text{ mW}"),
        (r"5\text{ units}^3", r"5\text{ square units}"),
        ("2", "2mg"),
        ("4", "4m/n"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), UNITS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), OTHER_UNITS)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
