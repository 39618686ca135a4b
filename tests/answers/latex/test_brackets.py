"""Which bracket closes which, and where nodes are split: at separators outside brackets and environments."""

from tables import each_row, tables_beside

from grpo_rewards.answers.latex.tree import closing_index, outside, parse, render, split, spoken

TABLES = tables_beside(__file__)


@each_row("text, index", TABLES["the_bracket_that_closes_the_first_one"])
def test_the_bracket_that_closes_the_first_one(text: str, index: int) -> None:
    assert closing_index(parse(text)) == index


@each_row("text, words, parts", TABLES["the_parts_between_separators"])
def test_the_parts_between_separators(text: str, words: bool, parts: list[str]) -> None:
    assert [render(part) for part in split(parse(text), ",", words=words)] == parts


def test_separators_by_their_plain_names() -> None:
    nodes = parse(r"x=1, 2; 3 \wedge 4 \vee 5 \text{ and } 6 \text{or } 7")
    found = outside(nodes, (",", ";"), words=True)
    assert [spoken(nodes[index]) for index in found] == [",", ";", "and", "or", "and", "or"]
