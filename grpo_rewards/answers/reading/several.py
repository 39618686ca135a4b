r"""Reads answers that are more than one number: lists, sets, intervals, general solutions, ``\pm``, matrices, cases."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, pairwise, permutations, takewhile

from grpo_rewards.answers.formulas.formula import (
    Formula,
    TooLarge,
    number,
    power,
    product,
    total,
)
from grpo_rewards.answers.latex.tree import (
    COMMA,
    CONDITIONS_AND_EQUALS,
    LEFT_PARENTHESIS,
    RIGHT_PARENTHESIS,
    Node,
    Nodes,
    closing_index,
    flattened,
    inside_brackets,
    is_conjunction,
    outside,
    parse,
    render,
    replaced_nodes,
    split,
    spoken,
    texts,
    word_set,
)
from grpo_rewards.answers.reading.grammar import ADDITIVE_SIGNS, OF_SEVERAL, read_formula
from grpo_rewards.answers.reading.phrases import LIST_SIGNS, named, stripped
from grpo_rewards.answers.reading.relations import RELATION_SIGNS, ReadPart
from grpo_rewards.answers.values.kinds import (
    INDEX,
    WHOLE_NUMBERS_SET,
    Bracketed,
    Expression,
    Family,
    Matrix,
    Named,
    Number,
    Quantity,
    Relation,
    Text,
    Unordered,
    Value,
    are_named,
    as_expression,
    as_value,
    components_of,
    is_point,
    unindexed_names,
    with_formulas,
)
from grpo_rewards.answers.values.sets import (
    INDEX_SYMBOL,
    REALS,
    NotReal,
    as_condition,
    intersection,
    union,
    whole_numbers_in,
    without,
)

# Reads ``\pm`` as two answers: ``1 \pm \sqrt{2}``, ``4x \pm 3y = 0``. Look here if only one of them counts.

PLUS_SIGN, MINUS_SIGN = parse("+-")
EITHER_SIGNS = word_set(r"\pm \mp")


def read_either_sign(nodes: Nodes, read: ReadPart) -> Value | None:
    """``1 \\pm \\sqrt{2}`` as two values, ``4x \\pm 3y = 0`` as two equations; ``None`` without such a sign.

    ``None`` also for a sign on the right side of a name, ``x = \\pm 1``, and for sets, whose items are looked at one by
    one.
    """
    if nodes[0].text == "\\{" or not _has_either_sign(split(nodes, RELATION_SIGNS)[0]):
        return None
    # of 3 \\pm 2 one number is a difference, and no range as 3-2 is
    spelled, items = render(nodes), map(read, with_either_sign(nodes))
    return Unordered(tuple(replace(one, spelled=spelled) if isinstance(one, Expression) else one for one in items))


def with_either_sign(nodes: Nodes) -> list[Nodes]:
    """[nodes with ``\\pm`` as plus, nodes with ``\\pm`` as minus]; [nodes] if they have no such sign."""
    if not _has_either_sign(nodes):
        return [nodes]
    return [replaced_nodes(nodes, {"\\pm": one, "\\mp": other}) for one, other in permutations((PLUS_SIGN, MINUS_SIGN))]


def _has_either_sign(nodes: Nodes) -> bool:
    return not EITHER_SIGNS.isdisjoint(texts(flattened(nodes)))


# Reads general solutions: ``k\pi, k \in \mathbb{Z}``, ``n \equiv 1 \pmod 6``, and domains behind an answer.
#
# Look here if ``k \in \mathbb{Z}`` is taken for a part of the answer, or if a congruence is not read.

# How sets of numbers are spelled, without braces and spaces, and which whole numbers they are: "" if they hold others.
NUMBER_SETS = {
    "": "R \\mathbbR C \\mathbbC \\mathbbR^+ Q \\mathbbQ",
    WHOLE_NUMBERS_SET: "Z \\mathbbZ integers theintegers",
    "\\mathbb{N}": "N \\mathbbN N_0 \\mathbbN_0 \\mathbbZ_\\ge0 \\mathbbZ^+_0 nonnegativeintegers non-negativeintegers",
    "\\mathbb{N}^{+}": (
        "N^+ N_+ N^\\cdot \\mathbbN^+ \\mathbbN_+ \\mathbbN^\\cdot \\mathbbN_\\cdot Z^+ Z_+ \\mathbbZ^+ \\mathbbZ_+ "
        "\\mathbbZ_>0 \\mathbbZ_\\ge1 \\mathbbN_\\ge1 positiveintegers thepositiveintegers"
    ),
}
NUMBER_SET_OF_SPELLING = {one: name for name, spellings in NUMBER_SETS.items() for one in spellings.split()}
# "All odd integers n", "n is odd", without spaces.
NUMBERS_OF_PARITY = re.compile(
    "(?:all(?:the)?)?(?:positive)?(?:odd|even)(?:positive)?(?:(?:integers|numbers)n?|(?P<behind>[kmnx]))"
    "|(?P<before>[kmnx])(?:is|mustbe)?(?:an?)?(?:positive)?(?:odd|even)(?:(?:positive)?(?:integer|number))?"
)
# "All positive integers divisible by 3", "multiples of 3", "perfect squares", without spaces.
NUMBERS_OF_KIND = re.compile(
    "(?:all(?:the)?)?(positive)?"
    "(?:(?:(?:integers|numbers|integer)?n?divisibleby|(?:integer)?multiplesof)([0-9]{1,9})|(perfectsquares))"
)
WITHOUT_BRACES = str.maketrans("", "", "{} ")
MODULO_WORDS = word_set(r"\pmod \mod \bmod mod modulo")


def without_declarations(parts: list[Nodes]) -> tuple[list[Nodes], str | None]:
    """(items, domain): the items of a list without declarations such as ``n \\in \\mathbb{Z}``, and the set declared.

    The declared letter is renamed to ``INDEX`` in the other items, because its name does not matter. If several letters
    are declared, or the items have that name already, the letters stay. That a letter is a real number is dropped.
    """
    kept = [part for part in parts if _declared(part) is None]
    whole = {part[0].text: domain for part in parts if (domain := _declared(part))}
    if not kept or len(whole) != 1:
        return kept or parts, None
    ((letter, domain),) = whole.items()
    if not any(_depends_on(part, letter) for part in kept):
        return kept, None  # a_n = 2n + 1 says the same with and without "n \\in \\mathbb{N}"
    if any(INDEX in texts(flattened(part)) for part in kept):
        return kept, domain
    return [replaced_nodes(part, {letter: Node("letter", INDEX)}) for part in kept], domain


def _declared(part: Nodes) -> str | None:
    """The set from which an item only says that a letter is: ``\\mathbb{Z}``, or ``""`` for one of other numbers.

    ``None`` for other items.
    """
    return _numbers(part[2:]) if part[0].kind == "letter" and texts(part[1:2]) == ["\\in"] else None


def _numbers(nodes: Nodes) -> str | None:
    """The usual spelling of the set of whole numbers that ``nodes`` name, ``""`` for other numbers; else ``None``."""
    return NUMBER_SET_OF_SPELLING.get(render(nodes).translate(WITHOUT_BRACES))


def _depends_on(part: Nodes, letter: str) -> bool:
    """Whether an item depends on a letter that is no part of its name, as it is of ``a_k = 2k``."""
    occurs = [letter in texts(flattened(side)) for side in split(part, ("=", "\\equiv"))]
    return occurs[-1] and (len(occurs) == 1 or not occurs[0])


def as_family(value: Value, domain: str) -> Value:
    """A value with an index from a set of whole numbers. A name, x in ``x = k\\pi``, stays outside."""
    return replace(value, of=Family(value.of, domain)) if isinstance(value, Named) else Family(value, domain)


def read_congruence(nodes: Nodes, read: ReadPart) -> Value | None:
    """``n \\equiv 1 \\pmod 6``, ``n = 1, 5 (mod 6)`` or ``1 \\pmod 6`` as a family of numbers; else ``None``."""
    rest, modulus = _modulus(nodes)
    period = read_formula(modulus)
    if period is None:
        return None
    value = read(rest)
    if isinstance(value, Relation | Text):
        return None
    multiple = product((period, INDEX_SYMBOL))
    return as_family(with_formulas(value, lambda remainder: total((remainder, multiple))), WHOLE_NUMBERS_SET)


def read_set_of_whole_numbers(nodes: Nodes) -> Value | None:
    """``\\mathbb{Z}`` and the like as the family of all their numbers; ``None`` for anything else."""
    return _all_of(_numbers(nodes))


def _all_of(domain: str | None) -> Value | None:
    return Family(as_expression(INDEX_SYMBOL), domain) if domain else None


def read_whole_numbers(words: str) -> Value | None:
    """``allintegers``, ``multiplesof3`` as families, ``niseven`` as one with a name; ``None`` for other words."""
    words = words.casefold()
    if found := NUMBERS_OF_KIND.fullmatch(words):
        index = power(INDEX_SYMBOL, number(2)) if found[3] else product((number(int(found[2])), INDEX_SYMBOL))
        return Family(as_expression(index), "\\mathbb{N}^{+}" if found[1] else WHOLE_NUMBERS_SET)
    found = NUMBERS_OF_PARITY.fullmatch(words)
    if found is None:
        return _all_of(NUMBER_SET_OF_SPELLING.get(words.removeprefix("all").removesuffix("n")))
    is_odd = "odd" in found[0]
    family = _twice_the_index(2 - is_odd, "\\mathbb{N}") if "positive" in found[0] else PARITIES[is_odd]
    letter = found["behind"] or found["before"]
    return Named(letter, family, Formula("symbol", letter)) if letter else family


def _twice_the_index(more: int, domain: str) -> Family:
    return Family(as_expression(total((product((number(2), INDEX_SYMBOL)), number(more)))), domain)


PARITIES = _twice_the_index(0, WHOLE_NUMBERS_SET), _twice_the_index(1, WHOLE_NUMBERS_SET)


def _modulus(nodes: Nodes) -> tuple[Nodes, Nodes]:
    """(what stands before, modulus) of nodes that end in ``\\pmod 6`` or ``(mod 6)``; no modulus for others."""
    for index in range(1, len(nodes)):
        behind = inside_brackets(nodes[index:]) or nodes[index:]
        if behind[0].text in MODULO_WORDS and (nodes[index].text != "\\bmod" or outside(nodes, ("\\equiv",))):
            return nodes[:index], behind[1:]
    return nodes, ()


# Reads what stands in brackets: tuples, intervals, sets, ``\{x \mid x > 2\}``; and unions and differences of sets.
#
# Look here if an interval is taken for a tuple, or if ``]2, 5[`` or ``\mathbb{R} \setminus \{0\}`` is not read.

# How sets are combined; a minus is one between two sets.
COMBINED_BY = {("\\cup",): union, ("\\cap",): intersection, ("\\setminus", "-"): without}
INDEX_SIGNS = ("'", "_")  # of a point, A'(1, 2) or P_1(1, 2)
BEGIN_OF_ARRAY, BEGIN_OF_MATRIX = parse("\\begin{array} \\begin{matrix}")
CYCLES = re.compile(r"(?:\([1-9](?: [1-9])+\))+")
SPAN_NUMBERS = 100  # in all the vectors of which a span is read
BUILDER_BARS = ("|", ":", ";")


def read_combined(nodes: Nodes, read: ReadPart) -> Value | None:
    """A union, intersection or difference of sets of numbers; ``None`` for anything else."""
    for operator, combine in COMBINED_BY.items():
        parts = split(nodes, operator)
        if len(parts) == 1:
            continue
        if not all(parts):
            return None
        sets = tuple(map(read, parts))
        # 180 - (40 + 40) is a difference of numbers; a number may only be a set in braces, \\{0\\}
        if any(isinstance(one, Quantity) and part[0].text != "\\{" for one, part in zip(sets, parts, strict=True)):
            return None
        try:
            return combine(sets)
        except NotReal:
            return Unordered(sets) if combine is union else None
    return None


def with_usual_brackets(nodes: Nodes) -> Nodes:
    """The nodes with French intervals, ``]2, 5[``, in the usual brackets, ``(2, 5)``; unchanged if they have none.

    Brackets are taken in pairs, each around two bounds, so that nothing else is changed.
    """
    places = [index for index, node in enumerate(nodes) if node.text in "[]()"]
    if len(places) % 2:
        return nodes
    usual = list(nodes)
    for opening, closing in zip(places[::2], places[1::2], strict=True):
        if len(split(nodes[opening + 1 : closing], LIST_SIGNS)) != 2:
            return nodes
        if nodes[opening].text == "]":
            usual[opening] = LEFT_PARENTHESIS
        if nodes[closing].text == "[":
            usual[closing] = RIGHT_PARENTHESIS
    return tuple(usual)


def read_bracketed(nodes: Nodes, read: ReadPart) -> Value | None:
    """What stands in one pair of brackets: a tuple, an interval, a set, or one value in parentheses; else ``None``."""
    inner = inside_brackets(nodes)
    if inner is None:
        return _labelled_point(nodes, read) or _span(nodes, read)
    opening, closing = nodes[0].text, nodes[-1].text
    if opening == "\\{":
        return _set(inner, read) if closing == "\\}" else None
    parts = split(inner, (",",) if outside(inner, (",",)) else (";",))
    if not all(parts):
        return None
    if (opening, closing, len(parts)) == ("(", ")", 1):
        return read(inner)
    inside = [inside_brackets(part) or () for part in parts if part[0].text == opening == "["]
    if len(inside) == len(parts):  # [[1, 0], [0, 1]]
        return Matrix(tuple(tuple(map(read, split(row, (",",)))) for row in inside))
    items = tuple(map(read, parts))
    if len(items) == 1:
        return items[0] if isinstance(items[0], Matrix) else None
    if len(items) > 2:
        return Bracketed("(", items, ")")  # a vector, for an interval has two ends
    return Bracketed(opening, items, closing)


def read_cycles(nodes: Nodes) -> Text | None:
    """A permutation, ``(1 2 3)(4 5)``, as its cycles in order, each from its least number on; ``None`` for others.

    A number in two cycles makes it a product, in which their order matters: it is not read.
    """
    spelled = render(nodes)
    if not CYCLES.fullmatch(spelled):
        return None
    cycles = [one.split() for one in spelled[1:-1].split(")(")]
    every = [number for cycle in cycles for number in cycle]
    turned = []
    for cycle in cycles:
        start = cycle.index(min(cycle))
        turned.append(f"({' '.join(cycle[start:] + cycle[:start])})")
    return Text("".join(sorted(turned))) if len({*every}) == len(every) else None


def _labelled_point(nodes: Nodes, read: ReadPart) -> Value | None:
    """A point with its name, ``A(0, 1)``; ``None`` for anything else, as for ``f(0, 1)``."""
    letter, *rest = nodes
    index = [*takewhile(lambda node: node.text in INDEX_SIGNS, rest)]
    name, rest = letter.text + render(index), rest[len(index) :]
    if not letter.text.isupper() or not inside_brackets(rest):
        return None
    point = read(rest)
    if not isinstance(point, Bracketed):
        return None
    if name in ("N", "U"):  # a distribution, N(0, 1), is no point
        return replace(point, opening=name)
    return Named(name, point, read_formula(nodes))  # C(10, 3) is a point or a binomial


def _span(nodes: Nodes, read: ReadPart) -> Value | None:
    """The space that vectors of numbers span, ``\\text{span}\\{(1, 0), (0, 1)\\}``, by its reduced basis.

    ``None`` for anything else.
    """
    inner = inside_brackets(nodes[1:])
    if nodes[0].text.casefold() != "span" or inner is None:
        return None
    vectors = [components_of(read(part)) for part in split(inner, LIST_SIGNS)]
    rows = [[item.value for item in vector if isinstance(item, Number) and not item.unit] for vector in vectors]
    sizes = {*map(len, vectors), *map(len, rows)}
    if len(sizes) > 1 or not 0 < max(sizes) * len(rows) <= SPAN_NUMBERS:
        return None
    basis: list[list[Fraction]] = []
    for column in range(max(sizes)):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is not None:
            pivot = [entry / pivot[column] for entry in pivot]
            # of the row that it was, nothing is left
            rows, basis = _cleared(rows, pivot, column), [*_cleared(basis, pivot, column), pivot]
    vectors_of_basis = tuple(Bracketed("(", tuple(map(Number, row)), ")") for row in basis)
    return Bracketed(f"span of {max(sizes)}", vectors_of_basis, "")


def _cleared(rows: list[list[Fraction]], pivot: list[Fraction], column: int) -> list[list[Fraction]]:
    """The rows without their ``column``: each minus a multiple of the pivot row."""
    return [[entry - row[column] * other for entry, other in zip(row, pivot, strict=True)] for row in rows]


def _set(inner: Nodes, read: ReadPart) -> Value | None:
    """The set whose braces hold ``inner``; ``None`` if that cannot be read.

    ``1, 2, 2`` is the set of 1 and 2; ``x \\mid x > 2`` is the condition ``x > 2``.
    """
    built = read_builder(inner, read)
    if built is not None:
        return built
    parts = split(inner, LIST_SIGNS)
    if not all(parts) or outside(inner, ("|", ":")):
        return None
    every = [_item_of_set(one, read) for part in parts for one in with_either_sign(part)]
    # 1 and 1.0 are the same item
    items = {(item.value, item.unit) if isinstance(item, Number) else item: item for item in every}
    # a set with one solution is that solution; but the set that holds a set is not that set
    if len(every) == 1 and not isinstance(every[0], Unordered):
        return every[0]
    return Unordered(tuple(items.values()), braced=True)


def _item_of_set(nodes: Nodes, read: ReadPart) -> Value:
    """An item of a set, which stays a set if it is one: of ``{1, {2}}`` the second item is not 2."""
    item = read(nodes)
    is_set = nodes[0].text == "\\{" and inside_brackets(nodes) and not isinstance(item, Unordered)
    return Unordered((item,), braced=True) if is_set else item


def read_builder(inner: Nodes, read: ReadPart) -> Value | None:
    """The set that a set-builder, which may lack its braces, describes; ``None`` for anything else.

    ``x \\mid x > 2``, ``x \\in \\mathbb{Z} : 1 < x < 5``, ``2k \\mid k \\in \\mathbb{Z}``.
    """
    found = (parts for bar in BUILDER_BARS if len(parts := split(inner, (bar,))) == 2 and all(parts))
    declared, stated = next(found, ((), ()))
    if not declared:
        return None
    unknown, *domain = split(declared, ("\\in",))
    name = render(unknown)
    *conditions, last = split(stated, (",",))
    declares = not domain and bool(conditions) and texts(last[:2]) == [*texts(declared), "\\in"]
    if declares and _numbers(last[2:]):  # x \\mid 1 < x < 5, x \\in \\mathbb{Z}
        domain, stated = [last[2:]], stated[: -len(last) - 1]
    kept, index_domain = without_declarations([declared, stated])
    if not domain and len(kept) == 1:  # 2k \\mid k \\in \\mathbb{Z}, or (t, 2t) \\mid t \\in \\mathbb{R}
        if index_domain is not None:
            return as_family(read(kept[0]), index_domain)
        letters = {node.text for node in flattened(declared) if node.kind == "letter"}
        is_line = render(stated[2:]) in ("R", "\\mathbb{R}") and letters == {stated[0].text}
        return point if is_line and is_point(point := read(declared)) else None
    condition = read(stated)
    if isinstance(condition, Family):
        return condition  # x \\ne k\\pi for all whole k
    numbers = _numbers(domain[0]) if domain else ""
    if isinstance(condition, Unordered) and numbers == "" and not any(spoken(node) == "and" for node in stated):  # or
        values = [item.of for item in condition.items if isinstance(item, Named) and item.name == name]
        if len(values) == len(condition.items):
            condition = Named(name, Unordered(tuple(values), braced=True))
    if isinstance(condition, Relation | Unordered) and inside_brackets(unknown):
        return Named(name, condition)  # a region, (x, y) \\mid x^2 + y^2 < 1
    if not isinstance(condition, Named) or name != condition.name:
        return None
    if not domain or render(domain[0]) == "\\mathbb{C}":
        return condition
    if numbers:
        return whole_numbers_in(condition.of, numbers) or Named(name, Family(condition.of, numbers))
    try:
        return Named(name, intersection([read(domain[0]), condition.of]))
    except NotReal:
        return None


# Reads lists of answers: ``1, 2``, ``x = 1 \text{ or } x = 2``, ``p=5, q=2; p=7, q=2``, ``(a) 3, (b) 5``, ``\pm 5``.
#
# Look here if several answers are read as one, or one as several.

_LABELS = ("abcdefgh", "12345678", "i ii iii iv v vi".split())
# Of the parts of a problem, in order.
PART_LABELS = [[spelled.format(one) for one in kind] for kind in _LABELS for spelled in ("({})", "{})")]
NEVER_FIRST, NEVER_LAST = word_set(r"+ / \cdot ^ _ = , ;"), word_set(r"+ - / \cdot =")  # which end no item
JOINING_LINES = frozenset((*NEVER_FIRST, *RELATION_SIGNS, "-", "\\cup", "\\cap", "\\setminus"))
GROUPED = re.compile(r"[0-9],[0-9]{3}(?![0-9])")  # 10,000, which may be two
LABEL_NODES = 5  # in the longest label
# How whole numbers go on without end: from 0, from 1, or in both directions.
ENDLESS = re.compile(
    r"(.*,[j-npqstN])=(?:(0,1(?:,2(?:,3)?)?)|(1,2(?:,3(?:,4)?)?)|0,\\pm 1(?:,\\pm 2(?:,\\pm 3)?)?),\\ldots ", re.DOTALL
)


def read_several(nodes: Nodes, read: ReadPart) -> Value | None:
    """A list, with commas, semicolons, "and" or "or" between its items; ``None`` for anything else."""
    if nodes[-1].text == "\\ldots" and (found := ENDLESS.fullmatch(render(nodes))):
        all_of_them = "\\mathbb{N}" if found[2] else "\\mathbb{N}^+" if found[3] else WHOLE_NUMBERS_SET
        nodes = parse(f"{found[1]}\\in {all_of_them}")
    lines = split(nodes, ("\\\\",))
    if len(lines) > 1 and not any(map(_goes_on, lines)):
        nodes = [*chain.from_iterable((*line, COMMA) for line in lines)][:-1]
    signs, separators = outside(nodes, RELATION_SIGNS), outside(nodes, LIST_SIGNS, words=True)
    every = split(nodes, LIST_SIGNS, words=True)
    if not separators or not all(every):
        return None
    parts, domain = without_declarations(every)
    starts_named = len(parts) > 1 and len(signs) == 1 and signs[0] < separators[0]
    named_parts = (outside(named(stripped(part), is_item=True), ("=",)) for part in parts[1:])  # "area 5" is one, too
    if starts_named and not any(named_parts):
        return None  # x = 1, 2 names all items at once, and is read as a relation
    joined_by = {spoken(nodes[index]) for index in separators}
    value = read(parts[0]) if len(parts) == 1 else _of_items(nodes, parts, joined_by, read)
    return as_family(value, domain) if domain is not None else value


def _goes_on(line: Nodes) -> bool:
    """Whether a line is no item of its own: it is empty, or a sign or a word at one of its ends joins it to others."""
    return not line or any(one.text in JOINING_LINES or is_conjunction(one) for one in (line[0], line[-1]))


def read_labelled(nodes: Nodes, read: ReadPart) -> Value | None:
    """The parts of ``(a) 3, (b) 5`` or ``1) 3; 2) 5``, each named by its label, as their order matters.

    ``None`` unless at least two labels are in order and an item follows each: ``(1)(2)`` is a product.
    """
    beginning = render(nodes[:LABEL_NODES])
    kind = next((one for one in PART_LABELS if beginning.startswith(one[0])), None)
    if kind is None:
        return None
    spelled = [render(nodes[index : index + LABEL_NODES]) for index in range(len(nodes))]
    labels = {index: label for index, one in enumerate(spelled) for label in kind if one.startswith(label)}
    if len(labels) < 2 or [*labels.values()] != kind[: len(labels)]:
        return None
    items = []
    for start, end in pairwise([*labels, len(nodes)]):
        item = nodes[texts(nodes).index(")", start) + 1 : end]
        if item and is_conjunction(item[-1]):
            item = item[:-1]
        if not item or item[0].text in NEVER_FIRST or item[-1].text in NEVER_LAST:
            return None
        items.append(Named(labels[start].strip("()"), read(item)))
    return Unordered(tuple(items))


def _of_items(nodes: Nodes, parts: Sequence[Nodes], joined_by: set[str], read: ReadPart) -> Value:
    """The value of the items of a list, ``joined_by`` separators such as "or"."""
    items = tuple(read(one) for part in parts for one in with_either_sign(part))
    are_several = len(parts) == len(items) > 2 and "or" not in joined_by
    are_amounts = are_several and all(isinstance(one, Quantity) for one in items)
    whole = Unordered(items, in_order=are_amounts and not GROUPED.search(render(nodes)))
    is_point = are_named(whole)
    if "or" in joined_by and (is_point or any(isinstance(one, Text) and len(one.spelled) == 1 for one in items)):
        # x = 1 or y = 2 is no point; A or C leaves open which of the two
        return Text(render(nodes))
    are_sets = any(part[0].text == "\\{" or outside(part, ("=", "\\in")) for part in parts)
    condition = None if are_sets or is_point else as_condition(items, joined_by)
    return condition or _systems(items) or _once(items) or _sequence(items) or whole


def _systems(items: Sequence[Value]) -> Value | None:
    """Several solutions of a system, ``x=1, y=2; x=2, y=1``, each as a list of named values; ``None`` if it is none.

    Each must have all the names, without an index, in any order.
    """
    size = len(unindexed_names(items))
    if not 1 < size < len(items):
        return None
    systems = tuple(Unordered(tuple(items[start : start + size])) for start in range(0, len(items), size))
    return Unordered(systems) if all(map(are_named, systems)) else None


def _sequence(items: Sequence[Value]) -> Value | None:
    """A sequence whose first term is given apart, ``a_1 = 3, a_n = 2n, n \\ge 2``, by cases; ``None`` if it is none."""
    match items:
        case [Named() as first, Named() as term, Named() as condition]:
            if term.name != first.name == term.name.replace(f"{{{condition.name}}}", "{1}"):
                one = replace(condition, of=as_value(number(1)))
                return replace(term, of=_by_cases([(first.of, one), (term.of, condition)]))
    return None


def _once(items: Sequence[Value]) -> Value | None:
    """The number that is written twice in two forms, ``\\frac{3}{4}, 0.75``; ``None`` for other lists.

    The same number in the same form, 5 and 5, is a list of two.
    """
    match items:
        case [Number() as one, Number() as other] if replace(one, places=other.places) == other:
            return one if (one.places is None) != (other.places is None) else None
    return None


# Reads matrices, systems and cases, ``\begin{pmatrix} … \end{pmatrix}``, ``x, x > 0; -x, x < 0``.
#
# Look here if an environment is read as another one, or not at all.

MATRICES = word_set("matrix pmatrix bmatrix Bmatrix smallmatrix array")
LIST_ENVIRONMENTS = word_set("cases dcases rcases aligned align align* gathered gather gather* split")
# Which only an & before them puts under others.
ALIGNED_SIGNS = (*CONDITIONS_AND_EQUALS, "\\approx", "\\equiv", "+", "-", ",")
TRANSPOSES = word_set(r"T \top \intercal t")
WORDS_OF_CONDITIONS = word_set("当 若 if If when When for For")
OTHERWISE = Text("otherwise")
CONDITIONAL_WORDS = word_set("if when for where and otherwise else elsewhere")


def read_environment(nodes: Nodes, read: ReadPart) -> Value | None:
    """The matrix, list or function by cases that ``nodes`` as a whole are; ``None`` for anything else.

    ``read`` reads the parts. A matrix with a factor before it is read by ``read_vector_sum``.
    """
    if nodes[-1].text == "^" and render(nodes[-1].args[0]).strip() in TRANSPOSES:
        return _transposed(nodes[:-1], read)
    bracketed = inside_brackets(nodes)
    if bracketed and bracketed[0] == BEGIN_OF_ARRAY:
        nodes = (BEGIN_OF_MATRIX, *bracketed[1:])
    before = [*takewhile(lambda node: node.text != "\\begin", nodes)]
    environment = nodes[len(before) :]
    if not environment or closing_index(environment) != len(environment) - 1:
        return None
    name, inner = render(environment[0].args[0]), environment[1:-1]
    rows = [row[:-1] if row[-1].text in (",", ";", ".") else row for row in split(inner, ("\\\\",)) if row]
    is_list = name in LIST_ENVIRONMENTS or (name == "array" and not outside(inner, ("&",)))  # in no brackets
    if (is_list and not before) or texts(before) == ["\\{"]:
        return _list(rows, read)
    if before or name not in MATRICES:
        return None
    return Matrix(tuple(tuple(map(read, split(row, ("&",)))) for row in rows))


def _transposed(nodes: Nodes, read: ReadPart) -> Value | None:
    """The transpose of a matrix, or the column that a tuple becomes; ``None`` for other values."""
    match read(nodes):
        case Bracketed(items=items):
            return Matrix(tuple((item,) for item in items))
        case Matrix(rows=rows) if len(set(map(len, rows))) == 1:
            return Matrix(tuple(zip(*rows, strict=True)))
    return None


def _list(rows: Sequence[Nodes], read: ReadPart) -> Value | None:
    """The rows of ``cases``, ``aligned`` and the like: a function by cases if every row has a condition, else a list.

    A function by cases is a ``Bracketed`` of (value, condition) pairs in order.
    """
    if len(rows) > 1 and any(map(_case, rows)):
        return _cases(rows, read)
    joined: list[Node] = []
    for row in rows:
        row = row[texts(row[:1]) == ["&"] :]
        bare = [
            COMMA if node.text == "&" else node
            for node, after in pairwise((*row, COMMA))
            if node.text != "&" or after.text not in ALIGNED_SIGNS
        ]
        joined += bare if not joined or texts(bare[:1]) in ([], ["="]) else [COMMA, *bare]
    return read(joined)


def read_cases(nodes: Nodes, read: ReadPart) -> Value | None:
    """A function by cases in one line, ``x, x > 0; -x, x < 0``; ``None`` for anything else."""
    rows = split(nodes, (";",))
    return _cases(rows, read) if len(rows) > 1 else None


def _cases(rows: Sequence[Nodes], read: ReadPart) -> Value | None:
    """The (value, condition) pairs of rows; ``None`` if one is none."""
    cases = list(filter(None, map(_case, rows)))
    if len(cases) < len(rows):
        return None
    values, conditions = zip(*cases, strict=True)
    stated = [read_whole_numbers(render(one)) or read(one) for one in conditions]
    return _by_cases(zip(map(read, values), _explicit(stated), strict=True))


def _by_cases(pairs: Iterable[tuple[Value, Value]]) -> Bracketed:
    """The function that has each value under the condition beside it."""
    return Bracketed("cases", tuple(Bracketed("(", pair, ")") for pair in pairs), "cases")


def _explicit(conditions: list[Value]) -> list[Value]:
    """The conditions with what the others leave in place of "otherwise", if that is the last one."""
    *others, last = conditions
    named = [one for one in others if isinstance(one, Named)]
    if last != OTHERWISE or len(named) < len(others) or len({one.name for one in named}) != 1:
        return conditions
    first = named[0]
    if len(named) == 1 and first.of in PARITIES:
        return [*others, replace(first, of=PARITIES[first.of == PARITIES[0]])]
    try:
        return [*others, Named(first.name, without([REALS, *(one.of for one in named)]))]
    except NotReal:
        return conditions


def _case(row: Nodes) -> tuple[Nodes, Nodes] | None:
    """(value, condition) of a row such as ``x^2 & \\text{if } x > 0`` or ``x^2, x > 0``; ``None`` for other rows."""
    has_mark = len(outside(row, ("&",))) == 1
    parts = split(row, ("&",) if has_mark else (",",))
    if len(parts) != 2 or not all(parts):
        return None
    value, condition = (parts[1], parts[0][1:]) if parts[0][0].text in WORDS_OF_CONDITIONS else parts
    condition = inside_brackets(condition) or condition
    signs = outside(condition, CONDITIONS_AND_EQUALS)
    if 0 in signs or (value is parts[0] and outside(value, CONDITIONS_AND_EQUALS)):
        return None  # a sign at the beginning is aligned
    kept = [node for node in condition if node.text.casefold() not in CONDITIONAL_WORDS]
    is_worded = has_mark and any(node.is_words for node in condition)
    if not signs and len(kept) == len(condition) and not is_worded:
        return None
    return value, kept or [Node("text", OTHERWISE.spelled)]


# Reads sums and multiples of tuples, ``(1, 0) + t(2, 3)``, ``-(1, 2)``, as one tuple. Look here if a line is not read.

TIMES_SIGN, ZERO_DIGIT = parse("\\cdot 0")


def read_vector_sum(nodes: Nodes, read: ReadPart) -> Value | None:
    """The tuple or matrix that a sum of multiples of tuples, columns or matrices comes to; ``None`` for anything else.

    Each of its components is read as the formula that has the components of the parts in their places. A single tuple
    without a factor is no sum, nor is one with a letter before it: ``A(0, 1)`` is a point.
    """
    signs = [nodes[at] for at in outside(nodes, ADDITIVE_SIGNS)]
    terms = split(nodes, ADDITIVE_SIGNS)
    is_signed = not terms[0]
    if is_signed:
        terms = terms[1:]
    else:
        signs = [PLUS_SIGN, *signs]
    factors, vectors, widths = zip(*map(_multiple, terms), strict=True)
    factor, width = factors[0], max(widths)
    of_name = [node for node in factor if node.text not in INDEX_SIGNS]
    is_bare = not factor or (len(of_name) == 2 and factor[0].text.isalpha() and "\\begin" not in texts(terms[0]))
    is_point = len(terms) == 1 and not is_signed and is_bare
    if is_point or len(set(map(len, vectors))) != 1:
        return None
    items: list[Value] = []
    for parts in zip(*vectors, strict=True):
        component = [ZERO_DIGIT]
        for sign, factor, part in zip(signs, factors, parts, strict=True):
            if render(part) != "0" or any(node.is_words for node in factor):  # no parameter is left of 0t
                component += [sign, *factor, LEFT_PARENTHESIS, *part, RIGHT_PARENTHESIS]
        formula = read_formula(component)
        if formula is None:
            return None
        try:
            items.append(as_value(formula))
        except TooLarge:
            return None
    if 0 < width == min(widths):  # of matrices; a column and a tuple are added as tuples
        return Matrix(tuple(tuple(items[at : at + width]) for at in range(0, len(items), width)))
    return Bracketed("(", tuple(items), ")") if items else None


def _multiple(term: Nodes) -> tuple[Nodes, list[Nodes], int]:
    """(factor and times sign, components, columns or 0) of a matrix or a tuple; no components for anything else."""
    for start, node in enumerate(term):
        vector = term[start:]
        is_in_brackets = node.text in ("(", "[") and texts(vector[1:2]) == ["\\begin"]
        begins = is_in_brackets or node.text in ("(", "\\begin")
        if not begins or closing_index(vector) != len(vector) - 1:
            continue
        if render(term[:start]).endswith(tuple(OF_SEVERAL)):
            break  # 2max(a, b)
        inner = vector[1 + is_in_brackets : -1 - is_in_brackets]
        rows = [split(row, (",", "&")) for row in split(inner, ("\\\\",)) if row]
        parts = [part for row in rows for part in row if part]
        names = {render(one.args[0]) for one in vector[:2] if one.text == "\\begin"}  # of an environment
        columns = len(rows[0]) if names and rows else 0
        if len(parts) > 1 and (not names or (names <= MATRICES and columns * len(rows) == len(parts))):
            before = term[: start - (term[start - 1] == TIMES_SIGN)]
            return [*before, TIMES_SIGN] if before else (), parts, columns
    return (), [], 0
