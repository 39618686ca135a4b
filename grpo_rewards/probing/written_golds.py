"""Golds that do not earn what an answer should even where they are written as one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from grpo_rewards.probing.calls import Caller, Failure
from grpo_rewards.probing.honest import WAYS
from grpo_rewards.probing.probed import Probed
from grpo_rewards.probing.rows import problems_of, spread
from grpo_rewards.probing.scene import hints
from grpo_rewards.registry import Reward, RewardError

__all__ = ["unrewarded_golds"]

SECONDS_FOR_GOLDS = 120.0  # for all rows together


def unrewarded_golds(
    reward: Reward, data: Mapping[str, Sequence[Any]], found: Probed, most: int, noted: Container[int] = ()
) -> tuple[list[tuple[int, str, str]], int]:
    """The rows whose gold, written in the way that a probe found, earns less than half of what an answer does.

    Rows that cannot be scored at all are not among them, and do not count.

    Args:
        reward: the reward.
        data: columns by name.
        found: what ``probe`` found about it, on these rows.
        most: at most so many rows are used, evenly spread.
        noted: rows that are left out, since something was already found about their golds.

    Returns:
        ([(row, gold, reason), …], how many rows were scored).

    Raises:
        RewardError: the reward raised, or took too long.
    """
    write = WAYS.get(found.way)
    if write is None or found.right is None or found.wrong is None:
        return [], 0
    problems = problems_of(data, reward, hints(reward), most, need_wrong=False)
    at = spread(len(next(iter(data.values()))), most)
    tried = [
        (row, one, text)
        for row, one in zip(at, problems, strict=True)
        if row not in noted
        and one.scene.gold is not None
        and (text := write(one.scene, one.scene.gold, one.held)) is not None
    ]
    try:
        verdicts = Caller(reward, SECONDS_FOR_GOLDS).verdicts(
            [text for _, _, text in tried], [one for _, one, _ in tried]
        )
    except Failure as failure:
        raise RewardError(f"{reward.name}: {failure}") from None
    half = (found.right + found.wrong) / 2
    scored = [
        (row, str(one.scene.gold), verdict.reward, verdict.reason)
        for (row, one, _), verdict in zip(tried, verdicts, strict=True)
        if verdict.reward is not None
    ]
    return [(row, gold, reason) for row, gold, earned, reason in scored if earned < half], len(scored)
