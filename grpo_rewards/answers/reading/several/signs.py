r"""Reads ``\pm`` as two answers: ``1 \pm \sqrt{2}``, ``4x \pm 3y = 0``. Look here if only one of them counts."""

from __future__ import annotations

from grpo_rewards.answers.latex.brackets import outside
from grpo_rewards.answers.latex.tree import Node, Nodes
from grpo_rewards.answers.reading.relations import RELATION_SIGNS, ReadPart
from grpo_rewards.answers.values.kinds import Unordered, Value

__all__ = ["read_either_sign", "with_either_sign"]


def read_either_sign(nodes: Nodes, read: ReadPart) -> Value | None:
    """``1 \\pm \\sqrt{2}`` as two values, ``4x \\pm 3y = 0`` as two equations; ``None`` without such a sign.

    ``None`` also for a sign on the right side of a name, ``x = \\pm 1``, and for sets, whose items are looked at one by
    one.
    """
    signs = outside(nodes, RELATION_SIGNS)
    if nodes and nodes[0].text == "\\{":
        return None
    if signs and (len(signs) > 1 or nodes[signs[0]].text != "=" or not any(map(_has_either_sign, nodes[: signs[0]]))):
        return None
    both = with_either_sign(nodes)
    return Unordered(tuple(read(one) for one in both)) if len(both) == 2 else None


def with_either_sign(nodes: Nodes) -> list[Nodes]:
    """[nodes with ``\\pm`` as plus, nodes with ``\\pm`` as minus]; [nodes] if they have no such sign."""
    if not any(map(_has_either_sign, nodes)):
        return [nodes]
    return [_signed(nodes, "+", "-"), _signed(nodes, "-", "+")]


def _has_either_sign(node: Node) -> bool:
    """Whether a node or one of its arguments is ``\\pm`` or ``\\mp``."""
    return node.text in ("\\pm", "\\mp") or any(_has_either_sign(one) for arg in node.args for one in arg)


def _signed(nodes: Nodes, plus_minus: str, minus_plus: str) -> tuple[Node, ...]:
    """The nodes with ``\\pm`` replaced by the sign ``plus_minus``, and ``\\mp`` by ``minus_plus``."""
    signs = {"\\pm": plus_minus, "\\mp": minus_plus}
    return tuple(
        Node("mark", signs[node.text])
        if node.text in signs
        else node._replace(args=tuple(_signed(arg, plus_minus, minus_plus) for arg in node.args))
        for node in nodes
    )
