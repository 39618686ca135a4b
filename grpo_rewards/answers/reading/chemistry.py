r"""Reads chemical formulas and equations: ``H2O``, ``\ce{2H2 + O2 -> 2H2O}``, ``\mathrm{SO_4^{2-}}``.

Look here if two spellings of one formula are not seen as the same, or ``Co`` and ``CO`` are. A formula is compared as
it is spelled, except for how its indices are set and for the order of what reacts.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes

__all__ = ["are_other_substances", "chemical_formula"]

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
