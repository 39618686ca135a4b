"""Which rewards compare completions themselves with what the dataset knows."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards import get_reward, reward

TABLES = tables_beside(__file__)


@reward
def mentions(completion: str, answer: str) -> float:
    """1 if the answer stands anywhere."""
    return float(answer in completion)


def test_a_reward_is_gold_based_by_the_columns_that_it_reads_itself() -> None:
    assert mentions.is_gold_based
    assert mentions.bind(columns={"answer": "solution"}).is_gold_based


@each_row("spec, expected", TABLES["one_that_asks_or_mixes_is_not"])
def test_one_that_asks_or_mixes_is_not(spec: str, expected: bool) -> None:
    assert get_reward(spec).is_gold_based is expected
