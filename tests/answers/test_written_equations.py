"""The equations that a text writes out, whatever the layout; what cannot be told is left out."""

from tables import each_row, tables_beside

from grpo_rewards.answers import equations
from grpo_rewards.checks import assert_linear

TABLES = tables_beside(__file__)


def _told(text):
    found = equations(text)
    return sum(one.is_true for one in found), sum(not one.is_true for one in found)


@each_row("text, true, false", TABLES["no_layout_hides_an_equation"])
def test_no_layout_hides_an_equation(text, true, false):
    assert _told(text) == (true, false)


@each_row("text", TABLES["what_cannot_be_told_is_left_out"])
def test_what_cannot_be_reported_is_left_out(text):
    assert equations(text) == []


@each_row(
    "text, true, false",
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


@each_row(
    "text",
    [
        *("0+0=0", "7/1=7", "7 + 0 = 7", "0 + 7 = 7", "7 - 0 = 7", "7*1=7", "1 * 7 = 7", "7 * 0 = 0", "0/7 = 0"),
        *("0 - 0 = 0", "2+3=3+2", "2 * 3 = 3 * 2", "7+0+0-0=7", "1*1*7=7", "(7)*1=7", r"\frac{7}{1} = 7", "7^1 = 7"),
        *("1^9 = 1", "7 + 0.0 = 7", "7 + 00 = 7", "7 × 1 = 7", "7.0 / 1.0 = 7.0", "1 + 0 = 1", "5% + 0% = 5%"),
        # what only undoes itself
        *("3-3+5=5", "7 - 7 = 0", "7/7 = 1", "5+3-3=5", "3+5-3 = 5", "-3+3+5=5", "5*2/2 = 5", "6/3*3=6", "4*3/4 = 3"),
        *(
            "(3-3)+5=5",
            "5*(2/2) = 5",
            "10-10+7-7 = 0",
            "3*5-5*3=0",
            "0.5 + 2 - 0.50 = 2",
            r"\frac{6}{2} - \frac{6}{2} = 0",
        ),
        *(
            "20% - 20% = 0",
            "3 * 1/3 = 1",
            "5!/5! = 1",
            "2^3/2^3 = 1",
            "3*(4+5) = 3*4 + 3*5",
            "1 + 1 - 1 = 1",
            "$7 - $7 = $0",
        ),
    ],
)
def test_what_computes_nothing_is_left_out_while_it_is_true(text):
    assert equations(text) == []
    wrong = text.rpartition("=")[0] + "= 99"
    assert _told(wrong) == (0, 1)


@each_row(
    "text",
    [
        *(
            "1 + 1 = 2",
            "10 + 0.5 = 10.5",
            "10 * 10 = 100",
            "20/10 = 2",
            "12-5-7 = 0",
            "2*3-6=0",
            "5+5-10=0",
            "5 - 3 - 2 = 0",
        ),
        *(
            "10-3-3+3=7",
            "7-7+3*4=12",
            "2*2 = 2+2",
            "6-3=3",
            "8/4=2",
            "9-8=1",
            "5+5+5 = 3*5",
            "5 * 0.2 = 1",
            "0.25*4 = 1",
        ),
        *("5! = 120", "2^3 = 8", r"\frac{1}{2} + \frac{1}{2} = 1", "50% = 100/200", "3*(4+5) = 27"),
    ],
)
def test_what_only_looks_trivial_counts(text):
    assert _told(text) == (1, 0)


def test_spelled_otherwise_it_is_the_same_equation():
    assert _told("1+1=2, 1 + 1 = 2, 01+1=2, 1+1 =2") == (1, 0)


@each_row("text, true, false", TABLES["arithmetic_in_other_scripts_and_spellings"])
def test_arithmetic_in_other_scripts_and_spellings(text, true, false):
    assert _told(text) == (true, false)


@each_row("text, true, false", TABLES["latex_breaks_lines_and_writes_short_fractions"])
def test_latex_breaks_lines_and_writes_short_fractions(text, true, false):
    assert _told(text) == (true, false)


@each_row("text", TABLES["what_is_said_of_another_arithmetic_is_left_out"])
def test_what_is_stated_of_another_arithmetic_is_left_out(text):
    assert equations(text) == []


@each_row("text, true, false", TABLES["other_arithmetic_does_not_hide_what_stands_beside_it"])
def test_other_arithmetic_does_not_hide_what_stands_beside_it(text, true, false):
    assert _told(text) == (true, false)


@each_row("text, true, false", TABLES["each_equation_is_denied_or_has_a_remainder_for_itself"])
def test_each_equation_is_denied_or_has_a_remainder_for_itself(text, true, false):
    assert _told(text) == (true, false)


PIECES = TABLES["pieces"]


@each_row("piece", PIECES)
def test_equations_are_found_in_linear_time(piece):
    assert_linear(equations, lambda size: piece * (size // len(piece)), 100_000)
