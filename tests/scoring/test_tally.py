"""The figures: worked by hand, and the same however the completions were cut into pieces."""

import math
import random
from statistics import fmean

import pytest

from grpo_rewards import Verdict
from grpo_rewards.scoring.tally import Tally

ONE = [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, None, 1.0]
OTHER = [0.5, 0.5, 1.0, 0.25, 0.0, 0.5, 1.0, 1.0]
GROUPS = [b"a", b"a", b"b", b"b", b"c", b"c", b"d", b"d"]


def verdicts(rewards: list[float | None]) -> list[Verdict]:
    return [Verdict(one, "none" if one is None else "right" if one == 1.0 else "wrong") for one in rewards]


def tallied(groups: list[bytes] | None = GROUPS) -> Tally:
    tally = Tally(("one", "other"), (1.0, None))
    tally.add([verdicts(ONE), verdicts(OTHER)], groups)
    return tally


def test_the_figures_are_those_worked_by_hand() -> None:
    one, other = tallied().summaries()
    assert (one.scored, one.unscored, one.mean) == (7, 1, 4 / 7)
    assert one.reasons == {"right": 4, "wrong": 3, "none": 1}
    assert (one.groups, one.without_signal) == (3, 2 / 3)  # d has one scored completion
    assert one.at_best == (1 / 4, 1 / 4, 2 / 4)  # c; a; b and d
    assert (other.groups, other.without_signal) == (4, 2 / 4)  # a and d
    assert other.at_best == (2 / 4, 1 / 4, 1 / 4)  # a and c; b; d, where the highest seen is the best


def test_the_interval_is_that_of_groups_worked_by_hand() -> None:
    other = tallied().summaries()[1]
    mean = fmean(one for one in OTHER if one is not None)
    apart = [0.5 + 0.5, 1.0 + 0.25, 0.0 + 0.5, 1.0 + 1.0]
    variance = 4 / 3 * sum((total - 2 * mean) ** 2 for total in apart) / 8**2
    assert other.interval == pytest.approx(
        (mean - 1.959964 * math.sqrt(variance), mean + 1.959964 * math.sqrt(variance))
    )


def test_shares_have_an_interval_within_0_and_1_also_where_all_are_equal() -> None:
    tally = Tally(("one",))
    tally.add([verdicts([1.0] * 40)], [bytes([at // 4]) for at in range(40)])
    low, high = tally.summaries()[0].interval or (0, 0)
    assert (low, high) == (
        pytest.approx(10 / (10 + 1.959964**2)),
        pytest.approx(1.0),
    )


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    rng, inside = random.Random(0), 0
    for _ in range(400):
        tally = Tally(("one",))
        for group in range(30):
            rate = rng.choice([0.1, 0.5, 0.9])  # of a prompt, so that its completions resemble each other
            tally.add([verdicts([float(rng.random() < rate) for _ in range(8)])], [bytes([group])] * 8)
        low, high = tally.summaries()[0].interval or (0, 0)
        inside += low <= 0.5 <= high
    assert 0.91 <= inside / 400 <= 0.985


def test_pieces_come_to_what_the_whole_comes_to() -> None:
    pieces = Tally(("one", "other"), (1.0, None))
    for at in range(0, 8, 3):
        pieces.add([verdicts(ONE[at : at + 3]), verdicts(OTHER[at : at + 3])], GROUPS[at : at + 3])
    assert pieces.as_json() == tallied().as_json()


def test_without_groups_nothing_is_stated_of_them() -> None:
    one, other = tallied(None).summaries()
    assert (one.groups, one.without_signal, one.at_best) == (0, None, None)
    numbers = [one for one in OTHER if one is not None]
    error = math.sqrt(sum((one - fmean(numbers)) ** 2 for one in numbers) / 7 / 8)
    assert other.interval == pytest.approx((fmean(numbers) - 1.959964 * error, fmean(numbers) + 1.959964 * error))


def test_a_constant_reward_that_is_no_share_has_no_interval() -> None:
    tally = Tally(("one",))
    tally.add([verdicts([0.1] * 3)], None)
    assert tally.summaries()[0].interval is None


def test_what_is_constant_shows_not_whether_it_is_the_best_there_is() -> None:
    stated, unknown = Tally(("one",), (1.0,)), Tally(("one",))
    for tally in (stated, unknown):
        tally.add([verdicts([0.0] * 3)], [b"a", b"a", b"b"])
    assert [one.summaries()[0].at_best for one in (stated, unknown)] == [(1.0, 0.0, 0.0), None]


def test_nothing_at_all_has_no_figures() -> None:
    empty = Tally(("one",)).summaries()[0]
    assert (empty.mean, empty.interval, empty.without_signal, empty.at_best) == (None, None, None, None)
