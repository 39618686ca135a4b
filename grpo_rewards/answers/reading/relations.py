r"""Reads equations, inequalities, ``1 < x \le 3``, chains of equal things, and the names on their left."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.formulas.formula import (
    PI,
    ZERO,
    Formula,
    difference,
    half_unit,
    has_symbols,
    is_near,
    number,
    product,
    quotient,
    symbols,
)
from grpo_rewards.answers.formulas.identity import ROUNDING_FUNCTIONS, UNKNOWNS, WHOLE_NUMBER_SYMBOLS, as_line, same
from grpo_rewards.answers.latex.tree import (
    CONDITIONS,
    TRIGONOMETRIC,
    WORD_KINDS,
    Node,
    Nodes,
    outside,
    parse,
    render,
    split,
    texts,
    word_set,
)
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.words import NO_NAMES, names_quantity
from grpo_rewards.answers.values.kinds import (
    Approximated,
    Bracketed,
    Expression,
    Named,
    Number,
    Quantity,
    Relation,
    Text,
    Unordered,
    Value,
    as_expression,
    as_formula,
)
from grpo_rewards.answers.values.sets import GREATER, LESS, MIRRORED, OF_LINE, REALS, as_condition, ray, solved

# Recognises what an equation or inequality can give a value to: ``x``, ``f(2)``, ``AB``, an area, a derivative.
#
# Look here if ``f(2) = 5`` is not read as the value 5 with a name, or if an equation to be solved is.

DENYING_SIGNS = word_set(r"% \% \not \neg \notin : ? ; \Box \square \ldots")
SIGNS_OF_A_CALCULATION = word_set(r"+ - / \cdot")
# Words that do not name a quantity that equals a number: "Solve 2x = 6", "at least x = 5".
NOT_DESCRIBING = NO_NAMES | word_set("solve equation step eq set so that such find")
NO_APPOSITION = ("of", "at", "for", "in", "when")  # as in "area of s"; but "radius r" is r
NAMING_SIGNS = word_set(r"\angle \triangle \measuredangle \nabla \Delta :")


def is_name(nodes: Nodes) -> bool:
    """Whether ``nodes`` can be the name of a value: ``x_{1}``, ``f(2)``, ``AB``, ``\\text{Area}``."""
    if len(nodes) == 1 and nodes[0].kind == "letter" and nodes[0].text not in ("e", "i"):
        return True
    if not NOT_DESCRIBING.isdisjoint(_words_of(nodes)):
        return False
    if len(nodes) == 1 and nodes[0].is_words:
        return names_quantity(nodes[0].text)
    if nodes[0].text in NAMING_SIGNS or ":" in texts(nodes):
        return all(node.kind in ("letter", "word", "apply") or node.text in NAMING_SIGNS for node in nodes)
    if all(node.text.isupper() for node in nodes):
        return True  # the segment AB
    if APPLIED_LETTER.fullmatch(render(nodes)) or derivative_name(nodes) or names_in(nodes):
        return True
    formula = read_formula(nodes)
    return formula is not None and (formula.kind == "symbol" or _is_call_name(formula))


def _is_call_name(formula: Formula) -> bool:
    """Whether a formula is a call that names a value: ``f(2)``, ``\\cos A``, ``|AB|``, ``\\gcd(a, b)``.

    ``\\cos x`` is not: ``\\cos x = 1`` is an equation that is still to be solved.
    """
    if formula.name.startswith("?") or (formula.name in ("gcd", "lcm") and has_symbols(formula)):
        return True
    found = symbols(formula) if formula.name in (*TRIGONOMETRIC, "abs") else set()
    return bool(found) and all(name[0].isupper() or name[0] == "\\" for name in found)


def is_quantity(nodes: Nodes) -> bool:
    """Whether ``nodes`` can equal a number without being an equation to solve: ``|z|``, ``AB + BC``, ``a/b``.

    So is whatever holds several unknowns, a function of one (``\\log_2 x``, ``n!``; but ``\\sin x = 1`` is solved for
    x), a power of one letter (``z^3`` and ``s^2``, but not ``x^2``), and what is no formula but names something:
    ``P(A \\cap B)``, ``\\det A``.
    """
    formula = read_formula(nodes)
    words = _words_of(nodes)
    if formula is None or not all(map(str.isascii, words)) or not NOT_DESCRIBING.isdisjoint(words):
        return _is_description(nodes)
    found = symbols(formula)
    if len(found) > 1 or formula.kind == "repeated":
        return True
    if not found:  # f(3), or f(1) + f(2); but 2 f(3) + 1 = 7 is solved for f(3)
        return has_symbols(formula) and all(term.kind == "call" for term in formula.args)
    if formula.kind == "power":
        base, exponent = formula.args
        is_large = exponent.value > (2 if base.name in UNKNOWNS else 1)
        return base.kind == "symbol" and (is_large or (exponent.value == -1 and base.name.isupper()))
    is_function = formula.kind == "call" and formula.name not in (*TRIGONOMETRIC, "binom")
    is_given = formula.name in ROUNDING_FUNCTIONS and found <= WHOLE_NUMBER_SYMBOLS
    return is_function and (is_given or formula.args[0].kind == "symbol")  # |z|, but |x - 1| = 3 is solved for x


def _is_description(nodes: Nodes) -> bool:
    """Whether ``nodes`` that are no formula describe a quantity.

    They do not begin with a number, deny nothing, and the first words among them name what has a value.
    """
    if len(nodes) == 1 and nodes[0].text == "\\frac":  # P(A \\cap B) over P(B)
        return all(arg and (is_quantity(arg) or is_name(arg)) for arg in nodes[0].args)
    if not any(node.kind in ("letter", "command", *WORD_KINDS) for node in nodes) or nodes[0].text == "\\{":
        return False
    numbers = [node.text for node in nodes if node.kind == "digits"]
    if outside(nodes, (*SIGNS_OF_A_CALCULATION, *numbers)) or not DENYING_SIGNS.isdisjoint(texts(nodes)):
        return False
    words = _words_of(nodes)
    return NOT_DESCRIBING.isdisjoint(words) and names_quantity(" ".join(words))


def _words_of(nodes: Nodes) -> list[str]:
    """The words among the nodes, in small letters."""
    return [word.strip(".,:") for node in nodes if node.is_words for word in node.text.casefold().split()]


# A letter, then letters in parentheses, as in p(x) or P(X = 1): not a product. And (x, y), or (x_1, y_1).
APPLIED_LETTER = re.compile(r"(?:[a-zA-Z]|\\mathbb\{[EP]\})[(\[](?=[0-9,=|]*[a-zA-Z])[a-zA-Z0-9,=|]*[)\]]")
LETTER = r"(?:[a-zA-Z]|\\[a-zA-Z]+ )"
TUPLE_OF_LETTERS = re.compile(rf"\({LETTER}((?:_\{{\w*\}})?)(?:,{LETTER}\1)+\)")


def names_in(nodes: Nodes) -> list[str]:
    """The names in a tuple of letters, ``(x, y)``, or of letters with one index, ``(x_1, y_1)``; else ``[]``."""
    spelled = render(nodes)
    found = TUPLE_OF_LETTERS.fullmatch(spelled)
    return [part.removesuffix(found[1]) for part in spelled[1:-1].split(",")] if found else []


ORDINARY_DERIVATIVE = re.compile(r"\\frac\{d(?:\^\{([2-4])\})?([a-zA-Z])\}\{d(?:[a-z]|\\theta )(?:\^\{[2-4]\})?\}")
PARTIAL_DERIVATIVE = re.compile(
    r"\\frac\{\\partial (?:\^\{[2-4]\})?([a-zA-Z])\}\{((?:\\partial [a-z](?:\^\{[2-4]\})?)+)\}"
)
DENOMINATOR_LETTER = re.compile(r"([a-z])(?:\^\{([2-4])\})?")


def derivative_name(nodes: Nodes) -> str | None:
    """The short name of a derivative, ``y'`` for ``\\frac{dy}{dx}``; ``None`` for anything else.

    ``\\frac{\\partial^2 f}{\\partial x\\partial y}`` is ``f_{xy}``.
    """
    spelled = render(nodes)
    if found := ORDINARY_DERIVATIVE.fullmatch(spelled):
        return found[2] + "'" * int(found[1] or 1)
    found = PARTIAL_DERIVATIVE.fullmatch(spelled)
    if found is None:
        return None
    by = DENOMINATOR_LETTER.findall(found[2].replace("\\partial ", ""))
    return found[1] + "_{" + "".join(letter * int(times or 1) for letter, times in by) + "}"


# Reads chains of equal things: ``x = 2 + 3 = 5``, ``F = ma = 10 N``, ``3/5 = 60 %``, ``1/3 \approx 0.33``.
#
# The last part is the value, if every link before it holds. Look here if a true chain is refused, or a false one is
# not.

# How many of a unit, of which another part of a chain may have none, are one.
UNITS_OF_ONE = {"percent": number(100), "degree": quotient(number(180), PI)}
ReadPart: TypeAlias = Callable[[Nodes], Value]  # reads a side of a relation, or a cell of a matrix


class _Part(NamedTuple):
    """A part of a chain: what it says, and that as a formula without its unit, ``None`` if it is none."""

    value: Value
    formula: Formula | None

    @property
    def unit(self) -> str | None:
        """The unit behind an amount."""
        return self.value.unit if isinstance(self.value, Quantity) else None


def read_chain(parts: Sequence[Nodes], read: ReadPart) -> Value:
    """The value of a chain such as ``x = 2 + 3 = 5`` or ``1/3 \\approx 0.33``.

    If a link does not hold, as in ``3 = 5``, a ``Text``, which equals no number; if it cannot be decided whether it
    does, an ``Expression`` that is not understood. What only computer algebra can decide goes into the value.
    """
    read_parts = [_Part(one := read(part), as_formula(one) or read_formula(part)) for part in parts]
    named = _named_parts(parts, read_parts)
    value = _links(read_parts[named:])
    if value is None or isinstance(value, Text):
        spelled = "=".join(map(render, parts))
        return Expression(spelled) if value is None else Text(spelled)
    if not named:
        return value
    first, *others = parts[:named]
    formula = read_formula(first)
    if is_name(first) or formula is None:
        names = tuple(map(render, filter(is_name, others)))
        return Named(render(first), value, formula, names)
    last = read_parts[-1].formula
    return Text(render(parts[-1])) if last is None else Relation("=", difference(formula, last), value)


def _named_parts(parts: Sequence[Nodes], read_parts: Sequence[_Part]) -> int:
    """How many parts of a chain only name its value: 2 in ``x = y = 1``, and in ``A = \\pi r^2 = 9\\pi``."""
    last = read_parts[-1].formula
    is_constant = last is None or not has_symbols(last)
    known: set[str] = set()
    for index, part in enumerate(parts[:-1]):
        if is_name(part):
            known.add(render(part))
            continue
        if isinstance(read_parts[index].value, Number):
            return index
        formula = read_formula(part)
        is_of_others = formula is not None and bool(known) and has_symbols(formula) and not symbols(formula) & known
        if not is_constant or not (is_quantity(part) or is_of_others):
            return index
    return len(parts) - 1


def _links(parts: Sequence[_Part]) -> Value | None:
    """The value of the computed part of a chain, which may be only its last part.

    A ``Text`` if a link does not hold, ``None`` if one is undecided.
    """
    first, value = parts[0], parts[0].value
    for part in parts[1:]:
        holds = _is_equal(first, part)
        if holds:
            value = part.value
        elif isinstance(part.value, Number) and _rounds_to(first, part.value):
            value = Approximated(value, part.value)
        else:
            return holds if holds is None else Text("")
    return value


def _is_equal(one: _Part, other: _Part) -> bool | None:
    """Whether a link holds. What has unknowns on one side is no false statement, but an equation: undecided."""
    if one.value == other.value:
        return True  # sets, points and matrices
    if one.formula is None or other.formula is None:
        return None
    meant = _meant(one, other)
    if any(same(formula, other.formula) for formula in meant):
        return True
    if not meant or has_symbols(one.formula) or has_symbols(other.formula):
        return None
    return False if same(one.formula, other.formula) is False else None  # 10 = 10 % is a slip


def _meant(one: _Part, other: _Part) -> list[Formula]:
    """A formula in the unit of the next part of its chain, in each way in which it may be meant; ``[]`` if unknown."""
    units = one.unit, other.unit
    if one.formula is None or (None not in units and one.unit != other.unit):
        return []
    factor = UNITS_OF_ONE.get(other.unit or one.unit or "")
    if factor is None or one.unit == other.unit:
        return [one.formula]
    converted = product((factor, one.formula)) if other.unit else quotient(one.formula, factor)
    return [converted] if "percent" in units else [one.formula, converted]


def _rounds_to(part: _Part, decimal: Number) -> bool:
    """Whether a number is a decimal to which the value of a part rounds."""
    if decimal.places is None:
        return False
    near = half_unit(decimal.places)
    return any(is_near(formula, decimal.value, near) for formula in _meant(part, _Part(decimal, None)))


# Reads equations, inequalities and chains of them: ``x = 5``, ``1 < x \le 3``, ``x + y = 2``, ``1/3 \approx 0.33``.
#
# The result is a value with a name, an interval with a name, or a relation between two formulas.

EQUALS = ("=", "\\approx", "\\equiv")
RELATION_SIGNS = (*EQUALS, *CONDITIONS)
QUANTIFIERS = ("\\forall", "\\exists")
BEHIND_QUANTIFIED = (",", ":", "such that", "s.t.")
LINKS = 12  # signs in the longest chain that is read


def read_relation(nodes: Nodes, read: ReadPart) -> Value | None:
    """What an equation or inequality says; ``None`` if ``nodes`` are not one that is understood.

    ``read`` reads its sides.
    """
    parts = split(nodes, RELATION_SIGNS)
    signs = [nodes[place].text for place in outside(nodes, RELATION_SIGNS)]
    if not all(parts) or not 0 < len(signs) <= LINKS:
        return None
    if signs == ["\\in"]:  # x \\in [1, 2]
        of = REALS if texts(parts[1]) == ["R"] else read(parts[1])
        return Named(render(parts[0]), of) if is_name(parts[0]) else None
    if signs == ["=", "="] and (line := _line_in_space(parts)):
        return line
    if all(sign in EQUALS for sign in signs):
        return _equation(parts, read) if signs in (["="], ["\\equiv"]) else read_chain(parts, read)
    return _inequality(parts, signs, read)


def read_quantified(nodes: Nodes, read: ReadPart) -> Value | None:
    """``\\forall x \\in \\mathbb{R}, x^2 > 0`` as what x may be and what holds for it; ``None`` for anything else.

    An index of 0 is left out, as of the x_0 that exists.
    """
    if nodes[0].text not in QUANTIFIERS:
        return None
    rest = nodes[1:]
    spelled, name = render(rest), render(rest[:1])
    indexed = f"{name}_{{0}}"
    if spelled.startswith(indexed) and name not in spelled.replace(indexed, ""):
        rest = parse(spelled.replace(indexed, name))
    places = outside(rest, BEHIND_QUANTIFIED)
    if not places:
        return None
    return Bracketed(nodes[0].text, (read(rest[: places[0]]), read(rest[places[0] + 1 :])), "")


def _line_in_space(parts: Sequence[Nodes]) -> Unordered | None:
    """The points of a line, ``\\frac{x - 1}{2} = \\frac{y}{3} = z``, by a parameter, to which each part is equal.

    ``None`` unless each part is linear in one coordinate, and all three are there.
    """
    items = {}
    for formula in filter(None, map(read_formula, parts)):
        name = Formula("symbol", "".join(symbols(formula)))
        line = as_line(formula, name)
        if line is not None:
            items[name.name] = Named(name.name, as_expression(quotient(difference(OF_LINE, line[0]), line[1])), name)
    return Unordered(tuple(items.values())) if sorted(items) == [*"xyz"] else None


def _equation(parts: Sequence[Nodes], read: ReadPart) -> Value | None:
    """``x = 5`` as a value with a name, ``(x, y) = (1, 2)`` as several, ``x + y = 2`` as a relation.

    An identity, in which both sides have the same unknowns, is read as its right side.
    """
    left, right = parts
    as_spelled = Text("=".join(map(render, parts)))
    if render(left) == render(right):
        return as_spelled  # x = x says nothing
    if is_name(right) and not is_name(left):
        left, right = right, left
    value = read(right)
    ratios = [split(side, (":",)) for side in (left, right)]
    is_ratio = list(map(len, ratios)) == [2, 2] and all(map(read_formula, ratios[0]))
    if is_ratio:  # AP : PB = 3 : 5
        left, right = ((Node("apply", "\\frac", tuple(map(tuple, ratio))),) for ratio in ratios)
    names = names_in(left)
    if names and isinstance(value, Bracketed) and len(value.items) == len(names):
        return Unordered(tuple(map(Named, names, value.items)))
    is_named = is_name(left) or texts(left) == ["e"]  # the eccentricity
    if is_named and (":" not in texts(left) or ":" in texts(right)):
        if isinstance(value, Text) and len(value.spelled) == 1:
            return as_spelled  # A = B names no choice
        # P(1) looks like a product, and is none
        derivative = derivative_name(left)
        symbol = Formula("symbol", derivative) if derivative else read_formula(left)
        is_symbol = symbol is not None and symbol.kind in ("symbol", "call")
        return Named(derivative or render(left), value, symbol if is_symbol else None)
    one, other = read_formula(left), read_formula(right)
    if one is not None and not has_symbols(one):
        amount = as_formula(value)
        if amount is not None and not has_symbols(amount):
            return read_chain((left, right), read)  # 60/20 = 3 s
    if one is None or other is None:
        is_apposition = len(left) == 2 and left[1].text.islower() and not left[0].text.endswith(NO_APPOSITION)
        return Named(render(left[is_apposition:]), value) if is_quantity(left) else None
    if symbols(one) == symbols(other) and same(one, other):
        return value  # of x^2 - 1 = (x - 1)(x + 1), which always holds, it is what was worked out
    # 6 is what m + n = 6 states, but what equals 0 is still to be solved
    is_stated = is_ratio or (other != ZERO and not has_symbols(other) and is_quantity(left))
    return Relation("=", difference(one, other), value if is_stated else None)


def _inequality(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """``x > 2`` as an interval with a name, ``x < y`` as a relation, ``1 < 2`` as a ``Text``."""
    if len(signs) == 2 and (set(signs) <= set(LESS) or set(signs) <= set(GREATER)):
        return _between(parts, signs, read)
    if len(signs) != 1:
        return None
    (left, right), sign = parts, signs[0]
    if not is_name(left):
        left, right, sign = right, left, MIRRORED[sign]
    one, other = read_formula(left), read_formula(right)
    if is_name(left) and (other is None or not has_symbols(other)) and (one is None or one.name != "abs"):
        bound = read(right)
        if sign == "\\ne" and isinstance(bound, Unordered):  # x \\ne \\pm 1
            return as_condition([Named(render(left), ray(sign, one)) for one in bound.items], ["and"])
        return Named(render(left), ray(sign, bound))
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return Text(render(left) + sign + render(right))  # 1 < 2 answers nothing
    found = solved(difference(one, other), sign)
    if found is not None:
        return Named(*found)
    if sign in GREATER:
        one, other, sign = other, one, MIRRORED[sign]
    return Relation(sign, difference(one, other))


def _between(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """``1 < x \\le 3``, the same written as ``3 \\ge x > 1``, or ``1 < 2x - 1 < 5``, as an interval with a name."""
    if not is_name(parts[1]) or parts[1][0].text == "|":
        both = [_inequality(parts[at : at + 2], [sign], read) for at, sign in enumerate(signs)]
        return as_condition(list(filter(None, both)), ["and"]) if all(both) else None
    low, high = read(parts[0]), read(parts[2])
    first, second = signs
    if first in GREATER:
        low, high, first, second = high, low, MIRRORED[second], MIRRORED[first]
    interval = Bracketed("(" if first == "<" else "[", (low, high), ")" if second == "<" else "]")
    return Named(render(parts[1]), interval)
