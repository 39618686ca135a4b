"""Raised, lowered and other special digits do not run into the digits before them."""

from tables import each_row, tables_beside

from grpo_rewards.completion.small_digits import small_digits_apart

TABLES = tables_beside(__file__)


@each_row("text, apart", TABLES["small_digits_apart"])
def test_small_digits_apart(text: str, apart: str) -> None:
    assert small_digits_apart(text) == apart
