"""Reads a tree of LaTeX: tries the readers in order, from numbers to formulas, and takes the first value found."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from grpo_rewards.answers.latex.tree import (
    CONJUNCTIONS,
    OPENING_BRACKETS,
    SIGNS_OF_LOGIC,
    WORD_KINDS,
    Nodes,
    outside,
    render,
    split,
    texts,
    word_set,
)
from grpo_rewards.answers.reading.grammar import ADDITIVE_SIGNS, is_mathematics, read_formula
from grpo_rewards.answers.reading.notations import LOGIC_SIGNS, read_logic
from grpo_rewards.answers.reading.numerals import (
    read_based,
    read_compound,
    read_date,
    read_number,
    read_number_in_words,
    read_time,
)
from grpo_rewards.answers.reading.phrases import (
    LIST_SIGNS,
    named,
    stripped,
    with_phrases,
    without_remarks,
    without_tail,
    yes_or_no,
)
from grpo_rewards.answers.reading.relations import QUANTIFIERS, RELATION_SIGNS, ReadPart, read_quantified, read_relation
from grpo_rewards.answers.reading.several import (
    MODULO_WORDS,
    read_bracketed,
    read_builder,
    read_cases,
    read_combined,
    read_congruence,
    read_cycles,
    read_either_sign,
    read_environment,
    read_labelled,
    read_set_of_whole_numbers,
    read_several,
    read_vector_sum,
    read_whole_numbers,
    with_usual_brackets,
)
from grpo_rewards.answers.reading.units import read_apart, read_measure, read_unit
from grpo_rewards.answers.reading.words import SHORT_WORDS, capitals_matter, usual_words, without_article
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Number,
    Quantity,
    Text,
    Unordered,
    Value,
    not_understood,
)
from grpo_rewards.answers.values.sets import INFINITY, MINUS_INFINITY, REALS, ray

# Reads letters that a space or upright type parts from an amount as its unit: ``10 m``, which may also be a product.
#
# Look here if a variable is taken for a unit, or the other way round.

Reader: TypeAlias = Callable[[Nodes, ReadPart], Value | None]
APART_NODES = 12  # in the longest unit of letters, of which each is a node


def measured(nodes: Nodes) -> Quantity | None:
    """A number or formula and the unit that letters apart from it may be: ten metres for ``10 m``; else ``None``."""
    for end in range(max(len(nodes) - APART_NODES, 1), len(nodes)):
        if nodes[end - 1].kind == "letter":
            continue
        is_length = nodes[end].text in ("c", "m")  # of centimetres; kg may be k times g
        unit = read_apart(nodes[end:]) or (read_measure(nodes[end:]) if is_length else None)
        if unit is not None:
            amount = nodes[:end]
            number, formula = read_number(amount), read_formula(amount)
            if number is not None and number.unit is None:
                return replace(number, unit=unit)
            return None if formula is None else Expression(render(amount), formula, unit)
    return None


# Reads a tree of LaTeX: tries the readers in order, from numbers to formulas, and takes the first value found.
#
# Start here if an answer is misread: the order of the readers decides what ``(1, 2)`` or ``x = 1, 2`` is taken for.

BRACKET_DEPTH = 8  # levels of brackets within brackets that are read; what nests deeper is compared as it is spelled
# What has no remarks, conditions or unusual brackets around it if none of these occurs.
MARKS_AROUND = frozenset([*RELATION_SIGNS, *WORD_KINDS, "[", "]", "\\forall"])
LONE_SIGNS = (*RELATION_SIGNS, *r"+ - \cdot / √".split())  # which sign belongs between two numbers?
ORIGIN = Number(Fraction(0))
# Each row: how a value may be spelled, in signs and in words without spaces, and the value. Older books print the reals
# as an upright R.
SPELLINGS_OF_VALUES: Sequence[tuple[str, Value]] = [
    (r"\infty | +\infty | infinitelymany", INFINITY),
    (r"-\infty | negativeinfinity", MINUS_INFINITY),
    (r"\emptyset | emptyset", Unordered(())),
    (r"\mathbb{R} | R | allrealnumbers | allrealnumbersx | allreals | anyrealnumber", REALS),
    (r"\mathbb{R}^{+} | \mathbb{R}_{+} | \mathbb{R}_{>0}", ray(">", ORIGIN)),
    (r"\mathbb{R}_{\ge 0}", ray("\\ge", ORIGIN)),
    (r"\mathbb{R}^{-} | \mathbb{R}_{-} | \mathbb{R}_{<0}", ray("<", ORIGIN)),
]
VALUES = {spelled: value for spellings, value in SPELLINGS_OF_VALUES for spelled in word_set(spellings, "|")}
VALUES |= {sign: Text(sign) for sign in LONE_SIGNS}
CHOICE = re.compile(r"(?:option|choice|answer)([a-z])", re.IGNORECASE)
PHRASE_WORDS = 5  # and letters, of a name or a phrase; more are a sentence
MARKS_IN_NAMES = (".", "'", "-")
# What is numbered, so that its number is part of a name.
NUMBERED = word_set(
    """statement statements quadrant type angle triangle circle team room week option case group player box machine
    car train plan apollo"""
)
KINDS_IN_PHRASES = frozenset(("letter", "space", *WORD_KINDS))
UNIT_NODES = 6  # in the longest unit that is looked for after a formula


def read(nodes: Nodes, depth: int = 0) -> Value:
    """The value that a tree says. What is not understood becomes an ``Expression``, which is compared as it is spelled.

    Raises:
        TooLarge: the links of a chain such as ``a = b = c``, or the bounds of a union, must not be computed.
    """
    nodes = stripped(nodes)
    if not nodes or depth > BRACKET_DEPTH:
        return Expression(render(nodes))
    marks = _marks(nodes)
    if not MARKS_AROUND.isdisjoint(marks):
        nodes = with_usual_brackets(named(without_remarks(without_tail(nodes)), is_item=depth > 0))
        marks = _marks(nodes)

    def part(nodes: Nodes) -> Value:
        return read(nodes, depth + 1)

    for reader in _readers(frozenset(MARKS_OF_READERS.intersection(marks))):
        value = reader(nodes, part)
        if value is not None:
            return value
    return _formula(nodes) if depth else _formula_or_phrase(nodes)


@lru_cache(maxsize=1024)  # most answers have the same few marks
def _readers(marks: frozenset[str]) -> list[Reader]:
    """The readers to be tried, in their order, where these marks occur."""
    return [reader for needed, reader in READERS_IN_ORDER if not marks.isdisjoint(needed)]


def _marks(nodes: Nodes) -> set[str]:
    """The kinds and the texts of some nodes."""
    return {node.kind for node in nodes} | {node.text for node in nodes}


def _formula_or_phrase(nodes: Nodes) -> Value:
    """A formula; what is none, and is a few words, also ``Quadrant II``, as a ``Text``."""
    found = _formula(nodes)
    if not not_understood(found):
        return found
    if numbers := read_whole_numbers(render(nodes).replace(" ", "")):
        return numbers
    kinds = {node.kind for node in nodes if node.text not in MARKS_IN_NAMES}
    if nodes[0].text.strip().casefold() in NUMBERED:
        kinds.discard("digits")  # Statement 1 is true
    is_short = sum(len(node.text.split()) for node in nodes) <= PHRASE_WORDS
    if not is_short or kinds.isdisjoint(WORD_KINDS) or not kinds <= KINDS_IN_PHRASES:
        return found
    spelled = render(without_article(nodes)).strip(".()")
    return Text(usual_words(spelled).casefold())


def _symbol(nodes: Nodes) -> Value | None:
    """Infinity, the empty set, the reals, or a sign that stands alone; ``None`` for the rest."""
    return VALUES.get(render(nodes).strip()) if len(nodes) <= 2 else None


def _formula(nodes: Nodes) -> Quantity:
    """A formula, perhaps with a unit after it. Never fails.

    A ``Number`` if the formula is a number, as in ``-(2/3)``. If ``nodes`` are not a formula, an ``Expression``
    without one.
    """
    ends = range(max(len(nodes) - UNIT_NODES, 1), len(nodes))
    upright = [end for end in ends if nodes[end].is_words]
    if upright and outside(nodes, ADDITIVE_SIGNS):
        upright = [end for end in upright if len(nodes[end].text) > 1]
    # Upright letters after a formula are tried as a unit first and then as factors, italic ones the other way round.
    for end in (*upright, len(nodes), *reversed(ends)):
        unit = read_unit(nodes[end:])
        formula = read_formula(nodes[:end]) if unit is not None or end == len(nodes) else None
        if formula is None:
            continue
        if formula.kind == "number" and "[" not in texts(nodes):
            return Number(formula.value, unit)
        return Expression(render(nodes), formula, unit, measure=measured(nodes) if unit is None else None)
    return Expression(render(nodes), symbolic=is_mathematics(nodes))


def _words(nodes: Nodes) -> Value | None:
    """Words as a ``Text``, ``\\text{yes}``, or what they name, a choice or a number; ``None`` for anything else.

    So are the letter of a choice, perhaps in parentheses, and capitals in a row, of which one comes twice.
    """
    inner = nodes[1:-1] if (nodes[0].text, nodes[-1].text) in (("(", ")"), ("[", "]")) else nodes
    if not any(node.is_words for node in nodes):
        return _letters(inner)
    inner = without_article(with_phrases(inner))
    number = read_number_in_words(nodes)
    if not all(node.is_words for node in inner):
        answered = yes_or_no(nodes)
        return number if answered is None else Text(answered)
    if number is not None or any(node.text.casefold() in CONJUNCTIONS for node in inner):
        return number  # the choices A and C are a list
    bare = render(inner).strip(".()")
    if choice := CHOICE.fullmatch(bare):
        return Text(choice[1].upper())
    if numbers := read_whole_numbers(bare):
        return numbers
    spelled = usual_words(bare)
    spelled = spelled if capitals_matter(spelled) else spelled.casefold()
    if spelled in VALUES:
        return VALUES[spelled]
    # up to three letters without \\text may also be a product: abc is bca, but Bob is a name
    is_word = len(spelled) > 3 or inner[0].kind == "text" or spelled.casefold() in SHORT_WORDS or bare.istitle()
    return Text(spelled) if is_word else _letters(inner)


def _letters(nodes: Nodes) -> Text | None:
    """The letter of a choice, or capitals in a row of which one comes twice, as in SAS and HHT; else ``None``."""
    spelled = render(nodes)
    is_repeated = len(spelled) > 2 and spelled.isalpha() and spelled.isupper() and len(set(spelled)) < len(spelled)
    return Text(spelled) if is_repeated or (len(spelled) == 1 and spelled in "ABCDEFGH") else None


def _ratio(nodes: Nodes, read: ReadPart) -> Value | None:
    """A ratio, ``\\sqrt{3} : 1`` or ``3 \\text{ to } 5``, as a ``Bracketed`` with colons; else ``None``."""
    parts = split(nodes, (":", "to", "in"))
    is_ratio = len(parts) > 1 and all(parts) and parts[1][0].text != "^"  # but 9π in³
    return Bracketed(":", tuple(map(read, parts)), ":") if is_ratio else None


def _alone(reader: Callable[[Nodes], Value | None]) -> Reader:
    """A reader of what has no parts that are read by themselves."""
    return lambda nodes, read: reader(nodes)


# The readers in their order. Each is tried where one of the marks before it occurs: texts or kinds of nodes.
READERS_IN_ORDER: Sequence[tuple[Collection[str], Reader]] = [
    (("digits", ".", "\\frac"), _alone(read_number)),
    (("letter", "^", *WORD_KINDS), _alone(read_compound)),
    (("\\infty", "\\emptyset", "\\mathbb", *LONE_SIGNS), _alone(_symbol)),
    (("\\mathbb",), _alone(read_set_of_whole_numbers)),
    (("_", "letter", *WORD_KINDS), _alone(read_based)),
    ((":",), _alone(read_time)),
    (("-", "/", *WORD_KINDS), _alone(read_date)),
    (("letter", *WORD_KINDS), _alone(_words)),
    (LOGIC_SIGNS, _alone(read_logic)),
    (QUANTIFIERS, read_quantified),
    (("\\begin", "^"), read_environment),
    (MODULO_WORDS, read_congruence),
    (("|",), read_builder),
    ((",", "\\begin"), read_vector_sum),
    ((")",), read_labelled),
    ((";",), read_cases),
    ((*LIST_SIGNS, "\\\\", *WORD_KINDS, *SIGNS_OF_LOGIC), read_several),
    (("\\pm", "\\mp", "apply"), read_either_sign),
    (RELATION_SIGNS, read_relation),
    (("\\cup", "\\cap", "\\setminus", "\\{", ","), read_combined),
    (("space",), _alone(read_cycles)),
    (OPENING_BRACKETS, read_bracketed),
    ((":", "to", "in"), _ratio),
]
MARKS_OF_READERS = frozenset(mark for needed, _ in READERS_IN_ORDER for mark in needed)
