"""Compares numbers of very many digits by their remainders: ``2024!``, ``5^{2024} - 1``, ``\\binom{2018}{1009}``.

They are never written out. Two formulas of numbers, sums, products and whole powers have different values modulo nearly
all primes, unless they have the same value; and since the primes come from a hash of both, no formula can be written to
fit them.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.formulas.budget import TooLarge, spend
from grpo_rewards.answers.formulas.exact import NotExact, Point, Undefined, exact, indices
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.structure import symbols

__all__ = ["Remainders", "primes", "remainders"]

PRIMES = 4
PRIME_BITS = 80
WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)  # decide whether any number below 3.3 · 10^24 is prime
LARGEST_EXPONENT = 10**9
# Of a number with so many bits at most one prime of 80 bits in 10^11 is a divisor, so that two different values have
# the same remainders by four of them once in 10^44 pairs.
MOST_BITS = 1e12


class Remainders(NamedTuple):
    """The remainders of one value by each of the primes.

    ``bits``: how many it has at most, above and below. ``formal``: whether a part of it, such as a root, only stands
    for itself: then equal remainders show equal values, but different ones show nothing.
    """

    of: tuple[int, ...]
    bits: float
    formal: bool = False


@lru_cache(maxsize=256)
def primes(seed: bytes) -> tuple[int, ...]:
    """The primes for a pair of formulas whose hash is ``seed``. All are 1 more than a multiple of 4, so that -1 has a
    square root.
    """
    found: list[int] = []
    drawn = 0
    while len(found) < PRIMES:
        drawn += 1
        hashed = hashlib.blake2b(b"%d" % drawn, key=seed, digest_size=PRIME_BITS // 8).digest()
        candidate = int.from_bytes(hashed, "big") | 1 | 1 << (PRIME_BITS - 1)
        if candidate % 4 == 1 and candidate not in found and _is_prime(candidate):
            found.append(candidate)
    return tuple(found)


def _is_prime(candidate: int) -> bool:
    """Whether an odd number below 3.3 · 10^24 is prime (Miller and Rabin; Sorenson and Webster 2015)."""
    odd, twos = candidate - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for witness in WITNESSES:
        value = pow(witness, odd, candidate)
        if value in (1, candidate - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % candidate
            if value == candidate - 1:
                break
        else:
            return False
    return True


def remainders(formula: Formula, point: Point, by: tuple[int, ...]) -> Remainders:
    """The remainders of a formula's value at a point by the primes ``by``. Draws on the budget.

    The constants pi and e, of which no polynomial with fractions as coefficients is zero, get remainders of their own;
    i gets a square root of -1. A root, a sine and the like get one that depends on how they are written.

    Raises:
        NotExact: no square root of -1 is found, which happens once in thousands of pairs.
        Undefined: it has no value there, for example because of a division by zero.
        TooLarge: its value has more than ``MOST_BITS`` bits, or the budget is used up.
    """
    kind = formula.kind
    spend(2)
    if kind == "constant":
        return _constant(formula, by)
    if kind == "power":
        return _power(formula, point, by)
    if kind in ("sum", "product"):
        return _combined(kind, [remainders(arg, point, by) for arg in formula.args], by)
    if kind == "repeated":
        index, low, high, term = formula.args
        over = indices(exact(low, point), exact(high, point))
        terms = [remainders(term, {**point, index.name: Fraction(at)}, by) for at in over]
        return _combined(formula.name, terms, by)
    try:
        return _of_number(exact(formula, point), by)
    except NotExact:
        return _formal(formula, point, by)


def _formal(formula: Formula, point: Point, by: tuple[int, ...]) -> Remainders:
    """Remainders that depend on nothing but the spelling of a formula, and on the values of its symbols."""
    values = [(name, *map(hex, point[name].as_integer_ratio())) for name in sorted(symbols(formula))]
    spelled = repr((formula, values))  # in decimals Python writes no number of over 4,300 digits
    drawn = hashlib.blake2b(spelled.encode("utf-8", "backslashreplace"), key=b"%d" % by[0]).digest()
    return Remainders(tuple(int.from_bytes(drawn, "big") % prime for prime in by), 1, formal=True)


def _of_number(value: Fraction, by: tuple[int, ...]) -> Remainders:
    if any(value.denominator % prime == 0 for prime in by):
        raise NotExact("a denominator with one of the primes")
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    spend(bits / 1_000)
    return Remainders(tuple(value.numerator * pow(value.denominator, -1, prime) % prime for prime in by), bits)


def _constant(formula: Formula, by: tuple[int, ...]) -> Remainders:
    if formula.name == "i":
        return Remainders(tuple(map(_root_of_minus_one, by)), 1)
    return _formal(formula, {}, by)._replace(formal=False)


def _root_of_minus_one(prime: int) -> int:
    for base in WITNESSES:
        root = pow(base, prime // 4, prime)
        if root * root % prime == prime - 1:
            return root
    raise NotExact("no root of -1")  # for one prime in 8,000


def _power(formula: Formula, point: Point, by: tuple[int, ...]) -> Remainders:
    try:
        exponent = exact(formula.args[1], point)
    except NotExact:
        return _formal(formula, point, by)
    if exponent.denominator != 1:
        return _formal(formula, point, by)
    base, whole = remainders(formula.args[0], point, by), exponent.numerator
    bits = base.bits * max(abs(whole), 1)
    if abs(whole) > LARGEST_EXPONENT or bits > MOST_BITS:
        raise TooLarge("a power of too many digits")
    if whole <= 0 and 0 in base.of:
        raise Undefined("a power of zero")
    spend(whole.bit_length())
    of = tuple(pow(value, whole, prime) for value, prime in zip(base.of, by, strict=True))
    return Remainders(of, bits, base.formal)


def _combined(kind: str, values: list[Remainders], by: tuple[int, ...]) -> Remainders:
    """The ``sum`` or ``product`` of values; of none, 0 or 1."""
    bits = sum(value.bits for value in values) + len(values)
    if bits > MOST_BITS:
        raise TooLarge("a number of too many digits")
    of = []
    for place, prime in enumerate(by):
        result = int(kind == "product")
        for value in values:
            result = (result + value.of[place] if kind == "sum" else result * value.of[place]) % prime
        of.append(result)
    return Remainders(tuple(of), bits, any(value.formal for value in values))
