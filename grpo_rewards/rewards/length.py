"""Is the completion long and short enough, by itself and for whether it is right? All lengths are in tokens."""

import hashlib
import json
import math
from collections.abc import Hashable, Sequence
from itertools import repeat
from typing import Any, TypeVar

from grpo_rewards.completion.padding import count_informative_tokens
from grpo_rewards.registry import DependencyVerdict, RewardError, batch_reward, reward
from grpo_rewards.registry.call import Texts, gathered, world_size
from grpo_rewards.rewards.building_blocks.policy_tokens import (
    TOKENS_UNKNOWN,
    Counting,
    Messages,
    Written,
    written_by_policy,
)
from grpo_rewards.verdict import Verdict

__all__ = ["cosine_length", "max_length", "relative_length", "soft_overlong", "target_length"]

Value = TypeVar("Value")


def _check_overlong(max_tokens: int, buffer: int, **_: Any) -> None:
    if max_tokens < 1 or not 0 <= buffer <= max_tokens:
        raise RewardError(
            f"max_tokens must be at least 1 and buffer between 0 and max_tokens, not {max_tokens} and {buffer}."
        )


@reward(
    reasons=("short_enough", "in_buffer", "too_long", "tokens_unknown"),
    range=(-1.0, 0.0),
    check=_check_overlong,
    example={"max_tokens": 1024, "buffer": 256},
)
def soft_overlong(
    completion: str,
    messages: Messages,
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    max_tokens: int,
    buffer: int,
    counting: Counting,
) -> Verdict:
    """0 up to ``max_tokens - buffer`` tokens, then a penalty that grows linearly to -1 at ``max_tokens``.

    For a completion of n tokens: 0 if n <= ``max_tokens - buffer``; ``(max_tokens - buffer - n) / buffer`` inside the
    buffer; -1 from ``max_tokens`` on. With ``buffer=0`` there is no slope: 0 up to ``max_tokens``, -1 above.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        max_tokens (int): the number of tokens at which the penalty reaches -1; usually ``max_completion_length``.
        buffer (int): how many tokens before ``max_tokens`` the penalty begins.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        A float in [-1, 0], or ``None``. Reasons:

        - ``short_enough``: at most ``max_tokens - buffer`` tokens (0.0).
        - ``in_buffer``: longer than that, but shorter than ``max_tokens``.
        - ``too_long``: ``max_tokens`` or more, with ``buffer=0`` more than that (-1.0).
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    Source: DAPO (Yu et al. 2025, arXiv:2503.14476), equation 13.

    A policy would try to write very little. That earns 0, no more than any other completion that ends before the
    buffer.

    >>> soft_overlong.bind(max_tokens=100, buffer=20).score("", completion_ids=range(90))
    -0.5
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    excess = len(own.ids) - (max_tokens - buffer)
    if excess <= 0:
        return Verdict(0.0, "short_enough")
    return Verdict(-excess / buffer, "in_buffer") if excess < buffer else Verdict(-1.0, "too_long")


def _check_max(max_tokens: int, **_: Any) -> None:
    if max_tokens < 1:
        raise RewardError(f"max_tokens must be at least 1, not {max_tokens}.")


@reward(
    reasons=("short_enough", "too_long", "tokens_unknown"),
    range=(0.0, 1.0),
    check=_check_max,
    example={"max_tokens": 1024},
)
def max_length(
    completion: str,
    messages: Messages,
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    max_tokens: int,
    counting: Counting,
) -> Verdict:
    """1 if the completion has at most ``max_tokens`` tokens, else 0.

    For a penalty that grows slowly instead, use ``soft_overlong``.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        max_tokens (int): the largest number of tokens that still earns 1.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        1.0 or 0.0, or ``None``. Reasons:

        - ``short_enough``: at most ``max_tokens`` tokens (1.0).
        - ``too_long``: more than ``max_tokens``.
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    A policy would try to say nothing at all, which earns 1. Use this reward as a gate, or together with one for the
    answer.

    >>> max_length.bind(max_tokens=100).score("", completion_ids=range(101))
    0.0
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    fits = len(own.ids) <= max_tokens
    return Verdict(float(fits), "short_enough" if fits else "too_long")


