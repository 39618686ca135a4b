"""A short completion that states the text or value of one option and announces nothing."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

GASES = ["Oxygen", "Nitrogen", "Argon", "Helium"]
ROOTS = ["$\\sqrt{2}$", "$\\sqrt{3}$", "$2\\sqrt{2}$", "$\\sqrt{6}$"]
RENTS = ["$1,200", "$1,325", "$1,450", "$1,580"]
HEPATITIS = ["Hepatitis E", "Hepatitis D", "Hepatitis C", "Hepatitis B", "Hepatitis A"]
SHARES = ["12%", "15%", "18%", "20%"]
HEATS = ["2.4 kJ", "4.8 kJ", "9.6 kJ"]
SPEEDS_UP = ["2 m/s²", "4 m/s²", "6 m/s²"]
PRICES = ["A price floor", "A price ceiling", "A subsidy"]
DRUGS = ["Glipizide", "Metformin", "Insulin glargine"]
STATED = TABLES["stated"]
NOT_STATED = TABLES["not_stated"]


@each_row("text, gold, choices", STATED)
def test_a_stated_option_is_chosen(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", NOT_STATED)
def test_speaking_of_an_option_does_not_choose_it(text, gold, choices):
    assert_unpaid(text, gold, choices)
