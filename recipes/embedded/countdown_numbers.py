"""Countdown problems, made from a seed: reach a target with three numbers, each used once.

The numbers are 1 to 9, the target 1 to 30. It can be reached in two steps without a fraction or a number below 1: two
of the numbers make one, and the third is added, taken away or multiplied:

    nums:   [5, 2, 3]
    target: 17

A problem has many solutions, and a row holds none: whether an expression reaches the target is computed.

The tiny model is warmed up on three kinds of answer, only one of which both works out how to reach a target and ends
with the expression that does it.
"""

import operator
import random
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from itertools import combinations_with_replacement, permutations
from typing import Any, Literal, NamedTuple

from embedded import TINY_COUNTDOWN
from embedded.warm_up import Chat, WarmUp, chat, system_turn

__all__ = ["WARM_UP", "Solution", "count_problems", "countdown_numbers", "demonstration", "right", "solution"]

Split = Literal["train", "test"]

NUMBERS = range(1, 10)
LARGEST_TARGET = 30
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
# the signs of both steps, in the order in which a solution is looked for
CALCULATIONS = (("+", "+"), ("+", "-"), ("*", "+"), ("*", "-"), ("+", "*"), ("-", "*"))


class Solution(NamedTuple):
    """Two steps, such as ``("5 * 3 = 15", "15 + 2 = 17")``, and both as one expression, ``(5 * 3) + 2``."""

    steps: tuple[str, str]
    expression: str


def countdown_numbers(n: int, seed: int, split: Split = "train") -> list[dict[str, Any]]:
    """n different problems as rows ``{"nums", "target"}``, drawn uniformly without replacement.

    Held out (``split="test"``) means: of three problems, which are numbers in whatever order with a target, a hash puts
    one in test with all orders of its numbers. It depends neither on ``seed`` nor on the process.

    Raises ValueError if n is negative or more than ``count_problems(split)``.
    """
    available = count_problems(split)
    if not 0 <= n <= available:
        raise ValueError(f"split '{split}' has {available} different problems, n must be 0 to {available}; got {n}.")
    return [{"nums": list(nums), "target": target} for nums, target in random.Random(seed).sample(_problems(split), n)]


def count_problems(split: Split) -> int:
    """How many different problems a split has, other orders of the same numbers among them."""
    return len(_problems(split))


def solution(nums: list[int], target: int) -> Solution:
    """The first way to the target, which does not depend on the order of the numbers: see CALCULATIONS."""
    return _solutions(tuple(sorted(nums)))[target]


MOST_NUMBERS = 5  # of which all expressions are looked through in seconds


def right(row: Mapping[str, Any]) -> str:
    """A completion that is right, for up to five numbers; empty where there is none.

    ``check_rewards`` tries the rewards with it: ``expression_reaches`` rewards none of the usual forms of an answer.
    """
    numbers = re.findall("[0-9]+", str(row["nums"]))
    expression = reached([(Fraction(number), number) for number in numbers], int(row["target"]))
    return f"<think>{expression}</think><answer>{expression}</answer>" if expression else ""


def reached(parts: list[tuple[Fraction, str]], target: int) -> str | None:
    """An expression of all parts that comes to the target: two of them are made one until one is left."""
    if len(parts) < 2 or len(parts) > MOST_NUMBERS:
        return next((text for value, text in parts if value == target and len(parts) == 1), None)
    for (a, left), (b, other) in permutations(parts, 2):
        rest = list(parts)
        rest.remove((a, left))
        rest.remove((b, other))
        made = [(a + b, "+"), (a - b, "-"), (a * b, "*"), *([(a / b, "/")] if b else [])]
        for value, sign in made:
            if found := reached([*rest, (value, f"({left} {sign} {other})")], target):
                return found
    return None


@cache
def _problems(split: Split) -> list[tuple[tuple[int, ...], int]]:
    return [
        (order, target)
        for nums in combinations_with_replacement(NUMBERS, 3)
        for target in sorted(_solutions(nums))
        if _is_held_out(nums, target) == (split == "test")
        for order in sorted(set(permutations(nums)))
    ]


def _is_held_out(nums: tuple[int, ...], target: int) -> bool:
    """Not by hash(), which differs between processes."""
    return sha256(f"{nums} {target}".encode()).digest()[0] % 3 == 0


@cache
def _solutions(nums: tuple[int, ...]) -> dict[int, Solution]:
    """By target the first solution; ``nums`` in ascending order."""
    found: dict[int, Solution] = {}
    orders = sorted(set(permutations(nums)), reverse=True)
    for first_sign, last_sign in CALCULATIONS:
        for a, b, c in orders:
            first = SIGNS[first_sign](a, b)
            last = SIGNS[last_sign](first, c)
            if a >= b and first >= 1 and 1 <= last <= LARGEST_TARGET:
                steps = f"{a} {first_sign} {b} = {first}", f"{first} {last_sign} {c} = {last}"
                found.setdefault(last, Solution(steps, f"({a} {first_sign} {b}) {last_sign} {c}"))
    return found


SEED = 0
DRAWN = 3900  # problems at a time: the train split has fewer than there are demonstrations


def texts() -> Iterator[str]:
    from countdown import user_turn  # the recipe, which imports this module

    rows = countdown_numbers(DRAWN, SEED)
    yield from (f"{user_turn(row)}\n{demonstration(solution(**row), row['target'], 0.0)}" for row in rows)
    rng = random.Random(SEED)
    yield from (turn["content"] for _ in rows for turn in system_turn(rng))
    yield from [" ".join(map(str, range(100)))] * len(rows)  # often enough for each to be merged


def demonstrations(n: int) -> list[Chat]:
    from countdown import user_turn

    rng = random.Random(SEED)
    rows = [row for start in range(0, n, DRAWN) for row in countdown_numbers(min(DRAWN, n - start), SEED + start)]
    return [chat(rng, user_turn(row), partial(demonstration, solution(**row), row["target"])) for row in rows]


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
    # one or two digits, a sign with its spaces, a word, one other sign, space
    pieces=r"\p{N}{1,2}| [+\-*/=] | ?\p{L}+| ?[^\s\p{L}\p{N}]|\s+",
    steps=1000,
    batch=32,
    learning_rate=4e-3,
    seed=SEED,
)
