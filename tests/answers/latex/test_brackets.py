"""Which bracket closes which, and where nodes are split: at separators outside brackets and environments."""

from __future__ import annotations

import pytest

from grpo_rewards.answers.latex.brackets import closing_index, outside, split, spoken
from grpo_rewards.answers.latex.tree import parse, render


@pytest.mark.parametrize(
    ("text", "index"),
    [
        # counted by hand; each character is a node here
        ("(1,2)3", 4),
        ("[1,2)3", 4),  # a half-open interval
        ("((1)2)3", 5),
        (r"\{(1)\}2", 4),
        ("((1)2", -1),
        ("1)", -1),  # closes nothing that was opened
    ],
)
def test_the_bracket_that_closes_the_first_one(text: str, index: int) -> None:
    assert closing_index(parse(text)) == index


@pytest.mark.parametrize(
    ("text", "words", "parts"),
    [
        ("1, (2, 3), [4, 5)", False, ["1", "(2,3)", "[4,5)"]),
        (r"\{1, 2\}", False, [r"\{1,2\}"]),
        (r"\frac{1,2}{3}, 4", False, [r"\frac{1,2}{3}", "4"]),
        (r"\begin{pmatrix}1,2\end{pmatrix}, 3", False, [r"\begin{pmatrix}1,2\end{pmatrix}", "3"]),
        ("1,,2", False, ["1", "", "2"]),
        ("", False, [""]),
        (r"1 \text{ and } 2", False, ["1and2"]),
        (r"1 \text{ and } 2", True, ["1", "2"]),
        (r"1, 2, \text{ and } 3", True, ["1", "2", "3"]),  # the comma before "and" has separated already
        (r"x=1 \lor x=2 \wedge y=3", True, ["x=1", "x=2", "y=3"]),
        (r"x \lor y \wedge z", True, [r"x\vee y\wedge z"]),  # a formula of logic
        (r"(1 \text{ or } 2), 3", True, [r"(1or2)", "3"]),
    ],
)
def test_the_parts_between_separators(text: str, words: bool, parts: list[str]) -> None:
    assert [render(part) for part in split(parse(text), ",", words=words)] == parts


def test_separators_by_their_plain_names() -> None:
    nodes = parse(r"x=1, 2; 3 \wedge 4 \vee 5 \text{ and } 6 \text{or } 7")
    found = outside(nodes, (",", ";"), words=True)
    assert [spoken(nodes[index]) for index in found] == [",", ";", "and", "or", "and", "or"]
