"""The tree of a formula, functions that build one, and what a formula holds: symbols, constants, kinks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from grpo_rewards.answers.latex.commands import TRIGONOMETRIC

# The tree of a formula, and functions that build one: numbers, constants, symbols, sums, products, powers, calls.


class Formula(NamedTuple):
    """A node of the tree. Which fields it uses depends on its ``kind``.

    ``number``: ``value`` · ``constant`` (``pi``, ``e``, ``i``) and ``symbol``: ``name`` · ``sum`` and ``product``:
    ``args`` · ``power``: ``args``, which are base and exponent · ``call``: ``name`` and ``args``. The name of an
    unknown function, such as f, starts with ``?``; if it ends in ``_``, its argument is the index of a symbol, as in
    ``x_{k}`` · ``repeated``: ``name`` is ``sum`` or ``product``, ``args`` are its index, its bounds and its term ·
    ``unread``: an operator of which only the spelling is known, with its parts; ``name`` says which and over what.

    The index of a sum is a symbol whose name starts with ``#``, whatever letter was written.
    """

    kind: str
    name: str = ""
    args: tuple[Formula, ...] = ()
    value: Fraction = Fraction(0)


NUMBER_BITS = 8_000  # of a quotient that becomes one number; a larger one stays a product
HALF = Formula("number", value=Fraction(1, 2))
TO_INFINITY = " to infinity"  # ends the name of an unread sum that has a first index and no last one


def number(value: int | Fraction) -> Formula:
    return Formula("number", value=value if type(value) is Fraction else Fraction(value))


def total(terms: Sequence[Formula]) -> Formula:
    return terms[0] if len(terms) == 1 else Formula("sum", args=tuple(terms))


def product(factors: Sequence[Formula]) -> Formula:
    return factors[0] if len(factors) == 1 else Formula("product", args=tuple(factors))


def power(base: Formula, exponent: Formula) -> Formula:
    """A power; of a power of a positive number, its power: ``(\\sqrt{2})^{4000}`` is ``2^{2000}``."""
    if base.kind == "power" and exponent.kind == "number":
        inner, outer = base.args
        if inner.kind == outer.kind == "number" and inner.value > 0:
            return Formula("power", args=(inner, number(outer.value * exponent.value)))
    return Formula("power", args=(base, exponent))


def call(name: str, *args: Formula) -> Formula:
    return Formula("call", name, args)


def repeated(name: str, index: str, low: Formula, high: Formula, term: Formula) -> Formula:
    """The ``sum`` or ``product`` of a term over the whole numbers from ``low`` to ``high``."""
    return Formula("repeated", name, (Formula("symbol", index), low, high, term))


def unread(name: str, *parts: Formula) -> Formula:
    """An operator that cannot be computed: two are the same if they have the same name and the same parts."""
    return Formula("unread", name, parts)


def negative(formula: Formula) -> Formula:
    """The formula times -1. The negative of a number is a number, not a product."""
    return number(-formula.value) if formula.kind == "number" else product((number(-1), formula))


def quotient(above: Formula, below: Formula) -> Formula:
    """The quotient of two formulas. The quotient of two numbers is a number, unless it is too large."""
    if above.kind == below.kind == "number" and below.value:
        folded = above.value / below.value
        if max(folded.numerator.bit_length(), folded.denominator.bit_length()) <= NUMBER_BITS:
            return number(folded)
    return product((above, power(below, number(-1))))


def difference(one: Formula, other: Formula) -> Formula:
    return total((one, negative(other)))


def has_symbols(formula: Formula) -> bool:
    """Whether a formula's value depends on symbols (x) or unknown functions (f), not only on the index of a sum."""
    if formula.kind == "symbol":
        return not formula.name.startswith("#")
    return formula.name.startswith("?") or any(map(has_symbols, formula.args))


