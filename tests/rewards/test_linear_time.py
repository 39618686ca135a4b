"""No text stalls a reward: what each costs grows with the length of the text and not with its square."""

import math

import pytest
from contract_cases import CASES, LISTED, case_of
from growth import assert_linear

import grpo_rewards as gr

PERSON = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["name"]}
# Where other options than those of the contract's cases are harder on a text.
BOUND = {"pattern": {"regex": "(a*)*b"}, "json_format": {"schema": PERSON}, "keywords": {"include": ["a"]}}

PIECES = (
    " ",
    "\\",
    "{",
    "\\boxed{",
    "$",
    "`",
    "```\n",
    "<",
    "<answer>",
    "</think>",
    "1+",
    "1 = ",
    "9^",
    "(",
    "1. a\n",
    "\u200b",
    "answer ",
    "\\text{",
    "A or ",
    "%",
    "- ",
    "[",
    "a ",
    "\n",
)


def given(name: str) -> dict[str, object]:
    columns = {column: values[0] for column, values in CASES[name].columns.items()}
    return {"completion_ids": [1] * 1000, **columns}


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_half_a_megabyte_of_anything_is_scored_in_no_time(piece):
    for name in LISTED:
        reward = case_of(name)[0].bind(**BOUND.get(name, {}))

        beside = given(name)

        def score(text, reward=reward, beside=beside):
            value = reward.score(text, **beside)
            assert value is None or math.isfinite(value)

        assert_linear(score, lambda size: piece * (size // len(piece)), 500_000, name)


CITIES = ["Paris", "Rome", "Oslo", "Bern"]


@pytest.mark.parametrize(
    "piece", ["\\(", "\\[", "\\( x", "\\(\\", "$", "$$ ", "`a ", "ab ", "<", "\\begin{", "e\u0301\u0323"]
)
def test_texts_are_read_in_linear_time(piece):
    for reward in (
        gr.language_consistency.bind(script="Latin"),
        gr.keywords.bind(include=["a b"]),
        gr.multiple_choice,
        gr.exact_match,
        gr.code_block_format,
    ):

        def score(text, reward=reward):
            reward.score(text, answer="B", choices=CITIES)

        assert_linear(score, lambda size: piece * (size // len(piece)), 200_000, reward.name)
