"""When two answers are the same. The verdicts are what a mathematics teacher would say; each row names a class."""

from decimal import Decimal
from fractions import Fraction

import pytest

from grpo_rewards.answers import compare

EQUAL = [
    # spelling
    (r"\frac12", r"\frac{1}{2}"),
    (r"\dfrac34", r"\tfrac{3}{4}"),
    (r"\sqrt2", r"\sqrt{2}"),
    (r"\left(1, 2\right)", "(1,2)"),
    (r"\displaystyle 284", "284"),
    ("$6 - 5i$", "6-5i"),
    (r"{243 \over 625}", r"\frac{243}{625}"),
    ("72.", "72"),
    (" 72 \n", "72"),
    (r"\text{0.264}", "0.264"),
    (r"\textbf{18.0}", "18"),
    (r"\mathbf{2220}", "2220"),
    (r"a \leq 1", "a ≤ 1"),
    (r"A \bigcup B", r"A \cup B"),
    # unicode
    ("½", "0.5"),
    ("√15", r"\sqrt{15}"),
    ("π", r"\pi"),
    ("−50", "-50"),
    ("7\u200b2", "72"),
    ("７２", "72"),
    ("x²", "x^2"),
    # integers, decimals, fractions
    ("05", "5"),
    ("+5", "5"),
    ("9.00", "9"),
    (".3888", r"\frac{243}{625}"),
    ("243/625", r"\frac{243}{625}"),
    (r"\frac{486}{1250}", r"\frac{243}{625}"),
    (r"\frac{-32}{9}", r"-\frac{32}{9}"),
    (r"\frac{32}{-9}", r"-\frac{32}{9}"),
    (r"1\frac{1}{2}", "3/2"),
    ("1 1/2", "1.5"),
    (r"0.\overline{3}", r"\frac13"),
    (r"0.1\overline{6}", r"\frac16"),
    # a repeating gold accepts a correct rounding to six significant digits or more
    ("0.333333", r"\frac13"),
    ("0.6666667", r"\frac23"),
    ("266.6667", r"\frac{800}{3}"),
    # thousands
    ("1,000", "1000"),
    (r"28{,}800", "28800"),
    ("28{,} 800", "28800"),
    (r"2\text{ thousand dollars}", "2000"),
    (r"2,\!107", "2107"),
    (r"2\,220", "2220"),
    (r"11,\! 111,\! 111,\! 100", "11111111100"),
    ("28,800.00", "28800"),
    # scientific
    ("3e8", r"3 \times 10^8"),
    (r"9.35 \cdot 10^{5}", "935000"),
    ("5E-3", "0.005"),
    (r"6.63 \times 10^{-34}", r"6.63\times10^{-34}"),
    # units, money, percent, degrees
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
    # tuples, sets, lists, intervals
    ("(15,-29)", "(15, -29)"),
    ("(0.6, 8/3]", r"\left(\frac{3}{5},\frac{8}{3}\right]"),
    (r"\{2,1\}", r"\{1, 2\}"),
    (r"\{1, 1.0, 2\}", r"\{1,2\}"),
    ("7500, 2500", "2500,7500"),
    (r"2500 \text{ and } 7500", "2500, 7500"),
    ("7500 or 2500", "2500, 7500"),
    (r"\{2500, 7500\}", "2500,7500"),
    (r"\pm 5", "-5, 5"),
    (r"(2,\infty) \cup (-\infty,-4)", r"(-\infty,-4)\cup(2,+\infty)"),
    ("(5)", "5"),
    # named
    ("x = 5", "5"),
    ("5", "x=5"),
    (r"\theta = 30^\circ", "30"),
    (r"x \in (1, 2]", "(1,2]"),
    # letters, words, times, bases
    ("C.", "C"),
    (r"\text{(B)}", "B"),
    ("(B)", r"\textbf{B}"),
    ("ellipse", r"\text{Ellipse.}"),
    (r"\text{4:30 p.m.}", r"4:30 \text{ p.m.}"),
    ("4:30 PM", r"4:30 \text{ p.m.}"),
    ("52_{8}", "52_8"),
    (r"2^{100000}", r"2^{100000}"),
    (r"\infty", r"+\infty"),
]

