"""What messages are made of: values cut short, names nearby, lists, and the checks of names and columns."""

from __future__ import annotations

from typing import Any

from tables import each_row, tables_beside

from grpo_rewards.registry.errors import (
    did_you_mean,
    listed,
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


def test_a_number_that_python_refuses_to_write_out_is_shown_all_the_same() -> None:
    assert "thousands of digits" in shown(10**5000)
    assert "thousands of digits" in shown([10**5000])


@each_row(
    "name, said",
    [
        ("boxed_anser", "; did you mean 'boxed_answer'?"),
        ("pattren", "; did you mean 'pattern'?"),
        ("zzz", "."),
        ("", "."),
    ],
)
def test_the_nearest_name_is_proposed_if_one_is_near(name: str, said: str) -> None:
    assert did_you_mean(name, iter(["boxed_answer", "boxed_format", "pattern"])) == said


def test_names_are_listed_and_none_of_them_too() -> None:
    assert listed(iter(["a", "b"])) == "a, b"
    assert listed([]) == "none"


@each_row("name, columns, meant", TABLES["the_column_that_is_probably_meant"])
def test_the_column_that_is_probably_meant(name: str, columns: str, meant: str | None) -> None:
    assert nearest_column(name, columns.split()) == meant
