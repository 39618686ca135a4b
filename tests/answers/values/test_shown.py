"""How values are shown to people: what was read, in plain characters."""

from __future__ import annotations

import pytest

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.values.shown import SHOWN_CHARACTERS, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5pct", "5 percent"),
        ("5pcs", "5·p·c·s"),
        ("1.50", "1.50"),
        (r"-\frac{1}{3}", "-1/3"),
        (r"-x^2+3\pi", "-x^2 + 3·pi"),
        ("x = 5", "x = 5"),
        ("x > 2", "x in (2, ∞)"),
        (r"\{1, 2\}", "{1, 2}"),
        ("(1, 2]", "(1, 2]"),
        (r"x = 2k, k \in \mathbb{Z}", r"x = 2·k for k in \mathbb{Z}"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "1, 2; 3, 4"),
        ("1010_2", "1010 in base 2"),
        (r"\text{yes}", "'yes'"),
        ("7 (not 5)", "not understood: 7(not5)"),
    ],
)
def test_what_was_read_is_shown(text: str, expected: str) -> None:
    assert shown(read(parse(text))) == expected


def test_a_long_value_is_cut_off() -> None:
    assert len(shown(read(parse(",".join(map(str, range(400))))))) == SHOWN_CHARACTERS + 1
    assert shown(read(parse("7" * 900))) == "a number of many digits"