DIFFERENT = [
    ("180 - (40 + 40)", "180"),  # a difference of numbers, not of sets
    ("5 - (3)", "5"),
    ("5", "6"),
    ("-5", "5"),
    (r"\pm 5", "5"),
    ("5 or 6", "5"),
    ("5, 6", "5"),
    ("5;6", "5"),
    ("5,5,5", "5"),
    ("5.7", "5"),
    ("57", "5"),
    ("4.9999999", "5"),
    ("0.3333", r"\frac13"),  # four digits only
    ("0.666666", r"\frac23"),  # cut off, not rounded
    ("100.0000004", "100"),
    ("0.0000002", "0.0000001"),
    ("10^{-7}", "0.0"),
    ("12345678901234567891", "12345678901234567890"),
    (r"10\%", "0.1"),
    ("0.5", "50"),
    ("5 cm", r"5 \text{ inches}"),
    ("18 ft^2", r"18 \text{ ft}^3"),
    ("1 1/2", "11/2"),
    (r"\frac{625}{243}", r"\frac{243}{625}"),
    ("9.35e6", "9.35e5"),
    ("2516_9", "2516_8"),
    ("(1,2)", r"\{1,2\}"),
    ("(1,2)", "[1,2]"),
    ("(2,1)", "(1,2)"),
    ("(1,2,3)", "(1,2)"),
    ("(1)", "(1,2)"),
    (r"\{1\}", r"\{1,2\}"),
    (r"(-\infty,-4)", r"(-\infty,-4) \cup (2,\infty)"),
    ("y=5", "x=5"),
    ("x=5,y=6", "5"),
    (r"\text{east}", "5"),
    (r"\text{seat}", r"\text{east}"),
    (r"\text{not ellipse}", r"\text{ellipse}"),
    ("A", "B"),
    ("C, A", "C"),
    ("2100", "2, 100"),  # a space behind the comma makes a list
    ("1234567", "1, 234, 567"),
    ("1:00", "12:00"),
    (r"-\infty", r"\infty"),
    ("", "5"),
    ("...", "5"),
    (r"\ldots", "5"),
    (r"\text{}", r"\text{Evelyn}"),
    (r"\frac{1}", "1"),
]

UNDECIDED = [
    (r"5\text{ hundredths}", "5"),
    (r"5 \text{ is wrong}", "5"),
    ("7 (not 5)", "5"),
    (r"7 \boxed{5}", "5"),
    ("18 eggs", "18 fresh eggs"),
    (r"\not=72", "72"),
    (r"\text{The answer is not } 5", "5"),
]

# Words behind a number that make it another one, or take it back, are no units.
NOT_A_UNIT = (
    "thousand dollars,hundreds,dozen,lakh,bn,squared,cubed,factorial,pi,root two,inverse,octal,base eight,halves,seven,"
    "doubled,negative,below zero,incorrect,never,at most,or so,plus one,hundredths"
).split(",")

TOO_LARGE = [
    "9^{9^{9}}",
    "9^{9^9}",
    "9^{9^{9^{x}}}",
    "9" * 5000,
    "2^{100001}",
    "500!",
    "5!!!!!",
    "1^{9^{9^9}}",
    "(" * 3000 + "5" + ")" * 3000,
]


@pytest.mark.parametrize(("prediction", "answer"), EQUAL)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert compare(prediction, answer).outcome == "correct"
    if "." not in prediction:  # a decimal stands for a repeating gold, not the other way round
        assert compare(answer, prediction).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), DIFFERENT)
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert compare(prediction, answer).outcome == "wrong"


@pytest.mark.parametrize(("prediction", "answer"), UNDECIDED)
def test_what_is_no_mathematics_is_left_undecided_and_never_paid(prediction, answer):
    assert compare(prediction, answer).outcome == "not_compared"