def _check_target(target: int, tolerance: int, **_: Any) -> None:
    if target < 1 or tolerance < 1:
        raise RewardError(f"target and tolerance must be at least 1 token, not {target} and {tolerance}.")


@reward(
    reasons=("on_target", "too_short", "too_long", "padded", "tokens_unknown"),
    range=(0.0, 1.0),
    check=_check_target,
    example={"target": 512, "tolerance": 128},
)
def target_length(
    completion: str,
    messages: Messages,
    completion_ids: list[int],
    policy_mask: list[int] | None = None,
    *,
    target: int,
    tolerance: int,
    counting: Counting,
) -> Verdict:
    """1 at ``target`` tokens, falling linearly to 0 at ``tolerance`` tokens above or below.

    To reach the target, only tokens count that are no padding: not loops, copies, counting, blanks, invisible
    characters, or text after the end of the turn. To exceed it, all tokens count. An honest text loses
    nothing, or little if it is a table or a song.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int]): the token ids of the completion.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        target (int): the wanted number of tokens.
        tolerance (int): the distance from ``target``, in tokens, at which the reward reaches 0.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        A float in [0, 1], or ``None``. Reasons:

        - ``on_target``: exactly the wanted length (1.0).
        - ``too_short``: fewer tokens than wanted.
        - ``too_long``: more tokens than wanted.
        - ``padded``: enough tokens, but too many of them are padding.
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    A policy would try to pad a short completion up to the target. Loops, copies, counting up, gaps and invisible
    characters gain nothing. Words or letters at random do, for only a language model can recognize them, and so does
    a repetition that is less than a third of the text: add a reward for the content.

    >>> about_100 = target_length.bind(target=100, tolerance=50)
    >>> about_100.score("", completion_ids=range(90)), about_100.score("", completion_ids=[7] * 100)
    (0.8, 0.0)
    """
    own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    above, below = len(own.ids) - target, target - count_informative_tokens(own.ids, own.text)
    off = max(above, below, 0)
    reason = "too_long" if above > 0 and above >= below else "too_short" if above < 0 else "padded"
    return Verdict(max(0.0, 1 - off / tolerance), reason if off else "on_target")


def _check_cosine(
    max_tokens: int, min_correct: float, max_correct: float, min_wrong: float, max_wrong: float, **_: Any
) -> None:
    _check_max(max_tokens)
    if min_correct > max_correct or min_wrong > max_wrong:
        raise RewardError("min_correct must not exceed max_correct, nor min_wrong max_wrong.")


def _cosine_range(
    min_correct: float, max_correct: float, min_wrong: float, max_wrong: float, **_: Any
) -> tuple[float, float]:
    return min(min_correct, min_wrong), max(max_correct, max_wrong)


