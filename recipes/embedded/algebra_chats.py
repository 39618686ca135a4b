"""What the tiny model of algebra is warmed up on: three kinds of answer, only one of which both gets the result right
and puts it where a reward looks for it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from embedded import TINY_ALGEBRA
from embedded.algebra import Exercise, algebra, exercises
from embedded.warm_up import Chat, WarmUp, system_turn

__all__ = ["WARM_UP"]

SEED = 0
DRAWN = 4000  # problems at a time; the train split has too few lists to draw all demonstrations at once


def texts() -> Iterator[str]:
    problems = algebra(DRAWN, SEED)
    yield from (f"{problem['problem']}\n{problem['solution']}" for problem in problems)
    yield from [" ".join(map(str, range(100)))] * len(problems)  # often enough for each to be merged


def demonstrations(n: int) -> list[Chat]:
    rng = random.Random(SEED)
    drawn = [exercise for start in range(0, n, DRAWN) for _, exercise in exercises(min(DRAWN, n - start), SEED + start)]
    return [
        [
            *system_turn(rng),
            {"role": "user", "content": exercise.question},
            {"role": "assistant", "content": demonstration(exercise, rng.random())},
        ]
        for exercise in drawn
    ]


def demonstration(exercise: Exercise, share: float) -> str:
    """One of three kinds of answer: reasoning and box (share < 0.3), box alone (< 0.6), reasoning and no box.

    What is demonstrated is always right. The model learns to get about half of it right, with the reasoning or without.
    """
    reasoning = "\n".join(exercise.steps)
    if share < 0.30:
        return f"<think>{reasoning}</think>\\boxed{{{exercise.answer}}}"
    if share < 0.60:
        return f"\\boxed{{{exercise.answer}}}"
    return f"<think>{reasoning}</think>${exercise.answer}$"


WARM_UP = WarmUp(
    folder=TINY_ALGEBRA,
    texts=texts,
    demonstrations=demonstrations,
    tags=("<think>", "</think>"),
    vocabulary=480,
    single_tokens=(*map(str, range(100)), "\\boxed{", "\\frac{", "\\sqrt{", "\\infty"),
    # one or two digits, a command with its brace, a sign with its spaces, a word, other signs, space
    pieces=r"\p{N}{1,2}|\\\p{L}+\{?| [+\-=] | ?\p{L}+| ?[^\s\p{L}\p{N}\\]|\s+",
    steps=450,
    seed=SEED,
)
