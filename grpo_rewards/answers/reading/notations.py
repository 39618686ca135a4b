"""Reads notations that are no arithmetic: chemical formulas and equations, and formulas of logic."""

import operator
import re
import string
from collections.abc import Callable, Mapping
from itertools import chain, product
from typing import TypeAlias

from grpo_rewards.answers.latex.tree import Nodes, flattened, inside_brackets, outside, render, texts, word_set
from grpo_rewards.answers.values.kinds import Text

# Reads chemical formulas and equations: ``H2O``, ``\ce{2H2 + O2 -> 2H2O}``, ``\mathrm{SO_4^{2-}}``.
#
# Look here if two spellings of one formula are not seen as the same, or ``Co`` and ``CO`` are. A formula is compared as
# it is spelled, except for how its indices are set and for the order of what reacts.

ELEMENTS = word_set("""
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At
Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr
""")
ELEMENT = re.compile(r"[A-Z][a-z]?")
# A coefficient, symbols with counts, groups in parentheses and a charge. The state, which may be an arrow for a gas or
# for what settles, is not part of the formula.
SPECIES = re.compile(r"[0-9]{0,4}(?:[A-Z][a-z]?[0-9]{0,3}|[()\[\]][0-9]{0,3}){1,40}(?:\^[0-9]?[+-])?")
STATE = re.compile(r"\((?:aq|s|l|g)\)|\\(?:up|down)arrow")
PLUS = re.compile(r"(?<!\^)(?<!\^[0-9])\+")  # but for the one of a charge
ARROWS = {"\\to": "->", "\\leftrightarrow": "<=>"}
ARROW = re.compile("<=>|->")
# ^+, or a sign that only ends a formula: Na+.
CHARGE_OF_ONE = re.compile(r"\^(?=[-+])|(?<=[A-Za-z0-9)])(?<!\^[0-9])(?=[-+](?:\+|->|<=>|$))")
SHELL = re.compile(r"\[[A-Z][a-z]\]|[1-7][spdf]\^\{[0-9]{1,2}\}")  # of an atom, [Ar]3d^{5}4s^{1} in any order
CONFIGURATION = re.compile(rf"(?:{SHELL.pattern})+")


def chemical_formula(nodes: Nodes) -> str | None:
    """The formula or equation of chemistry that ``nodes`` spell, with its indices in one spelling; else ``None``.

    A bare symbol, such as C, is none: it needs a second element, an index or a charge.
    """
    is_of_shells = len(nodes) > 1 and nodes[1].text == "s"  # 1s^{2}2s^{2}
    if not is_of_shells and not any(node.is_words or node.text.isupper() for node in nodes):
        return None
    if CONFIGURATION.fullmatch(whole := render(nodes)):
        return "".join(sorted(SHELL.findall(whole)))
    flat = "".join(ARROWS.get(text, text) for text in texts(flattened(nodes))).replace("_", "")  # what sets an index
    spelled = STATE.sub("", CHARGE_OF_ONE.sub("^1", "".join(flat.split())))
    symbols, species = ELEMENT.findall(spelled), PLUS.split(ARROW.sub("+", spelled))
    if not ELEMENTS.issuperset(symbols) or not all(map(SPECIES.fullmatch, species)):
        return None
    if len(symbols) < 2 and not (symbols and ("^" in spelled or spelled[-1].isdigit())):
        return None
    sides = ("+".join(sorted(PLUS.split(side))) for side in ARROW.split(spelled))
    return "".join(ARROW.findall(spelled)[:1]).join(sides)


# Reads formulas of logic, ``p \land \neg q``, and of sets, ``A \cap B^c``, as their truth tables, so that equivalent
# ones are the same answer.

