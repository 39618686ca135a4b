"""The equations that a text writes out, whatever the layout; what cannot be told is left out."""

import pytest

from grpo_rewards.answers import equations
from grpo_rewards.testing import assert_linear


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


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("1+1=2 2+2=4", 2, 0),
        ("1+1=2\t2+2=4", 2, 0),
        ("1+1=2 2+2=5 3+3=6", 2, 1),
        ("1+1=2,2+2=4;3+3=6", 3, 0),
        ("1 + 1 = 2 -3 + 5 = 2", 2, 0),
        ("1+1=2 (3+4)=7", 2, 0),
        ("1+1=2 $3+4=7$ $4+4=9$", 2, 1),
        ("5/2 = 2 1/2 = 2.5", 2, 0),
        ("5 * 300 = 1 500", 1, 0),
        ("1 000 + 500 = 1 500", 1, 0),
        ("1+1=2 100+100=200", 2, 0),
        (" ".join(f"{n}+{n + 1}={2 * n + 1}" for n in range(1, 51)), 50, 0),
        (" ".join(f"{n}+0={n}" for n in range(50)) + " and 3+4=8", 0, 1),
        ("5/2=2,5", 0, 0),
        ("2,5+2,5=5,0", 0, 0),
    ],
)
def test_spaces_part_equations(text, true, false):
    assert _told(text) == (true, false)


@pytest.mark.parametrize(
    "text",
    [
        *("0+0=0", "7/1=7", "7 + 0 = 7", "0 + 7 = 7", "7 - 0 = 7", "7*1=7", "1 * 7 = 7", "7 * 0 = 0", "0/7 = 0"),
        *("0 - 0 = 0", "2+3=3+2", "2 * 3 = 3 * 2", "7+0+0-0=7", "1*1*7=7", "(7)*1=7", r"\frac{7}{1} = 7", "7^1 = 7"),
        *("1^9 = 1", "7 + 0.0 = 7", "7 + 00 = 7", "7 × 1 = 7", "7.0 / 1.0 = 7.0", "1 + 0 = 1", "5% + 0% = 5%"),
    ],
)
def test_what_computes_nothing_is_left_out_while_it_is_true(text):
    assert equations(text) == []
    wrong = text.rpartition("=")[0] + "= 99"
    assert _told(wrong) == (0, 1)


@pytest.mark.parametrize("text", ["5 - 5 = 0", "7/7 = 1", "1 + 1 = 2", "10 + 0.5 = 10.5", "10 * 10 = 100", "20/10 = 2"])
def test_what_only_looks_trivial_counts(text):
    assert _told(text) == (1, 0)


def test_spelled_otherwise_it_is_the_same_equation():
    assert _told("1+1=2, 1 + 1 = 2, 01+1=2, 1+1 =2") == (1, 0)


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("２＋２＝４，３×３＝１０。", 1, 1),
        ("٢ + ٢ = ٤ و ٢ + ٣ = ٦", 1, 1),
        ("每天3个，7天共3×7=22个。", 0, 1),
        ("3个×7=21个，共5+6=11只", 2, 0),
        ("2+3的平方=11", 0, 0),
        ("りんごは3個×4=12個です", 1, 0),
        ("사과는 3개 × 4 = 12개입니다", 1, 0),
        ("Всего 3 яблока * 4 = 13 яблок", 0, 1),
        ("Das sind 3 Äpfel + 4 Äpfel = 7 Äpfel", 1, 0),
        ("4 hours * 15 km/h = 60 km", 1, 0),
        ("16 eggs/day * 7 = 112 eggs", 1, 0),
        ("€5 + €3 = €9", 0, 1),
        ("2³ = 8 and 2² = 5", 1, 1),
        ("5! = 120", 1, 0),
        ("I say 3 + 4 = 7!", 1, 0),
        ("4!=5", 0, 0),
        ("2 + 2 ≠ 5, 2 + 2 != 5", 0, 0),
        (r"\begin{aligned} 2+3 &= 5 \\ &= 10/2 \\ 3+3 &= 7 \end{aligned}", 1, 1),
        (r"1{,}200 + 300 = 1{,}500", 1, 0),
        (r"1,\!200 + 300 = 1,\!600", 0, 1),
        (r"1+1=2 \quad 2+2=5", 1, 1),
        ("x + 1 = 3, 2π + 1 = 7, 2 + 1 = 3π", 0, 0),
        ("12:30 - 1 = 11:30", 0, 0),
        ("5 + (-3) = 2, 5 - (-3) = 8, 5 - 8 = -3", 3, 0),
    ],
)
def test_arithmetic_in_other_scripts_and_spellings(text, true, false):
    assert _told(text) == (true, false)


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (r"\[2+2=5\\3+3=7\\1+1=2\]", 1, 2),
        (r"\begin{align} 3+4&=7\\ 5+6&=11\\ 1+1&=3 \end{align}", 2, 1),
        (r"\begin{align*}3+4&=7\\[2pt]5+6&=12\end{align*}", 1, 1),
        (r"1+1=2\\*2+2=5\newline 3+3=6\\ [0.5em] 4+4=9", 2, 2),
        ("1+1=2\\\\\n2+2=5\\\\\n", 1, 1),
        (r"\begin{array}{rl}1+1&=2\\2+2&=5\end{array}", 1, 1),
        (r"2+2=5\quad 3+3=6\qquad\text{and }4+4=8\tag{1}", 2, 1),
        (r"2+2=5\implies 1+1=2\Rightarrow 3+3=6", 2, 1),
        (r"100 &= 90 + 5 \\ &+ 5", 1, 0),  # the sum goes on behind the break
        (r"100 - 5 \\ - 3 &= 92", 1, 0),
        (r"1+1=2\\-3+5=3", 1, 1),  # here a negative number begins an equation
        (r"2+3 &= 4+\\ 1", 1, 0),
        (r"1 + 1 = 2\pi", 0, 0),
        (r"2 + 2 = 5\sqrt{2}", 0, 0),
        (r"3 \\cdot 4 + 1 = 12", 0, 0),  # a backslash that was escaped twice
        (r"1\\,200 + 300 = 1\\,500", 0, 0),
        (r"\\(2+2=5\\)", 0, 1),
        (r"\frac12+\frac12=1", 1, 0),
        (r"\dfrac12 + \frac 1 4 = \frac3{4}, \frac{1}2 + 1 = 2", 1, 1),
        (r"\frac12+\frac13=\frac25", 0, 1),
        (r"\frac123 + 1 = 2", 0, 0),
        (r"\frac1x + 1 = 2", 0, 0),
    ],
)
def test_latex_breaks_lines_and_writes_short_fractions(text, true, false):
    assert _told(text) == (true, false)