@pytest.mark.parametrize("form", [r"72\text{{ {}}}", "72 {}"])
@pytest.mark.parametrize("words", NOT_A_UNIT)
def test_words_that_change_a_number_are_no_units(words, form):
    assert compare(form.format(words), "72").outcome != "correct"


@pytest.mark.parametrize("prediction", TOO_LARGE)
def test_what_must_not_be_evaluated_is_refused(prediction):
    assert compare(prediction, "5").outcome == "too_large"


@pytest.mark.parametrize(
    "answer",
    [r"\frac12", r"$\frac12$", r"\boxed{\frac12}", r"\(\frac12\)", "so it is 1/2\n#### 1/2", 0.5, "0.5", "$$.5$$"],
)
def test_a_gold_means_the_same_in_every_form(answer):
    assert compare(r"\frac{1}{2}", answer).outcome == "correct"
    assert compare(r"\frac{1}{3}", answer).outcome == "wrong"


@pytest.mark.parametrize("answer", [72, 72.0, "72", "#### 72", "$72$"])
def test_whole_numbers_arrive_as_any_type(answer):
    assert compare("72", answer).outcome == "correct"


@pytest.mark.parametrize(
    "answer",
    ["", "  ", None, True, [5], {"a": 1}, float("nan"), float("inf"), "nan", r"\frac{1}{", "####", "...", r"\text{}"],
)
def test_a_gold_that_cannot_be_read_is_the_rows_fault(answer):
    assert compare("5", answer).outcome == "bad_answer"


HEDGED = [
    r"\text{it cannot be } 5",
    r"\text{can't be } 5",
    r"\text{I doubt it is } 5",
    r"\text{previous answer: }5",
    r"\text{nearly equals }5",
    r"\text{the opposite is }5",
    r"\text{can't}=5",
    r"5\text{ k}",
    r"5\text{ tens}",
    r"5\text{ quadrillion}",
    r"5\text{ theta}",
    r"5\text{ probably}",
    r"5\text{ excluded}",
    r"5\text{ omitted}",
    r"5\text{ if } x > 0",
    r"\gcd(12,16)=5",
    "4 & 5",
]


@pytest.mark.parametrize("prediction", HEDGED)
def test_words_that_hedge_are_no_announcement_and_no_unit(prediction):
    assert compare(prediction, "5").outcome != "correct"
    assert compare(prediction, "45").outcome != "correct"


@pytest.mark.parametrize(
    "prediction",
    [
        r"(C) \text{ is wrong}",
        r"(C) 5 \text{ or B}",
        r"\text{C) or E)}",
        r"(C)\ \text{option D}",
        r"\text{C) } 5 \text{ or D) } 6",
        r"C. \text{ I don't know}",
        "(C)(b)",
        "C, D",
    ],
)
def test_a_choice_with_another_one_is_no_choice(prediction):
    assert compare(prediction, "C").outcome != "correct"


@pytest.mark.parametrize("name", ["not equal to", "wrong", "six", "maybe"])
def test_words_that_take_an_answer_back_are_no_name_for_it(name):
    assert compare(rf"\text{{{name}}} = 5", "5").outcome != "correct"


@pytest.mark.parametrize("answer", [Decimal("sNaN"), Decimal("Infinity"), Fraction(10**2000, 3)])
def test_numbers_that_are_none_are_the_rows_fault(answer):
    assert compare("5", answer).outcome == "bad_answer"


@pytest.mark.parametrize("answer", [Decimal("0.50"), Fraction(1, 2)])
def test_exact_numbers_are_golds(answer):
    assert compare(r"\frac12", answer).outcome == "correct"


def test_the_comparison_says_which_step_decided_and_what_it_read():
    found = compare(r"\dfrac12", "0.5")
    assert (found.step, found.prediction, found.answer) == ("value", r"\frac{1}{2}", "0.5")
    assert compare("72", "72").step == "string"
    assert compare(r"\dfrac12", r"\frac12").step == "spelling"
