"""Recognises what an equation or inequality can give a value to: ``x``, ``f(2)``, ``AB``, an area, a derivative.

Look here if ``f(2) = 5`` is not read as the value 5 with a name, or if an equation to be solved is.
"""

from __future__ import annotations

from grpo_rewards.answers.formulas.formula import Formula, has_symbols
from grpo_rewards.answers.latex.brackets import closing_index
from grpo_rewards.answers.latex.commands import GREEK, TRIGONOMETRIC
from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.words import denies

__all__ = ["is_combination", "is_derivative", "is_letter_tuple", "is_name"]

SHAPE_COMMANDS = ("\\angle", "\\triangle", "\\measuredangle")


def is_name(nodes: Nodes) -> bool:
    """Whether ``nodes`` can be the name of a value: ``x_{1}``, ``f(2)``, ``AB``, ``\\text{Area}``."""
    if len(nodes) == 1 and nodes[0].kind in WORD_KINDS:
        return not any(map(denies, nodes[0].text.split()))
    if len(nodes) == 1 and nodes[0].kind == "letter":
        return True
    if nodes[0].text in SHAPE_COMMANDS or any(node.text == ":" for node in nodes):
        return all(node.kind in ("letter", "word", "apply") or node.text in (*SHAPE_COMMANDS, ":") for node in nodes)
    if all(node.kind == "letter" and node.text.isupper() for node in nodes):
        return True  # the segment AB
    if _is_applied_letter(nodes) or is_derivative(nodes) or is_letter_tuple(nodes):
        return True
    formula = read_formula(nodes)
    return formula is not None and (formula.kind == "symbol" or _is_call_name(formula) or _is_bracketed_name(nodes))


def _is_call_name(formula: Formula) -> bool:
    """Whether a formula is a call that names a value: ``f(2)``, ``\\cos A``, ``|AB|``, ``\\gcd(a, b)``.

    ``\\cos x`` is not: ``\\cos x = 1`` is an equation that is still to be solved.
    """
    if formula.name.startswith("?") or (formula.name in ("gcd", "lcm") and has_symbols(formula)):
        return True
    if formula.name not in (*TRIGONOMETRIC, "abs"):
        return False
    inner = formula.args[0]
    parts = inner.args if inner.kind == "product" else (inner,)
    return all(part.kind == "symbol" and (part.name[0].isupper() or part.name[0] == "\\") for part in parts)


def is_combination(formula: Formula) -> bool:
    """Whether a formula is a sum or product of different symbols: ``m + n``, whose value a problem may ask for."""
    return (
        formula.kind in ("sum", "product")
        and all(arg.kind == "symbol" for arg in formula.args)
        and len({arg.name for arg in formula.args}) == len(formula.args)
    )


def _is_applied_letter(nodes: Nodes) -> bool:
    """Whether ``nodes`` are a letter, then letters in parentheses, as in ``p(x)`` or ``P(X = 1)``: not a product."""
    return (
        len(nodes) > 3
        and nodes[0].kind == "letter"
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
        and all(node.kind in ("letter", "digits") or node.text in ",=|" for node in nodes[2:-1])
        and any(node.kind == "letter" for node in nodes[2:-1])
    )


def is_letter_tuple(nodes: Nodes) -> bool:
    """Whether ``nodes`` are letters in parentheses, the left side of ``(x, y) = (1, 2)``."""
    letters = nodes[1:-1:2]
    return (
        len(nodes) > 4
        and (nodes[0].text, nodes[-1].text) == ("(", ")")
        and all(node.kind == "letter" or node.text in GREEK for node in letters)
        and all(node.text == "," for node in nodes[2:-1:2])
    )


def _is_bracketed_name(nodes: Nodes) -> bool:
    """Whether ``nodes`` are an expected value, ``E[X]``."""
    return len(nodes) == 4 and nodes[0].text == "E" and (nodes[1].text, nodes[3].text) == ("[", "]")


def is_derivative(nodes: Nodes) -> bool:
    """Whether ``nodes`` are a derivative, ``\\frac{dy}{dx}``."""
    if len(nodes) != 1 or nodes[0].text != "\\frac":
        return False
    return all(len(arg) > 1 and arg[0].text in ("d", "\\partial") for arg in nodes[0].args)
