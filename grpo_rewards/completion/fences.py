"""The fenced blocks of a text, as CommonMark has them. One linear scan over its lines."""

from __future__ import annotations

import re
from io import StringIO
from typing import NamedTuple

__all__ = ["Block", "fenced_blocks"]

# Indented as far as it may be in a list, or behind the mark of a list's item.
FENCE = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)")
FURTHER = 3  # spaces by which a closing fence may be indented further than the opening one


class Block(NamedTuple):
    """``inside`` stands between two fences; ``start`` and ``end`` are where the block does, fences included."""

    language: str
    inside: str
    is_closed: bool
    start: int
    end: int


def fenced_blocks(text: str) -> list[Block]:
    """The fenced blocks in their order; one that is not closed goes to the end of the text.

    A fence may be indented, for it may stand in a list. A line ends at a line feed.

    >>> [(block.language, block.inside) for block in fenced_blocks("so\\n```python\\nprint(4)\\n```\\n")]
    [('python', 'print(4)\\n')]
    """
    blocks = []
    opened: tuple[re.Match[str], int, int] | None = None  # the fence, where the block and what is in it start
    at = 0
    for line in StringIO(text, newline="\n"):
        fence = FENCE.match(line)
        if fence is not None and opened is None:
            if fence.group(2)[0] == "~" or "`" not in fence.group(3):
                opened = fence, at, at + len(line)
        elif fence is not None and opened is not None and _closes(fence, opened[0]):
            blocks.append(Block(_language(opened[0]), text[opened[2] : at], True, opened[1], at + len(line)))
            opened = None
        at += len(line)
    if opened is not None:
        blocks.append(Block(_language(opened[0]), text[opened[2] :], False, opened[1], len(text)))
    return blocks


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    indent, marks, behind = fence.groups()
    is_far = bool(indent.strip()) or len(indent) > len(opening.group(1)) + FURTHER
    return not is_far and marks.startswith(opening.group(2)) and not behind.strip(" \t\r")


def _language(fence: re.Match[str]) -> str:
    return fence.group(3).strip().partition(" ")[0]
