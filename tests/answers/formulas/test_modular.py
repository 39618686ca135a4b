"""Remainders of numbers that are never written out, against Python's own arithmetic, and what has none."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from tables import each_row

from grpo_rewards.answers.formulas.exact import TooLarge, Undefined, start
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.identity import primes, remainders
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula

BY = primes(b"a pair of formulas")


@pytest.fixture(autouse=True)
def full_budget() -> None:
    start()


def read(text: str) -> Formula:
    formula = read_formula(parse(text))
    assert formula is not None
    return formula


def test_the_primes_are_prime_and_belong_to_the_pair() -> None:
    assert len(set(BY)) == 4
    for prime in BY:
        assert prime.bit_length() == 80
        assert prime % 4 == 1
        assert all(pow(base, prime - 1, prime) == 1 for base in (2, 3, 101, 65_537))  # Fermat
        assert all(prime % small for small in range(3, 20_000, 2))
    assert primes(b"a pair of formulas") == BY
    assert not set(primes(b"another pair")) & set(BY)


WHOLE: dict[str, Callable[[], int]] = {
    "5^{2024}-1": lambda: 5**2024 - 1,
    "2024!": lambda: math.factorial(2024),
    r"\binom{4000}{2000}": lambda: math.comb(4000, 2000),
    r"\sum_{k=1}^{3000} k^3": lambda: (3000 * 3001 // 2) ** 2,
    "(1+i)^{4000}": lambda: 2**2000,  # (1 + i)^2 = 2i, and i^2000 = 1
    "(2^{30})^{100000}": lambda: 2**3_000_000,
    "3^{-2000}3^{2001}": lambda: 3,
    "x^{3000}": lambda: 7**3000,  # x = 7
}


@each_row("text", WHOLE)
def test_the_remainders_of_whole_numbers(text: str) -> None:
    value = WHOLE[text]()
    found = remainders(read(text), {"x": Fraction(7)}, BY)
    assert found.of == tuple(value % prime for prime in BY)
    assert not found.formal


def test_the_remainder_of_a_fraction() -> None:
    found = remainders(read(r"\frac{2^{4000}}{3}"), {}, BY)
    assert [3 * value % prime for value, prime in zip(found.of, BY, strict=True)] == [2**4000 % prime for prime in BY]


def test_a_root_stands_only_for_itself() -> None:
    one, other = remainders(read(r"2^{2024}\sqrt{3}"), {}, BY), remainders(read(r"\sqrt{3}\cdot4^{1012}"), {}, BY)
    assert one.of == other.of
    assert one.formal
    # the roots of two indices are two numbers, also in one spelling
    first, second = (remainders(read(r"\sqrt{x}"), {"x": Fraction(x)}, BY) for x in (2, 3))
    assert first.of != second.of


def test_pi_and_e_are_no_numbers_that_one_could_write() -> None:
    found = [remainders(read(text), {}, BY).of for text in (r"\pi", "e", r"\frac{22}{7}")]
    assert len(set(found)) == 3


@each_row(
    "text, error",
    [
        ("2^{10000000000}", TooLarge),  # the exponent is over 10^9
        ("((2^{1000000})^{1000000})^{10}", TooLarge),  # 10^13 bits
        ("(1-1)^{-5000}", Undefined),
        (r"\frac{1}{2^{4000}-4^{2000}}", Undefined),
        ("20000!", TooLarge),
    ],
)
def test_what_has_no_remainders(text: str, error: type[ArithmeticError]) -> None:
    with pytest.raises(error):
        remainders(read(text), {}, BY)


def test_a_denominator_with_one_of_the_primes_shows_nothing() -> None:
    assert remainders(Formula("number", value=Fraction(1, BY[0])), {}, BY).formal


def test_exponents_that_are_the_same_by_the_order_of_small_primes_are_distinguished() -> None:
    # 2^e is 1 modulo each prime whose order divides e: a policy could write such an e for known primes
    order = math.lcm(*(prime - 1 for prime in (3, 5, 7, 13, 17, 37, 73, 109, 433)))
    assert remainders(read(f"2^{{{order}}}"), {}, BY).of != (1, 1, 1, 1)
