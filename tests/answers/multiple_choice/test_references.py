"""An option named before it is called the answer ("so that is the answer"), and one named by its label and its text."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

CITIES = ["Lisbon", "Madrid", "Seville", "Barcelona"]
PEOPLE = ["Marie Curie", "Ada Lovelace", "Grace Hopper", "Emmy Noether"]
ORGANS = ["Heart", "Lungs", "Liver", "Kidney"]
RULINGS = ["Plessy v. Ferguson", "Marbury v. Madison", "Gideon v. Wainwright", "Brown v. Board of Education"]
SHARES = ["1/6", "1/4", "1/3", "1/2"]
PROCESSOS = ["Respiração", "Fotossíntese", "Digestão", "Fermentação"]
PLANETS = ["Saturn", "Uranus", "Neptune", "Pluto"]
CHOOSES = TABLES["chooses"]  # fmt: skip
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_a_choice_by_reference_or_by_label_and_text_is_read(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_a_reference_that_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
