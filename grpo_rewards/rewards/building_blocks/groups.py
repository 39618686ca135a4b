"""The completions of one prompt, which a trainer may have spread over its processes.

Trainers of groups draw ``num_generations`` completions of each prompt one after the other, and give each process
equally many of them: the first process the first ones, and so on. That finds the groups; the prompts are a check. Where
they come in another order, prompts that occur as often as a group is large are the groups.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.call import gathered, world_size

__all__ = ["in_groups"]

Value = TypeVar("Value")


def in_groups(
    values: Sequence[Value],
    prompts: Sequence[Any],
    sizes: Sequence[int],
    *,
    whole_size: int,
    is_whole: bool,
    in_training: bool,
) -> list[Sequence[Value] | None]:
    """For each completion of a call the values of all completions of its group.

    Args:
        values: one of each completion.
        prompts: one of each completion; all ``None`` if there are none.
        sizes: how many completions a group may have, those of a training first, then those of an evaluation; without
            any, in a call by hand, the completions with equal prompts are a group.
        whole_size: how many completions the trainer's call has, of which these may be only some rows.
        is_whole: whether these are certainly all of them, in every process.
        in_training: whether a trainer makes this call, which all its processes do.

    Returns:
        One sequence per completion, equal ones for those of one group. ``None`` where the group cannot be known: the
        prompts of what should be one differ, a group is not whole, or without ``sizes`` groups are not of one size.

    Raises:
        RewardError: a trainer makes the call and ``sizes`` are not known, or a group is spread over several processes
            and not all of these make this call for the same completions.
    """
    keys = [_key(prompt) for prompt in prompts]
    if not sizes:
        if in_training:
            raise RewardError(
                "which completions are of one prompt is not known: two neighbouring prompts may be equal, and several "
                "processes may share one. Bind num_generations=…, as check_rewards(rewards, args=args) does, or write "
                'it in the spec, as in trl grpo --reward_funcs "grpo_rewards.relative_length(num_generations=8)".'
            )
        return _by_prompt(values, prompts, keys)
    start = 0
    spread = in_training and world_size() > 1
    whole_here = [size for size in sizes if whole_size % size == 0]
    if spread and not is_whole:
        if not whole_here:
            raise RewardError(
                f"a prompt's completions are spread over {world_size()} processes, which have {whole_size} completions "
                f"each for groups of {' or '.join(map(str, sizes))}, and this reward is given chosen rows, as inside "
                "'routed': no process knows which ones the others chose. Make the batch of each process a multiple of "
                "num_generations, or give the reward all rows."
            )
        sizes = whole_here  # a group of another size would have its other half in another process
    if spread and is_whole and len(whole_here) < len(sizes):
        everywhere, place = gathered((list(values), keys))
        values = [value for its_values, _ in everywhere for value in its_values]
        start = sum(len(its_keys) for _, its_keys in everywhere[:place])
        here, keys = len(keys), [key for _, its_keys in everywhere for key in its_keys]
    else:
        here = len(keys)
    for size in sizes:
        if len(keys) % size == 0 and all(keys[at] == keys[at - at % size] for at in range(len(keys))):
            return [values[at - at % size : at - at % size + size] for at in range(start, start + here)]
    # In another order, as OnlineDPOTrainer's, a prompt that occurs as often as a group has it is one group.
    if here == len(keys) and any(set(Counter(keys).values()) == {size} for size in sizes):
        return _by_prompt(values, prompts, keys)
    return [None] * here


def _by_prompt(
    values: Sequence[Value], prompts: Sequence[Any], keys: Sequence[Hashable]
) -> list[Sequence[Value] | None]:
    groups: dict[Hashable, list[Value]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    # Prompts that differ in an image alone look equal here, and of two groups with equal prompts one may be larger.
    if len({len(group) for group in groups.values()}) > 1 or not all(map(_is_text, prompts)):
        return [None] * len(values)
    return [groups[key] for key in keys]


def _key(prompt: Any) -> Hashable:
    """Equal for equal prompts, and short, whatever they hold."""
    if prompt is None:
        return None
    return hashlib.blake2b(repr(_plain(prompt)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _plain(value: Any) -> Any:
    """A prompt without what two processes would write differently, such as the address of an image."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | None) else type(value).__name__


def _is_text(prompt: Any) -> bool:
    """Whether a prompt is text alone, so that equal texts are equal prompts."""
    if isinstance(prompt, list | tuple):
        return all(map(_is_text, prompt))
    if isinstance(prompt, dict):
        return prompt.get("type", "text") == "text" and all(map(_is_text, prompt.values()))
    return isinstance(prompt, str | int | float | None)
