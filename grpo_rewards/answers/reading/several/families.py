r"""Reads general solutions: ``k\pi, k \in \mathbb{Z}``, ``n \equiv 1 \pmod 6``, and domains behind an answer.

Look here if ``k \in \mathbb{Z}`` is taken for a part of the answer, or if a congruence is not read.
"""

from __future__ import annotations

from grpo_rewards.answers.formulas.formula import Formula, product, total
from grpo_rewards.answers.latex.brackets import outside, split
from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.names import is_name
from grpo_rewards.answers.reading.relations import ReadPart
from grpo_rewards.answers.values.families import whole_numbers_in
from grpo_rewards.answers.values.kinds import (
    INDEX,
    WHOLE_NUMBERS_SET,
    Expression,
    Family,
    Named,
    Number,
    Unordered,
    Value,
    as_expression,
    as_formula,
)

__all__ = ["as_family", "read_congruence", "whole_numbers", "without_declarations", "without_universal"]

# How sets of whole numbers are spelled, without braces and spaces, and what they are.
WHOLE_NUMBER_SETS = {
    WHOLE_NUMBERS_SET: ("Z", "\\mathbbZ", "\\mathbfZ", "integers", "theintegers"),
    "\\mathbb{N}": ("N", "\\mathbbN", "N_0", "\\mathbbN_0", "\\mathbbZ_\\ge0", "\\mathbbZ^+_0"),
    "\\mathbb{N}^{+}": (
        *("N^+", "N_+", "N^\\cdot", "\\mathbbN^+", "\\mathbbN_+", "\\mathbbN^\\cdot", "\\mathbbN_\\cdot"),
        *("Z^+", "Z_+", "\\mathbbZ^+", "\\mathbbZ_+", "\\mathbbZ_>0", "\\mathbbZ_\\ge1", "\\mathbbN_\\ge1"),
    ),
}
WHOLE_NUMBER_SPELLINGS = {spelled: name for name, all_of in WHOLE_NUMBER_SETS.items() for spelled in all_of}
ALL_NUMBER_SETS = ("R", "\\mathbbR", "C", "\\mathbbC", "\\mathbbR^+", "Q", "\\mathbbQ")
UNIVERSAL = ("for all", "for every", "for any", "for each", "for all real", "for all real numbers", "for every real")
MODULO_COMMANDS = ("\\pmod", "\\mod", "\\bmod")
MODULO_STARTS = (*MODULO_COMMANDS, "mod", "Mod", "modulo", "m")
INDEX_OF_FAMILY = Formula("symbol", INDEX)


def without_universal(nodes: Nodes) -> Nodes:
    """The nodes without "for all x", or "for all real x", at their end."""
    for index, node in enumerate(nodes):
        is_universal = node.text == "\\forall" or (
            node.kind in WORD_KINDS and " ".join(node.text.casefold().strip(" ,").split()) in UNIVERSAL
        )
        if is_universal and 0 < index < len(nodes) - 1 and _is_any(nodes[index + 1 :]):
            end = index
            while end > 1 and nodes[end - 1].text == ",":
                end -= 1
            return nodes[:end]
    return nodes


def _is_any(nodes: Nodes) -> bool:
    """Whether nodes only name a letter, or say that it is a number: ``x``, ``x \\in \\mathbb{R}``, "real x"."""
    if nodes[0].kind in WORD_KINDS and nodes[0].text.casefold().strip() in ("real", "real numbers", "reals"):
        nodes = nodes[1:]
    if len(nodes) <= 1:
        return not nodes or nodes[0].kind == "letter"
    return nodes[0].kind == "letter" and nodes[1].text == "\\in" and _compact(nodes[2:]) in ALL_NUMBER_SETS


def without_declarations(parts: list[Nodes]) -> tuple[list[Nodes], str | None]:
    """(items, domain): the items of a list without declarations such as ``n \\in \\mathbb{Z}``, and the set declared.

    The declared letter is renamed to ``INDEX`` in the other items, because its name does not matter. If several letters
    are declared, or the items have that name already, the letters stay. That a letter is a real number is dropped.
    """
    declared = [_declared(part) for part in parts]
    kept = [part for part, (letter, _) in zip(parts, declared, strict=True) if letter is None]
    letters = {letter: domain for letter, domain in declared if letter is not None}
    if not kept:
        return parts, None
    whole = {letter: domain for letter, domain in letters.items() if domain is not None}
    if len(whole) != 1:
        return kept, None
    ((letter, domain),) = whole.items()
    if letter != INDEX and any(_occurs(part, INDEX) for part in kept):
        return kept, domain
    if not any(_occurs(part, letter) for part in kept) or any(_occurs(_left_side(part), letter) for part in kept):
        return kept, None  # a_n = 2n + 1 says the same with and without "n \\in \\mathbb{N}"
    return [_renamed_index(part, letter) for part in kept], domain


