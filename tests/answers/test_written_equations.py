"""The equations that a text writes out, whatever the layout; what cannot be told is left out."""

from tables import each_row, each_row_by_kind, tables_beside

from grpo_rewards.answers import equations
from grpo_rewards.checks import assert_linear

TABLES = tables_beside(__file__)
TRIVIAL = TABLES.pop("what_computes_nothing_is_left_out_while_it_is_true")
SUMS = TABLES.pop("what_only_looks_trivial_counts")
PIECES = TABLES.pop("pieces")
# (text, how many true equations it has, how many false ones); a text alone has none
TOLD = {kind: [[row, 0, 0] if isinstance(row, str) else row for row in rows] for kind, rows in TABLES.items()}


def _told(text):
    found = equations(text)
    return sum(one.is_true for one in found), sum(not one.is_true for one in found)


@each_row_by_kind("text, true, false", TOLD)
def test_how_many_equations_a_text_has(text, true, false):
    assert _told(text) == (true, false)


def test_many_equations_with_only_spaces_between_them():
    assert _told(" ".join(f"{n}+{n + 1}={2 * n + 1}" for n in range(1, 51))) == (50, 0)
    assert _told(" ".join(f"{n}+0={n}" for n in range(50)) + " and 3+4=8") == (0, 1)


@each_row("text", TRIVIAL)
def test_what_computes_nothing_is_left_out_while_it_is_true(text):
    assert equations(text) == []
    wrong = text.rpartition("=")[0] + "= 99"
    assert _told(wrong) == (0, 1)


@each_row("text", SUMS)
def test_what_only_looks_trivial_counts(text):
    assert _told(text) == (1, 0)


def test_spelled_otherwise_it_is_the_same_equation():
    assert _told("1+1=2, 1 + 1 = 2, 01+1=2, 1+1 =2") == (1, 0)


@each_row("piece", PIECES)
def test_equations_are_found_in_linear_time(piece):
    assert_linear(equations, lambda size: piece * (size // len(piece)), 100_000)