def in_radians(formula: Formula) -> Formula:
    """The formula with every angle in degrees turned into radians, which the trigonometric functions take."""
    args = tuple(map(in_radians, formula.args))
    if formula.kind == "call" and formula.name == "degree":
        return product((*args, number(Fraction(1, 180)), Formula("constant", "pi")))
    return formula._replace(args=args) if args else formula


# What a formula holds: its symbols, the constants in it, kinks, places for whole numbers; and formulas rewritten.
#
# Look here if a formula is compared at numbers that it makes no sense for.

# Functions of whole numbers, functions that round, and all that may equal one formula here and another one there.
WHOLE_NUMBER_FUNCTIONS = frozenset(["factorial", "binom", "mod", "gcd", "lcm"])
ROUNDING_FUNCTIONS = frozenset(["floor", "ceil"])
PIECEWISE_FUNCTIONS = ROUNDING_FUNCTIONS | {"abs", "max", "min", "sgn", "mod", "gcd", "lcm"}
KINKED_FUNCTIONS = WHOLE_NUMBER_FUNCTIONS | PIECEWISE_FUNCTIONS
INVERSE_FUNCTIONS = frozenset(f"arc{name}" for name in TRIGONOMETRIC)
ARBITRARY = re.compile(r"[CcK](?:_\{[0-9]\})?")  # the names of constants of integration


def symbols(formula: Formula) -> set[str]:
    """The names of the symbols that a formula depends on, and the indices of operators that are not read."""
    if formula.kind == "symbol":
        return {formula.name}
    found: set[str] = set()
    for arg in formula.args:
        if arg.args or arg.kind == "symbol":
            found |= symbols(arg)
    return found - {formula.args[0].name} if formula.kind == "repeated" else found


def is_algebraic(formula: Formula) -> bool:
    """Whether a formula has only numbers, symbols, sums, products and powers without kinks.

    A quick look, for most formulas are: nothing else of what this module looks for is in them.
    """
    kind = formula.kind
    if kind in ("number", "symbol", "constant"):
        return not formula.name.endswith("_")
    if kind == "power":
        base, exponent = formula.args
        is_smooth = exponent.kind == "number" and (exponent.value.denominator % 2 == 1 or base.kind == "number")
        return is_smooth and is_algebraic(base)
    return kind in ("sum", "product") and all(map(is_algebraic, formula.args))


