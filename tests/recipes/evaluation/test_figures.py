"""The figures of an evaluation, on numbers and tables that were worked by hand."""

import pytest
from pandas import DataFrame
from tables import each_row, tables_beside
from training.figures import bootstrap, by_problem, difference, figures, maj_at_k, pass_at_k
from training.figures import table as printed

from grpo_rewards.scoring.tally import wilson

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


def table(sampled: list[list[tuple[float | None, str | None]]]) -> DataFrame:
    """For each problem (gold reward, prediction) of each sample."""
    rows = [
        (problem, sample, number, said)
        for problem, several in enumerate(sampled)
        for sample, (number, said) in enumerate(several)
    ]
    found = DataFrame(rows, columns=["problem", "sample", "gold", "gold/prediction"])
    return found.assign(solved=[None if one != one else one >= 1 for one in found["gold"].astype(float)])


NAMES = ["gold"]
R, W, V = (1.0, "4"), (0.0, "5"), (0.0, "6")


def test_figures_are_means_over_problems():
    found = by_problem(table([[R, W], [R, R], [W, V], [(0.0, None), W]]), NAMES, "gold")
    assert found["sampled"]["gold"] == {0: 0.5, 1: 1.0, 2: 0.0, 3: 0.0}
    assert found["pass@k"] == {"1": {0: 0.5, 1: 1.0, 2: 0.0, 3: 0.0}, "2": {0: 1.0, 1: 1.0, 2: 0.0, 3: 0.0}}
    assert found["maj@k"] == {"2": {0: 0.5, 1: 1.0, 2: 0.0, 3: 0.0}}  # of a tie, half
    said = figures(found)
    assert said["sampled"]["gold"] == {"mean": 0.375, "interval": None, "problems": 4}  # too few for a bootstrap


def test_what_could_not_be_scored_is_left_out():
    none = (None, None)
    found = by_problem(table([[R, none], [none, none], [W, W]]), NAMES, "gold")
    assert found["sampled"]["gold"] == {0: 1.0, 2: 0.0}
    assert found["pass@k"]["1"] == {2: 0.0}
    nothing = figures(by_problem(table([[none, none]]), NAMES, "gold"))
    assert nothing["sampled"]["gold"] == {"mean": None, "interval": None, "problems": 0}
    assert "none" in printed({"model": nothing}, 2)


def test_a_reward_beyond_0_and_1_is_no_share():
    found = {"sampled": {"overlong": dict.fromkeys(range(20), 0.0)}}
    assert figures(found)["sampled"]["overlong"]["interval"] == wilson(0, 20)
    assert figures(found, ["overlong"])["sampled"]["overlong"]["interval"] is None


def test_a_difference_is_of_the_problems_that_both_scored():
    before = {"sampled": {"gold": dict.fromkeys(range(12), 0.25)}}
    after = {"sampled": {"gold": {at: 0.25 + 0.5 * (at % 2) for at in range(1, 30)}}}
    # of the problems 1 to 11, six are odd and rise by a half
    change = difference(before, after)["sampled"]["gold"]
    assert change["problems"] == 11
    assert change["mean"] == pytest.approx(6 / 11 * 0.5)
    low, high = change["interval"]
    assert 0 < low < change["mean"] < high < 0.5


def test_the_table_begins_with_what_was_sampled_and_signs_a_difference():
    one = figures(by_problem(table([[R, W]] * 6 + [[R, R]] * 6), NAMES, "gold"))
    change = {"sampled": {"gold": {"mean": 0.25, "interval": (-0.125, 0.5), "problems": 12}}}
    lines = printed({"before": one, "difference": change}, 2).splitlines()
    assert lines[0].split() == ["held-out", "mean", "before", "difference"]
    assert lines[1].startswith("sampled/gold")
    assert lines[1].endswith("+0.250 [-0.125, +0.500]")
    assert [line.split()[0] for line in lines[1:-1]] == ["sampled/gold", "pass@1", "pass@2", "maj@2"]
    assert lines[2].split()[-1] == "none"
