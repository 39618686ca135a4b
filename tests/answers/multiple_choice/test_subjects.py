"""Rows by subject: physics, reading, chemistry, biology, history, economics, grammar, and "
"terse ones in many languages."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

PLANETS = ["Mercury", "Venus", "Mars", "Jupiter"]
PURPOSES = ["To criticise a policy", "To praise an inventor", "To describe a journey", "To explain a process"]
FACTORS = ["It doubles", "It halves", "It quadruples", "It stays the same"]
INDEXED = ["0", "1", "2", "IndexError"]
COMPOUNDS = ["NaCl", "H2O", "CO2", "NH3"]
CITIES = ["Paris", "Rome", "Madrid", "Vienna"]
YES_NO = ["Yes", "No"]
ANIMALS = {"text": ["cat", "dog", "cow", "hen", "pig"], "label": ["1", "2", "3", "4", "5"]}
METALS_IN_SMALL_LETTERS = {"text": ["iron", "gold", "tin"], "label": ["a", "b", "c"]}
PROTEINS = ["Chlorophyll", "Haemoglobin", "Keratin", "Insulin"]
TREATIES = ["The Treaty of Versailles", "The Congress of Vienna", "The Yalta Conference", "The Peace of Westphalia"]
MARKET = ["Supply rises", "Supply falls", "Demand rises", "Demand falls"]
FORMULAS = ["$\\frac{1}{3}$", "$\\frac{2}{3}$", "$\\sqrt{5}$", "$\\pi$"]
STRINGS = ["'ab'", "'ba'", "SyntaxError", "'aab'"]
VERBS = ["has gone", "have gone", "had gone", "went"]
ENTAILMENT = {"text": ["entailment", "neutral", "contradiction"], "label": ["0", "1", "2"]}
TIMES = ["7:15", "7:30", "7:45", "8:00"]
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_a_choice_is_understood(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
