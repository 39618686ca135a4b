"""Which option prose chooses: announced, asserted, alone, rejected, doubted, cited, corrected."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

CITIES = ["Paris", "Rome", "Madrid", "Vienna"]
NUMBERS = ["12", "15", "18", "21"]
BY_DIGIT = {"text": ["a rock", "a plant", "an animal", "a cloud"], "label": ["1", "2", "3", "4"]}
CHANGES = ["It increases", "It decreases", "It stays the same", "It cannot be determined"]
TEN_MASSES = ["10 kg", "20 kg", "30 kg", "40 kg", "50 kg", "60 kg", "70 kg", "80 kg", "90 kg", "100 kg"]
ALL_LAST = ["Heat", "Light", "Sound", "All of the above"]
NONE_LAST = ["2", "3", "5", "None of the above"]
YES_NO = ["Yes", "No", "Maybe"]
FORMULAS = ["$x^2$", "$2x$", "$x+1$", "$\\frac{x}{2}$"]
SMALL_LABELS = {"text": ["iron", "gold", "copper"], "label": ["a", "b", "c"]}
ROMAN_LABELS = {"text": ["iron", "gold", "copper"], "label": ["I", "II", "III"]}
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_what_chooses_is_read(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
