"""Finds the fenced code blocks of a text by the rules of CommonMark, in one linear scan over its lines."""

from __future__ import annotations

import re
from io import StringIO
from typing import NamedTuple

__all__ = ["Block", "fenced_blocks"]

# A fence may be indented or follow the marker of a list item: "- ```python", "1. ```".
FENCE = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)")
EXTRA_INDENT_SPACES = 3  # a closing fence may be indented so much more than the opening one


class Block(NamedTuple):
    """A fenced block: ``inside`` is the text between its fences; ``start`` and ``end`` enclose the fences too."""

    language: str
    inside: str
    is_closed: bool
    start: int
    end: int


def fenced_blocks(text: str) -> list[Block]:
    """The fenced blocks of a text, in order. A block that is never closed goes to the end of the text.

    Fences may be indented, since code may stand in a list. Only a line feed ends a line.

    >>> [(block.language, block.inside) for block in fenced_blocks("so\\n```python\\nprint(4)\\n```\\n")]
    [('python', 'print(4)\\n')]
    """
    blocks = []
    opened: tuple[re.Match[str], int, int] | None = None  # its fence, where the block starts, where its inside starts
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
    """Whether a fence closes the block: as many marks at least, no text behind it, not indented too far."""
    indent, marks, behind = fence.groups()
    is_far = bool(indent.strip()) or len(indent) > len(opening.group(1)) + EXTRA_INDENT_SPACES
    return not is_far and marks.startswith(opening.group(2)) and not behind.strip(" \t\r")


def _language(fence: re.Match[str]) -> str:
    """The first word behind an opening fence; ``""`` if there is none."""
    return fence.group(3).strip().partition(" ")[0]
