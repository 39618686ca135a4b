"""Letters and digits in circles, pictures and LaTeX around options."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

KOREAN = {"text": ["설악산", "한라산", "지리산", "북한산"], "label": ["1", "2", "3", "4"]}
CIRCLED = {"text": ["仅盐酸", "仅硫酸", "盐酸和硫酸", "都不是"], "label": ["①", "②", "③", "④"]}
SIGNS = ["Stop and wait", "Turn right only", "Proceed with caution"]
HALVES = ["$\\frac{2}{7}$", "$\\frac{3}{7}$", "$\\frac{5}{14}$", "$\\frac{1}{2}$"]
CHOOSES = TABLES["chooses"]
DOES_NOT_CHOOSE = TABLES["does_not_choose"]


@each_row("text, gold, choices", CHOOSES)
def test_a_shaped_letter_names_an_option(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
