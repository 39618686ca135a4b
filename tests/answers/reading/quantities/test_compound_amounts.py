"""Amounts in several units are one amount, and no list; what only looks like one is none."""

from __future__ import annotations

import pytest

from grpo_rewards.answers import compare

EQUAL = [
    (r"1\text{ hour } 30\text{ minutes}", r"90\text{ minutes}"),
    ("1 hour and 30 minutes", r"1.5 \text{ hours}"),
    ("1 h 30 min", "90 min"),
    (r"6\text{ feet } 2\text{ inches}", r"74\text{ inches}"),
    ("5 lb 8 oz", r"5.5\text{ lb}"),
    ("2 years 6 months", r"2.5\text{ years}"),
    (r"30^\circ 15'", r"30.25^\circ"),
    ("2.5 hrs", r"2\text{ h } 30\text{ min}"),
    (r"2\text{ hr }30\text{ min}", r"150\text{ min}"),
    (r"3\text{ min }20\text{ sec}", r"200\text{ s}"),
    ("1 day 6 hours", "30 hours"),
    ("5 yards 2 feet", "17 feet"),
    ("2 kg 300 g", "2.3 kg"),
    (r"2\text{ kg }300\text{ g}", r"2300\text{ g}"),
    ("1 m 75 cm", "1.75 m"),
    (r"1\text{ pound }4\text{ ounces}", r"20\text{ ounces}"),
]
NOT_EQUAL = [
    (r"1\text{ hour } 30\text{ minutes}", r"1.3\text{ hours}"),
    ("1 hour 30 minutes", "130 minutes"),
    (r"6\text{ feet } 2\text{ inches}", r"6.2\text{ feet}"),
    ("3 cm 4 cm", "7 cm"),
    (r"3\text{ hours } 90\text{ minutes}", r"4.5\text{ hours}"),
    (r"5\text{ hours } 3\text{ meters}", "5"),
    (r"2\text{ hr }30\text{ min}", r"2.3\text{ hr}"),
    ("1 day 6 hours", "1.6 days"),
    ("2 kg 300 g", "2.03 kg"),
    ("1 m 75 cm", "1.075 m"),
    ("5 yards 2 feet", "5.2 yards"),
    ("5 ft 14 in", "74 in"),
]


@pytest.mark.parametrize(("prediction", "answer"), EQUAL)
def test_several_units_are_one_amount(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), NOT_EQUAL)
def test_they_are_no_decimals_and_no_lists(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
