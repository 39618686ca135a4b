"""The figures of an evaluation, on numbers that were worked by hand."""

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from training.figures import bootstrap, difference, figures, maj_at_k, pass_at_k

TABLES = tables_beside(__file__)


@each_row("successes, trials, low, high", TABLES["wilson"])
def test_wilson(successes, trials, low, high):
    solved = dict(enumerate([1.0] * successes + [0.0] * (trials - successes)))
    interval = figures({"sampled": {"gold": solved}})["sampled"]["gold"]["interval"]
    assert interval == pytest.approx((low, high), abs=2e-6)


def test_the_bootstrap_of_a_coin_is_a_binomial():
    # The mean of ten draws from five 0 and five 1 is binomial(10, 1/2) / 10: P(≤ 1) = .011, P(≤ 2) = .055, so that the
    # 2.5 % quantile is 2, and by symmetry the 97.5 % quantile 8.
    assert bootstrap([0.0, 1.0] * 5) == pytest.approx((0.2, 0.8))


def test_the_paired_bootstrap_is_that_of_the_differences():
    before = [0.0, 0.3, 0.9, 0.4, 0.0, 0.1, 0.2, 0.5, 0.25, 0.75]
    after = [one + 0.125 * (place % 2) for place, one in enumerate(before)]  # half of them rise by an eighth
    both = [{"sampled": {"gold": dict(enumerate(one))}} for one in (before, after)]
    assert difference(*both)["sampled"]["gold"]["interval"] == pytest.approx((0.2 * 0.125, 0.8 * 0.125))
    assert difference(*both[::-1])["sampled"]["gold"]["interval"] == pytest.approx((-0.8 * 0.125, -0.2 * 0.125))


def test_no_interval_is_reported_for_too_few_problems_or_for_equal_ones():
    assert bootstrap([0.0, 1.0] * 4 + [1.0]) is None
    assert bootstrap([0.5] * 100) is None
    assert bootstrap([]) is None


@each_row("samples, solved, k, expected", TABLES["pass_at_k"])
def test_pass_at_k(samples, solved, k, expected):
    assert pass_at_k(samples, solved, k) == pytest.approx(expected)


@each_row(
    "predictions, right, expected",
    [
        (["4", "4", "5"], [1, 1, 0], 1.0),
        (["4", "5", "5"], [1, 0, 0], 0.0),
        (["4", "5", "5.0"], [1, 0, 0], 1 / 3),  # a vote is for a text
        (["4", "5", "6"], [1, 0, 0], 1 / 3),  # three with a vote each: one of three is picked
        (["4", "4.0", "5", "5"], [1, 1, 0, 0], 1 / 2),
        ([None, None, "4"], [0, 0, 1], 1.0),  # who says nothing does not vote
        ([None, None], [0, 0], 0.0),
        (["5", None], [0, 0], 0.0),
    ],
)
def test_maj_at_k(predictions, right, expected):
    assert maj_at_k(predictions, [bool(one) for one in right]) == pytest.approx(expected)
