"""What the names of values say: which values are a point, which names mean the same, ``x_1 = 2`` and ``x = 2``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeGuard

from grpo_rewards.answers.formulas.formula import has_symbols
from grpo_rewards.answers.formulas.structure import replaced, symbols
from grpo_rewards.answers.values.kinds import Bracketed, Expression, Infinity, Named, Number, Unordered, Value

__all__ = [
    "are_named",
    "are_one_angle",
    "are_one_length",
    "are_points",
    "by_name",
    "each_by_name",
    "has_order",
    "interval_and_point",
    "is_named",
    "is_point",
    "with_argument_of",
    "without_indices",
]


NUMBER_IN_NAME = re.compile(r"[0-9]{1,9}")
SEGMENT_ENDS = re.compile(r"(?<![A-Za-z])[A-Z]{2}")  # of a segment
ANGLE_NAME = re.compile(r"(?<!tri)angle([A-Z])([A-Z])([A-Z])(?![A-Z])")
OF_A_LETTER = re.compile(r"(?<=^[yuvsrxz])\([xtns]\)$")  # y(x), of which y = ... says the same


def are_named(value: Value) -> bool:
    """Whether a value lists values of different unknowns, ``x = 1, y = 2``.

    ``x_{1} = 1, x_{2} = 2`` does not: it lists two values of the same unknown.
    """
    if not isinstance(value, Unordered):
        return False
    names = {item.name.partition("_")[0] for item in value.items if isinstance(item, Named)}
    return len(names) == len(value.items) > 1


def by_name(items: Sequence[Value]) -> Sequence[Value]:
    """The items in the order of their names, if all have a name of one letter or differ in a number; else unchanged."""
    names = [item.name for item in items if isinstance(item, Named)]
    if len(names) < len(items):
        return items
    numbers = _numbered(names)
    if not numbers and any(len(name) > 1 for name in names):
        return items
    keys = numbers or names
    return [items[index] for index in sorted(range(len(items)), key=lambda index: keys[index])]


def _numbered(names: Sequence[str]) -> list[int]:
    """The numbers in names that differ in nothing else, ``a_{2}, a_{1}`` and ``f(3), f(2)``; ``[]`` for others."""
    found = [NUMBER_IN_NAME.findall(name) for name in names]
    are_alike = len({NUMBER_IN_NAME.sub("", name) for name in names}) == 1 and all(len(one) == 1 for one in found)
    return [int(one[0]) for one in found] if are_alike else []


def has_order(value: Value) -> bool:
    """Whether a list has names whose numbers are not in order, so that they must matter: ``a_2 = 2, a_1 = 3``.

    Two solutions are usually counted in the order in which they are written.
    """
    names = [item.name for item in value.items if isinstance(item, Named)] if isinstance(value, Unordered) else []
    numbers = _numbered(names)
    return isinstance(value, Unordered) and len(names) == len(value.items) and numbers != sorted(numbers)


def is_named(value: Named, name: str) -> bool:
    """Whether a name is among those of a value: y of ``y = k = 5``."""
    spelled = _plain(name)
    return any(_plain(one) == spelled for one in (value.name, *value.others))


def _plain(name: str) -> str:
    """A name without what only sets it: ``\\cos \\angle APB`` and ``cos∠APB`` are one, and so are ``y(x)`` and y."""
    bare = ANGLE_NAME.sub(_from_first_end, name.replace("\\", "").replace(" ", ""), count=1)
    return OF_A_LETTER.sub("", bare, count=1)


def _from_first_end(angle: re.Match[str]) -> str:
    """An angle, spelled from its first end in the alphabet: CBA is ABC."""
    first, last = sorted((angle.group(1), angle.group(3)))
    return f"angle{first}{angle.group(2)}{last}"


def are_one_angle(one: Value, other: Value) -> bool:
    """Whether two values are the name of an angle, from either of its sides, and nothing else."""
    if not isinstance(one, Expression) or not isinstance(other, Expression) or one.unit or other.unit:
        return False
    names = [_plain(each.spelled) for each in (one, other)]
    return names[0] == names[1] and ANGLE_NAME.fullmatch(names[0]) is not None


def are_one_length(one: Named, other: Named) -> bool:
    """Whether two names are of the same segment, AB and BA, and both have a number as their value."""
    return one.name == other.name[::-1] and all(
        SEGMENT_ENDS.fullmatch(each.name)
        and (isinstance(each.of, Number) or (isinstance(each.of, Expression) and _is_number(each.of)))
        for each in (one, other)
    )


def _is_number(value: Expression) -> bool:
    """Whether a formula has no unknowns."""
    return value.formula is not None and not has_symbols(value.formula)


def each_by_name(value: Value) -> Value:
    """``x = y = z = 1`` as ``x = 1, y = 1, z = 1``; any other value as it is."""
    if not isinstance(value, Named) or not value.others:
        return value
    return Unordered(tuple(Named(name, value.of) for name in (value.name, *value.others)))


def with_argument_of(one: Named, other: Named) -> Value | None:
    """What a function ``other`` is, with the argument of ``one``: 2x for ``f(x)`` and ``f(y) = 2y``; ``None`` if they
    are no functions of one argument with the same name.
    """
    ours, theirs = one.symbol, other.symbol
    if ours is None or theirs is None or not isinstance(other.of, Expression) or other.of.formula is None:
        return None
    if ours.kind != "call" or not ours.name.startswith("?") or (ours.name, theirs.kind) != (theirs.name, "call"):
        return None
    if [arg.kind for arg in (*ours.args, *theirs.args)] != ["symbol", "symbol"] or ours.args[0].name in symbols(
        other.of.formula
    ):
        return None
    return Expression(other.of.spelled + " ", replaced(other.of.formula, theirs.args[0], ours.args[0]), other.of.unit)


def without_indices(one: Sequence[Value], other: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
    """Two lists of named values, without the indices of the names if one of them has none: ``x_1 = 2`` is ``x = 2``."""
    names = [[item.name for item in side if isinstance(item, Named)] for side in (one, other)]
    stems = {name.partition("_")[0] for side in names for name in side}
    are_all_named = [len(side) for side in names] == [len(one), len(other)]
    if not are_all_named or len(stems) != 1 or not any(stems.issuperset(side) for side in names):
        return one, other
    (stem,) = stems
    return tuple([Named(stem, item.of) for item in side if isinstance(item, Named)] for side in (one, other))  # type: ignore[return-value]


def are_points(items: Sequence[Value]) -> bool:
    """Whether every item is in parentheses and without infinity, so that nothing shows it to be an interval."""
    return all(
        isinstance(item, Bracketed)
        and (item.opening, item.closing) == ("(", ")")
        and not any(isinstance(one, Infinity) for one in item.items)
        for item in items
    )


def interval_and_point(one: Value, other: Value) -> bool:
    """Whether one value lists the coordinates of a point, ``x = 1, y = 2``, and the other bounds one of them."""
    return any(
        isinstance(bounded, Named)
        and isinstance(bounded.of, Bracketed)
        and isinstance(point, Unordered)
        and are_named(point)
        and bounded.name in [item.name for item in point.items if isinstance(item, Named)]
        for bounded, point in ((one, other), (other, one))
    )


def is_point(value: Value) -> TypeGuard[Bracketed | Unordered]:
    """Whether a value can be a point: ``(1, 2)``, or ``x = 1, y = 2``."""
    if isinstance(value, Unordered):
        return are_named(value)
    return isinstance(value, Bracketed) and (value.opening, value.closing) == ("(", ")")
