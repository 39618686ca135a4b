"""Rows by genre: law, medicine, code, arithmetic, chat, tables, other languages, data formats."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

TORTS = ["Negligence", "Battery", "Assault", "Trespass"]
DIAGNOSES = ["Acute pancreatitis", "Appendicitis", "Cholecystitis", "Peptic ulcer"]
PRINTED = ["[1, 2, 3]", "[3, 2, 1]", "TypeError", "None"]
PRODUCTS = ["36", "42", "48", "54"]
GASES = ["Oxygen", "Nitrogen", "Argon", "Helium"]
QUANTITIES = {"text": ["mass", "weight", "volume", "density"], "label": ["1", "2", "3", "4"]}
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_a_choice_is_understood(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
