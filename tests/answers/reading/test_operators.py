"""What is left to computer algebra: integrals, sums, products and limits, and nothing with words in it."""

from __future__ import annotations

import pytest

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.operators import is_mathematics


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "text",
    [
        "x^2+1",  # no operator: formulas are compared here
        "",
        r"\int_0^1 x\,dx \text{ or so}",  # computer algebra would skip the words
        r"\frac{\int_0^1 x\,dx}{\text{not } 2}",
        r"\sum_{k=1}^{n} k \% ",
        r"\sum_{k \in A} k",
    ],
)
def test_what_is_not_given_to_computer_algebra(text: str) -> None:
    assert not is_mathematics(parse(text))
