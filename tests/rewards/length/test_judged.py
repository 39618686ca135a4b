"""What length pays beside being right, with the source of every number that is not plain."""

import math

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row(
    "completion, tokens, reward",
    [
        *TABLES["cosine_length"],
        (r"\boxed{4}", 25, 0.75 + 0.25 * math.cos(math.pi / 4)),
    ],
)
def test_cosine_length(completion, tokens, reward):
    bound = gr.cosine_length.bind(max_tokens=100)
    assert bound.score(completion, completion_ids=range(tokens), answer="4") == pytest.approx(reward)


def test_relative_length_compares_within_a_prompt_only():
    lengths, prompts = [10, 20, 30, 500, 100, 300], ["a"] * 3 + ["b"] * 3
    texts = [r"\boxed{4}", r"\boxed{5}", r"\boxed{4}"] * 2
    found = gr.relative_length(
        completions=texts, completion_ids=[range(n) for n in lengths], prompts=prompts, answer=["4"] * 6
    )
    # 0.5 - (n - 10) / 20 and 0.5 - (n - 100) / 400; a wrong one never above 0
    assert found == [0.5, 0.0, -0.5, -0.5, 0.0, 0.0]


def test_relative_length_of_one_length_is_nothing():
    given = {"completions": [r"\boxed{4}"] * 2, "completion_ids": [[1], [2]], "prompts": ["a", "a"]}
    assert gr.relative_length(**given, answer=["4", "4"]) == [0.0, 0.0]
    assert gr.relative_length(**given, answer=["4", ""]) == [0.0, None]