def subformulas(formula: Formula) -> Iterator[Formula]:
    """A formula and all formulas in it."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(part.args)


def has_sum(formula: Formula) -> bool:
    """Whether a formula holds a sum or product over an index."""
    return any(part.kind == "repeated" for part in subformulas(formula))


def has_unread(formula: Formula) -> bool:
    """Whether a formula holds an operator that is not read, and so may be equal without being found so."""
    return any(part.kind == "unread" or part.name.endswith("_") for part in subformulas(formula))


def needs_algebra(formula: Formula) -> bool:
    """Whether a formula holds a sum to infinity, which computer algebra may have a value for."""
    return any(part.kind == "unread" and part.name.endswith(TO_INFINITY) for part in subformulas(formula))


def has_power_of_i(formula: Formula) -> bool:
    """Whether a formula has a power of the imaginary unit that could be carried out: ``i^3`` is -i."""
    return any(
        one.kind == "power" and one.args[0] == Formula("constant", "i") and one.args[1].kind == "number"
        for one in subformulas(formula)
    )


def looks_arbitrary(name: str) -> bool:
    """Whether a symbol has the name of a constant of integration: ``C``, ``c_{1}``, ``K``."""
    return ARBITRARY.fullmatch(name) is not None


def is_kinked(formula: Formula) -> bool:
    """Whether a formula may equal one formula in one region and another one in the next.

    Absolute values, even roots and maxima do (``|x|`` is x or -x), and so do what is for whole numbers only, and
    inverse trigonometric functions of trigonometric ones.
    """
    for part in subformulas(formula):
        if part.kind == "repeated" or (part.kind == "call" and part.name in KINKED_FUNCTIONS) or _alternates(part):
            return True
        if part.kind == "power" and part.args[1].kind == "number":
            if part.args[1].value.denominator % 2 == 0 and has_symbols(part.args[0]):
                return True
        elif part.kind == "call" and part.name in INVERSE_FUNCTIONS and _is_periodic(part):
            return True
    return False


def is_piecewise(formula: Formula) -> bool:
    """Whether a formula holds a function that is put together of pieces: one that rounds, ``|x|``, a maximum."""
    return any(part.kind == "call" and part.name in PIECEWISE_FUNCTIONS for part in subformulas(formula))


def _alternates(formula: Formula) -> bool:
    """Whether a formula is a power such as ``(-1)^n``, whose sign changes from one whole number to the next."""
    if formula.kind != "power":
        return False
    base, exponent = formula.args
    return base.kind == "number" and base.value < 0 and has_symbols(exponent)


def _is_periodic(formula: Formula) -> bool:
    """Whether a formula holds a trigonometric function of symbols."""
    return any(part.name in TRIGONOMETRIC and has_symbols(part) for part in subformulas(formula))


def whole_symbols(formula: Formula) -> set[str]:
    """The symbols that must be whole for a formula to make sense: the n of ``n!``, of ``(-1)^n``, of a bound."""
    if formula.kind == "call" and formula.name in WHOLE_NUMBER_FUNCTIONS:
        return symbols(formula)
    found: set[str] = set().union(*map(whole_symbols, formula.args)) if formula.args else set()
    if _alternates(formula):
        found |= symbols(formula)
    elif formula.kind == "repeated":
        index, low, high, _ = formula.args
        found = (found - {index.name}) | symbols(low) | symbols(high)
    elif formula.kind == "unread":
        found |= {name for name in symbols(formula) if name.startswith("#")}
    return found


def rounded_symbols(formula: Formula) -> set[str]:
    """The symbols that a formula rounds: the y of ``\\lfloor y/4\\rfloor``."""
    if formula.kind == "call" and formula.name in ROUNDING_FUNCTIONS:
        return symbols(formula)
    return set().union(*map(rounded_symbols, formula.args)) if formula.args else set()


def _rewritten(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with ``change`` applied to every formula in it, from the inside out."""
    args = tuple([_rewritten(arg, change) for arg in formula.args])
    return change(formula if args == formula.args else formula._replace(args=args))


def renamed(formula: Formula) -> Formula:
    """The formula with other symbols and other unknown functions: f(x) becomes g(y)."""

    def change(part: Formula) -> Formula:
        is_free = part.kind == "symbol" or part.name.startswith("?")
        return part._replace(name=part.name[:1] + "\0" + part.name[1:]) if is_free else part

    return _rewritten(formula, change)


def substituted(formula: Formula, values: Mapping[str, Formula]) -> Formula:
    """The formula with some of its symbols replaced."""
    return _rewritten(formula, lambda part: values.get(part.name, part) if part.kind == "symbol" else part)


def replaced(formula: Formula, part: Formula, by: Formula) -> Formula:
    """The formula with ``by`` in the place of every ``part``."""
    if formula == part:
        return by
    return formula._replace(args=tuple(replaced(arg, part, by) for arg in formula.args)) if formula.args else formula


def has_bare_log(formula: Formula) -> bool:
    """Whether a formula has a logarithm without a base."""
    return any(part.kind == "call" and part.name == "log" and len(part.args) == 1 for part in subformulas(formula))


def with_log(formula: Formula, name: str) -> Formula:
    """The formula with every logarithm without a base turned into ``name``: ``ln`` (natural) or ``lg`` (decimal)."""

    def change(part: Formula) -> Formula:
        bare = part.kind == "call" and part.name == "log" and len(part.args) == 1
        return part._replace(name=name) if bare else part

    return _rewritten(formula, change)
