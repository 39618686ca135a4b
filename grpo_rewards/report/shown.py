"""How a report shows texts: prompts, completions and messages as one text, answers in LaTeX as drawn formulas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeAlias
from xml.etree import ElementTree

from grpo_rewards.completion.text import REASONING_BLOCKS, REASONING_FIELDS, THINK_CLOSE, THINK_OPEN, completion_text
from grpo_rewards.errors import harmless

Tree: TypeAlias = "list[str | Tree]"  # the name of an element, then its texts and elements

IN_LATEX = re.compile(r"\\[A-Za-z]|[\^_]")
LONGEST_FORMULA = 200  # characters of a formula that is drawn
MOST_FORMULAS = 5_000  # different formulas in a report
DRAWN_ELEMENTS = frozenset(
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msup msub msubsup mover munder munderover mtable mtr mtd "
    "menclose mpadded mphantom mstyle".split()
)


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
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return _content(content)
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


def formulas_in(cells: Iterable[str | None]) -> dict[str, Tree]:
    """By LaTeX, the tree of each cell that is a formula, of at most 200 characters and 5,000 different ones.

    Only elements of presentation are kept, and no attributes: what a model wrote brings neither links nor styles.
    """
    short = (cell for cell in dict.fromkeys(cells) if cell and len(cell) <= LONGEST_FORMULA)
    formulas = (cell for cell in short if IN_LATEX.search(cell) and harmless(cell) == cell)
    trees = ((latex, tree) for latex in formulas if (tree := _tree_of(latex)) is not None)
    return dict(islice(trees, MOST_FORMULAS))


def _tree_of(latex: str) -> Tree | None:
    from latex2mathml.converter import convert

    try:
        return _as_lists(ElementTree.fromstring(convert(latex)))
    except Exception:  # noqa: BLE001  # what a converter makes of what a model wrote must not cost the report
        return None


def _as_lists(element: ElementTree.Element) -> Tree:
    name = element.tag.rpartition("}")[2]
    if name not in DRAWN_ELEMENTS:
        raise ValueError(f"<{name}> is no element of a formula")
    tree: Tree = [name, element.text or ""] if element.text else [name]
    for inner in element:
        tree.append(_as_lists(inner))
    return tree
