"""Why a completion got its number, with the verdict of each reward that had a part in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_rewards.compose.adjusting import Scheduled
from grpo_rewards.describing.description import Part, parts_of
from grpo_rewards.registry import Reward
from grpo_rewards.registry.call import Call
from grpo_rewards.verdict import Verdict

__all__ = ["Explanation", "explained"]


@dataclass(frozen=True)
class Explanation:
    """The verdict of a reward on one completion.

    Attributes:
        reward: which reward.
        role: what it is there for inside the reward above it; ``""`` for the outermost.
        weight: by which the reward above multiplies it; ``None`` if it does not.
        verdict: its verdict; ``None`` for a route that was not taken.
        parts: the explanations of the rewards inside it.
    """

    reward: Reward
    role: str
    weight: float | None
    verdict: Verdict | None
    parts: tuple[Explanation, ...] = ()

    def with_depth(self, depth: int = 0) -> Iterator[tuple[int, Explanation]]:
        """Yields this explanation and those of all parts, each with how deep it is."""
        yield depth, self
        for part in self.parts:
            yield from part.with_depth(depth + 1)


def explained(reward: Reward, completion: Any, columns: Mapping[str, Any], **given: Any) -> Explanation:
    """Explains the number that a completion gets.

    Args:
        reward: the reward.
        completion: a text, or a list of messages.
        columns: the values of the row in the dataset's columns.
        given: by keyword what a trainer gives for a row: ``prompt``, ``completion_ids``, ``trainer_state``.

    Raises:
        RewardError: as ``Reward.explain``.

    >>> import grpo_rewards as gr
    >>> both = gr.weighted(boxed_answer=1.0, boxed_format=0.5)
    >>> [one.verdict.reason for one in explained(both, "\\\\boxed{5}", {"answer": "4"}).parts]
    ['wrong', 'boxed']
    """
    reward.check_ready()
    call = Call(
        [completion],
        prompts=None if given.get("prompt") is None else [given["prompt"]],
        completion_ids=None if given.get("completion_ids") is None else [given["completion_ids"]],
        trainer_state=given.get("trainer_state"),
        columns={name: [value] for name, value in columns.items()},
    )
    return _in_call(Part("", None, reward), call)


def _in_call(part: Part, call: Call) -> Explanation:
    reward = part.reward
    if not call.size:
        return Explanation(reward, part.role, part.weight, None)
    (verdict,) = reward.verdicts(call)
    calls = {one: its_call for one, its_call, _ in reward.parts_in(call)}
    parts = [_weighed(one, reward, call) for one in parts_of(reward)]
    inside = tuple(_in_call(one, calls.get(one.reward, call)) for one in parts)
    return Explanation(reward, part.role, part.weight, verdict, inside)


def _weighed(part: Part, above: Reward, call: Call) -> Part:
    """The part with the weight that it has at this step."""
    return Part(part.role, above.weight(call.trainer_state), part.reward) if isinstance(above, Scheduled) else part
