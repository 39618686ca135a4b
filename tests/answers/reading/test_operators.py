"""What sums go over, and what is left to computer algebra: integrals, limits, and nothing with words in it."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers.latex.tree import parse, render
from grpo_rewards.answers.reading.grammar import is_mathematics, read_over

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


@each_row(
    "below, above, over",
    [
        ("k=1", "n", ("k", "1", "n")),
        ("j=i+1", "2n", ("j", "i+1", "2n")),
        ("i=0", r"\infty", ("i", "0", None)),
        (r"\alpha=1", "3", (r"\alpha", "1", "3")),
    ],
)
def test_what_a_sum_goes_over(below: str, above: str, over: tuple[str, str, str | None]) -> None:
    found = read_over(parse(below), parse(above))
    assert found is not None
    last = None if found.last is None else render(found.last)
    assert (found.letter, render(found.first), last) == over


@each_row(
    "below, above",
    [
        *[("", "n"), ("1", "n"), ("k=1", ""), ("k", "n"), ("k=1,2", "n"), ("k=1=j", "n")],
        *[(r"d \mid n", ""), (r"k \in A", ""), (r"1 \le i < j \le n", ""), ("k", "")],
    ],
)
def test_bounds_that_are_not_understood(below: str, above: str) -> None:
    assert read_over(parse(below), parse(above)) is None
