"""Matches the items of two sets in pairs. Look here if a set in another order is wrong, or takes long to compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

__all__ = ["likeliest_first", "match"]

TOKEN = re.compile(r"\\[a-zA-Z]+|[0-9]+|[^\sa-zA-Z]")  # but for letters: they may have other names on the other side
IN_PLACE = 0.05  # of likeness, that two items at the same place are likelier to belong together


def match(table: Sequence[Sequence[bool | None]]) -> tuple[bool | None, list[tuple[int, int]]]:
    """Whether each line can be matched with a column of its own, by a table of which are equal.

    Returns:
        (``True`` or ``False``, []), or (``None``, the undecided cells that matter) if that depends on undecided cells.

    >>> match([[None, True], [None, None]])
    (None, [(1, 0)])
    """
    # If one item differs from all on the other side, so do the two sides.
    if any(all(cell is False for cell in line) for line in (*table, *zip(*table, strict=True))):
        return False, []
    free = list(range(len(table)))
    alone = []
    for index, line in enumerate(table):
        partner = next((column for column in free if line[column]), None)
        if partner is None:
            alone.append(index)
        else:
            free.remove(partner)
    if not alone:
        return True, []
    undecided = [(line, column) for line in alone for column in free if table[line][column] is None]
    undecided = undecided or [
        (index, column) for index, line in enumerate(table) for column, cell in enumerate(line) if cell is None
    ]
    return (None, undecided) if undecided else (False, [])


def likeliest_first(pairs: Iterable[tuple[int, int, tuple[str, str]]]) -> list[tuple[str, str]]:
    """The pairs (gold, prediction) of LaTeX, given with the places of their items, those first that look most alike."""
    tokens: dict[str, Counter[str]] = {}

    def likeness(line: int, column: int, pair: tuple[str, str]) -> float:
        ours, theirs = (tokens.setdefault(text, Counter(TOKEN.findall(text))) for text in pair)
        most = max(ours.total(), theirs.total(), 1)
        return (ours & theirs).total() / most + IN_PLACE * (line == column)

    return [one[2] for one in sorted(pairs, key=lambda one: -likeness(*one))]
