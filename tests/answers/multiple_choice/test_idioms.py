"""Idioms with which an option is chosen or turned down: "B gets my vote", "B falls short"."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

RIVERS = ["The Nile", "The Amazon", "The Danube", "The Mekong"]
SYLLOGISMS = ["All birds fly", "Some birds fly", "No birds fly", "Some birds do not fly"]
DOSES = ["5 mg", "10 mg", "20 mg", "40 mg"]
AUTHORS = ["Jane Austen", "Charles Dickens", "Mark Twain", "George Orwell"]
PRINTED = ["10", "20", "30", "Compilation error"]
BONDS = ["Ionic", "Covalent", "Metallic", "Hydrogen"]
COLOURS = {"text": ["red", "green", "blue", "white"], "label": ["1", "2", "3", "4"]}
BONES = ["Femur", "Tibia", "Ulna", "Radius"]
AMENDMENTS = ["First Amendment", "Fourth Amendment", "Fifth Amendment", "Sixth Amendment"]
DEVICES = ["Metaphor", "Simile", "Irony", "Hyperbole"]
PROBABILITIES = ["1/2", "1/4", "1/8", "1/16"]
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_a_choice_is_understood(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
