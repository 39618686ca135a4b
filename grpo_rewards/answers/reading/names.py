"""What an equation or inequality names on one of its sides: x, f(2), AB, an area, a derivative."""

from __future__ import annotations

from grpo_rewards.answers.formulas.formula import Formula, has_symbols
from grpo_rewards.answers.latex.brackets import closing_index
from grpo_rewards.answers.latex.commands import GREEK, TRIGONOMETRIC
from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.words import denies

__all__ = ["is_combination", "is_derivative", "is_name", "is_point"]

SHAPES = ("\\angle", "\\triangle", "\\measuredangle")


def is_name(nodes: Nodes) -> bool:
    """Whether nodes name something: ``x``, ``x_{1}``, ``f(x)``, ``AB``, ``\\text{Area}``, ``S_1 : S_2``, ``dy/dx``."""
    if len(nodes) == 1 and nodes[0].kind in WORD_KINDS:
        return not any(map(denies, nodes[0].text.split()))
    if len(nodes) == 1 and nodes[0].kind == "letter":
        return True
    if nodes[0].text in SHAPES or any(node.text == ":" for node in nodes):
        return all(node.kind in ("letter", "word", "apply") or node.text in (*SHAPES, ":") for node in nodes)
    if all(node.kind == "letter" and node.text.isupper() for node in nodes):
        return True  # a segment
    if _is_applied_letter(nodes) or is_derivative(nodes) or is_point(nodes):
        return True
    formula = read_formula(nodes)
    return formula is not None and (formula.kind == "symbol" or _is_call_name(formula) or _is_bracketed_name(nodes))


def _is_call_name(formula: Formula) -> bool:
    """``f(2)``, ``\\cos A``, ``|AB|``, ``\\gcd(a, b)``: the name of a value, not an equation still to be solved."""
    if formula.name.startswith("?") or (formula.name in ("gcd", "lcm") and has_symbols(formula)):
        return True
    if formula.name not in (*TRIGONOMETRIC, "abs"):
        return False
    inner = formula.args[0]
    parts = inner.args if inner.kind == "product" else (inner,)
    return all(part.kind == "symbol" and (part.name[0].isupper() or part.name[0] == "\\") for part in parts)


def is_combination(formula: Formula) -> bool:
    """A sum or product of different symbols and nothing else: ``a + b``, ``m n``, of which a problem asks the value."""
    return (
        formula.kind in ("sum", "product")
        and all(arg.kind == "symbol" for arg in formula.args)
        and len({arg.name for arg in formula.args}) == len(formula.args)
    )


def _is_applied_letter(nodes: Nodes) -> bool:
    """``p(x)``, ``P(X = 1)``: a letter before letters in parentheses, which is no product."""
    return (
        len(nodes) > 3
        and nodes[0].kind == "letter"
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
        and all(node.kind in ("letter", "digits") or node.text in ",=|" for node in nodes[2:-1])
        and any(node.kind == "letter" for node in nodes[2:-1])
    )


def is_point(nodes: Nodes) -> bool:
    """``(x, y)``: letters in parentheses."""
    letters = nodes[1:-1:2]
    return (
        len(nodes) > 4
        and (nodes[0].text, nodes[-1].text) == ("(", ")")
        and all(node.kind == "letter" or node.text in GREEK for node in letters)
        and all(node.text == "," for node in nodes[2:-1:2])
    )


def _is_bracketed_name(nodes: Nodes) -> bool:
    """``E[X]``"""
    return len(nodes) == 4 and nodes[0].text == "E" and (nodes[1].text, nodes[3].text) == ("[", "]")


def is_derivative(nodes: Nodes) -> bool:
    if len(nodes) != 1 or nodes[0].text != "\\frac":
        return False
    return all(len(arg) > 1 and arg[0].text in ("d", "\\partial") for arg in nodes[0].args)
