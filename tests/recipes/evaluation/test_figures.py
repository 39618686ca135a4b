"""The figures of an evaluation, on numbers that were worked by hand."""

import pytest
from tables import each_row

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from running.evaluation.figures import bootstrap, maj_at_k, paired_bootstrap, pass_at_k, wilson


@each_row(
    "successes, trials, low, high",
    [
        # z² = 3.841459. n = 10, p = 0.8: centre (0.8 + 0.192073) / 1.384146 = 0.716740, half width
        # 1.959964 / 1.384146 · √(0.016 + 0.009604) = 0.226577
        (8, 10, 0.490162, 0.943318),
        # p = 0: both halves are z²/2n / (1 + z²/n) = 0.192073 / 1.384146
        (0, 10, 0.0, 0.277533),
        (10, 10, 0.722467, 1.0),
        # n = 200, p = 0.305: centre (0.305 + 0.0096036) / 1.0192073 = 0.308675; half width 1.959964 / 1.0192073 ·
        # √(0.001059875 + 0.0000240091) = 0.063310
        (61, 200, 0.245365, 0.371985),
    ],
)
def test_wilson(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=2e-6)


def test_wilson_of_nothing():
    assert wilson(0, 0) is None


def test_the_bootstrap_of_a_coin_is_a_binomial():
    # The mean of ten draws from five 0 and five 1 is binomial(10, 1/2) / 10: P(≤ 1) = .011, P(≤ 2) = .055, so that the
    # 2.5 % quantile is 2, and by symmetry the 97.5 % quantile 8.
    assert bootstrap([0.0, 1.0] * 5) == pytest.approx((0.2, 0.8))


def test_the_paired_bootstrap_is_that_of_the_differences():
    before = [0.0, 0.3, 0.9, 0.4, 0.0, 0.1, 0.2, 0.5, 0.25, 0.75]
    after = [one + 0.125 * (place % 2) for place, one in enumerate(before)]  # half of them rise by an eighth
    assert paired_bootstrap(before, after) == pytest.approx((0.2 * 0.125, 0.8 * 0.125))
    assert paired_bootstrap(after, before) == pytest.approx((-0.8 * 0.125, -0.2 * 0.125))


def test_no_interval_is_told_of_too_few_problems_or_of_equal_ones():
    assert bootstrap([0.0, 1.0] * 4 + [1.0]) is None
    assert bootstrap([0.5] * 100) is None
    assert bootstrap([]) is None


@each_row(
    "samples, solved, k, expected",
    [
        (4, 1, 1, 1 / 4),
        (4, 1, 2, 1 / 2),  # 1 − C(3,2)/C(4,2) = 1 − 3/6; the biased 1 − (3/4)² would be 7/16
        (4, 2, 2, 5 / 6),  # 1 − 1/6
        (4, 0, 4, 0.0),
        (4, 1, 4, 1.0),
        (10, 3, 5, 1 - 21 / 252),  # C(7,5) = 21, C(10,5) = 252
    ],
)
def test_pass_at_k(samples, solved, k, expected):
    assert pass_at_k(samples, solved, k) == pytest.approx(expected)


def test_pass_at_k_needs_k_samples():
    with pytest.raises(ValueError, match="pass@k needs k from 1 to the 4 samples, not 5"):
        pass_at_k(4, 1, 5)


def as_numbers(one: str, other: str) -> bool:
    return float(one) == float(other)


@each_row(
    "predictions, right, expected",
    [
        (["4", "4", "5"], [1, 1, 0], 1.0),
        (["4", "5", "5"], [1, 0, 0], 0.0),
        (["4", "5", "5.0"], [1, 0, 0], 0.0),  # the same wrong answer twice
        (["4", "5", "6"], [1, 0, 0], 1 / 3),  # three with a vote each: one of three is picked
        (["4", "4.0", "5", "5"], [1, 1, 0, 0], 1 / 2),
        ([None, None, "4"], [0, 0, 1], 1.0),  # who says nothing does not vote
        ([None, None], [0, 0], 0.0),
        (["5", None], [0, 0], 0.0),
    ],
)
def test_maj_at_k(predictions, right, expected):
    assert maj_at_k(predictions, [bool(one) for one in right], as_numbers) == pytest.approx(expected)
