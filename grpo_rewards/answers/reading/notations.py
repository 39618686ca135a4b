"""Reads notations that are no arithmetic: chemical formulas and equations, and formulas of logic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.values.kinds import Text

# Reads chemical formulas and equations: ``H2O``, ``\ce{2H2 + O2 -> 2H2O}``, ``\mathrm{SO_4^{2-}}``.
#
# Look here if two spellings of one formula are not seen as the same, or ``Co`` and ``CO`` are. A formula is compared as
# it is spelled, except for how its indices are set and for the order of what reacts.

_ELEMENTS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At
Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr
"""
ELEMENTS = frozenset(_ELEMENTS.split())
ELEMENT = re.compile(r"[A-Z][a-z]?")
# A coefficient, symbols with counts, groups in parentheses, a charge and the state, which is not part of the formula.
SPECIES = re.compile(r"[0-9]{0,4}((?:[A-Z][a-z]?[0-9]{0,3}|[()\[\]][0-9]{0,3}){1,40})(?:\^[0-9]?[+-])?")
STATE = re.compile(r"\((?:aq|s|l|g)\)")
PLUS = re.compile(r"(?<!\^)(?<!\^[0-9])\+")  # but for the one of a charge
ARROW = "->"
NEVER_CHEMICAL = ("=", "\\frac", "\\sqrt", "\\pi", ",", "/")
SYMBOLS_OF_SUBSTANCES = 3
COUNTED_SYMBOL = re.compile(r"[A-Za-z)][2-9]")
NUMBERED_OR_ADDED = re.compile(r"[A-Za-z)][01](?![0-9])|\+")  # an index that numbers a letter, or a sum
CHEMICAL_CHARACTERS = 200  # in the longest equation that is read


def chemical_formula(nodes: Nodes) -> str | None:
    """The formula or equation of chemistry that ``nodes`` spell, with its indices in one spelling; else ``None``.

    A bare symbol, such as C, is none: it needs a second element, an index or a charge.
    """
    if any(node.text in NEVER_CHEMICAL for node in nodes) or not any(
        node.kind in WORD_KINDS or node.text.isupper() for node in nodes
    ):
        return None
    spelled = STATE.sub("", _flat(nodes))
    if len(spelled) > CHEMICAL_CHARACTERS or not any(letter.isupper() for letter in spelled):
        return None
    for species in (one for side in spelled.split(ARROW) for one in PLUS.split(side)):
        found = SPECIES.fullmatch(species)
        symbols = ELEMENT.findall(found.group(1)) if found else []
        if not symbols or not ELEMENTS.issuperset(symbols):
            return None
    if len(ELEMENT.findall(spelled)) < 2 and "^" not in spelled and not spelled[-1:].isdigit():
        return None
    sides = ("+".join(sorted(PLUS.split(side))) for side in spelled.split(ARROW))
    return ARROW.join(sides)


def are_other_substances(one: str | None, other: str | None) -> bool:
    """Whether two formulas, as ``chemical_formula`` spells them, are surely two substances, and no products of letters.

    Each needs three symbols and a count above 1: ``P_2V_2`` and ``F_1F_2`` are products too.
    """
    return one != other and all(
        one_of is not None
        and len(ELEMENT.findall(one_of)) >= SYMBOLS_OF_SUBSTANCES
        and COUNTED_SYMBOL.search(one_of) is not None
        and NUMBERED_OR_ADDED.search(one_of) is None
        for one_of in (one, other)
    )


def _flat(nodes: Nodes) -> str:
    """The characters of a tree in a row, without what sets an index; a charge has ``^`` before it."""
    pieces = []
    for node in nodes:
        if node.text == "_":
            pieces.append(_flat(node.args[0]))
        elif node.text == "^":
            charge = _flat(node.args[0])
            pieces.append("^" + ("1" if charge in ("+", "-") else "") + charge)
        elif node.text == "\\to":
            pieces.append(ARROW)
        else:
            pieces.append(("".join(node.text.split()) if node.kind in WORD_KINDS else node.text.strip()) or "")
            pieces.extend(_flat(arg) for arg in node.args)
    return "".join(pieces)


# Reads formulas of logic, ``p \land \neg q``, as their truth tables, so that equivalent ones are the same answer.

PROPOSITIONS = frozenset("pqrstPQRST")  # a and b may be vectors, and a \\wedge b their product
MOST_PROPOSITIONS = 6
LOGIC_NODES = 80
Proposition = Callable[[Mapping[str, bool]], bool]
NEGATIONS = ("\\neg", "\\sim")
# From the loosest to the tightest; all but "implies" do not care for the order.
CONNECTIVE_LEVELS: tuple[tuple[tuple[str, ...], Callable[[bool, bool], bool]], ...] = (
    (("\\leftrightarrow", "\\Leftrightarrow", "\\iff"), lambda one, other: one == other),
    (("\\to", "\\Rightarrow", "\\implies", "\\Longrightarrow"), lambda one, other: not one or other),
    (("\\vee",), lambda one, other: one or other),
    (("\\wedge",), lambda one, other: one and other),
)
LOGIC_SIGNS = frozenset(sign for signs, _ in CONNECTIVE_LEVELS for sign in signs) | frozenset(NEGATIONS)


def read_logic(nodes: Nodes) -> Text | None:
    """The truth table of a formula of logic as a ``Text``; ``None`` for anything else."""
    if len(nodes) > LOGIC_NODES or not any(node.text in LOGIC_SIGNS for node in nodes):
        return None
    names = sorted({node.text for node in nodes if node.kind == "letter"})
    if not names or len(names) > MOST_PROPOSITIONS or not PROPOSITIONS.issuperset(names):
        return None
    formula = _read(nodes, 0)
    if formula is None:
        return None
    rows = (dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names)))
    return Text(f"{','.join(names)}: {''.join('FT'[formula(row)] for row in rows)}")


def _read(nodes: Nodes, level: int) -> Proposition | None:
    """The formula that ``nodes`` spell with connectives from ``level`` on; ``None`` if they are none."""
    if not nodes:
        return None
    if level == len(CONNECTIVE_LEVELS):
        return _simple(nodes)
    signs, join = CONNECTIVE_LEVELS[level]
    at = _first_outside(nodes, signs)
    if at is None:
        return _read(nodes, level + 1)
    left, right = _read(nodes[:at], level + 1), _read(nodes[at + 1 :], level)
    if left is None or right is None:
        return None
    return lambda row: join(left(row), right(row))


def _simple(nodes: Nodes) -> Proposition | None:
    """A letter, a negation, or a formula in parentheses; ``None`` for anything else."""
    first = nodes[0]
    if first.text in NEGATIONS:
        inner = _read(nodes[1:], len(CONNECTIVE_LEVELS))
        return None if inner is None else lambda row: not inner(row)
    if first.text == "(" and nodes[-1].text == ")":
        return _read(nodes[1:-1], 0)
    return (lambda row: row[first.text]) if len(nodes) == 1 and first.kind == "letter" else None


def _first_outside(nodes: Nodes, signs: tuple[str, ...]) -> int | None:
    """The index of the first of ``signs`` that is not in parentheses; ``None`` without one."""
    depth = 0
    for index, node in enumerate(nodes):
        depth += (node.text == "(") - (node.text == ")")
        if depth == 0 and node.text in signs:
            return index
    return None
