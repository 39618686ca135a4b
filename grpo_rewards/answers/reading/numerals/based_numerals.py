"""Reads numerals in another base than ten: ``2516_8``, ``1010 \\text{ (base 2)}``, ``1010_{\\text{two}}``.

Look here if such a numeral is read as a number in base ten, or not at all.
"""

from __future__ import annotations

from fractions import Fraction

from grpo_rewards.answers.latex.limits import NUMBER_DIGITS
from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.values.kinds import Based, Number

__all__ = ["read_based"]

_NAMES = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_BASES = {name: value for value, name in enumerate(_NAMES, start=2)}
_SYSTEMS = {"binary": 2, "ternary": 3, "octal": 8, "decimal": 10, "hexadecimal": 16, "hex": 16}
LARGEST_BASE = 36
WORDS_OF_BASE = 5  # nodes in "(in base 2)"


def read_based(nodes: Nodes) -> Based | Number | None:
    """The numeral in a base that ``nodes`` as a whole spell, else ``None``. In base ten it is a number.

    A numeral with a digit that its base does not have is not read.
    """
    if len(nodes) > 3 and (nodes[0].text, nodes[2].text) == ("(", ")"):
        nodes = (nodes[1], *nodes[3:])  # without the parentheses
    if len(nodes) < 2 or nodes[0].kind != "digits" or len(nodes[0].text) > NUMBER_DIGITS:
        return None
    subscripted = len(nodes) == 2 and nodes[1].text == "_"
    base = _base(nodes[1].args[0] if subscripted else nodes[1:], named=not subscripted)
    digits = nodes[0].text
    if base is None or any(int(digit) >= base for digit in digits):
        return None
    return Number(Fraction(int(digits))) if base == 10 else Based(digits.lstrip("0") or "0", str(base))


def _base(nodes: Nodes, named: bool) -> int | None:
    """The base that ``nodes`` give in digits or words, perhaps in parentheses; ``None`` for anything else.

    If it must be ``named``, the word "base" or the name of a system must be there: ``1010 \\text{ two}`` is no numeral.
    """
    if len(nodes) > 2 and (nodes[0].text, nodes[-1].text) == ("(", ")"):
        nodes = nodes[1:-1]
    if not nodes or len(nodes) > WORDS_OF_BASE or any(node.kind not in ("digits", *WORD_KINDS) for node in nodes):
        return None
    words = " ".join(node.text for node in nodes).casefold().replace("-", " ").split()
    words = words[1:] if words[0] in ("in", "base") and len(words) > 1 and words[1] in ("base", *_SYSTEMS) else words
    if words[0] == "base":
        words = words[1:]
    elif named and words[0] not in _SYSTEMS:
        return None
    if len(words) != 1 or len(words[0]) > 2 + 10:
        return None
    base = (
        int(words[0]) if words[0].isdecimal() and len(words[0]) <= 2 else _BASES.get(words[0], _SYSTEMS.get(words[0]))
    )
    return base if base is not None and 2 <= base <= LARGEST_BASE else None
