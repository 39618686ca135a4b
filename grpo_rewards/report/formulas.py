"""Predictions and golds in LaTeX as trees of MathML, which browsers draw by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree

from grpo_rewards.registry.errors import harmless

__all__ = ["Tree", "formulas_in"]

Tree: TypeAlias = "list[str | Tree]"  # the name of an element, then its texts and elements

IN_LATEX = re.compile(r"\\[A-Za-z]|[\^_]")
LONGEST_FORMULA = 200  # characters of a formula that is drawn
MOST_FORMULAS = 5_000  # different formulas in a report
DRAWN_ELEMENTS = frozenset(
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msup msub msubsup mover munder munderover mtable mtr mtd "
    "menclose mpadded mphantom mstyle".split()
)


def formulas_in(cells: Iterable[str | None]) -> dict[str, Tree]:
    """By LaTeX, the tree of each cell that is a formula, of at most 200 characters and 5,000 different ones.

    Only elements of presentation are kept, and no attributes: what a model wrote brings neither links nor styles.
    """
    found: dict[str, Tree] = {}
    for cell in dict.fromkeys(cells):
        if cell and len(cell) <= LONGEST_FORMULA and IN_LATEX.search(cell) and harmless(cell) == cell:
            tree = _tree_of(cell)
            if tree is not None:
                found[cell] = tree
            if len(found) == MOST_FORMULAS:
                break
    return found


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
