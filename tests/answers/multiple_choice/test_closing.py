"""Texts that speak of several options and end with what was asked for, and those that come to no end."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

WORLDS = ["Mars", "Jupiter", "Venus", "Saturn"]
PLANETS = ["Mercury", "Mars", "Jupiter", "Pluto"]
OCEANS = ["Atlantic", "Indian", "Arctic", "Pacific"]
WRITERS = ["Voltaire", "Diderot", "Rousseau", "Montesquieu"]
MIASTA = ["Kraków", "Gdańsk", "Poznań", "Warszawa"]
PLACES = ["bank", "mailbox", "theater", "hospital"]
MINERALS = ["calcium", "iron", "potassium", "sodium"]
DRUGS = ["Lisinopril", "Metformin", "Atorvastatin", "Hydrochlorothiazide"]
RATES = ["72 km/h", "90 km/h", "108 km/h", "120 km/h"]
METALS = ["aluminum", "gold", "sodium", "lithium"]
STATES = ["Denmark", "Portugal", "Greece", "Austria"]
SPEEDS = ["5 m/s", "10 m/s", "20 m/s", "40 m/s"]
YEARS = ["1492", "1789", "1815", "1848"]
VORGAENGE = ["Photosynthese", "Gärung", "Osmose", "Zellatmung"]
CITIES = ["Lisbon", "Madrid", "Seville", "Barcelona"]
CLOSES = TABLES["closes"]  # fmt: skip
DOES_NOT_CLOSE = TABLES["does_not_close"]


@each_row("text, gold, choices", CLOSES)
def test_what_a_text_calls_by_what_was_asked_is_chosen(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CLOSE)
def test_going_through_the_options_chooses_none(text, gold, choices):
    assert_unpaid(text, gold, choices)
