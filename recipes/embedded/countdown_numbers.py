"""Countdown problems, made from a seed: reach a target with three numbers, each used once.

The numbers are 1 to 9, the target 1 to 30. It can be reached in two steps without a fraction or a number below 1: two
of the numbers make one, and the third is added, taken away or multiplied:

    nums:   [5, 2, 3]
    target: 17

A problem has many solutions, and a row holds none: whether an expression reaches the target is computed.
"""

from __future__ import annotations

import operator
import random
from functools import cache
from hashlib import sha256
from itertools import combinations_with_replacement, permutations
from typing import Any, Literal, NamedTuple

__all__ = ["Solution", "count_problems", "countdown_numbers", "solution"]

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


@cache
def _problems(split: Split) -> list[tuple[tuple[int, ...], int]]:
    if split not in ("train", "test"):
        raise ValueError(f"unknown split '{split}'; the splits are 'train' and 'test'.")
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
