"""How models choose: sentences of many kinds, with every form of options."""

from choosing_texts import assert_chosen
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

PARTS_OF_CELL = ["The mitochondria", "The nucleus", "The ribosome", "The Golgi apparatus"]
YEARS = ["1912", "1914", "1918", "1939"]
LONG_TEXTS = [
    "It lowers the activation energy of the reaction",
    "It raises the temperature of the system",
    "It shifts the equilibrium to the products",
    "It is consumed in the reaction",
]
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
IN_CHINESE = ["维生素A", "维生素B", "维生素C", "维生素D"]
CHOSEN = TABLES["chosen"]


@each_row("text, gold, choices", CHOSEN)
def test_a_choice_is_understood(text, gold, choices):
    assert_chosen(text, gold, choices)
