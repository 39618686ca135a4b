"""Reads amounts in several units, each a part of the one before: ``2 hours 15 minutes``, ``5 ft 3 in``, ``45° 30'``.

Look here if such an amount is read as a list, or not at all.
"""

from __future__ import annotations

from fractions import Fraction

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.numerals.written_numbers import leading_number
from grpo_rewards.answers.reading.quantities.after_number import read_unit
from grpo_rewards.answers.reading.quantities.conversions import Ratio, is_measure, ratio
from grpo_rewards.answers.reading.quantities.measures import read_apart
from grpo_rewards.answers.values.kinds import Number

__all__ = ["read_compound"]

COMPOUND_NODES = 24
_PARTS_OF_A_DEGREE = {("'",): "arcminute", ("'", "'"): "arcsecond", ('"',): "arcsecond", ("\\prime",): "arcminute"}
_TIMES = ("year", "month", "week", "day", "hour", "minute")


def read_compound(nodes: Nodes) -> Number | None:
    """The amount that ``nodes`` as a whole give in several units, in the first of them; ``None`` for anything else.

    Each unit must be smaller than the one before, and each number too small to make one more of that: ``3 cm 4 cm``
    and ``1 hour 90 minutes`` are not one amount.
    """
    if not 3 <= len(nodes) <= COMPOUND_NODES or sum(node.kind == "digits" for node in nodes) < 2:
        return None
    total, units = Fraction(0), [""]
    rest = nodes
    while rest:
        found = leading_number(rest)
        if found is None:
            return None
        value, _, rest = found
        end = next((at for at, node in enumerate(rest) if node.kind == "digits"), len(rest))
        unit = _part(rest[:end], units[-1], is_last=end == len(rest))
        rest = rest[end:]
        if unit is None or not is_measure(unit):
            return None
        if len(units) > 1:
            step, whole = ratio(units[-1], unit), ratio(units[1], unit)
            if not isinstance(step, Ratio) or not isinstance(whole, Ratio) or value >= step.factor or step.factor <= 1:
                return None
            value /= whole.factor
        total += value
        units.append(unit)
    return Number(total, units[1]) if len(units) > 2 else None


def _part(nodes: Nodes, before: str, is_last: bool) -> str | None:
    """The unit of one part, without the "and" that joins it to the next one; ``before`` is the unit before it."""
    if not is_last and nodes:
        joins = nodes[-1].kind in WORD_KINDS and nodes[-1].text.casefold() == "and"
        # "3 m, 20 cm" are two lengths
        if joins or (nodes[-1].text == "," and read_unit(nodes[:-1]) in _TIMES):
            nodes = nodes[:-1]
    if not nodes:
        return None
    if before.startswith(("degree", "arc")) and (part := _PARTS_OF_A_DEGREE.get(_marks(nodes))):
        return part
    # of letters between two numbers it is plain that they are a unit
    return read_unit(nodes) or read_apart([nodes[0]._replace(apart=True), *nodes[1:]])


def _marks(nodes: Nodes) -> tuple[str, ...]:
    """The texts of ``nodes``, or of the exponent that they are."""
    inner = nodes[0].args[0] if len(nodes) == 1 and nodes[0].text == "^" else nodes
    return tuple(node.text for node in inner)
