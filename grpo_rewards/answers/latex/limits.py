"""Refuses what is too large before anything evaluates it: long texts, long numbers, towers of powers, factorials."""

from __future__ import annotations

import math

from grpo_rewards.answers.latex.tree import Node, Nodes

__all__ = ["ANSWER_CHARACTERS", "EXPONENT", "FACTORIAL", "NUMBER_DIGITS", "too_large", "too_long"]

ANSWER_CHARACTERS = 5_000  # in the LaTeX of an answer; the longest gold of the common benchmarks has under 400
NUMBER_DIGITS = 1_000  # in one number that is written out
POWER_DIGITS = 30_000  # in the value of one power; 2^{99999} has so many
EXPONENT = 1_000  # the largest exponent of ten in scientific notation
FACTORIAL = 10_000  # the largest n of an n! that is computed; 10000! has 35,660 digits


def too_long(text: str) -> bool:
    """Whether the text of an answer has more characters than are worth reading."""
    return len(text) > ANSWER_CHARACTERS


def too_large(nodes: Nodes) -> bool:
    """Whether a tree holds a number, a power or a factorial that must not be evaluated: ``9^{9^{9}}``, ``20000!``."""
    for index, node in enumerate(nodes):
        if node.kind == "digits" and len(node.text) > NUMBER_DIGITS:
            return True
        if node.text == "^" and _digits_of_power(nodes[index - 1] if index else None, node.args[0]) > POWER_DIGITS:
            return True
        if node.text == "!" and _factorial_is_large(nodes, index):
            return True
        if any(too_large(arg) for arg in node.args):
            return True
    return False


def _digits_of_power(base: Node | None, exponent: Nodes) -> float:
    """About how many digits a power has, at most. For a symbolic exponent, infinity if it is a tower, else 0."""
    value = _upper_bound(exponent)
    if value is None:
        # the exponent in 9^{9^{9^{x}}} is a tower
        return math.inf if _height(exponent) >= 2 else 0.0
    return value if math.isinf(value) else value * _digits(base)  # infinity times 0 would be nan


def _digits(base: Node | None) -> float:
    """How many digits a power grows by with each factor of the base: the base's decimal logarithm.

    1 if the base is not a number in digits.
    """
    if base is None or base.kind != "digits":
        return 1.0
    return math.log10(max(float(base.text), 1.0)) if len(base.text) < 300 else float(len(base.text))


def _upper_bound(nodes: Nodes) -> float | None:
    """An upper bound for the value of an exponent; infinity if it is a huge power itself, ``None`` if symbolic."""
    if not nodes or not all(_is_numeric(node) for node in nodes):
        return None
    bound = 1.0
    for index, node in enumerate(nodes):
        if node.kind == "digits":
            bound *= float(node.text) if len(node.text) < 300 else math.inf
        elif node.text == "^":
            inner = _upper_bound(node.args[0])
            base = _digits(nodes[index - 1] if index else None)
            too_high = inner is None or math.isinf(inner) or inner * base > 300
            bound = math.inf if inner is None or too_high else bound * 10.0 ** (inner * base)
        elif node.text == "!":
            bound = math.inf if bound > 20 else bound * math.factorial(int(bound))
        if bound == math.inf:
            return bound
        bound = max(bound, 1.0)
    return bound


def _is_numeric(node: Node) -> bool:
    """Whether a node and its arguments consist of digits and operators, without letters."""
    return (
        node.kind in ("digits", "mark", "space")
        or node.text == "\\cdot"
        or (bool(node.args) and all(all(_is_numeric(one) for one in arg) for arg in node.args))
    )


def _height(nodes: Nodes) -> int:
    """How many powers are stacked: 2 in ``9^{9^{x}}``."""
    heights = [(1 if node.text == "^" else 0) + max(map(_height, node.args)) for node in nodes if node.args]
    return max(heights, default=0)


def _factorial_is_large(nodes: Nodes, index: int) -> bool:
    """Whether the ``!`` at ``index`` must not be evaluated."""
    previous = nodes[index - 1] if index else None
    if previous is None or previous.text == "!":
        return True  # a factorial of a factorial, or one with nothing before it
    return previous.kind == "digits" and (len(previous.text) > 5 or int(previous.text) > FACTORIAL)
