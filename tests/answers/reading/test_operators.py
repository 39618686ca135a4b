"""What is left to computer algebra: integrals, limits, and nothing with words in it."""

from tables import each_row, tables_beside

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import is_mathematics

TABLES = tables_beside(__file__)


@each_row(
    "text",
    [
        r"\int_0^1 x^2\,dx",
        r"\sum_{k=1}^{n} \frac{1}{k}",
        r"\prod_{k=1}^{n} (1+\sqrt{k})",
        r"\lim_{x \to \infty} \sin \frac{1}{x}",
        r"2\pi + \frac{\int_0^1 \alpha\,d\alpha}{3}",  # wherever the operator stands
    ],
)
def test_an_operator_among_formulas(text: str) -> None:
    assert is_mathematics(parse(text))


@each_row("text", TABLES["what_is_not_given_to_computer_algebra"])
def test_what_is_not_given_to_computer_algebra(text: str) -> None:
    assert not is_mathematics(parse(text))
