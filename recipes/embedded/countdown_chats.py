"""What the tiny model of countdown is warmed up on: three kinds of answer, only one of which both works out how to
reach a target and ends with the expression that does it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from countdown import user_turn

from embedded import TINY_COUNTDOWN
from embedded.countdown_numbers import Solution, countdown_numbers, solution
from embedded.warm_up import Chat, WarmUp, system_turn

__all__ = ["WARM_UP"]

SEED = 0
DRAWN = 3900  # problems at a time: the train split has fewer than there are demonstrations


def texts() -> Iterator[str]:
    rows = countdown_numbers(DRAWN, SEED)
    yield from (f"{user_turn(row)}\n{demonstration(solution(**row), row['target'], 0.0)}" for row in rows)
    rng = random.Random(SEED)
    yield from (turn["content"] for _ in rows for turn in system_turn(rng))
    yield from [" ".join(map(str, range(100)))] * len(rows)  # often enough for each to be merged


def demonstrations(n: int) -> list[Chat]:
    rng = random.Random(SEED)
    rows = [row for start in range(0, n, DRAWN) for row in countdown_numbers(min(DRAWN, n - start), SEED + start)]
    return [
        [
            *system_turn(rng),
            {"role": "user", "content": user_turn(row)},
            {"role": "assistant", "content": demonstration(solution(**row), row["target"], rng.random())},
        ]
        for row in rows
    ]


def demonstration(found: Solution, target: int, share: float) -> str:
    """One of three kinds of answer: steps and expression (share < 0.35), expression alone (< 0.6), the target itself.

    An expression alone is always right here, but the model, which then has no room to work it out, learns to get only
    some of them right.
    """
    steps = "\n".join(found.steps)
    if share < 0.35:
        return f"<think>{steps}</think><answer>{found.expression}</answer>"
    if share < 0.60:
        return f"<answer>{found.expression}</answer>"
    return f"<answer>{target}</answer>"


WARM_UP = WarmUp(
    folder=TINY_COUNTDOWN,
    texts=texts,
    demonstrations=demonstrations,
    tags=("<think>", "</think>", "<answer>", "</answer>"),
    vocabulary=512,  # then every word of the texts is one token
    single_tokens=tuple(map(str, range(100))),
    # one or two digits, a sign with its spaces, a word, one other sign, space
    pieces=r"\p{N}{1,2}| [+\-*/=] | ?\p{L}+| ?[^\s\p{L}\p{N}]|\s+",
    steps=1000,
    batch=32,
    learning_rate=4e-3,
    seed=SEED,
)
