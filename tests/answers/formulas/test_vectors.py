"""A sum of unit vectors has components; a complex number and other formulas have none."""

from __future__ import annotations

from tables import each_row

from grpo_rewards.answers.formulas.vectors import components
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.values.kinds import Number, as_value


@each_row(
    "text, size, expected",
    [
        (r"3\mathbf{i} - 4\mathbf{j}", 2, [3, -4]),
        (r"2(\hat{i} + \hat{k})", 3, [2, 0, 2]),
        (r"\vec{j}", 2, [0, 1]),
        ("3 + 4i", 2, None),  # a complex number
        (r"\mathbf{i}\mathbf{j}", 2, None),
        (r"\mathbf{i} + \mathbf{k}", 2, None),  # in the plane there is no k
        (r"1 + \mathbf{j}", 2, None),
    ],
)
def test_components(text: str, size: int, expected: list[int] | None) -> None:
    formula = read_formula(parse(text))
    assert formula is not None
    found = components(formula, size)
    values = [as_value(part) for part in found or ()]
    assert [one.value for one in values if isinstance(one, Number)] == (expected or [])
    assert (found is None) == (expected is None)
