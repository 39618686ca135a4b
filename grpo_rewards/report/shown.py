"""Prompts and completions as text that a person reads: one message as it is, several with their roles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grpo_rewards.completion.text import REASONING_BLOCKS, REASONING_FIELDS, THINK_CLOSE, THINK_OPEN, completion_text

__all__ = ["cut_in_middle", "shown_text"]


def shown_text(content: Any) -> str:
    """A prompt or a completion, a text or messages, as text.

    >>> shown_text([{"role": "assistant", "content": "4"}])
    '4'
    >>> shown_text([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}])
    '[system]\\nBe brief.\\n\\n[user]\\n2 + 2?'

    Reasoning that a parser moved to a field or a block of its own stands in ``<think>`` tags, as rewards read it.

    >>> shown_text([{"role": "assistant", "reasoning_content": "2 and 2", "content": "4"}])
    '<think>2 and 2</think>\\n4'
    """
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return str(content)
    messages = [one if isinstance(one, Mapping) else {"content": one} for one in content]
    if len(messages) == 1 and not messages[0].get("tool_calls"):
        return _whole(messages[0])
    return "\n\n".join(f"[{one.get('role', '?')}]\n{_whole(one)}" for one in messages)


def _whole(message: Mapping[str, Any]) -> str:
    """A message's reasoning, text and calls."""
    thought = next(filter(None, (_content(message.get(name)) for name in REASONING_FIELDS)), "")
    parts = [f"{THINK_OPEN}{thought}{THINK_CLOSE}" if thought else "", _content(message.get("content"))]
    calls = message.get("tool_calls")
    if calls:
        parts.append(json.dumps(calls, ensure_ascii=False, default=str))
    return "\n".join(part for part in parts if part)


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return str(content)
    blocks = [one if isinstance(one, Mapping) else {"text": one} for one in content]
    return "\n".join(map(_block, blocks))


def _block(block: Mapping[str, Any]) -> str:
    kind = block.get("type", "?")
    if kind in REASONING_BLOCKS:
        return completion_text({"content": [dict(block)]}) or f"[{kind}]"
    return str(block["text"]) if block.get("text") is not None else f"[{kind}]"


def cut_in_middle(text: str, most: int) -> str:
    """The text, or its beginning and end where it is longer than ``most`` characters.

    >>> cut_in_middle("0123456789", 4)
    '01\\n… 6 characters left out …\\n89'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
