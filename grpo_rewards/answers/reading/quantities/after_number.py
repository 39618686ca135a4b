"""Reads all that may follow a number and belongs to it: a unit of measure, a sign of money, what is counted.

Look here if what stands after a number is not seen as its unit.
"""

from __future__ import annotations

from dataclasses import replace

from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.quantities.conversions import is_rate_of
from grpo_rewards.answers.reading.quantities.counted_things import counted_thing, named_part
from grpo_rewards.answers.reading.quantities.measures import read_measure, words_as_measure
from grpo_rewards.answers.reading.quantities.unit_table import known_unit
from grpo_rewards.answers.values.kinds import Expression, Number

__all__ = ["currency", "in_money", "money_with", "read_unit", "unit_of_words"]

CURRENCIES = ("\\$", "€", "£", "¥", "₹", "₽", "₩")
SIGNS_OF_UNITS = (*CURRENCIES, "\\%", "%", "¢")
# Codes that may stand before an amount: USD 25.
_CODES = frozenset("usd eur gbp jpy cny rmb inr rs rub chf us".split())
LONGEST_CODE = 3


def currency(nodes: Nodes) -> tuple[str, Nodes] | None:
    """(unit, what follows) if ``nodes`` begin with money's sign or code: ``\\$5``, ``USD 5``, ``US\\$5``."""
    if not nodes:
        return None
    if nodes[0].text in CURRENCIES:
        return known_unit(nodes[0].text) or nodes[0].text, nodes[1:]
    letters = 1 if nodes[0].kind in WORD_KINDS else LONGEST_CODE if nodes[0].kind == "letter" else 0
    for end in range(letters, 0, -1):
        code = "".join(node.text for node in nodes[:end]).casefold() if len(nodes) > end else ""
        if code == "us" and nodes[end].text == "\\$":
            return "dollar", nodes[end + 1 :]
        unit = known_unit(code) if code in _CODES and all(node.kind != "digits" for node in nodes[:end]) else None
        if unit is not None:
            return unit, nodes[end:]
    return None


def read_unit(nodes: Nodes) -> str | None:
    """The unit that ``nodes``, all that follows a number, name: ``\\text{ cm}^{2}``, ``\\%``, eggs; else ``None``."""
    nodes = [node for node in nodes if node.kind != "space"]
    if not nodes:
        return None
    if nodes[0].text == "^" and render(nodes[0].args[0]).strip() == "\\circ":
        scale = render(nodes[1:]).removeprefix("celsius").removeprefix("fahrenheit")  # 20^\circ C is in degrees Celsius
        return "degree" if not scale else f"degree{scale}" if scale in ("C", "F") else None
    if nodes[0].kind not in WORD_KINDS and nodes[0].text in SIGNS_OF_UNITS:
        unit = known_unit(nodes[0].text) or nodes[0].text
        return unit if len(nodes) == 1 or _more_of(unit, nodes[1:]) == unit else None  # 20 % of the total
    words = _words(nodes)
    return read_measure(nodes) if words is None else unit_of_words(words)


def money_with(unit: str, nodes: Nodes) -> str | None:
    """The unit of an amount of money that has ``nodes`` after it: dollars per hour for ``\\$5`` and ``/hour``.

    ``None`` if they do not belong to it, as in ``\\$5 \\text{ apples}``.
    """
    if read_unit(nodes) == unit:
        return unit
    more = _more_of(unit, nodes)
    return more if more is not None and (more == unit or is_rate_of(more, unit)) else None


def in_money(amount: Expression | Number, unit: str) -> Expression | Number | None:
    """An amount after a currency, with its unit; ``None`` if it has another one: no dollars are apples or cents."""
    if amount.unit not in (None, unit):
        unit = "*".join(sorted((unit, amount.unit or ""))) if is_rate_of(f"{unit}*{amount.unit}", unit) else ""
    if not unit:
        return None
    return replace(amount, unit=unit, measure=None) if isinstance(amount, Expression) else replace(amount, unit=unit)


def _more_of(unit: str, nodes: Nodes) -> str | None:
    """The unit of a word with ``nodes`` after it."""
    return read_unit([Node("text", unit), *nodes])


def _words(nodes: Nodes) -> str | None:
    """The words that ``nodes`` are; ``None`` for anything else. The "of" of ``cups of flour`` is two letters there."""
    if not any(node.kind in WORD_KINDS for node in nodes):
        return None
    words = ""
    for node in nodes:
        if node.text == "." and words:
            continue  # sq. units
        if node.kind not in ("letter", *WORD_KINDS):
            return None
        words += node.text if node.kind == "letter" and not node.apart else f" {node.text}"
    return words.strip()


def unit_of_words(words: str) -> str | None:
    """The unit that words after a number name: a unit of measure, or what is counted (eggs); else ``None``."""
    joined = "".join(words.split()).casefold()
    whole = known_unit(joined.replace("degrees", "degree"))
    if whole is not None and len(joined) < len(words):
        return whole  # degrees Celsius
    measure = words_as_measure(words)
    if measure is not None:
        return measure
    named = named_part(words)
    # kg of cereal; the capitals of a symbol matter, so it is looked up as it was written
    before = None if named is None else words_as_measure(" ".join(words.split()[: len(named)]))
    return before or counted_thing(words)