@batch_reward(
    dependencies={"correct": "boxed_answer"},
    reasons=("tokens_unknown",),
    range=_cosine_range,
    check=_check_cosine,
    example={"max_tokens": 1024},
)
def cosine_length(
    completions: Sequence[str],
    messages: Sequence[Messages],
    completion_ids: Sequence[Sequence[int]],
    correct: Sequence[DependencyVerdict],
    policy_mask: Any = None,
    *,
    max_tokens: int,
    min_correct: float = 0.5,
    max_correct: float = 1.0,
    min_wrong: float = -1.0,
    max_wrong: float = -0.5,
    counting: Counting,
) -> list[Verdict]:
    """A right answer earns more the shorter it is; a wrong one loses less the longer it is.

    With p = min(tokens / ``max_tokens``, 1) and c = (1 + cos πp) / 2, which falls from 1 at length 0 to 0 at
    ``max_tokens``:

    - right: ``min_correct + (max_correct - min_correct) * c``
    - wrong: ``max_wrong + (min_wrong - max_wrong) * c``

    Beyond ``max_tokens`` the reward stays the same. Long wrong attempts cost least, so that the model keeps exploring.
    For a right answer all tokens count. For a wrong one, only tokens that say something new count: not repetitions,
    wide gaps, invisible characters, or text after the end of the turn. What is right, the reward ``correct`` decides:
    that for which it gives the most that it can, the upper end of its range, or 1.0 if it does not state one.

    Args:
        completions (Sequence[str]): the text of the last assistant message of each completion.
        messages (Sequence[list[dict]]): the completions as messages, for transcripts with tools.
        completion_ids (Sequence[Sequence[int]]): the token ids of each completion.
        correct (Reward | str): the reward that decides what is right, or its spec; ``boxed_answer`` by default. Its
            columns are read as well, and its options can be bound here, such as ``think_opened=True``.
        policy_mask (Sequence[list[int]] | None): for each completion 1 for each token that the policy wrote and 0 for
            the others, an optional column; a rollout of one's own can hand it over.
        max_tokens (int): the number of tokens at which the cosine ends.
        min_correct (float): what a right answer of ``max_tokens`` or more earns; 0.5 by default.
        max_correct (float): what a right answer of length 0 would earn; 1.0 by default.
        min_wrong (float): what a wrong answer of length 0 would earn; -1.0 by default.
        max_wrong (float): what a wrong answer of ``max_tokens`` or more earns; -0.5 by default.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        A float between the smallest and the largest of the four bounds; ``None`` where ``correct`` is, such as for a
        gold that cannot be read. Reasons, prediction and details are those of ``correct``; with ``boxed_answer``:

        - ``correct``: rewarded as right.
        - ``wrong``, ``no_box``, ``several_boxes``, ``unfinished_thinking``, ``not_compared``, ``too_large``,
          ``timeout``, ``crashed``: rewarded as wrong.
        - ``worker_killed``, ``call_timeout``: not the model's fault (``None``).
        - ``bad_answer``: the gold cannot be read or understood (``None``).
        - ``tokens_unknown``: the completion has turns of others, and nothing tells which tokens are the policy's
          (``None``).

    Source: Yeo et al. 2025 (arXiv:2502.03373), appendix C.1.

    A policy would try to make a wrong answer cheaper by padding it. Repetitions, counting up, invisible characters and
    writing on after the end of the turn do not help. Other chatter does: add ``soft_overlong``, or set ``max_wrong`` to
    the value of ``min_wrong``.

    >>> half = cosine_length.bind(max_tokens=100)
    >>> half.score(r"\\boxed{4}", completion_ids=range(50), answer="4")
    0.75
    >>> half.bind(correct="numeric_answer(rel_tol=0.01)").score("about 3.14", completion_ids=range(50), answer="3.1416")
    0.75
    """

    def points(own: Written | None, is_right: bool | None) -> float | str:
        if own is None:
            return "tokens_unknown"
        if is_right:
            return min_correct + (max_correct - min_correct) * _falling(len(own.ids), max_tokens)
        informative = count_informative_tokens(own.ids, own.text)
        return max_wrong + (min_wrong - max_wrong) * _falling(informative, max_tokens)

    written = map(written_by_policy, completions, messages, completion_ids, policy_mask, repeat(counting))
    return [_with_points(one, points(own, one.is_best)) for one, own in zip(correct, written, strict=True)]


def _with_points(decided: DependencyVerdict, points: float | str) -> Verdict:
    """What was decided, with other points, or with the reason why there are none; ``None`` where it has none."""
    if decided.is_best is None:
        return decided.verdict._replace(reward=None)
    if isinstance(points, str):
        return decided.verdict._replace(reward=None, reason=points)
    return decided.verdict._replace(reward=points)


