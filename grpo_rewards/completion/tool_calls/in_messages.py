"""Finds the calls of a whole completion: of all assistant turns of a tool transcript, parsed or not."""

from __future__ import annotations

from typing import Any

from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion.tool_calls.calls import MALFORMED, MOST_CALLS, ToolCall, call_of
from grpo_rewards.completion.tool_calls.in_text import calls_in_text

__all__ = ["calls_in_messages"]


def calls_in_messages(
    messages: list[dict[str, Any]], *, opened: bool = False, marks: Marks = THINK
) -> list[ToolCall] | None:
    """The calls of all assistant messages, in order; ``None`` if the reasoning of the last one never ends.

    A message's field ``tool_calls`` holds them if a parser has found them. Else they are looked for in its text.

    Args:
        messages: a completion as messages.
        opened: whether the prompt already opened the reasoning.
        marks: the delimiters of the reasoning.

    >>> [call.shown for call in calls_in_messages([{"role": "assistant", "tool_calls": [{"name": "ls"}]}])]
    ['ls()']
    """
    found: list[ToolCall] = []
    written = [message for message in messages if message.get("role", "assistant") == "assistant"]
    for message in written:
        parsed = message.get("tool_calls")
        if isinstance(parsed, list | tuple) and parsed:
            found += [call_of(one) or MALFORMED for one in parsed[: MOST_CALLS + 1]]
            continue
        calls = calls_in_text(completion_text([message]), opened=opened, marks=marks)
        if calls is None and message is written[-1]:
            return None
        found += calls or []
        if len(found) > MOST_CALLS:
            break
    return found
