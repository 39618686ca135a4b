"""The 25 instructions of IFEval: what follows each, and what only looks as if."""

from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards.constraints import judge, read_instructions
from grpo_rewards.constraints.table import IFEVAL

TABLES = tables_beside(__file__)

# (id, arguments, a text that follows it, a text that does not); by class, so that each row has its near miss.
WORDS: list[tuple[str, dict[str, Any], str, str]] = TABLES["words"]
PARTS: list[tuple[str, dict[str, Any], str, str]] = [
    *TABLES["parts"],
    *[("punctuation:no_comma", {}, "a b", f"a{mark} b") for mark in "\ua4f9\u00b8\u060d\u2e4c\u2e49\U0001f102"],
]


def is_followed(name: str, arguments: dict[str, Any], text: str, **how: bool) -> bool:
    [finding] = judge(text, read_instructions([name], [arguments]), **how)
    assert finding.why
    return finding.followed


@each_row("name, arguments, follows, fails", WORDS + PARTS)
def test_a_text_follows_what_is_described_and_its_near_miss_does_not(
    name: str, arguments: dict[str, Any], follows: str, fails: str
) -> None:
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


LANGUAGE_ROWS = TABLES["language_rows"]


@each_row("name, arguments, follows, fails", LANGUAGE_ROWS)
def test_the_whole_text_is_in_the_language(name: str, arguments: dict[str, Any], follows: str, fails: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
    assert is_followed(name, arguments, follows)
    assert not is_followed(name, arguments, fails)


def test_every_instruction_of_ifeval_has_its_rows() -> None:
    assert {name for name, *_ in WORDS + PARTS + LANGUAGE_ROWS} == set(IFEVAL)