def _falling(tokens: int, max_tokens: int) -> float:
    """Half a cosine: 1 at 0 tokens, falling to 0 at ``max_tokens`` and beyond."""
    return (1 + math.cos(math.pi * min(tokens / max_tokens, 1.0))) / 2


def _check_sizes(num_generations: int | None, num_generations_eval: int | None, **_: Any) -> None:
    for size in (num_generations, num_generations_eval):
        if size is not None and size < 1:
            raise RewardError(f"num_generations and num_generations_eval must be at least 1, or None, not {size}.")


@batch_reward(
    dependencies={"correct": "boxed_answer"},
    reasons=("group_unknown", "tokens_unknown"),
    range=(-0.5, 0.5),
    check=_check_sizes,
)
def relative_length(
    completions: Texts,
    messages: Sequence[Messages],
    completion_ids: Sequence[Sequence[int]],
    correct: Sequence[DependencyVerdict],
    prompts: Sequence[Any],
    trainer_state: Any = None,
    policy_mask: Any = None,
    *,
    num_generations: int | None = None,
    num_generations_eval: int | None = None,
    counting: Counting,
) -> list[Verdict]:
    """0.5 for the shortest completion of a prompt, falling linearly to -0.5 for the longest; at most 0 if wrong.

    With λ = 0.5 - (tokens - min) / (max - min), where min and max are taken over the group, the completions of one
    prompt: λ for a right answer, min(0, λ) for a wrong one. If all have the same length, each gets 0. What is right,
    the reward ``correct`` decides, as for ``cosine_length``.

    A group is ``num_generations`` completions one after the other, which ``check_rewards(…, args=args)`` binds. If the
    trainer spreads a group over several processes, these exchange the lengths.

    Args:
        completions (Sequence[str]): the text of the last assistant message of each completion.
        messages (Sequence[list[dict]]): the completions as messages, for transcripts with tools.
        completion_ids (Sequence[Sequence[int]]): the token ids of each completion.
        correct (Reward | str): the reward that decides what is right, or its spec; ``boxed_answer`` by default. Its
            columns are read as well, and its options can be bound here, such as ``think_opened=True``.
        policy_mask (Sequence[list[int]] | None): for each completion 1 for each token that the policy wrote and 0 for
            the others, an optional column; a rollout of one's own can hand it over.
        prompts (Sequence): the prompts, as text or messages. Those of a group must be equal; a call without prompts and
            without ``num_generations`` is one group.
        trainer_state: the trainer's; it shows that all processes of a training make this call.
        num_generations (int | None): how many completions of a prompt the trainer draws. Under a trainer it must be
            bound. By hand ``None``, the default, will do: the completions with equal prompts are one group, as long as
            all groups are of one size.
        num_generations_eval (int | None): the same for evaluations, if it differs.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        A float in [-0.5, 0.5]; ``None`` where ``correct`` is, or where the group is not known. Reasons, prediction and
        details are those of ``correct``, and

        - ``group_unknown``: ``num_generations`` does not fit the prompts of the call, or without it, groups differ in
          size, or prompts hold more than text (``None``).
        - ``tokens_unknown``: the completion has turns of others, and nothing tells which tokens are the policy's
          (``None``).

        With ``boxed_answer``:

        - ``correct``: rewarded as right.
        - ``wrong``, ``no_box``, ``several_boxes``, ``unfinished_thinking``, ``not_compared``, ``too_large``,
          ``timeout``, ``crashed``: rewarded as wrong.
        - ``worker_killed``, ``call_timeout``: not the model's fault (``None``).
        - ``bad_answer``: the gold cannot be read or understood (``None``).

    Source: Kimi k1.5 (arXiv:2501.12599), section 2.3.3.

    A policy would try short wrong answers. They earn 0 at best, but by itself this reward gives a long right answer
    even less, down to -0.5. Add it to ``boxed_answer``; do not use it alone.

    >>> texts, tokens = [r"\\boxed{4}", r"so \\boxed{4}", "so what"], [range(10), range(20), range(30)]
    >>> relative_length(completions=texts, completion_ids=tokens, answer=[4, 4, 4], prompts=["What is 2 + 2?"] * 3)
    [0.5, 0.0, -0.5]
    """
    sizes = list(dict.fromkeys(filter(None, (num_generations, num_generations_eval))))
    written = map(written_by_policy, completions, messages, completion_ids, policy_mask, repeat(counting))
    lengths = [None if own is None else len(own.ids) for own in written]
    groups = in_groups(lengths, completions, prompts, sizes, in_training=trainer_state is not None)
    relative = [
        "tokens_unknown" if length is None else "group_unknown" if group is None else _relative(length, group)
        for length, group in zip(lengths, groups, strict=True)
    ]
    return [
        _with_points(one, points if isinstance(points, str) or one.is_best else min(0.0, points))
        for one, points in zip(correct, relative, strict=True)
    ]


