"""What number an answer comes to: a fraction exactly, any other to 30 places; what is no real number comes to none."""

from fractions import Fraction

from tables import each_row

from grpo_rewards.answers.arithmetic import amount
from grpo_rewards.answers.values.kinds import Number

ROOT_OF_2 = Fraction("1.414213562373095048801688724210")  # of 1.41421356237309504880168872420969807…, rounded
PI = Fraction("3.141592653589793238462643383280")  # of 3.14159265358979323846264338327950288…, rounded


@each_row(
    "text, expected",
    [
        # the values are counted by hand; the places are the digits that are written behind the point
        ("7", Number(Fraction(7))),
        ("1,000.50", Number(Fraction(2001, 2), places=2)),
        (r"10\%", Number(Fraction(10), "percent")),
        (r"5 \text{ cm}", Number(Fraction(5), "centimeter")),
        ("x = 5", Number(Fraction(5))),
        (r"\frac{1}{3} \approx 0.33", Number(Fraction(1, 3))),
        ("2^{10}", Number(Fraction(1024))),
        (r"\sqrt{16} + \binom{4}{2}", Number(Fraction(10))),
        ("10^{31}", Number(Fraction(10**31))),
        (r"\sqrt{2}", Number(ROOT_OF_2)),
        (r"-\pi", Number(-PI)),
        ("+".join(["1"] * 200), Number(Fraction(200))),
    ],
)
def test_what_an_answer_comes_to(text: str, expected: Number) -> None:
    assert amount(text) == expected


@each_row(
    "text",
    [
        *("", "x", "x + 1", "(1, 2)", "fivefold", r"\frac{1", r"\frac{1}{0}", r"\sqrt{-1}", "i^2 + i", "9^{9^{9}}"),
        "1+" * 2500 + "1",  # of 5,001 characters
        r"e^{10^9}",  # of more digits than are written out
    ],
)
def test_what_comes_to_no_real_number_is_none(text: str) -> None:
    assert amount(text) is None
