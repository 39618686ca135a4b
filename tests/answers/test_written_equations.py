"""The equations that a text writes out, whatever the layout; what cannot be told is left out."""

import pytest
from growth import assert_linear

from grpo_rewards.answers import equations


def _told(text):
    found = equations(text)
    return sum(one.is_true for one in found), sum(not one.is_true for one in found)


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("2+2=5 (apples), 1+1=2", 1, 1),
        ("2+2=5 (wrong)", 0, 1),
        ("3 + 4 = 7 (apples)", 1, 0),
        ("(5 + 3 = 8)", 1, 0),
        ("[5 + 3 = 8]", 1, 0),
        ("(so 5 + 3 = 9)", 0, 1),
        ("1) 3 + 4 = 7", 1, 0),
        ("(2) 3 + 4 = 7", 1, 0),
        ("[2] 3 + 4 = 7", 1, 0),
        ("* 3 + 4 = 7", 1, 0),
        ("**3 + 4 = 7**", 1, 0),
        ("3 + 4 = **7**", 1, 0),
        ("2**3 = 8", 1, 0),
        (r"3 + 4 = \boxed{8}", 0, 1),
        (r"\boxed{3 + 4 = 7}", 1, 0),
        (r"3 \cdot 2^{2} = 13", 0, 1),
        (r"3 \cdot 2^{2} = 12", 1, 0),
        (r"10^{2} + 1 = 5", 0, 1),
        ("2^10 = 1024", 1, 0),
        ("5 cm^2 + 3 cm^2 = 8 cm^2", 1, 0),
        (r"5 \text{ cm}^2 + 3 \text{ cm}^2 = 8 \text{ cm}^2", 1, 0),
        ("-3 + 4 = 1", 1, 0),
        ("2 + 2 = 4 = 5", 1, 1),
        ("3 + 4 = 7 = 6", 1, 1),
        ("2 + 2 = 4 = 4", 1, 0),
        ("100 * 20% = 20%", 0, 1),
        ("1 + 1 = 2%", 0, 1),
        ("50% + 25% = 75%", 1, 0),
        ("5/20 * 100 = 25%", 1, 0),
        ("20% = 1/5", 1, 0),
        ("2 * 30 = 60 minutes = 1 hour", 1, 0),
    ],
)
def test_no_layout_hides_an_equation(text, true, false):
    assert _told(text) == (true, false)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(9 + 16) = 5",
        "√(9+16) = 5",
        "3 m * 4 m = 12 m^2",
        "- 3 + 4 = 7",
        "x_1 + 3 = 5",
        "x2 + 1 = 5",
        "a1 + 1 = 3",
        "Total - 5 + 2 = 10",
        "profit - 10 * 2 = 30",
        "g(2) + 1 = 5",
        "2 m + 1 = 5",
        "6 + 1 = 2m",
        "1/2 hour = 30 minutes",
        "12:30 - 1 = 11",
        "10:00 + 2 = 12",
        "1e3+1=1001",
        "2/3=0.6666...",
        "1/3 = 0.333...",
        r"1/3 = 0.333\ldots",
        "log 2 + 1 = 3",
        "5 = 5 = 5",
        "(2x + 3)(2 + 1) = 12",
    ],
)
def test_what_cannot_be_told_is_left_out(text):
    assert equations(text) == []


PIECES = ["1+", "(", ")", "5 a ", "1=1+0 ", "<<", " ", "**", "\\boxed{", "\\boxed{1}", "2 (", "1=(", "1,", "^{", "* "]


@pytest.mark.parametrize("piece", PIECES)
def test_equations_are_found_in_linear_time(piece):
    assert_linear(equations, lambda size: piece * (size // len(piece)), 100_000)
