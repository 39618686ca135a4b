"""What a tree of LaTeX says: a number, a tuple, a set, an interval, words, or an expression not read further."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grpo_rewards.answers.latex import WORD_KINDS, Node, render
from grpo_rewards.answers.numbers import read_number
from grpo_rewards.answers.values import (
    Based,
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Text,
    Union,
    Unordered,
    Value,
)

__all__ = ["read", "stripped"]

DEPTH = 8  # brackets within brackets that are read; deeper ones are an expression
OPENING, CLOSING = ("(", "[", "\\{"), (")", "]", "\\}")
GREEK = frozenset(
    r"""
    \alpha \beta \gamma \delta \varepsilon \zeta \eta \theta \lambda \mu \nu \xi \rho \sigma \tau \varphi \chi \psi
    \omega \Gamma \Delta \Theta \Lambda \Sigma \Phi \Psi \Omega \ell
    """.split()
)


def stripped(nodes: Sequence[Node]) -> Sequence[Node]:
    """Without leading space and without the punctuation that ends a sentence."""
    while nodes and nodes[0].kind == "space":
        nodes = nodes[1:]
    while nodes and nodes[-1].kind == "mark" and nodes[-1].text in (".", ",", ";"):
        nodes = nodes[:-1]
    if (
        nodes
        and nodes[-1].kind in WORD_KINDS
        and nodes[-1].text.endswith((".", ","))
        and nodes[-1].text.count(".") <= 1
    ):
        nodes = (*nodes[:-1], nodes[-1]._replace(text=nodes[-1].text.rstrip(".,")))
    return nodes


def read(nodes: Sequence[Node], depth: int = 0) -> Value:
    """The value of a tree. What is not understood is an Expression; nothing raises."""
    nodes = stripped(nodes)
    if depth > DEPTH:
        return Expression(render(nodes))
    return (
        _named(nodes, depth)
        or _simple(nodes)
        or _several(nodes, depth)
        or _bracketed(nodes, depth)
        or Expression(render(nodes))
    )


def _simple(nodes: Sequence[Node]) -> Value | None:
    number = read_number(nodes)
    if number is not None:
        return number
    spelled = render(nodes).strip()
    if spelled in ("\\infty", "+\\infty", "-\\infty"):
        return Infinity(-1 if spelled[0] == "-" else 1)
    if nodes and nodes[0].text == "\\pm":
        of = read_number(nodes[1:])
        return Unordered((of, replace(of, value=-of.value))) if of is not None else None
    return _based(nodes) or _clock(nodes) or _words(nodes)


def _based(nodes: Sequence[Node]) -> Value | None:
    if len(nodes) == 2 and nodes[0].kind == "digits" and nodes[1].text == "_":
        base = nodes[1].args[0]
        if len(base) == 1 and base[0].kind in ("digits", *WORD_KINDS):
            return Based(nodes[0].text.lstrip("0") or "0", base[0].text.casefold())
    return None


def _clock(nodes: Sequence[Node]) -> Value | None:
    """A time or a ratio, ``4:30 p.m.``, ``2:3``: compared as it is spelled."""
    digits, colons = nodes[0:3:2], nodes[1:2]
    if len(nodes) >= 3 and colons[0].text == ":" and all(node.kind == "digits" for node in digits) and len(digits) == 2:
        rest = nodes[3:]
        if all(
            node.kind in ("letter", *WORD_KINDS) or node.text in (".", ":") or node.kind == "digits" for node in rest
        ):
            return Text(render(nodes).replace(".", "").casefold())
    return None


def _words(nodes: Sequence[Node]) -> Value | None:
    """Words, or one choice letter, also in parentheses or with a full stop: ``\\text{(B)}``, ``B.``"""
    inner = nodes[1:-1] if len(nodes) == 3 and nodes[0].text == "(" and nodes[2].text == ")" else nodes
    if inner and all(node.kind in WORD_KINDS for node in inner):
        spelled = render(inner).strip(".()")
        # three bare letters may also be a product: abc is bca
        return Text(spelled) if len(spelled) > 3 or inner[0].kind == "text" else Expression(spelled)
    if len(inner) == 1 and inner[0].kind == "letter" and inner[0].text in "ABCDEFGH":
        return Text(inner[0].text)
    return None


def _named(nodes: Sequence[Node], depth: int) -> Value | None:
    """``x = value`` and ``x \\in value`` with a single symbol on the left."""
    for index, node in enumerate(nodes[:4]):
        if node.text in ("=", "\\in") and node.kind in ("mark", "command"):
            left, right = nodes[:index], nodes[index + 1 :]
            if not _is_symbol(left) or not right or any(other.text == "=" for other in right):
                return None
            of = read(right, depth + 1)
            if node.text == "\\in" and not isinstance(of, Bracketed | Unordered | Union | Expression):
                return None
            return Named(render(left), of)
    return None


def _is_symbol(nodes: Sequence[Node]) -> bool:
    """``x``, ``\\theta``, ``x_{1}``."""
    if not nodes or not (nodes[0].kind == "letter" or nodes[0].text in GREEK or nodes[0].kind in WORD_KINDS):
        return False
    if nodes[0].text.casefold() == "not":
        return False
    return len(nodes) == 1 or (len(nodes) == 2 and nodes[1].text == "_")


def _several(nodes: Sequence[Node], depth: int) -> Value | None:
    """Items with commas or the words and/or between them; intervals with unions between them."""
    unions = _split(nodes, ("\\cup",))
    if len(unions) > 1:
        return Union(tuple(read(part, depth + 1) for part in unions))
    parts = _split(nodes, (",", ";"), words=True)
    if len(parts) > 1:
        return Unordered(tuple(read(part, depth + 1) for part in parts)) if all(parts) else None
    return None


def _bracketed(nodes: Sequence[Node], depth: int) -> Value | None:
    if (
        len(nodes) < 2
        or nodes[0].text not in OPENING
        or nodes[-1].text not in CLOSING
        or _closing_index(nodes) != len(nodes) - 1
    ):
        return None
    inner = nodes[1:-1]
    opening, closing = nodes[0].text, nodes[-1].text
    parts = _split(inner, (",",) if opening != "\\{" else (",", ";"))
    if not all(parts):
        return None
    if opening == "(" and closing == ")" and len(parts) == 1:
        return read(inner, depth + 1)
    items = tuple(read(part, depth + 1) for part in parts)
    if opening == "\\{" and closing == "\\}":
        distinct = _distinct(items)
        return distinct[0] if len(distinct) == 1 else Unordered(distinct)  # a solution set of one is that solution
    if opening == "\\{" or closing == "\\}" or len(items) == 1:
        return None
    return Bracketed(opening, items, closing)


def _distinct(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """A set's items, each once; ``1`` and ``1.0`` are one."""
    seen: dict[object, Value] = {}
    for item in items:
        seen.setdefault((item.value, item.unit) if isinstance(item, Number) else item, item)
    return tuple(seen.values())


def _closing_index(nodes: Sequence[Node]) -> int:
    """Where the first bracket closes; an interval may close with another kind than it opened with."""
    depth = 0
    for index, node in enumerate(nodes):
        if node.text in OPENING:
            depth += 1
        elif node.text in CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return -1


def _split(nodes: Sequence[Node], separators: tuple[str, ...], *, words: bool = False) -> list[Sequence[Node]]:
    """Parts between separators that stand in no bracket."""
    parts: list[Sequence[Node]] = []
    depth = start = 0
    for index, node in enumerate(nodes):
        depth += (node.text in OPENING) - (node.text in CLOSING)
        is_word = words and node.kind in WORD_KINDS and node.text.strip(" ,").casefold() in ("and", "or")
        if depth == 0 and (node.text in separators or is_word):
            if is_word and start == index and parts:  # the comma of ", and" has already separated
                start = index + 1
                continue
            parts.append(nodes[start:index])
            start = index + 1
    return [*parts, nodes[start:]]