def _declared(part: Nodes) -> tuple[str | None, str | None]:
    """(letter, set) of an item that only says from which set a letter is; (``None``, ``None``) for other items.

    The set is ``None`` if it is not one of whole numbers.
    """
    if len(part) > 1 and (part[0].text, part[-1].text) == ("(", ")"):
        part = part[1:-1]
    if len(part) < 3 or part[0].kind != "letter" or part[1].text != "\\in":
        return None, None
    if _compact(part[2:]) in ALL_NUMBER_SETS:
        return part[0].text, None
    domain = whole_numbers(part[2:])
    return (None, None) if domain is None else (part[0].text, domain)


def whole_numbers(nodes: Nodes) -> str | None:
    """The usual spelling of the set of whole numbers that ``nodes`` name, such as ``\\mathbb{Z}``; else ``None``."""
    return WHOLE_NUMBER_SPELLINGS.get(_compact(nodes))


def _compact(nodes: Nodes) -> str:
    """The canonical spelling without braces and spaces."""
    return render(nodes).replace("{", "").replace("}", "").replace(" ", "")


def _left_side(part: Nodes) -> Nodes:
    """What stands left of an equals sign; ``()`` without one."""
    signs = outside(part, ("=", "\\equiv"))
    return part[: signs[0]] if signs else ()


def _occurs(nodes: Nodes, letter: str) -> bool:
    """Whether a letter occurs in a tree."""
    return any(node.text == letter or any(_occurs(arg, letter) for arg in node.args) for node in nodes)


def _renamed_index(nodes: Nodes, letter: str) -> tuple[Node, ...]:
    """The tree with a letter renamed to ``INDEX``."""
    return tuple(
        node._replace(
            text=INDEX if node.kind == "letter" and node.text == letter else node.text,
            args=tuple(_renamed_index(arg, letter) for arg in node.args),
        )
        for node in nodes
    )


def as_family(value: Value, domain: str) -> Value:
    """A value with an index from a set of whole numbers. A name, x in ``x = k\\pi``, stays outside.

    A condition on the index itself, ``1 < k < 4``, gives the whole numbers that meet it, if these are few.
    """
    if not isinstance(value, Named):
        return Family(value, domain)
    few = whole_numbers_in(value.of, domain) if value.name == INDEX else None
    return few or Named(value.name, Family(value.of, domain), value.symbol)


def read_congruence(nodes: Nodes, read: ReadPart) -> Value | None:
    """``n \\equiv 1 \\pmod 6``, ``n = 1, 5 (mod 6)`` or ``1 \\pmod 6`` as a family of numbers; else ``None``."""
    found = _modulus(nodes)
    if found is None:
        return None
    rest, modulus = found
    while rest and rest[-1].text == ",":
        rest = rest[:-1]
    signs = outside(rest, ("\\equiv", "="))
    if len(signs) > 1 or not rest:
        return None
    left, right = (rest[: signs[0]], rest[signs[0] + 1 :]) if signs else ((), rest)
    if signs and (not left or not right or not is_name(left)):
        return None
    period = read_formula(modulus)
    parts = split(right, (",", ";"), words=True)
    items = [_remainder(read(part), period) if part else None for part in parts]
    if period is None or None in items:
        return None
    values = tuple(item for item in items if item is not None)
    family = Family(values[0] if len(values) == 1 else Unordered(values), WHOLE_NUMBERS_SET)
    return Named(render(left), family, read_formula(left)) if left else family


def _remainder(value: Value, period: Formula | None) -> Expression | None:
    """The numbers with a remainder, ``1 + 6k``; ``None`` if the remainder is not a formula."""
    formula = as_formula(value) if isinstance(value, Number | Expression) else None
    if formula is None or period is None:
        return None
    return as_expression(total((formula, product((period, INDEX_OF_FAMILY)))))


def _modulus(nodes: Nodes) -> tuple[Nodes, Nodes] | None:
    """(what stands before, modulus) of nodes that end in ``\\pmod 6`` or ``(mod 6)``; else ``None``."""
    if not any(node.text in MODULO_STARTS for node in nodes):
        return None
    for index, node in enumerate(nodes):
        if node.text in MODULO_COMMANDS and index and (node.text != "\\bmod" or outside(nodes, ("\\equiv",))):
            return nodes[:index], nodes[index + 1 :]
        if node.text == "(" and nodes[-1].text == ")":
            inner = nodes[index + 1 : -1]
            size = _modulo_length(inner)
            if size and index and len(inner) > size:
                return nodes[:index], inner[size:]
    return None


def _modulo_length(nodes: Nodes) -> int:
    """How many nodes at the start say "mod" or "modulo"; 0 if they say something else."""
    if nodes and (nodes[0].text in MODULO_COMMANDS or nodes[0].text.casefold() in ("mod", "modulo")):
        return 1
    return 3 if "".join(node.text for node in nodes[:3]).casefold() == "mod" else 0
