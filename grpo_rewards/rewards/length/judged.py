"""Is the completion as short as it can be and still right? All lengths are in tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.completion.padding.informative_tokens import count_informative_tokens
from grpo_rewards.registry import DependencyVerdict, RewardError, batch_reward
from grpo_rewards.registry.call import Texts
from grpo_rewards.rewards.building_blocks.groups import in_groups
from grpo_rewards.rewards.building_blocks.policy_tokens import Counting, Written, written_by_policy
from grpo_rewards.verdict import Verdict

__all__ = ["cosine_length", "relative_length"]


def _check_cosine(
    max_tokens: int, min_correct: float, max_correct: float, min_wrong: float, max_wrong: float, **_: Any
) -> None:
    if max_tokens < 1:
        raise RewardError(f"max_tokens must be at least 1, not {max_tokens}.")
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
    messages: Sequence[Sequence[Mapping[str, Any]]],
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
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

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
    verdicts = []
    written = _written(completions, messages, completion_ids, policy_mask, counting)
    for (verdict, is_right), own in zip(correct, written, strict=True):
        points = None
        if is_right is not None and own is None:
            verdict = verdict._replace(reason="tokens_unknown")
        elif is_right and own is not None:
            points = min_correct + (max_correct - min_correct) * _falling(len(own.ids), max_tokens)
        elif is_right is not None and own is not None:
            points = max_wrong + (min_wrong - max_wrong) * _falling(
                count_informative_tokens(own.ids, own.text), max_tokens
            )
        verdicts.append(verdict._replace(reward=points))
    return verdicts


def _written(
    completions: Sequence[str], messages: Sequence[Any], ids: Sequence[Any], masks: Sequence[Any], counting: Counting
) -> list[Written | None]:
    """What the policy wrote of each completion; ``None`` where that cannot be decided."""
    rows = zip(completions, messages, ids, masks, strict=True)
    return [written_by_policy(text, turns, its, mask, counting) for text, turns, its, mask in rows]


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
    completions: Sequence[str],
    messages: Sequence[Sequence[Mapping[str, Any]]],
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
        tokenizer, template_options: find the policy's tokens among those of tools and environments: the name or path of
            the run's tokenizer, and its ``chat_template_kwargs``; ``check_rewards(…, tokenizer=…)`` binds them.

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
    sizes = list(dict.fromkeys(size for size in (num_generations, num_generations_eval) if size is not None))
    texts = completions if isinstance(completions, Texts) else Texts(completions)
    written = _written(completions, messages, completion_ids, policy_mask, counting)
    lengths = [None if own is None else len(own.ids) for own in written]
    in_training = texts.by_trainer or trainer_state is not None
    groups = in_groups(
        lengths, prompts, sizes, whole_size=texts.whole_size, is_whole=texts.is_whole, in_training=in_training
    )
    verdicts: list[Verdict] = []
    for (verdict, is_right), length, group in zip(correct, lengths, groups, strict=True):
        points: float | None = None
        if is_right is not None and (length is None or group is None):
            verdict = verdict._replace(reason="tokens_unknown" if length is None else "group_unknown")
        elif is_right is not None and length is not None and group is not None:
            points = _relative(length, [one for one in group if one is not None])
            points = points if is_right else min(0.0, points)
        verdicts.append(verdict._replace(reward=points))
    return verdicts


def _relative(length: int, group: Sequence[int]) -> float:
    """0.5 for the shortest of a group, -0.5 for the longest, linear between."""
    shortest, longest = min(group), max(group)
    return 0.5 - (length - shortest) / (longest - shortest) if longest > shortest else 0.0
