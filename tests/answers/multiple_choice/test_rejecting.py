"""What names an option and does not choose it: denied, doubted, supposed, cited, asked, listed, taken back."""

from choosing_texts import assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

PARTS_OF_CELL = ["The mitochondria", "The nucleus", "The ribosome", "The Golgi apparatus"]
YEARS = ["1912", "1914", "1918", "1939"]
SIGNED = ["-3", "3", "-1/3", "1/3"]
SHARES = ["10%", "20%", "25%", "50%"]
STATEMENTS = ["I only", "II only", "Both I and II", "Neither I nor II"]
TEN_LENGTHS = ["0.5 m", "1.0 m", "1.5 m", "2.0 m", "2.5 m", "3.0 m", "3.5 m", "4.0 m", "4.5 m", "5.0 m"]
GROUPS = ["Group A", "Group B", "Group C", "No group"]
NUMBERS_BY_NUMBER = {"text": ["3", "4", "5", "6"], "label": ["1", "2", "3", "4"]}
VITAMINS = ["Vitamin A", "Vitamin B", "Vitamin C", "Vitamin D"]
TENDENCIES = ["increase", "decrease", "no change", "cannot be determined"]
PERSONS = ["John", "Mary", "the teacher", "nobody"]
COLOURS = ["blue", "green", "red", "light blue", "dark green"]
EQUATIONS = ["$x=2$", "$x=-2$", "$x=2$ or $x=-2$", "no solution"]
WITH_NOT = ["not possible", "possible", "always true", "never true"]
TRUE_FALSE = ["True", "False"]
NOT_CHOSEN = TABLES["not_chosen"]


@each_row("text, gold, choices", NOT_CHOSEN)
def test_what_does_not_choose_an_option_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
