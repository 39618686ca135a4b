"""Reads letters that a space or upright type parts from an amount as its unit: ``10 m``, which may also be a product.

Look here if a variable is taken for a unit, or the other way round.
"""

from __future__ import annotations

from dataclasses import replace

from grpo_rewards.answers.latex.tree import Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.numerals.written_numbers import read_number
from grpo_rewards.answers.reading.quantities.measures import read_apart
from grpo_rewards.answers.values.kinds import Expression, Number

__all__ = ["measured"]

APART_NODES = 12  # in the longest unit of letters, of which each is a node


def measured(nodes: Nodes) -> Number | Expression | None:
    """A number or formula and the unit that letters apart from it may be: ten metres for ``10 m``; else ``None``."""
    for end in range(max(len(nodes) - APART_NODES, 1), len(nodes)):
        unit = read_apart(nodes[end:]) if nodes[end - 1].kind != "letter" else None
        if unit is not None:
            number, formula = read_number(nodes[:end]), read_formula(nodes[:end])
            if number is not None and number.unit is None:
                return replace(number, unit=unit)
            return None if formula is None else Expression(render(nodes), formula, unit)
    return None
