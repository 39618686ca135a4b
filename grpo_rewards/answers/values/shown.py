"""Writes a value as a reader would say it, so that it shows how an answer was read: ``p·c·t`` is not ``percent``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.values.kinds import (
    Approximated,
    Based,
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
)

__all__ = ["shown"]

SHOWN_CHARACTERS = 500  # of a value; the rest is cut off
SHOWN_DIGITS = 60  # of a number; a longer one is shortened in the middle


def shown(value: Value) -> str:
    """A value in plain characters, at most 500: ``5 percent``, ``x = 2·y``, ``{1, 2}``, ``(0, 1]``, ``'yes'``."""
    text = _shown(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _shown(value: Value) -> str:
    if isinstance(value, Number):
        return _with_unit(_number(value.value, value.places), value.unit)
    if isinstance(value, Expression):
        if value.formula is None:
            return value.spelled if value.symbolic else f"not understood: {value.spelled}"
        return _with_unit(_formula(value.formula), value.unit)
    if isinstance(value, Named):
        sign = "in" if isinstance(value.of, Bracketed | Union) else "="
        return f"{' = '.join((value.name.strip(), *value.others))} {sign} {_shown(value.of)}"
    if isinstance(value, Relation):
        return f"{_formula(value.difference)} {value.sign} 0"
    if isinstance(value, Unordered):
        return f"{{{_listed(value.items)}}}" if value.braced or not value.items else _listed(value.items)
    if isinstance(value, Bracketed):
        return f"{value.opening}{_listed(value.items)}{value.closing}"
    if isinstance(value, Matrix):
        return "; ".join(_listed(row) for row in value.rows)
    return _shown_otherwise(value)


def _shown_otherwise(value: Value) -> str:
    """The kinds of values that are rare."""
    if isinstance(value, Union):
        return " or ".join(map(_shown, value.items))
    if isinstance(value, Family):
        return f"{_shown(value.of)} for k in {value.domain}"
    if isinstance(value, Approximated):
        return f"{_shown(value.exact)} or about {_shown(value.decimal)}"
    if isinstance(value, Based):
        return f"{value.digits} in base {value.base}"
    if isinstance(value, Infinity):
        return "∞" if value.sign > 0 else "-∞"
    return f"'{value.spelled}'" if isinstance(value, Text) else str(value)


def _listed(items: Iterable[Value]) -> str:
    return ", ".join(map(_shown, items))


def _with_unit(amount: str, unit: str | None) -> str:
    return amount if unit is None else f"{amount} {unit}"


def _number(value: Fraction, places: int | None = None) -> str:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * SHOWN_DIGITS:
        return "a number of many digits"
    if places and places > 0 and value * 10**places == int(value * 10**places):
        whole = f"{abs(int(value * 10**places)):0{places + 1}d}"
        return f"{'-' if value < 0 else ''}{whole[:-places]}.{whole[-places:]}"
    return str(value)


def _formula(formula: Formula, inside: bool = False) -> str:
    """A formula in plain characters; in parentheses if it is ``inside`` another one and needs them."""
    if formula.kind == "number":
        text = _number(formula.value)
        return f"({text})" if inside and not text.isalnum() else text
    if formula.kind in ("symbol", "constant"):
        return formula.name.strip()
    if formula.kind == "sum":
        text = " + ".join(_formula(arg) for arg in formula.args).replace("+ -", "- ")
        return f"({text})" if inside else text
    if formula.kind == "product":
        first, *others = formula.args
        if first.kind == "number" and first.value == -1:
            return f"-{_formula(Formula('product', args=tuple(others)) if len(others) > 1 else others[0], True)}"
        return "·".join(_formula(arg, True) for arg in formula.args)
    if formula.kind == "power":
        base, exponent = formula.args
        return f"{_formula(base, True)}^{_formula(exponent, True)}"
    return f"{formula.name.removeprefix('?') or formula.kind}({', '.join(map(_formula, formula.args))})"