PROPOSITIONS = frozenset("pqrstPQRST")  # a and b may be vectors, and a \\wedge b their product
SETS = frozenset(string.ascii_uppercase)
MOST_LETTERS = 6
MOST_NODES = 40  # in the longest formula, those inside others counted
NEGATIONS = ("\\neg", "\\sim")
COMPLEMENTS = ("c", "C", "\\complement")  # raised, behind a set
Connectives: TypeAlias = Mapping[tuple[str, ...], Callable[[bool, bool], bool]]
# From the loosest to the tightest.
CONNECTIVES: Connectives = {
    ("\\leftrightarrow", "\\Leftrightarrow", "\\iff"): operator.eq,
    ("\\to", "\\Rightarrow", "\\implies", "\\Longrightarrow"): operator.le,
    ("\\vee",): operator.or_,
    ("\\wedge",): operator.and_,
}
SET_OPERATIONS: Connectives = {
    ("\\cup",): operator.or_,
    ("\\cap",): operator.and_,
    ("\\setminus",): operator.gt,  # in the one, and not in the other
}
LOGIC_SIGNS = frozenset(chain(*CONNECTIVES, NEGATIONS))
SET_SIGNS = frozenset(chain(*SET_OPERATIONS))


class NotLogic(ValueError):
    """The nodes are no formula of logic, or of sets."""


def read_logic(nodes: Nodes) -> Text | None:
    """The truth table of a formula of logic as a ``Text``; ``None`` for anything else."""
    table = _truth_table(nodes, PROPOSITIONS, CONNECTIVES)
    return None if table is None else Text(table)


def set_formula(nodes: Nodes) -> str | None:
    """The truth table of sets in capitals that are combined, ``A \\cap B^c``; ``None`` for anything else."""
    has_sign = not SET_SIGNS.isdisjoint(texts(flattened(nodes)))
    return _truth_table(nodes, SETS, SET_OPERATIONS) if has_sign else None


def _truth_table(nodes: Nodes, allowed: frozenset[str], connectives: Connectives) -> str | None:
    """The letters of a formula and its truth table, ``p,q: FFFT``; ``None`` if it is too large or no such formula."""
    bases = flattened([node for node in nodes if node.text != "^"])  # the c that is raised is no letter of its own
    names = sorted(allowed.intersection(texts(bases)))
    if not names or len(list(flattened(nodes))) > MOST_NODES or len(names) > MOST_LETTERS:
        return None
    rows = product((False, True), repeat=len(names))
    try:
        table = "".join("FT"[_holds(nodes, dict(zip(names, row, strict=True)), connectives)] for row in rows)
    except NotLogic:
        return None
    return f"{','.join(names)}: {table}"


def _holds(nodes: Nodes, truths: Mapping[str, bool], connectives: Connectives) -> bool:
    """Whether a formula holds if its letters are true or false as given. Raises ``NotLogic`` if it is none."""
    if not nodes or (len(outside(nodes, SET_SIGNS)) > 1 and outside(nodes, ["\\setminus"])):
        raise NotLogic  # A \\cup B \\setminus C is written for either of two sets
    for signs, join in connectives.items():
        if places := outside(nodes, signs):
            at = places[0] if join is operator.le else places[-1]  # p \\to q \\to r is p \\to (q \\to r)
            return join(*(_holds(side, truths, connectives) for side in (nodes[:at], nodes[at + 1 :])))
    inner = inside_brackets(nodes)
    if inner:
        return _holds(inner, truths, connectives)
    if connectives is SET_OPERATIONS and (of := _complemented(nodes)):
        return not _holds(of, truths, connectives)
    if nodes[0].text in NEGATIONS:
        return not _holds(nodes[1:], truths, connectives)
    if len(nodes) != 1 or nodes[0].text not in truths:
        raise NotLogic
    return truths[nodes[0].text]


def _complemented(nodes: Nodes) -> Nodes:
    """The set whose complement ``nodes`` are: ``A^c``, ``A'``, ``\\overline{A}``; ``()`` for anything else."""
    if len(nodes) == 1 and nodes[0].text == "\\overline":
        return nodes[0].args[0]
    is_raised = nodes[-1].text == "^" and render(nodes[-1].args[0]).strip() in COMPLEMENTS
    return nodes[:-1] if is_raised or nodes[-1].text == "'" else ()
