"""No text stalls a reward: what each costs grows with the length of the text and not with its square."""

import itertools
import math

import pytest
from contract_cases import CASES, LISTED, case_of, rows_of
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.checks import TEXT_SHAPES, assert_linear
from grpo_rewards.checks.contract import TEXT_SIZES, slow_shape
from grpo_rewards.checks.contract import case_of as checked

PERSON = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["name"]}
# Where other options than those of the contract's cases are harder on a text.
BOUND = {
    "pattern": {"regex": "(a*)*b"},
    "json_format": {"schema": PERSON},
    "keywords": {"include": ["a", "不知道", "42"], "exclude": ["maybe"]},
}


def given(name: str) -> dict[str, object]:
    columns = {column: values[0] for column, values in CASES[name].columns.items()}
    return {"completion_ids": [1] * 1000, **columns}


# Seconds of processor time for a text of so many megabytes, with room for a machine that other work slows down: what
# rewards take on an idle one is in docs/benchmarks.md. The constant is for what is read of every long text, its end.
ALLOWED_EACH, ALLOWED_PER_MEGABYTE, MEGABYTE = 0.3, 0.5, 1_000_000


def assert_all_linear(names: list[str], shape: str, size: int, most: float = math.inf) -> None:
    for name in names:
        reward = case_of(name)[0].bind(**BOUND.get(name, {}))
        beside = given(name)

        def score(text, reward=reward, beside=beside):
            value = reward.score(text, **beside)
            assert value is None or math.isfinite(value)

        took = assert_linear(score, TEXT_SHAPES[shape], size, f"{name}, {shape}")
        assert took < most, f"{name}, {shape}: {took:.3f} s for {size} characters"


# Before each change a reward reads every eighth shape, of which those that stand side by side are alike. All of them,
# and longer texts, are `-m full`.
SHORT = ((10_000, math.inf), (60_000, 2))


@pytest.mark.parametrize(
    ("every", "sizes"),
    [(8, SHORT), pytest.param(4, TEXT_SIZES, marks=pytest.mark.full)],
    ids=["short", "to a megabyte"],
)
@pytest.mark.parametrize("name", LISTED)
def test_what_a_reward_costs_grows_with_the_text(name, every, sizes, monkeypatch):
    monkeypatch.setattr("grpo_rewards.checks.contract.TEXT_SIZES", sizes)
    shapes = list(TEXT_SHAPES)[LISTED.index(name) % every :: every]
    one = checked(case_of(name)[0].bind(**BOUND.get(name, {})), rows_of(name))
    assert slow_shape(one, {shape: TEXT_SHAPES[shape] for shape in shapes}) is None


@pytest.mark.full
@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
@pytest.mark.parametrize("shape", TEXT_SHAPES)
def test_so_it_does_up_to_a_megabyte_and_within_its_seconds(shape, size):
    assert_all_linear(LISTED, shape, size, ALLOWED_EACH + ALLOWED_PER_MEGABYTE * size / MEGABYTE)


@each_row("shape", ["'<b>', numbered", "'<b></b>', numbered", "'\u0301\u0323'", "'\ufdfa'", "'\ufdfa ', numbered"])
@each_row("name", ["language_consistency", "cosine_length", "repetition", "rouge_l"])
def test_what_counts_up_or_grows_where_it_is_folded_is_read_in_linear_time(name, shape):
    reward, beside = case_of(name)[0], given(name)
    assert_linear(lambda text: reward.score(text, **beside), TEXT_SHAPES[shape], 30_000, f"{name}, {shape}")


# What is hard on some rewards beside the shapes of the contract: pieces, and what stands around all of them.
PIECES = [(one["rewards"], one["pieces"], one.get("around", ["{}"])) for one in tables_beside(__file__)["pieces"]]
ANSWER = {"answer": "B", "choices": ["Paris", "Rome", "Oslo", "Bern"]}


@pytest.mark.parametrize("most", [30_000, pytest.param(200_000, marks=pytest.mark.full)])
@each_row("specs, pieces, around", PIECES)
def test_texts_are_read_in_linear_time(specs, pieces, around, most):
    for spec, piece, whole in itertools.product(specs, pieces, around):
        reward = gr.get_reward(spec)

        def text(size, piece=piece, whole=whole):
            return whole.replace("{}", piece * (size // len(piece)))

        assert_linear(lambda text, one=reward: one.score(text, **ANSWER), text, most, f"{spec}, {piece}")
