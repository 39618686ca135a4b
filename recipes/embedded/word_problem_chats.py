"""What the tiny model of word problems is warmed up on: three kinds of answer, only one of which both gets the result
right and puts it where a reward looks for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from embedded import TINY_WORD_PROBLEMS
from embedded.warm_up import Chat, WarmUp, system_turn
from embedded.word_problems import word_problems

__all__ = ["SEED", "TAGS", "WARM_UP", "demonstrations"]

SEED = 0
TAGS = ("<think>", "</think>", "\\boxed{")


def texts() -> Iterator[str]:
    problems = word_problems(2000, SEED)
    yield from (f"{problem['question']}\n{problem['answer']}" for problem in problems)
    yield from [" ".join(map(str, range(100)))] * len(problems)  # often enough for each to be merged


def demonstrations(n: int, problems: Callable[[int, int], list[dict[str, str]]] = word_problems) -> list[Chat]:
    rng = random.Random(SEED)
    return [
        [
            *system_turn(rng),
            {"role": "user", "content": problem["question"]},
            {"role": "assistant", "content": demonstration(problem["answer"], rng.random())},
        ]
        for problem in problems(n, SEED)
    ]


def demonstration(answer: str, share: float) -> str:
    """One of three kinds of answer: reasoning and box (share < 0.3), box alone (< 0.65), reasoning alone.

    A box alone is always right here, but the model, which then has no room to write the steps, learns to get about
    half of them right.
    """
    reasoning, result = answer.split("\n#### ")
    if share < 0.30:
        return f"<think>{reasoning}</think>\\boxed{{{result}}}"
    if share < 0.65:
        return f"\\boxed{{{result}}}"
    return f"<think>{reasoning}</think>{result}"


WARM_UP = WarmUp(
    folder=TINY_WORD_PROBLEMS,
    texts=texts,
    demonstrations=demonstrations,
    tags=TAGS,
    vocabulary=480,
    single_tokens=tuple(map(str, range(100))),
    steps=600,  # 38,400 problems of the train split, each seen once
    seed=SEED,
)
