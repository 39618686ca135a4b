r"""Reads answers that are more than one number: lists, sets, intervals, general solutions, ``\pm``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grpo_rewards.answers.formulas.formula import Formula, product, total
from grpo_rewards.answers.latex.tree import (
    CLOSING_BRACKETS,
    OPENING_BRACKETS,
    WORD_KINDS,
    Node,
    Nodes,
    closing_index,
    outside,
    render,
    split,
    spoken,
)
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import CONDITIONS, RELATION_SIGNS, ReadPart, is_name
from grpo_rewards.answers.values.families import whole_numbers_in
from grpo_rewards.answers.values.intervals import NotReal, as_condition, intersection, union, without
from grpo_rewards.answers.values.kinds import (
    INDEX,
    WHOLE_NUMBERS_SET,
    Bracketed,
    Expression,
    Family,
    Infinity,
    Matrix,
    Named,
    Number,
    Relation,
    Text,
    Union,
    Unordered,
    Value,
    are_named,
    as_expression,
    as_formula,
)

# Reads ``\pm`` as two answers: ``1 \pm \sqrt{2}``, ``4x \pm 3y = 0``. Look here if only one of them counts.


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


# Reads general solutions: ``k\pi, k \in \mathbb{Z}``, ``n \equiv 1 \pmod 6``, and domains behind an answer.
#
# Look here if ``k \in \mathbb{Z}`` is taken for a part of the answer, or if a congruence is not read.

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


# Reads what stands in brackets: tuples, intervals, sets, ``\{x \mid x > 2\}``; and unions and differences of sets.
#
# Look here if an interval is taken for a tuple, or if ``]2, 5[`` or ``\mathbb{R} \setminus \{0\}`` is not read.

CUP, CAP, MINUS = ("\\cup",), ("\\cap",), ("\\setminus", "-")
REALS = Bracketed("(", (Infinity(-1), Infinity(1)), ")")
DISTRIBUTIONS = ("N", "U")  # N(0, 1) is no point
BUILDER_BARS = ("|", ":", ";")


def read_combined(nodes: Nodes, read: ReadPart) -> Value | None:
    """A union, intersection or difference of sets of numbers; ``None`` for anything else."""
    for operator, combine in ((CUP, union), (CAP, intersection), (MINUS, lambda sets: without(*sets))):
        parts = split(nodes, operator)
        if len(parts) == 1:
            continue
        if not all(parts) or (operator == MINUS and (len(parts) > 2 or parts[1][0].text not in OPENING_BRACKETS)):
            return None
        sets = tuple(read(part) for part in parts)
        if not all(_is_set(one, part) for one, part in zip(sets, parts, strict=True)):
            return None  # 180 - (40 + 40) is a difference of numbers
        try:
            return combine(sets)
        except NotReal:
            return Union(sets) if operator == CUP else None
    return None


def _is_set(value: Value, nodes: Nodes) -> bool:
    """Whether a value may be a set: a number may only in braces, ``\\{0\\}``."""
    return not isinstance(value, Number | Expression) or nodes[0].text == "\\{"


def with_usual_brackets(nodes: Nodes) -> Nodes:
    """The nodes with French intervals, ``]2, 5[``, in the usual brackets, ``(2, 5)``; unchanged if they have none.

    All square brackets must stand in pairs around two bounds, so that nothing else is changed.
    """
    if not any(node.text in ("[", "]") for node in nodes):
        return nodes
    places = [index for index, node in enumerate(nodes) if node.text in ("[", "]", "(", ")")]
    pairs = list(zip(places[::2], places[1::2], strict=False))
    if len(places) % 2 or not pairs or nodes[places[0]].text == ")":
        return nodes
    usual = list(nodes)
    for opening, closing in pairs:
        if nodes[opening].text == ")" or nodes[closing].text == "(":
            return nodes
        if len(split(nodes[opening + 1 : closing], (",", ";"))) != 2:
            return nodes
        if nodes[opening].text == "]":
            usual[opening] = Node("mark", "(")
        if nodes[closing].text == "[":
            usual[closing] = Node("mark", ")")
    return tuple(usual)


def read_bracketed(nodes: Nodes, read: ReadPart) -> Value | None:
    """What stands in one pair of brackets: a tuple, an interval, a set, or one value in parentheses; else ``None``."""
    if (
        len(nodes) < 2
        or nodes[0].text not in OPENING_BRACKETS
        or nodes[-1].text not in CLOSING_BRACKETS
        or closing_index(nodes) != len(nodes) - 1
    ):
        return _labelled_point(nodes, read)
    inner = nodes[1:-1]
    opening, closing = nodes[0].text, nodes[-1].text
    if opening == "\\{" and closing == "\\}":
        return _set(inner, read)
    parts = split(inner, (",",)) if outside(inner, (",",)) else split(inner, (";",))
    if not all(parts):
        return None
    if opening == "(" and closing == ")" and len(parts) == 1:
        return read(inner)
    items = tuple(read(part) for part in parts)
    if len(items) == 1 and isinstance(items[0], Matrix):
        return items[0]
    if "\\{" in (opening, closing) or "\\}" in (opening, closing) or len(items) == 1:
        return None
    return Bracketed(opening, items, closing)


def _labelled_point(nodes: Nodes, read: ReadPart) -> Value | None:
    """A point with its name, ``A(0, 1)``; ``None`` for anything else, as for ``f(0, 1)``."""
    is_labelled = (
        len(nodes) > 4
        and nodes[0].kind == "letter"
        and nodes[0].text.isupper()
        and nodes[0].text not in DISTRIBUTIONS
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
    )
    point = read(nodes[1:]) if is_labelled else None
    if not isinstance(point, Bracketed) or not all(isinstance(item, Number | Expression) for item in point.items):
        return None
    return Named(nodes[0].text, point, read_formula(nodes))  # C(10, 3) is a point or a binomial


def _set(inner: Nodes, read: ReadPart) -> Value | None:
    """The set whose braces hold ``inner``; ``None`` if that cannot be read.

    ``1, 2, 2`` is the set of 1 and 2; ``x \\mid x > 2`` is the condition ``x > 2``.
    """
    built = _built(inner, read)
    if built is not None:
        return built
    if outside(inner, BUILDER_BARS[:2]):
        return None
    parts = split(inner, (",", ";"))
    if not all(parts):
        return None
    items = _distinct(tuple(read(one) for part in parts for one in with_either_sign(part)))
    # a set with one solution is that solution; but the set that holds a set is not that set
    single = len(parts) == len(items) == 1 and not isinstance(items[0], Unordered) and parts[0][0].text != "\\{"
    return items[0] if single else Unordered(items, braced=True)


def read_bare_builder(nodes: Nodes, read: ReadPart) -> Value | None:
    """A set-builder that lost its braces: ``x \\mid x > 1``; ``None`` for anything else."""
    bars = split(nodes, ("|",))
    if len(bars) != 2 or len(bars[0]) != 1 or bars[0][0].kind != "letter" or not outside(bars[1], CONDITIONS):
        return None
    return _built(nodes, read)


def _built(inner: Nodes, read: ReadPart) -> Value | None:
    """The set that a set-builder describes: ``x \\mid x > 2``, ``x \\in \\mathbb{Z} : 1 < x < 5``; else ``None``."""
    for bar in BUILDER_BARS:
        parts = split(inner, (bar,))
        if len(parts) == 2 and all(parts):
            break
    else:
        return None
    declared, stated = parts
    membership = outside(declared, ("\\in",))
    name = declared[: membership[0]] if membership else declared
    domain = declared[membership[0] + 1 :] if membership else ()
    kept, index_domain = ([], None) if membership else without_declarations([declared, stated])
    if index_domain is not None and len(kept) == 1:
        return as_family(read(kept[0]), index_domain)  # 2k \\mid k \\in \\mathbb{Z}
    condition = read(stated)
    if isinstance(condition, Family) and isinstance(condition.of, Relation):
        return condition  # x \\ne k\\pi for all whole k
    if not isinstance(condition, Named) or render(name) != condition.name:
        return None
    if not domain:
        return condition
    whole = whole_numbers(domain)
    if whole is not None:
        return whole_numbers_in(condition.of, whole) or Named(condition.name, Family(condition.of, whole))
    of = read(domain)
    try:
        return Named(condition.name, intersection([of, condition.of]))
    except NotReal:
        return None


def _distinct(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """The items of a set without repetitions; ``1`` and ``1.0`` are the same item."""
    seen: dict[object, Value] = {}
    for item in items:
        seen.setdefault((item.value, item.unit) if isinstance(item, Number) else item, item)
    return tuple(seen.values())


# Reads lists of answers: ``1, 2``, ``x = 1 \text{ or } x = 2``, ``p=5, q=2; p=7, q=2``, ``(a) 3, (b) 5``, ``\pm 5``.
#
# Look here if several answers are read as one, or one as several.

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
