"""How values are shown to people: what was read, in plain characters."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.values.kinds import SHOWN_CHARACTERS, shown

TABLES = tables_beside(__file__)


@each_row("text, expected", TABLES["what_was_read_is_shown"])
def test_what_was_read_is_shown(text: str, expected: str) -> None:
    assert shown(read(parse(text))) == expected


def test_a_long_value_is_cut_off() -> None:
    assert len(shown(read(parse(",".join(map(str, range(400))))))) == SHOWN_CHARACTERS + 1
    assert shown(read(parse("7" * 900))) == "a number of many digits"
