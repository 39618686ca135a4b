"""What a larger model is warmed up on: long word problems, with the kinds of answer of the tiny model's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from embedded.long_word_problems import long_word_problems
from embedded.warm_up import WarmUp, system_turn
from embedded.word_problem_chats import SEED, TAGS, demonstrations

__all__ = ["WARM_UP"]


def texts() -> Iterator[str]:
    rows = long_word_problems(2000, SEED)
    yield from (f"{row['question']}\n{row['answer']}" for row in rows)
    rng = random.Random(SEED)
    yield from (turn["content"] for _ in rows for turn in system_turn(rng))


WARM_UP = WarmUp(
    folder=Path("outputs") / "long_word_problems",  # made where it is needed: it is too large to ship
    texts=texts,
    demonstrations=partial(demonstrations, problems=long_word_problems),
    tags=TAGS,
    vocabulary=480,
    single_tokens=tuple(map(str, range(10))),
    # one digit, so that the places of two numbers correspond; a sign with its spaces, a word, other signs, space
    pieces=r"\p{N}| [+\-*=] | ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+",
    # 27 million parameters
    shape={
        "hidden_size": 512,
        "intermediate_size": 1536,
        "num_hidden_layers": 8,
        "num_attention_heads": 8,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "initializer_range": 0.02,
    },
    steps=800,
    batch=128,
    learning_rate=8e-4,
    seed=SEED,
)
