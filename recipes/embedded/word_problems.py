"""Arithmetic word problems in the GSM8K format, short and long, made from a seed instead of downloaded.

A problem phrases one of four calculations in one of three ways, about a person and a thing. It takes two steps,
additions, subtractions or multiplications, on three numbers from 2 to 9; both results are between 1 and 30:

    question: Hana has 4 bags of 6 coins and finds 3 more. How many coins does Hana have now?
    answer:   4 * 6 = 24
              24 + 3 = 27
              #### 27

The tiny model is warmed up on three kinds of answer, only one of which both gets the result right and puts it where a
reward looks for it.
"""

import operator
import random
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from embedded import TINY_WORD_PROBLEMS
from embedded.warm_up import Chat, WarmUp, chat, system_turn

__all__ = [
    "LONG_WARM_UP",
    "WARM_UP",
    "count_problems",
    "demonstration",
    "demonstrations",
    "long_word_problems",
    "word_problems",
]

Split = Literal["train", "test"]


class Calculation(NamedTuple):
    """First the numbers a and b are joined by the first sign, then the result and c by the second."""

    signs: str
    phrasings: tuple[str, str, str]


CALCULATIONS = (
    Calculation(
        "*+",
        (
            "{name} has {a} bags of {b} {things} and finds {c} more. How many {things} does {name} have now?",
            "{name} buys {a} boxes of {b} {things} and then {c} more. How many {things} does {name} have now?",
            "For {a} days {name} finds {b} {things} a day, then {c} more. How many {things} does {name} have now?",
        ),
    ),
    Calculation(
        "*-",
        (
            "{name} has {a} bags of {b} {things} and loses {c}. How many {things} are left?",
            "{name} buys {a} boxes of {b} {things} and sells {c}. How many {things} are left?",
            "For {a} days {name} finds {b} {things} a day, then loses {c}. How many {things} are left?",
        ),
    ),
    Calculation(
        "+-",
        (
            "{name} has {a} {things}, finds {b} more and loses {c}. How many {things} are left?",
            "{name} buys {a} red {things} and {b} blue {things} and sells {c}. How many {things} are left?",
            "{name} finds {a} {things} on Monday and {b} on Tuesday, then loses {c}. How many {things} are left?",
        ),
    ),
    Calculation(
        "-+",
        (
            "{name} has {a} {things}, loses {b} and finds {c} more. How many {things} does {name} have now?",
            "{name} buys {a} {things}, sells {b} and then buys {c} more. How many {things} does {name} have now?",
            "Of {a} {things} {name} loses {b} on Monday and finds {c} on Tuesday. How many {things} are left?",
        ),
    ),
)
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
NUMBERS = range(2, 10)  # from 2, so that every thing is named in the plural
LARGEST = 30  # of any number in a problem, so that a very small model can learn every sum
NAMES = ("Ana", "Ben", "Chen", "Dana", "Emil", "Hana", "Ivan", "Lena")
THINGS = ("apples", "books", "cards", "coins", "eggs", "pens", "stones", "toys")


def word_problems(n: int, seed: int, split: Split = "train") -> list[dict[str, str]]:
    """n different problems as rows `{"question", "answer"}`, drawn uniformly without replacement.

    `answer` is the worked solution, one step a line, and ends in the result as GSM8K's does: `"#### 27"`.

    Held out (`split="test"`) means: of the three phrasings of a calculation with its numbers, a hash picks one, and
    every problem phrased so, with whatever name and thing, is in test. The other two are in train. So train has no
    question that repeats a held-out question's story with its numbers, but always has the calculation, say
    4 * 6 + 3, phrased otherwise. The hash depends neither on `seed` nor on the process.

    Raises ValueError if n is negative or more than `count_problems(split)`.
    """
    available = count_problems(split)
    if not 0 <= n <= available:
        raise ValueError(f"split '{split}' has {available} different problems, n must be 0 to {available}; got {n}.")
    phrased, about = _tellings(split), list(product(NAMES, THINGS))
    picks = (divmod(pick, len(about)) for pick in random.Random(seed).sample(range(available), n))
    return [_row(phrased[i], *about[j]) for i, j in picks]


def count_problems(split: Split) -> int:
    """How many different problems a split has: 155,008 in train, 77,504 in test."""
    return len(_tellings(split)) * len(NAMES) * len(THINGS)


class _Phrased(NamedTuple):
    """A phrasing of a calculation with its numbers, still about nobody and nothing."""

    phrasing: str
    signs: str
    numbers: tuple[int, int, int]


