r"""Reads lists of answers: ``1, 2``, ``x = 1 \text{ or } x = 2``, ``p=5, q=2; p=7, q=2``, ``(a) 3, (b) 5``, ``\pm 5``.

Look here if several answers are read as one, or one as several.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grpo_rewards.answers.latex.brackets import outside, split, spoken
from grpo_rewards.answers.latex.tree import Nodes, render
from grpo_rewards.answers.reading.relations import CONDITIONS, RELATION_SIGNS, ReadPart
from grpo_rewards.answers.reading.several.families import as_family, without_declarations
from grpo_rewards.answers.reading.several.sets import read_combined
from grpo_rewards.answers.reading.several.signs import with_either_sign
from grpo_rewards.answers.values.inequalities import as_condition
from grpo_rewards.answers.values.kinds import Bracketed, Named, Number, Text, Unordered, Value
from grpo_rewards.answers.values.names import are_named

__all__ = ["is_labelled", "read_several"]

WORDS_OF_CONDITIONS = ("当", "若", "if", "If", "when", "When", "for", "For")
PART_LABELS = (tuple("abcdefgh"), tuple("12345678"), ("i", "ii", "iii", "iv", "v", "vi"))  # of a problem, in order
NO_BEGINNINGS = ("+", "/", "\\cdot", "^", "_", "=", "(", ")")  # of an item: what is before it is a factor or a term
NO_ENDS = ("+", "-", "/", "\\cdot", "=")
LABEL_NODES = 3  # in the longest label


def read_several(nodes: Nodes, read: ReadPart) -> Value | None:
    """A list, with commas, semicolons, "and" or "or" between its items; or sets joined by ``\\cup`` and the like."""
    signs, separators = outside(nodes, RELATION_SIGNS), outside(nodes, (",", ";"), words=True)
    parts = split(nodes, (",", ";"), words=True) if separators else _labelled_parts(nodes)
    if not parts:
        return None if signs else read_combined(nodes, read)
    inline = _inline_cases(nodes, read)
    if inline is not None:
        return inline
    labels = _labels(parts)
    parts, domain = without_declarations([_labelled(part)[1] for part in parts] if labels else parts)
    if not parts or not all(parts):
        return None
    named_once = len(signs) == 1 and bool(separators) and signs[0] < separators[0]
    if domain is None and named_once and len(parts) > 1:
        return None  # x = 1, 2 names all items at once, and is read as a relation
    if labels and len(labels) == len(parts):  # their order matters
        return Unordered(tuple(Named(label, read(part)) for label, part in zip(labels, parts, strict=True)))
    joined_by = {spoken(nodes[index]) for index in separators}
    value = read(parts[0]) if len(parts) == 1 else _of_items(nodes, parts, joined_by, read)
    return as_family(value, domain) if domain is not None else value


def _inline_cases(nodes: Nodes, read: ReadPart) -> Value | None:
    """A function by cases in one line, ``x, x > 0; -x, x < 0``; ``None`` for anything else."""
    rows = [split(row, (",",)) for row in split(nodes, (";",))]
    if len(rows) < 2 or any(len(row) != 2 or not all(row) for row in rows):
        return None
    found = [_case(*row) for row in rows]
    if None in found:
        return None
    pairs = tuple(Bracketed("(", (read(value), read(condition)), ")") for value, condition in filter(None, found))
    return Bracketed("cases", pairs, "cases")


def _case(first: Nodes, last: Nodes) -> tuple[Nodes, Nodes] | None:
    """(value, condition) of a case, ``x, x > 0`` or ``当 a > 0 时, x > 1``; ``None`` for anything else."""
    if outside(last, (*CONDITIONS, "=")) and not outside(first, RELATION_SIGNS):
        return first, last
    if first[0].text.strip() not in WORDS_OF_CONDITIONS or not outside(first, RELATION_SIGNS):
        return None
    condition = first[1:-1] if first[-1].text == "时" else first[1:]
    return last, condition


def _of_items(nodes: Nodes, parts: Sequence[Nodes], joined_by: set[str], read: ReadPart) -> Value:
    """The value of the items of a list, ``joined_by`` separators such as "or"."""
    items = tuple(read(one) for part in parts for one in with_either_sign(part))
    whole = Unordered(items)
    if are_named(whole):
        return Text(render(nodes)) if "or" in joined_by else whole  # x = 1 or y = 2 is not a point
    if "or" in joined_by and any(isinstance(item, Text) and len(item.spelled) == 1 for item in items):
        return Text(render(nodes))  # A or C leaves open which of the two
    are_sets = any(part[0].text == "\\{" or outside(part, ("=", "\\in")) for part in parts)
    condition = None if are_sets else as_condition(items, joined_by)
    return condition or _systems(items) or _once(items) or whole


def _systems(items: Sequence[Value]) -> Value | None:
    """Several solutions of a system, ``x=1, y=2; x=2, y=1``, each as a list of named values; ``None`` if it is none.

    Each must have all the names, without an index, in any order.
    """
    names = [item.name.partition("_")[0] for item in items if isinstance(item, Named)]
    size = len(set(names))
    if len(names) < len(items) or not 1 < size < len(names) or len(names) % size:
        return None
    systems = tuple(Unordered(tuple(items[start : start + size])) for start in range(0, len(items), size))
    return Unordered(systems) if all(map(are_named, systems)) else None


def _once(items: Sequence[Value]) -> Value | None:
    """The number that is written twice in two forms, ``\\frac{3}{4}, 0.75``; ``None`` for other lists.

    The same number in the same form, 5 and 5, is a list of two.
    """
    numbers = [item for item in items if isinstance(item, Number)]
    if len(items) != 2 or len(numbers) != 2:
        return None
    one, other = numbers
    in_one_form = (one.places is None) == (other.places is None)
    return None if in_one_form or (one.value, one.unit) != (other.value, other.unit) else one


def _labels(parts: list[Nodes]) -> list[str]:
    """The labels of the parts of a problem, ``(a) 3, (b) 5``; ``[]`` if not all parts have one, or not in order."""
    labels = [_labelled(part)[0] for part in parts]
    return labels if len(parts) > 1 and _are_in_order(labels) else []


def _labelled_parts(nodes: Nodes) -> list[Nodes]:
    """The parts of ``(a) 3 (b) 5`` or ``(1) 3 (2) 5``, which only their labels part; ``[]`` if there are not at least
    two labels with an item each: ``(1)(2)`` is a product.
    """
    labels = [
        (index, _labelled(nodes[index : index + LABEL_NODES + 3])[0])
        for index, node in enumerate(nodes)
        if node.text == "("
    ]
    kind = next((one for one in PART_LABELS if labels and labels[0] == (0, one[0])), ())
    known = [(index, label) for index, label in labels if label in kind]
    if len(known) < 2 or not _are_in_order([label for _, label in known]):
        return []
    parts = [nodes[start:end] for start, end in pairwise((*(index for index, _ in known), len(nodes)))]
    items = [_labelled(part)[1] for part in parts]
    are_items = all(item[0].text not in NO_BEGINNINGS and item[-1].text not in NO_ENDS for item in items)
    return parts if are_items else []


def _are_in_order(labels: Sequence[str]) -> bool:
    return any(list(kind[: len(labels)]) == list(labels) for kind in PART_LABELS)


def is_labelled(part: Nodes) -> bool:
    """Whether an item begins with a label, a letter or a digit in parentheses, and goes on."""
    return bool(_labelled(part)[0])


def _labelled(part: Nodes) -> tuple[str, Nodes]:
    """(label, what follows) of an item, ``(a) 3`` or ``(ii) 3``; no label if it begins with none or ends there."""
    end = next((index for index, node in enumerate(part[: LABEL_NODES + 2]) if node.text == ")"), 0)
    if end < 2 or part[0].text != "(" or len(part) == end + 1:
        return "", part
    label = render(part[1:end]).strip()
    is_known = end == 2 or any(label in kind for kind in PART_LABELS)
    return (label, part[end + 1 :]) if is_known else ("", part)
