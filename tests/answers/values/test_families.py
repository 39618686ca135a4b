"""Unions of arithmetic progressions hold the same numbers, however they are written."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.values.families import progressions, same_numbers, whole_numbers_in
from grpo_rewards.answers.values.kinds import Family, Named, Unordered, Value

TABLES = tables_beside(__file__)


def of(text: str) -> Value:
    value = read(parse(text + r", k \in \mathbb{Z}"))
    inner = value.of if isinstance(value, Named) else value
    assert isinstance(inner, Family)
    return inner.of


@each_row("one, other, expected", TABLES["the_same_numbers"])
def test_the_same_numbers(one: str, other: str, expected: bool | None) -> None:
    assert same_numbers(progressions(of(one)), progressions(of(other))) is expected


@each_row("interval, domain, numbers", TABLES["the_whole_numbers_in_an_interval"])
def test_the_whole_numbers_in_an_interval(interval: str, domain: str, numbers: list[int] | None) -> None:
    found = whole_numbers_in(read(parse(interval)), domain)
    assert found == (None if numbers is None else read(parse(rf"\{{{','.join(map(str, numbers))}\}}")))
    assert found is None or isinstance(found, Unordered)