def _tellings(split: Split) -> list[_Phrased]:
    """Those of a split. Only calculations with results from 1 to LARGEST at both steps are used."""
    return [
        _Phrased(phrasing, signs, numbers)
        for signs, phrasings in CALCULATIONS
        for numbers in product(NUMBERS, NUMBERS, NUMBERS)
        if all(1 <= result <= LARGEST for result in _results(signs, numbers))
        for index, phrasing in enumerate(phrasings)
        if (index == _held_out(signs, numbers)) == (split == "test")
    ]


def _held_out(signs: str, numbers: tuple[int, int, int]) -> int:
    """Which of the three phrasings is in test. Not by hash(), which differs between processes."""
    return sha256(f"{signs} {numbers}".encode()).digest()[0] % 3


def _results(signs: str, numbers: tuple[int, int, int]) -> tuple[int, int]:
    a, b, c = numbers
    first = SIGNS[signs[0]](a, b)
    return first, SIGNS[signs[1]](first, c)


def _row(phrased: _Phrased, name: str, things: str) -> dict[str, str]:
    a, b, c = phrased.numbers
    first, last = _results(phrased.signs, phrased.numbers)
    return {
        "question": phrased.phrasing.format(name=name, things=things, a=a, b=b, c=c),
        "answer": f"{a} {phrased.signs[0]} {b} = {first}\n{first} {phrased.signs[1]} {c} = {last}\n#### {last}",
    }


SEED = 0
TAGS = ("<think>", "</think>", "\\boxed{")


def texts() -> Iterator[str]:
    problems = word_problems(2000, SEED)
    yield from (f"{problem['question']}\n{problem['answer']}" for problem in problems)
    yield from [" ".join(map(str, range(100)))] * len(problems)  # often enough for each to be merged


def demonstrations(n: int, problems: Callable[[int, int], list[dict[str, str]]] = word_problems) -> list[Chat]:
    rng = random.Random(SEED)
    return [chat(rng, row["question"], partial(demonstration, row["answer"])) for row in problems(n, SEED)]


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
    steps=600,  # 38,400 problems of the train split, each seen once
    seed=SEED,
)

# Longer ones with larger numbers, for a model that is larger than the tiny one: three to five steps.
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


class LongCalculation(NamedTuple):
    """The number that it begins with, and each step's sign and number."""

    first: int
    steps: tuple[tuple[str, int], ...]


def long_word_problems(n: int, seed: int, split: Split = "train") -> list[dict[str, str]]:
    """n longer problems as rows `{"question", "answer"}`, with different calculations, whose results are 1 to 999.

        question: Hana has 48 coins. Hana finds 27 more. Then there are 3 times as many. Hana loses 60. How many …?
        answer:   48 + 27 = 75
                  75 * 3 = 225
                  225 - 60 = 165
                  #### 165

    `answer` is the worked solution, one step a line, and ends in the result as GSM8K's does: `"#### 165"`. Of every
    eight calculations a hash holds one out (`split="test"`); it depends neither on `seed` nor on the process.
    """
    rng = random.Random(seed)
    rows: dict[LongCalculation, dict[str, str]] = {}
    while len(rows) < n:
        calculation = _long_calculation(rng)
        if _is_long_held_out(calculation) == (split == "test") and calculation not in rows:
            rows[calculation] = _long_row(calculation, rng)
    return list(rows.values())


def _long_calculation(rng: random.Random) -> LongCalculation:
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
    return LongCalculation(first, tuple(steps))


def _is_long_held_out(calculation: LongCalculation) -> bool:
    """Not by hash(), which differs between processes."""
    return sha256(str(tuple(calculation)).encode()).digest()[0] % 8 == 0


def _long_row(calculation: LongCalculation, rng: random.Random) -> dict[str, str]:
    name, things, result = rng.choice(NAMES), rng.choice(THINGS), calculation.first
    sentences, worked = [BEGINNING.format(name=name, things=things, number=result)], []
    for sign, number in calculation.steps:
        sentences.append(rng.choice(SENTENCES[sign]).format(name=name, number=number))
        reached = SIGNS[sign](result, number)
        worked.append(f"{result} {sign} {number} = {reached}")
        result = reached
    question = " ".join([*sentences, END.format(name=name, things=things)])
    return {"question": question, "answer": "\n".join([*worked, f"#### {result}"])}


def long_texts() -> Iterator[str]:
    rows = long_word_problems(2000, SEED)
    yield from (f"{row['question']}\n{row['answer']}" for row in rows)
    rng = random.Random(SEED)
    yield from (turn["content"] for _ in rows for turn in system_turn(rng))


LONG_WARM_UP = WarmUp(
    folder=Path("outputs") / "long_word_problems",  # made where it is needed: it is too large to ship
    texts=long_texts,
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
