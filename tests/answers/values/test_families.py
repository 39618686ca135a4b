"""Unions of arithmetic progressions hold the same numbers, however they are written."""

from __future__ import annotations

from tables import each_row

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.values.families import progressions, same_numbers, whole_numbers_in
from grpo_rewards.answers.values.kinds import Family, Named, Unordered, Value


def of(text: str) -> Value:
    value = read(parse(text + r", k \in \mathbb{Z}"))
    inner = value.of if isinstance(value, Named) else value
    assert isinstance(inner, Family)
    return inner.of


@each_row(
    "one, other, expected",
    [
        ("x = 6k+1", "x = 6k-5", True),
        ("x = 6k+1", "x = -6k+1", True),
        ("x = 6k+1", "x = 3k+1", False),
        ("x = 3k+1", "x = 6k+1, x = 6k+4", True),
        (r"x = \frac{\pi}{2}+k\pi", r"x = \pm\frac{\pi}{2}+2k\pi", True),
        (r"x = \frac{k\pi}{2}", r"x = k\pi, x = \frac{\pi}{2}+k\pi", True),
        (r"x = k\pi", r"x = 2k\pi", False),
        ("x = k", r"x = \sqrt2 k", None),  # no common period
        ("x = k^2", "x = k", None),
    ],
)
def test_the_same_numbers(one: str, other: str, expected: bool | None) -> None:
    assert same_numbers(progressions(of(one)), progressions(of(other))) is expected


@each_row(
    "interval, domain, numbers",
    [
        ("(1,5)", r"\mathbb{Z}", [2, 3, 4]),
        ("[1,3]", r"\mathbb{Z}", [1, 2, 3]),
        (r"(-\infty,2]", r"\mathbb{N}", [0, 1, 2]),
        (r"(-3,3)", r"\mathbb{N}^{+}", [1, 2]),
        (r"(2,\infty)", r"\mathbb{N}", None),
        ("(0,1000000)", r"\mathbb{Z}", None),
    ],
)
def test_the_whole_numbers_in_an_interval(interval: str, domain: str, numbers: list[int] | None) -> None:
    found = whole_numbers_in(read(parse(interval)), domain)
    assert found == (None if numbers is None else read(parse(rf"\{{{','.join(map(str, numbers))}\}}")))
    assert found is None or isinstance(found, Unordered)
