"""Which rewards compare completions themselves with what the dataset knows."""

from __future__ import annotations

import pytest

from grpo_rewards import get_reward, reward


@reward
def mentions(completion: str, answer: str) -> float:
    """1 if the answer stands anywhere."""
    return float(answer in completion)


def test_a_reward_is_gold_based_by_the_columns_that_it_reads_itself() -> None:
    assert mentions.is_gold_based
    assert mentions.bind(columns={"answer": "solution"}).is_gold_based


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("boxed_answer", True),
        ("boxed_answer(columns={'answer': 'solution'})", True),
        ("think_format", False),
        ("soft_overlong(max_tokens=32)", False),  # its optional column says which tokens are the policy's
        ("relative_length(num_generations=8)", False),  # these two ask what is right, and pay for brevity
        ("cosine_length(max_tokens=32, correct='final_answer')", False),
        ("gated(boxed_answer, by=think_format)", True),
        ("gated(think_format, by=boxed_answer)", False),
        ("weighted({boxed_answer: 1.0, final_answer: 0.5})", True),
        ("weighted({boxed_answer: 1.0, think_format: 0.2})", False),  # may fall while more answers are right
        ("scaled(boxed_answer, by=2.0)", True),
        ("scheduled(boxed_answer, start=1.0, end=0.0, over=0.5)", False),  # falls with its weight
        ("gated(relative_length(num_generations=8), by=boxed_answer)", False),
    ],
)
def test_one_that_asks_or_mixes_is_not(spec: str, expected: bool) -> None:
    assert get_reward(spec).is_gold_based is expected
