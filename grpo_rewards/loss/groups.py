"""Which groups teach anything, how many of them do, and how a batch is filled with them (dynamic sampling).

Where all rewards of a group are equal, all its advantages are 0: its completions cost time and change nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import ShapeError, as_numbers, quotes_its_call

__all__ = ["dynamic_sampling", "informative_groups", "smallest_group_size", "uninformative_probability"]

LARGEST_GROUP = 2**20  # where the search for a group size ends


def grouped(rewards: Tensor, group_size: int) -> Tensor:
    """Returns the rewards as floats, a group in each row. [B] → [B / G, G]

    Raises:
        ValueError: rewards that are not [B], an infinite reward, a group size that does not divide B.
    """
    rewards = as_numbers(rewards)
    if rewards.dim() != 1:
        flat = "; groups are next to each other, so write rewards.reshape(-1)." if rewards.dim() == 2 else "."
        raise ShapeError(f"rewards must be [B], not {list(rewards.shape)}{flat}")
    if group_size < 1 or rewards.numel() % group_size:
        raise ShapeError(f"{rewards.numel()} rewards do not divide into groups of {group_size}.")
    return rewards.view(-1, group_size)


@quotes_its_call
def informative_groups(rewards: Tensor, group_size: int) -> Tensor:
    """Returns which groups have rewards that differ: max(r) > min(r). [B] → [B / G], booleans

    With rewards of 0 and 1 this is the condition of DAPO's dynamic sampling (Yu et al. 2025, arXiv:2503.14476, equation
    11): 0 < |{o_i : o_i is right}| < G. A reward of NaN is no reward; a group with fewer than two others is not
    informative. Greatest and least are compared, and not a standard deviation with 0, because rounding may make that of
    equal rewards a little more than 0.

    Args:
        rewards: r, one for each completion, [B], the completions of one group next to each other.
        group_size: G; it must divide B.

    Raises:
        ValueError: rewards that are not [B], an infinite reward, a group size that does not divide B.

    >>> informative_groups(torch.tensor([1.0, 0, 0, 1, 1, 1, 1, 1]), group_size=4)
    tensor([ True, False])
    """
    groups = grouped(rewards, group_size)
    greatest = groups.nan_to_num(nan=-torch.inf).amax(dim=1)
    least = groups.nan_to_num(nan=torch.inf).amin(dim=1)
    return greatest > least


@quotes_its_call
def dynamic_sampling(batches: Iterable[Tensor], group_size: int, groups: int) -> list[tuple[int, int]]:
    """Returns where the first so many informative groups are, as (batch, group within it), both from 0.

    Dynamic sampling (Yu et al. 2025, arXiv:2503.14476, section 3.2): groups that teach nothing are thrown away, and
    more is sampled until the batch is full. A batch is taken from ``batches`` only while groups are missing, so a
    generator that samples on demand samples no more than is needed.

    Args:
        batches: the rewards of one sampled batch after the other, each [B], groups next to each other. What bounds it,
            such as ``itertools.islice``, bounds how often is sampled.
        group_size: G; it must divide each B.
        groups: how many are wanted, at least 1.

    Returns:
        That many places in the order of sampling; fewer where ``batches`` came to an end before.

    Raises:
        ValueError: ``groups`` below 1; a batch that ``informative_groups`` refuses.

    >>> sampled = iter([torch.tensor([1.0, 1, 0, 1]), torch.tensor([0.0, 0, 1, 0]), torch.tensor([1.0, 0])])
    >>> dynamic_sampling(sampled, group_size=2, groups=2)
    [(0, 1), (1, 1)]
    >>> next(sampled)  # was not needed
    tensor([1., 0.])
    """
    if groups < 1:
        raise ValueError(f"groups must be at least 1, not {groups}.")
    places: list[tuple[int, int]] = []
    for batch, rewards in enumerate(batches):
        found = informative_groups(rewards, group_size).nonzero().flatten().tolist()
        places += [(batch, group) for group in found]
        if len(places) >= groups:
            break
    return places[:groups]


def uninformative_probability(success_rate: float, group_size: int) -> float:
    """Returns how likely it is that a group teaches nothing: p^G + (1 - p)^G, all right or all wrong.

    Of a reward that is one of two numbers, and completions that are drawn independently.

    Args:
        success_rate: p, how likely one completion is right, from 0 to 1.
        group_size: G, at least 1.

    Raises:
        ValueError: a rate or a group size outside its range.

    >>> uninformative_probability(0.5, 8)
    0.0078125
    """
    if not 0.0 <= success_rate <= 1.0:
        raise ValueError(f"success_rate must be from 0 to 1, not {success_rate}.")
    if group_size < 1:
        raise ValueError(f"group_size must be at least 1, not {group_size}.")
    return float(success_rate**group_size + (1 - success_rate) ** group_size)


def smallest_group_size(success_rate: float, at_most: float) -> int:
    """Returns the least G with p^G + (1 - p)^G ≤ ``at_most``: how many completions of a prompt make a group worth it.

    Args:
        success_rate: p, how likely one completion is right, between 0 and 1.
        at_most: the share of groups that may teach nothing, between 0 and 1.

    Raises:
        ValueError: a number outside its range, or a prompt so easy or so hard that no group of up to a million would
        do.

    >>> [smallest_group_size(p, at_most=0.1) for p in (0.5, 0.1, 0.01)]
    [5, 22, 230]
    """
    if not 0.0 < success_rate < 1.0 or not 0.0 < at_most < 1.0:
        raise ValueError(f"success_rate and at_most must be between 0 and 1, not {success_rate} and {at_most}.")
    if uninformative_probability(success_rate, LARGEST_GROUP) > at_most:
        raise ValueError(f"with a success_rate of {success_rate} a group of even {LARGEST_GROUP} would not do.")
    sizes = range(1, LARGEST_GROUP + 1)  # the probability falls with G
    return sizes[bisect_left(sizes, True, key=lambda size: uninformative_probability(success_rate, size) <= at_most)]
