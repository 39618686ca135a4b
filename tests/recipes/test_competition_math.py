"""The recipe for answers in LaTeX: what the answer of one of MATH's own rows is."""

import competition_math
from competition_math import boxed
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)


@each_row("solution, answer", TABLES["the_answer_of_a_solution_is_what_its_last_box_holds"])
def test_the_answer_of_a_solution_is_what_its_last_box_holds(solution, answer):
    assert boxed(solution) == answer


def test_an_answer_of_its_own_is_read_rather_than_the_solution():
    from datasets import Dataset
    from training.arguments import ScriptArguments
    from training.data import with_columns

    rows = [{"problem": f"What is ${n} + 1$?", "solution": f"It is $\\boxed{{{n + 1}}}$."} for n in range(2)]
    for given, expected in (({}, ["1", "2"]), ({"answer": "\\frac{1}{2}"}, ["\\frac{1}{2}"] * 2)):
        data = Dataset.from_list([{**row, **given} for row in rows])
        made = with_columns(data, competition_math.COLUMNS, {"answer": ("solution", boxed)}, ScriptArguments())
        assert made["answer"][:] == expected
