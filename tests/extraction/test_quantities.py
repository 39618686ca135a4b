"""Numbers and formulas in running text are found whole."""

from tables import each_row, tables_beside

from grpo_rewards.extraction.quantities import quantities

TABLES = tables_beside(__file__)

FOUND = TABLES["found"]
NO_NUMBERS = ["Model-64", "B12", "12-pack", "0x12", "log_12", "70-75", "64 factorial", "4!!", "18 + ", "4th", "12题"]


@each_row("text, answers", FOUND)
def test_a_number_or_formula_is_found_whole(text, answers):
    assert [one.answer for one in quantities(text)] == answers


@each_row(
    "text, answers",
    [("$3 + 4 =$ 7", ["7"]), ("so $x=$ 5 cm", ["5\\text{ cm}"]), ("so $4=$", []), ("$x = 4 =$", []), ("$=$", [])],
)
def test_a_formula_that_ends_with_its_equals_sign_leaves_the_number_to_what_follows(text, answers):
    assert [one.answer for one in quantities(text) if one.answer is not None] == answers


@each_row("text", NO_NUMBERS)
def test_a_name_or_half_of_a_number_is_none(text):
    assert all(one.answer is None for one in quantities(text))


def test_a_decimal_comma_is_one_where_the_language_has_it():
    assert [one.answer for one in quantities("2,5 und 70.000", decimal_comma=True)] == ["2.5", "70000"]
    assert [one.answer for one in quantities("2,5 and 70.000")] == ["2,5", "70.000"]
