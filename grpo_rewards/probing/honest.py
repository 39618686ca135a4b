"""The ways in which an honest model writes an answer, one of which a reward that looks for answers should reward."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from grpo_rewards.probing.hacks import in_sections
from grpo_rewards.probing.scene import Scene

__all__ = ["WAYS", "Way"]

WORKING = (
    "First I look at what is given, and at what is asked. Then I go one step at a time, and in the end I check the "
    "result against the question."
)

# From a scene, an answer as a box would hold it, and as the row has it, to a completion.
Way: TypeAlias = Callable[[Scene, str, Any], "str | None"]

WAYS: dict[str, Way] = {
    "in a box": lambda scene, answer, as_held: f"{WORKING} The answer is \\boxed{{{answer}}}.",
    "in a box, behind the reasoning": lambda scene, answer, as_held: (
        f"{scene.hints.opening}{WORKING}{scene.hints.closing}The answer is \\boxed{{{answer}}}."
    ),
    "in a box, in the sections": lambda scene, answer, as_held: in_sections(scene, WORKING, f"\\boxed{{{answer}}}"),
    "in the sections": lambda scene, answer, as_held: in_sections(scene, WORKING, answer),
    "in a sentence": lambda scene, answer, as_held: f"{WORKING} The answer is {answer}.",
    "behind ####": lambda scene, answer, as_held: f"{WORKING}\n#### {answer}",
    "behind Answer:": lambda scene, answer, as_held: f"{WORKING}\nAnswer: {answer}",
    "by itself": lambda scene, answer, as_held: answer,
    "as the row has it": lambda scene, answer, as_held: as_held if isinstance(as_held, str) else None,
    "as code": lambda scene, answer, as_held: f"```python\n{answer}\n```",
    "as JSON": lambda scene, answer, as_held: json.dumps({"answer": answer}),
    "as calls": lambda scene, answer, as_held: "".join(map(_call, _calls_of(as_held))) or None,
}


def _calls_of(as_held: Any) -> Iterator[Any]:
    """The tool calls of a gold that is a list of them, or the JSON of one."""
    if isinstance(as_held, str):
        try:
            as_held = json.loads(as_held)
        except (ValueError, RecursionError):
            return
    if isinstance(as_held, list):
        yield from (one for one in as_held if isinstance(one, dict) and "name" in one)


def _call(call: Any) -> str:
    return f"<tool_call>{json.dumps(call, default=str)}</tool_call>"
