"""A gold that is a float is known to 15 significant digits."""

import math
import random
from fractions import Fraction

import pytest
from tables import each_row

from grpo_rewards.answers import GradingOptions, compare
from grpo_rewards.answers.formulas.formula import float_error

FLOATS = [
    # gold, right, wrong
    (
        100 / 3,
        [r"\frac{100}{3}", "33.3333333333333", "33.333333333333336", "33.3333", r"33\frac13"],
        ["33.3334", "33.3"],
    ),
    (0.1 + 0.2, ["0.3", r"\frac{3}{10}", "0.30"], ["0.300001", "0.31"]),
    ("33.333333333333336", [r"\frac{100}{3}", r"33.\overline{3}"], ["33.3333333333335", r"\frac{1000001}{30000}"]),
    (1e-7 / 3, [r"\frac{1}{30000000}", "3.33333e-8", r"3.33333 \times 10^{-8}"], [r"3.33334 \times 10^{-8}"]),
    (1e20 / 3, [r"\frac{100000000000000000000}{3}", r"3.33333\times 10^{19}"], ["33333433333333333333"]),
    (2 / 3, ["0.666667", r"\frac46", "0.66666666666666666667"], ["0.666666", "0.67", r"-\frac23"]),
    (math.pi, [r"\pi", "3.14159", "3.14159265358979"], ["3.1416", r"\frac{355}{113}", r"\pi + 0.000001"]),
    ("3.14159265358979", [r"\pi", r"\frac{2\pi}{2}"], ["3.141593265", r"3.1 + \frac{\pi}{75.7}"]),
    (math.sqrt(2), [r"\sqrt2", r"\frac{2}{\sqrt2}"], [r"\sqrt{2.0}", r"\sqrt3"]),
    (3.75 * math.exp(1.8), ["22.6862"], [r"3.75 e^{1.8}"]),  # its decimals say that it is to be computed
    (1 / 3, [], [r"\frac{1}{6} + \frac16", r"3^{-1}"]),  # so does a sum of fractions
    ("33.333333333333336 cm", [r"\frac{100}{3}\text{ cm}", r"\frac13\text{ m}"], [r"33.4\text{ cm}"]),
    ("(0.3333333333333333, 0.2)", [r"(\frac13, \frac15)"], [r"(\frac13, 0.2000000001)"]),
    ("x = 0.3333333333333333", [r"\frac13"], [r"\frac38"]),
    ("0.12345678901234567890 x", [], ["0.1234567890123457 x"]),
    # known exactly: short, whole, of more digits than a float has, or no float at all
    (0.5, [r"\frac12"], ["0.500000000000001"]),
    (1234567890123456.0, ["1234567890123456"], ["1234567890123457"]),
    ("123456789012345678", [], ["123456789012345679", "123456789012345680"]),
    ("0.12345678901234567890", [], ["0.1234567890123457", "0.1234567890123456"]),
    ("0.12345678901234", ["0.12345678901234"], ["0.123457", "0.123456789012341"]),
    (7 / 6123, [r"\frac{7}{6123}"], [r"\frac{8}{6123}"]),  # has 14 digits, by chance
    (1e300, [r"10^{300}"], [r"10^{301}"]),
]


@each_row("gold, right, wrong", FLOATS)
def test_a_float_is_known_to_so_many_digits(gold, right, wrong):
    assert [one for one in right if compare(one, gold).outcome != "correct"] == []
    assert [one for one in wrong if compare(one, gold).outcome != "wrong"] == []


def test_floats_of_fractions_are_met_by_the_fraction_and_by_no_neighbour():
    draw = random.Random(28)
    for index in range(2_000):
        above, below = draw.randint(1, 10 ** draw.randint(1, 6)), draw.randint(2, 10 ** draw.randint(1, 5))
        gold = above / below
        right = (f"\\frac{{{above}}}{{{below}}}", f"{above}/{below}", f"{gold:.15g}", repr(gold))
        step = Fraction(10) ** (math.floor(math.log10(gold)) - 5)  # one in the 6th digit
        below_it, above_it = (Fraction(f"{gold:.15g}") + sign * step for sign in (-1, 1))
        wrong = (f"{float(below_it):.15g}", f"\\frac{{{above_it.numerator}}}{{{above_it.denominator}}}")
        answer = repr(gold) if index % 2 else gold
        wanted = {**dict.fromkeys(wrong, "wrong"), **dict.fromkeys(right, "correct")}
        assert {one: compare(one, answer).outcome for one in wanted} == wanted, answer


def test_a_float_with_a_percent_sign_is_known_as_well_where_the_sign_divides_by_a_hundred():
    options = GradingOptions(percent="fraction")
    assert compare(r"\frac13", f"{100 / 3}\\%", options).outcome == "correct"
    assert compare(r"\frac38", f"{100 / 3}\\%", options).outcome == "wrong"
    assert compare(r"\frac{1}{6} + \frac16", 1 / 3, GradingOptions(unevaluated=True)).outcome == "correct"


@pytest.mark.parametrize("value", ["1e400", "1e-400", "0", "-7", "0.1"])
def test_what_no_float_prints_in_so_many_digits_is_known_exactly(value):
    assert float_error(Fraction(value)) == 0
