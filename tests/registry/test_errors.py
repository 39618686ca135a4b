"""What messages are made of: values cut short, and the column that is probably meant."""

from typing import Any

from tables import each_row, tables_beside

from grpo_rewards.errors import (
    nearest_column,
    shown,
)

TABLES = tables_beside(__file__)


@each_row(
    "value, text",
    [
        ("ab", "'ab'"),
        ("a" * 78, repr("a" * 78)),  # 80 characters with its quotes: just fits
        ("a" * 79, "'" + "a" * 79 + "…"),  # cut behind 80, of which one is the quote
        ("a" * 10_000_000, "'" + "a" * 79 + "…"),
        (list(range(1000)), repr(list(range(1000)))[:80] + "…"),
        ("\n" * 60, "'" + "\\n" * 39 + "\\" + "…"),  # counted as written out
        (None, "None"),
    ],
)
def test_a_value_is_shown_cut_short(value: Any, text: str) -> None:
    assert shown(value) == text


@each_row("name, columns, meant", TABLES["the_column_that_is_probably_meant"])
def test_the_column_that_is_probably_meant(name: str, columns: str, meant: str | None) -> None:
    assert nearest_column(name, columns.split()) == meant
