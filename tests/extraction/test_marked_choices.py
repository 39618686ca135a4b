"""Choices in a box, a tag or JSON, and what stands beside them."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

CITIES = ["Paris", "Rome", "Madrid", "Vienna"]
NUMBERS = ["12", "15", "18", "21"]
FORMULAS = ["$x^2$", "$2x$", "$x+1$", "$\\frac{x}{2}$"]
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_what_chooses_is_read(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_rewarded(text, gold, choices):
    assert_unpaid(text, gold, choices)
