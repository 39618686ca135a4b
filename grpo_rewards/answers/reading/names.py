"""Recognises what an equation or inequality can give a value to: ``x``, ``f(2)``, ``AB``, an area, a derivative.

Look here if ``f(2) = 5`` is not read as the value 5 with a name, or if an equation to be solved is.
"""

from __future__ import annotations

from grpo_rewards.answers.formulas.formula import Formula, has_symbols
from grpo_rewards.answers.formulas.structure import symbols
from grpo_rewards.answers.latex.brackets import closing_index, outside, split
from grpo_rewards.answers.latex.commands import GREEK, TRIGONOMETRIC
from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.wording.describing import describes, names_quantity

__all__ = ["is_derivative", "is_letter_tuple", "is_name", "is_quantity", "names_in"]

DENYING_SIGNS = ("%", "\\%", "\\not", "\\neg", "\\notin", ":", "?", ";", "\\Box", "\\square", "\\ldots")
SIGNS_OF_A_CALCULATION = ("+", "-", "/", "\\cdot")
SET_OPERATORS = ("\\cup", "\\cap", "\\setminus")
# Words that do not name a quantity that equals a number: "Solve 2x = 6", "at least x = 5".
NOT_DESCRIBING = frozenset(
    """
    solve where equation invalid if assume assuming suppose supposing let unless check step eq when given
    since because whenever provided so that such find show prove verify consider try guess wrong reject rejected
    """.split()
)
SHAPE_COMMANDS = ("\\angle", "\\triangle", "\\measuredangle")


def is_name(nodes: Nodes) -> bool:
    """Whether ``nodes`` can be the name of a value: ``x_{1}``, ``f(2)``, ``AB``, ``\\text{Area}``."""
    if not NOT_DESCRIBING.isdisjoint(_words_of(nodes)):
        return False
    if len(nodes) == 1 and nodes[0].kind in WORD_KINDS:
        return names_quantity(nodes[0].text, alone=True)
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
    found = symbols(formula)
    is_sized = formula.name != "abs" or formula.args[0].kind in ("symbol", "product")
    return is_sized and bool(found) and all(name[0].isupper() or name[0] == "\\" for name in found)


def is_quantity(nodes: Nodes) -> bool:
    """Whether ``nodes`` can equal a number without being an equation to solve: ``|z|``, ``AB + BC``, ``a/b``.

    So is whatever holds several unknowns, a function of one (``\\log_2 x``, ``n!``; but ``\\sin x = 1`` is solved for
    x), a higher power of one letter (``z^3``, not ``x^2``), and what is no formula but names something:
    ``P(A \\cap B)``, ``\\det A``.
    """
    formula = read_formula(nodes)
    if (
        formula is None
        or not all(map(str.isascii, _words_of(nodes)))
        or not NOT_DESCRIBING.isdisjoint(_words_of(nodes))
    ):
        return _is_description(nodes)
    found = symbols(formula)
    called = _unknown_calls(formula)
    if len(found) > 1 or any(one.name.endswith("_") for one in called):
        return True
    if not found:
        return has_symbols(formula) and (formula.kind == "call" or len(called) != 1)
    if formula.kind == "power":
        base, exponent = formula.args
        is_whole = exponent.kind == "number" and exponent.value.denominator == 1
        is_inverse = is_whole and exponent.value == -1 and base.name.isupper()  # A^{-1} of a matrix
        return base.kind == "symbol" and is_whole and (is_inverse or exponent.value.numerator > 2)
    is_function = formula.kind == "call" and formula.name not in (*TRIGONOMETRIC, "binom")
    return is_function and formula.args[0].kind == "symbol"  # |z|, but |x - 1| = 3 is solved for x


def _unknown_calls(formula: Formula) -> set[Formula]:
    """The values of unknown functions in a formula: f(3) in ``2 f(3) + 1``, which is an equation to solve for it."""
    below = {one for arg in formula.args for one in _unknown_calls(arg)}
    return below | {formula} if formula.name.startswith("?") else below


def _is_description(nodes: Nodes) -> bool:
    """Whether ``nodes`` that are no formula describe a quantity.

    They do not begin with a number, deny nothing, and the first words among them name what has a value.
    """
    if nodes[0].text == "\\{" and not outside(nodes, SET_OPERATORS):
        return False
    if len(nodes) > 3 and nodes[0].text == "P" and nodes[1].text == "(" and closing_index(nodes[1:]) == len(nodes) - 2:
        return True  # the probability of an event in words
    if len(nodes) == 1 and nodes[0].text == "\\frac":  # P(A \\cap B) over P(B)
        return all(is_quantity(arg) or is_name(arg) for arg in nodes[0].args)
    if not any(node.kind in ("letter", "command", *WORD_KINDS) for node in nodes):
        return False
    if outside(nodes, SIGNS_OF_A_CALCULATION) or any(node.text in DENYING_SIGNS for node in nodes):
        return False
    if outside(nodes, [node.text for node in nodes if node.kind == "digits"]):
        return False
    worded = [index for index, node in enumerate(nodes) if node.kind in WORD_KINDS]
    if not worded:
        return True
    first = end = worded[0]
    while end in worded:
        end += 1
    words = " ".join(node.text for node in nodes[first:end])
    if not names_quantity(words, alone=end == len(nodes)) or not NOT_DESCRIBING.isdisjoint(_words_of(nodes)):
        return False
    return all(describes(nodes[at].text) for at in worded)


def _words_of(nodes: Nodes) -> list[str]:
    """The words among the nodes, in small letters."""
    return [word.strip(".,:") for node in nodes if node.kind in WORD_KINDS for word in node.text.casefold().split()]


def _is_applied_letter(nodes: Nodes) -> bool:
    """Whether ``nodes`` are a letter, then letters in parentheses, as in ``p(x)`` or ``P(X = 1)``: not a product."""
    return (
        len(nodes) > 3
        and (nodes[0].kind == "letter" or nodes[0].text in GREEK)
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
        and all(node.kind in ("letter", "digits") or node.text in ",=|" for node in nodes[2:-1])
        and any(node.kind == "letter" for node in nodes[2:-1])
    )


def is_letter_tuple(nodes: Nodes) -> bool:
    """Whether ``nodes`` are letters in parentheses, the left side of ``(x, y) = (1, 2)``."""
    return len(names_in(nodes)) > 1


def names_in(nodes: Nodes) -> list[str]:
    """The names in a tuple of letters, ``(x, y)``, or of letters with one index, ``(x_1, y_1)``; else ``[]``."""
    if len(nodes) < 5 or (nodes[0].text, nodes[-1].text) != ("(", ")"):
        return []
    parts = split(nodes[1:-1], (",",))
    if not all(part and (part[0].kind == "letter" or part[0].text in GREEK) for part in parts):
        return []
    indices = {render(part[1:]) for part in parts}
    if len(indices) > 1 or any(len(part) > 1 and [node.text for node in part[1:]] != ["_"] for part in parts):
        return []
    return [render(part[:1]) for part in parts]


def _is_bracketed_name(nodes: Nodes) -> bool:
    """Whether ``nodes`` are an expected value, ``E[X]``."""
    return len(nodes) == 4 and nodes[0].text == "E" and (nodes[1].text, nodes[3].text) == ("[", "]")


def is_derivative(nodes: Nodes) -> bool:
    """Whether ``nodes`` are a derivative, ``\\frac{dy}{dx}``."""
    if len(nodes) != 1 or nodes[0].text != "\\frac":
        return False
    return all(len(arg) > 1 and arg[0].text in ("d", "\\partial") for arg in nodes[0].args)