def _relative(length: int, group: Sequence[int | None]) -> float:
    """0.5 for the shortest of a group, -0.5 for the longest, linear between."""
    known = [one for one in group if one is not None]
    shortest, longest = min(known), max(known)
    return 0.5 - (length - shortest) / (longest - shortest) if longest > shortest else 0.0


# The completions of one prompt, which a trainer may have spread over its processes. Trainers of groups draw
# ``num_generations`` completions of each prompt one after the other, and give each process equally many of them: the
# first process the first ones, and so on. That finds the groups; the prompts are a check. Where they come in another
# order, prompts that occur as often as a group is large are the groups.


def in_groups(
    values: Sequence[Value], completions: Texts, prompts: Sequence[Any], sizes: Sequence[int], in_training: bool
) -> list[Sequence[Value] | None]:
    """For each completion of a call the values of all completions of its group.

    Args:
        values: one of each completion.
        completions: those of the call, which know whether they are all that the trainer has, in every process.
        prompts: one of each completion; all ``None`` if there are none.
        sizes: how many completions a group may have, those of a training first, then those of an evaluation; without
            any, in a call by hand, the completions with equal prompts are a group.
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
    start, here = 0, len(keys)
    in_process = here if completions.chosen_from is None else completions.chosen_from
    whole_here = [size for size in sizes if in_process % size == 0]
    if in_training and world_size() > 1 and len(whole_here) < len(sizes):
        if completions.chosen_from is None:
            everywhere, place = gathered((list(values), keys))
            values = [value for its_values, _ in everywhere for value in its_values]
            start = sum(len(its_keys) for _, its_keys in everywhere[:place])
            keys = [key for _, its_keys in everywhere for key in its_keys]
        elif not whole_here:
            raise RewardError(
                f"a prompt's completions are spread over {world_size()} processes, which have {in_process} "
                f"completions each for groups of {' or '.join(map(str, sizes))}, and this reward is given chosen rows, "
                "as inside 'routed': no process knows which ones the others chose. Make the batch of each process a "
                "multiple of num_generations, or give the reward all rows."
            )
        else:
            sizes = whole_here  # a group of another size would have its other half in another process
    for size in sizes:
        if len(keys) % size == 0 and all(keys[at] == keys[at - at % size] for at in range(len(keys))):
            return [values[at - at % size : at - at % size + size] for at in range(start, start + here)]
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
    # an image by its type, for its address would be another one in each process
    written = json.dumps(prompt, default=lambda one: type(one).__name__)
    return hashlib.blake2b(written.encode(), digest_size=16).digest()


def _is_text(prompt: Any) -> bool:
    """Whether a prompt is text alone, so that equal texts are equal prompts."""
    if isinstance(prompt, list | tuple):
        return all(map(_is_text, prompt))
    if isinstance(prompt, dict):
        return prompt.get("type", "text") == "text" and all(map(_is_text, prompt.values()))
    return isinstance(prompt, str | int | float | None)
