"""Which groups teach anything, by hand and by counting all of them."""

import math
from itertools import islice, product

import pytest
import torch
from tables import each_row
from torch import tensor

from grpo_rewards import loss as of

NAN = math.nan


@each_row(
    "rewards, size, expected",
    [
        ([1, 0, 1, 1, 0, 0], 2, [True, False, False]),
        ([0.1] * 6, 6, [False]),  # whose deviation in float32 is not quite 0
        ([1, NAN, 1, NAN, 0, NAN], 3, [False, False]),  # of the second, one alone is known
        ([NAN, NAN, NAN, 0.5], 2, [False, False]),
        ([True, False], 2, [True]),
    ],
)
def test_a_group_is_informative_if_its_rewards_differ(rewards, size, expected):
    assert of.informative_groups(tensor(rewards), size).tolist() == expected


def test_a_group_is_informative_just_where_an_advantage_is_not_zero():
    rewards = torch.randint(0, 2, (400,), generator=torch.Generator().manual_seed(0)).double()
    found = of.group_advantages(rewards, 4).view(-1, 4).abs().amax(dim=1) > 0
    assert 0 < found.sum() < 100
    assert (of.informative_groups(rewards, 4) == found).all()


def sampled(log):
    for number in range(100):
        log.append(number)
        yield tensor([1.0, 1.0, float(number % 2), 0.0])  # the second group is informative in each odd batch


def test_a_batch_is_filled_and_no_more_is_sampled_than_that_takes():
    log = []
    assert of.dynamic_sampling(sampled(log), 2, groups=3) == [(1, 1), (3, 1), (5, 1)]
    assert log == [0, 1, 2, 3, 4, 5]


def test_a_bound_on_sampling_leaves_the_batch_short():
    assert of.dynamic_sampling(islice(sampled([]), 4), 2, groups=3) == [(1, 1), (3, 1)]


def test_a_batch_with_more_than_enough_gives_its_first():
    assert of.dynamic_sampling([tensor([1.0, 0.0] * 5)], 2, groups=3) == [(0, 0), (0, 1), (0, 2)]


@each_row("size", [1, 2, 4, 6])
def test_the_probability_is_that_of_counting_all_groups(size):
    rate = 0.3
    counted = 0.0
    for group in product((0, 1), repeat=size):
        if len(set(group)) == 1:
            counted += math.prod(rate if one else 1 - rate for one in group)
    assert of.uninformative_probability(rate, size) == pytest.approx(counted, abs=1e-15)


def test_the_smallest_size_is_enough_and_one_less_is_not():
    for rate in (0.02, 0.3, 0.5, 0.9, 0.999):
        for at_most in (0.9, 0.5, 0.05):
            size = of.smallest_group_size(rate, at_most)
            assert of.uninformative_probability(rate, size) <= at_most < of.uninformative_probability(rate, size - 1)
