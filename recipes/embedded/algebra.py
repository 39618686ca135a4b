r"""Algebra problems in the form of the MATH data set, made from a seed instead of downloaded.

Five kinds of exercise on small numbers, whose answers are what a grader of LaTeX has to read: a fraction, a list, a
polynomial, a root, an interval. Each is phrased in one of three ways, with one of six letters:

    problem:  If $7x = 3x + 6$, what is $x$?
    type:     fraction
    solution: $7 - 3 = 4$, so the answer is $\boxed{\frac{3}{2}}$.

No problem has its answer in another form, as "expand $(x+2)(x+3)$" would: copying the question earns nothing.

The tiny model is warmed up on three kinds of answer, only one of which both gets the result right and puts it where a
reward looks for it.
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from itertools import combinations, product
from typing import Literal, NamedTuple

from embedded import TINY_ALGEBRA
from embedded.warm_up import Chat, WarmUp, chat

__all__ = ["KINDS", "WARM_UP", "Exercise", "algebra", "count_problems", "exercises"]

Split = Literal["train", "test"]


class Exercise(NamedTuple):
    """The question, with ``@`` for the letter, the steps that lead to the answer, and the answer, all in LaTeX."""

    question: str
    steps: tuple[str, ...]
    answer: str


class Kind(NamedTuple):
    """Three phrasings of the same, and the letters that may stand in them."""

    phrasings: tuple[str, str, str]
    letters: str = "xyztnk"


KINDS = {
    "fraction": Kind(
        ("Solve ${question}$ for $@$.", "If ${question}$, what is $@$?", "Find $@$ such that ${question}$.")
    ),
    "list": Kind(
        (
            "Find all solutions of ${question}$, separated by a comma.",
            "What are the two roots of ${question}$?",
            "For which two values of $@$ is ${question}$?",
        )
    ),
    # the letter is the polynomial's name
    "polynomial": Kind(
        (
            "Find the monic quadratic $@(x)$ with the roots {question}.",
            "If $@(x)$ is monic of degree $2$ with the zeros {question}, what is $@(x)$?",
            "Expand the monic quadratic $@(x)$ that vanishes at {question}.",
        ),
        letters="fghpqr",
    ),
    "root": Kind(
        (
            "Solve ${question}$ for $@ > 0$.",
            "If ${question}$ and $@$ is positive, what is $@$?",
            "Find the positive solution of ${question}$.",
        )
    ),
    "interval": Kind(
        (
            "What is the domain of ${question}$, as an interval?",
            "Find all $@$ for which ${question}$ is real.",
            "On which interval is ${question}$ defined?",
        )
    ),
}
NUMBERS = range(1, 10)
COEFFICIENTS = range(2, 10)
BOUNDS = [*range(-9, 0), *NUMBERS]
CONSTANTS = [*range(-12, 0), *range(1, 13)]
SQUAREFREE = (2, 3, 5, 6, 7, 10)
LARGEST = 99  # of any number in a problem; one token of the tiny model
# what has a domain, and the interval above and below a bound
DOMAINS = (
    (r"\sqrt{{{}}}", r"[{}, \infty)", r"(-\infty, {}]"),
    (r"\log({})", r"({}, \infty)", r"(-\infty, {})"),
)


def algebra(n: int, seed: int, split: Split = "train") -> list[dict[str, str]]:
    r"""n different problems as rows ``{"problem", "type", "solution"}``, of each kind as many, in random order.

    ``solution`` is worked out and ends in the answer in ``\boxed{…}``, as MATH's do.

    Held out (``split="test"``) means: of the three phrasings of an exercise a hash picks one, and every problem that
    has it, with whatever letter, is in test. The other two are in train. So train never has what is held out in
    its words, but always has the exercise, say 7x = 3x + 6, phrased otherwise. The hash depends neither on ``seed`` nor
    on the process.

    Raises ValueError if n is negative or more than ``count_problems(split)``.
    """
    return [
        {"problem": exercise.question, "type": kind, "solution": _solution(exercise)}
        for kind, exercise in exercises(n, seed, split)
    ]


def exercises(n: int, seed: int, split: Split = "train") -> list[tuple[str, Exercise]]:
    """The same n problems, each with its kind and its steps one by one; ``question`` is then the whole one."""
    available = count_problems(split)
    if not 0 <= n <= available:
        raise ValueError(f"split '{split}' has {available} different problems, n must be 0 to {available}; got {n}.")
    rng = random.Random(seed)
    drawn = [
        (kind, exercise._replace(question=exercise.question.replace("@", letter)))
        for index, kind in enumerate(KINDS)
        for exercise, letter in rng.sample(_problems(kind, split), n // len(KINDS) + (index < n % len(KINDS)))
    ]
    rng.shuffle(drawn)
    return drawn


def count_problems(split: Split) -> int:
    """How many different problems can be drawn, of each kind as many: 4,080 from train, 2,040 from test."""
    return len(KINDS) * min(len(_problems(kind, split)) for kind in KINDS)


@cache
def _problems(kind: str, split: Split) -> Sequence[tuple[Exercise, str]]:
    """All of one kind in a split, each with the letter that it will have."""
    return [
        (exercise._replace(question=phrasing.replace("{question}", exercise.question)), letter)
        for exercise in EXERCISES[kind]
        for index, phrasing in enumerate(KINDS[kind].phrasings)
        if (index == _held_out(kind, exercise)) == (split == "test")
        for letter in KINDS[kind].letters
    ]


def _held_out(kind: str, exercise: Exercise) -> int:
    """Which of the three phrasings is in test. Not by hash(), which differs between processes."""
    return sha256(f"{kind} {exercise.question}".encode()).digest()[0] % 3


def _fractions() -> Iterator[Exercise]:
    for a, b, constant in product(COEFFICIENTS, COEFFICIENTS, CONSTANTS):
        if a - b >= 2:
            question = f"{a}@ = {b}@ {_signed(constant)}"
            yield Exercise(question, (f"{a} - {b} = {a - b}",), _fraction(Fraction(constant, a - b)))


def _lists() -> Iterator[Exercise]:
    for r, s in _pairs():
        yield Exercise(f"{_monic(r, s, '@')} = 0", _sum_and_product(r, s), f"{r}, {s}")


def _polynomials() -> Iterator[Exercise]:
    for r, s in _pairs():
        yield Exercise(f"${r}$ and ${s}$", _sum_and_product(r, s), _monic(r, s, "x"))


def _roots() -> Iterator[Exercise]:
    for a, k, radicand in product(COEFFICIENTS, COEFFICIENTS, SQUAREFREE):
        square = k * k * radicand
        steps = (f"{a * square} \\div {a} = {square}", f"{square} = {k * k} \\cdot {radicand}")
        if a * square <= LARGEST:
            for question in (f"{a}@^2 = {a * square}", f"{a}@^2 - {a * square} = 0"):
                yield Exercise(question, steps, f"{k}\\sqrt{{{radicand}}}")


def _intervals() -> Iterator[Exercise]:
    for (function, above, below), a, bound in product(DOMAINS, COEFFICIENTS, BOUNDS):
        for argument, interval in ((f"{a}@ {_signed(-a * bound)}", above), (f"{a * bound} - {a}@", below)):
            steps = (f"{a * bound} \\div {a} = {bound}",)
            yield Exercise(function.format(argument), steps, interval.format(bound))


def _pairs() -> Iterator[tuple[int, int]]:
    """Two roots of one sign, in ascending order."""
    yield from combinations(NUMBERS, 2)
    yield from combinations(range(-9, 0), 2)


def _sum_and_product(r: int, s: int) -> tuple[str, str]:
    second = f"({s})" if s < 0 else str(s)
    return f"{r} + {second} = {r + s}", f"{r} \\cdot {second} = {r * s}"


def _signed(number: int) -> str:
    return f"{'-' if number < 0 else '+'} {abs(number)}"


def _fraction(value: Fraction) -> str:
    sign = "-" if value < 0 else ""
    if value.denominator == 1:
        return f"{value}"
    return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _monic(r: int, s: int, letter: str) -> str:
    """The polynomial whose roots are r and s, which have one sign and are not both 1 or −1."""
    return f"{letter}^2 {_signed(-r - s)}{letter} {_signed(r * s)}"


def _solution(exercise: Exercise) -> str:
    steps = ", ".join(f"${step}$" for step in exercise.steps)
    return f"{steps}, so the answer is $\\boxed{{{exercise.answer}}}$."


EXERCISES = {
    "fraction": list(_fractions()),
    "list": list(_lists()),
    "polynomial": list(_polynomials()),
    "root": list(_roots()),
    "interval": list(_intervals()),
}

SEED = 0
DRAWN = 4000  # problems at a time; the train split has too few lists to draw all demonstrations at once


def texts() -> Iterator[str]:
    problems = algebra(DRAWN, SEED)
    yield from (f"{problem['problem']}\n{problem['solution']}" for problem in problems)
    yield from [" ".join(map(str, range(100)))] * len(problems)  # often enough for each to be merged


def demonstrations(n: int) -> list[Chat]:
    rng = random.Random(SEED)
    drawn = [exercise for start in range(0, n, DRAWN) for _, exercise in exercises(min(DRAWN, n - start), SEED + start)]
    return [chat(rng, exercise.question, partial(demonstration, exercise)) for exercise in drawn]


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
    # one or two digits, a command with its brace, a sign with its spaces, a word, other signs, space
    pieces=r"\p{N}{1,2}|\\\p{L}+\{?| [+\-=] | ?\p{L}+| ?[^\s\p{L}\p{N}\\]|\s+",
    steps=450,
    seed=SEED,
)
