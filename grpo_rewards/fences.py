"""The fenced blocks of a text, as CommonMark has them. One linear scan over its lines."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Block", "fenced_blocks"]

FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})([^\n]*)")


class Block(NamedTuple):
    """``inside`` stands between two fences; ``start`` and ``end`` are where the block does, fences included."""

    language: str
    inside: str
    is_closed: bool
    start: int
    end: int


def fenced_blocks(text: str) -> list[Block]:
    """The fenced blocks in their order; one that is not closed goes to the end of the text.

    >>> [(block.language, block.inside) for block in fenced_blocks("so\\n```python\\nprint(4)\\n```\\n")]
    [('python', 'print(4)\\n')]
    """
    blocks = []
    opened: tuple[str, str, int, int] | None = None  # fence, language, where the block and what is in it start
    at = 0
    for line in text.splitlines(keepends=True):
        fence = FENCE.match(line)
        if fence is not None:
            marks, behind = fence.group(1), fence.group(2).strip()
            if opened is None:
                if marks[0] == "~" or "`" not in behind:
                    opened = marks, behind.partition(" ")[0], at, at + len(line)
            elif marks[0] == opened[0][0] and len(marks) >= len(opened[0]) and not behind:
                blocks.append(Block(opened[1], text[opened[3] : at], True, opened[2], at + len(line)))
                opened = None
        at += len(line)
    if opened is not None:
        blocks.append(Block(opened[1], text[opened[3] :], False, opened[2], len(text)))
    return blocks