@pytest.mark.parametrize(
    "text",
    [
        "9 + 5 = 2 (mod 12)",
        "7 + 8 = 3 mod 12",
        "7 + 8 = 3, mod 12.",
        r"$9 + 5 = 2 \pmod{12}$ and $7+8=3\;(\bmod\;12)$",
        r"9 + 5 = 2 \quad (\text{mod } 12)",
        r"9+5=2\ (\mathrm{mod}\ 12)",
        r"9 + 5 = 2 \mod 12",
        r"9 + 5 = 2\quad\text{(mod 12)}",
        "9 + 5 = 2 modulo 12",
        "9+5=2, 7+8=3 (mod 12)",
        "Modulo 12, 9 + 5 = 2, so 7 + 8 = 3.",
        "mod 12: 9 + 5 = 2; 7+8=3",
        "Working modulo 12:\n9 + 5 = 2\n7 + 8 = 3\n",
        "2 + 3 = 17 mod 12",
        "5 + 9 = 2 in Z/12Z",
        r"5 + 9 = 2 in $\mathbb{Z}_{12}$",
        "9 + 5 = 2 on a 12-hour clock",
        "17 / 5 = 3 (integer division)",
        "17 / 5 = 3 by integer division",
        "With integer division, 17 / 5 = 3.",
        "17 / 5 = 3 (rounded down)",
        "17 / 5 = 4 when rounded up",
        "in base 2, 1+1=10",
        "In binary, 1 + 1 = 10 and 11+1=100.",
        "1 + 1 = 10 in base 2",
        "1 + 1 = 10 (base 2)",
        "7 + 1 = 10 (octal)",
        "在二进制中，1+1=10",
        "(7 + 8) % 12 + 1 = 4",
        "17 div 5 + 1 = 4",
    ],
)
def test_what_is_said_of_another_arithmetic_is_left_out(text):
    assert equations(text) == []


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("3 + 4 = 8, and 17 mod 5 = 2", 0, 1),
        ("17 mod 5 = 2, 3 + 4 = 8", 0, 1),
        ("9 + 5 = 2 (mod 12). 3 + 4 = 8.", 0, 1),
        ("9 + 5 = 2 (mod 12), so 3 + 4 = 8", 0, 1),
        ("In base 2, 1+1=10. In base ten 3 + 4 = 8.", 0, 1),
        ("Modulo 12, 9 + 5 = 2.\n3 + 4 = 8", 0, 1),
        ("Working modulo 12:\n9 + 5 = 2\n\n3 + 4 = 8", 0, 1),
        ("3 + 4 = 8 in the model", 0, 1),
        ("The base is 2 + 3 = 6 cm long", 0, 1),
        ("The base of 2 m and 2 + 3 = 6", 0, 1),
        ("17 / 5 = 3 integers", 0, 1),
        ("3 + 4 = 8 in decimal", 0, 1),
        ("17 / 5 = 3.4 rounded up is 4, 3 + 4 = 8", 1, 1),
        ("3 + 4 = 7, 10 / 3 = 3", 1, 1),
        ("10 / 3 = 3.33 (rounded), 10 / 3 = 3.34", 1, 1),
        ("9 + 5 = 14 = 2 (mod 12)", 1, 0),
        ("50 % + 20 % = 70 %", 0, 0),
    ],
)
def test_other_arithmetic_does_not_hide_what_stands_beside_it(text, true, false):
    assert _told(text) == (true, false)


PIECES = [
    "\\\\",
    "1\\\\[",
    "1 mod ",
    "1=1 (mod 2) ",
    "in base 2 ",
    "$$$$$1 base",
    "mod 2:\n",
    "1 + 1 = 1 \\ ",
    "\\frac1",
    "1+",
    "(",
    ")",
    "5 a ",
    "1=1+0 ",
    "<<",
    " ",
    "**",
    "\\boxed{",
    "\\boxed{1}",
    "2 (",
    "1=(",
    "1,",
    "^{",
    "* ",
    "1+1=2 ",
    "1=1\n",
    "1 ",
    "a=",
    "1!=",
    "3个",
    "1 -",
    "9^9=",
]


@pytest.mark.parametrize("piece", PIECES)
def test_equations_are_found_in_linear_time(piece):
    assert_linear(equations, lambda size: piece * (size // len(piece)), 100_000)
