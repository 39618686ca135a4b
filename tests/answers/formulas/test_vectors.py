"""A sum of unit vectors has components; a complex number and other formulas have none."""

from tables import each_row, tables_beside

from grpo_rewards.answers.formulas.identity import components
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.values.kinds import Number, as_value

TABLES = tables_beside(__file__)


@each_row("text, size, expected", TABLES["components"])
def test_components(text: str, size: int, expected: list[int] | None) -> None:
    formula = read_formula(parse(text))
    assert formula is not None
    found = components(formula, size)
    values = [as_value(part) for part in found]
    assert [one.value for one in values if isinstance(one, Number)] == (expected or [])
    assert bool(found) == (expected is not None)
