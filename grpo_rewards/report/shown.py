"""Prompts and completions as text that a person reads: one message as it is, several with who said them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["cut_in_middle", "shown_text"]


def shown_text(said: Any) -> str:
    """A prompt or a completion, a text or messages, as text.

    >>> shown_text([{"role": "assistant", "content": "4"}])
    '4'
    >>> shown_text([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}])
    '[system]\\nBe brief.\\n\\n[user]\\n2 + 2?'
    """
    if said is None or isinstance(said, str):
        return said or ""
    if isinstance(said, Mapping):
        said = [said]
    if not isinstance(said, list):
        return str(said)
    messages = [one if isinstance(one, Mapping) else {"content": one} for one in said]
    if len(messages) == 1 and not messages[0].get("tool_calls"):
        return _content(messages[0].get("content"))
    return "\n\n".join(f"[{one.get('role', '?')}]\n{_whole(one)}" for one in messages)


def _whole(message: Mapping[str, Any]) -> str:
    """What a message says, thinks and calls."""
    parts = [_content(message.get(name)) for name in ("reasoning_content", "content")]
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
    return "\n".join(str(one["text"]) if one.get("text") is not None else f"[{one.get('type', '?')}]" for one in blocks)


def cut_in_middle(text: str, most: int) -> str:
    """The text, or its beginning and end where it is longer than ``most`` characters.

    >>> cut_in_middle("0123456789", 4)
    '01\\n… 6 characters left out …\\n89'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
