"""Finds the fenced code blocks of a text by the rules of CommonMark, in one linear scan over its lines."""

import re
from collections.abc import Sequence
from typing import NamedTuple

# A fence may be indented or follow the marker of a list item: "- ```python", "1. ```".
FENCE = re.compile(r"^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(```+|~~~+)([^\n]*)\n?", re.MULTILINE)
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

    A fence closes a block if it has as many marks at least, no text behind it, and is not indented too far. Fences may
    be indented, since code may stand in a list. Only a line feed ends a line.

    >>> [(block.language, block.inside) for block in fenced_blocks("so\\n```python\\nprint(4)\\n```\\n")]
    [('python', 'print(4)\\n')]
    """
    blocks = []
    opening: re.Match[str] | None = None
    for fence in FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        indent, marks, behind = fence.groups()
        if opening is None:
            if marks[0] == "~" or "`" not in behind:
                opening = fence
                language = behind.strip().partition(" ")[0]
        elif (
            marks.startswith(opening[2])
            and not behind.strip(" \t\r")
            and not indent.strip()  # no marker of a list
            and len(indent) <= len(opening[1]) + EXTRA_INDENT_SPACES
        ):
            blocks.append(Block(language, text[opening.end() : fence.start()], True, opening.start(), fence.end()))
            opening = None
    if opening is not None:
        blocks.append(Block(language, text[opening.end() :], False, opening.start(), len(text)))
    return blocks


def outside_blocks(text: str, blocks: Sequence[Block]) -> list[str]:
    """The pieces of a text before, between and behind its fenced blocks.

    >>> text = "Run\\n```\\nls\\n```\\nnow."
    >>> outside_blocks(text, fenced_blocks(text))
    ['Run\\n', 'now.']
    """
    starts, ends = [0, *(block.end for block in blocks)], [*(block.start for block in blocks), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
