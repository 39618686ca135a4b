"""Longer word problems with larger numbers, for a model that is larger than the tiny ones.

A problem has three to five steps, each an addition, a subtraction or a multiplication, about a person and a thing;
every result is between 1 and 999:

    question: Hana has 48 coins. Hana finds 27 more. Then there are 3 times as many. Hana loses 60. How many …?
    answer:   48 + 27 = 75
              75 * 3 = 225
              225 - 60 = 165
              #### 165

A larger model is warmed up on them with the kinds of answer of the tiny model's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from embedded.warm_up import WarmUp, system_turn
from embedded.word_problems import NAMES, SEED, SIGNS, TAGS, THINGS, Split, demonstrations

__all__ = ["WARM_UP", "long_word_problems"]

STEPS = range(3, 6)
ADDED = range(10, 100)  # what a problem begins with, and what is added or taken away
TIMES = range(2, 10)
LARGEST_RESULT = 999
BEGINNING = "{name} has {number} {things}."
SENTENCES = {
    "+": ("{name} finds {number} more.", "A friend gives {name} {number} more.", "{name} buys {number} more."),
    "-": ("{name} loses {number}.", "{name} sells {number}.", "A friend takes {number} of them."),
    "*": ("Then there are {number} times as many.",),
}
END = "How many {things} does {name} have in the end?"


class Calculation(NamedTuple):
    """The number that it begins with, and each step's sign and number."""

    first: int
    steps: tuple[tuple[str, int], ...]


def long_word_problems(n: int, seed: int, split: Split = "train") -> list[dict[str, str]]:
    """n problems as rows `{"question", "answer"}`, with different calculations.

    `answer` is the worked solution, one step a line, and ends in the result as GSM8K's does: `"#### 165"`. Of every
    eight calculations a hash holds one out (`split="test"`); it depends neither on `seed` nor on the process.
    """
    rng = random.Random(seed)
    rows: dict[Calculation, dict[str, str]] = {}
    while len(rows) < n:
        calculation = _calculation(rng)
        if _is_held_out(calculation) == (split == "test") and calculation not in rows:
            rows[calculation] = _row(calculation, rng)
    return list(rows.values())


def _calculation(rng: random.Random) -> Calculation:
    """One whose results are all from 1 to LARGEST_RESULT: a step that would lead beyond is drawn again."""
    first = result = rng.choice(ADDED)
    steps: list[tuple[str, int]] = []
    wanted = rng.choice(STEPS)
    while len(steps) < wanted:
        sign = rng.choice("+-*")
        number = rng.choice(TIMES if sign == "*" else ADDED)
        if 1 <= (reached := SIGNS[sign](result, number)) <= LARGEST_RESULT:
            steps.append((sign, number))
            result = reached
    return Calculation(first, tuple(steps))


def _is_held_out(calculation: Calculation) -> bool:
    """Not by hash(), which differs between processes."""
    return sha256(str(tuple(calculation)).encode()).digest()[0] % 8 == 0


def _row(calculation: Calculation, rng: random.Random) -> dict[str, str]:
    name, things, result = rng.choice(NAMES), rng.choice(THINGS), calculation.first
    sentences, worked = [BEGINNING.format(name=name, things=things, number=result)], []
    for sign, number in calculation.steps:
        sentences.append(rng.choice(SENTENCES[sign]).format(name=name, number=number))
        reached = SIGNS[sign](result, number)
        worked.append(f"{result} {sign} {number} = {reached}")
        result = reached
    question = " ".join([*sentences, END.format(name=name, things=things)])
    return {"question": question, "answer": "\n".join([*worked, f"#### {result}"])}


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
