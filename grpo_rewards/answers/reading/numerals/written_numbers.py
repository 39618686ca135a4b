"""Reads numbers from a tree: integers, decimals, fractions, mixed numbers, powers of ten, money, numbers with units.

A number that can be read without a tree is read in ``plain_numbers``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from grpo_rewards.answers.latex.limits import EXPONENT, NUMBER_DIGITS
from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes, render
from grpo_rewards.answers.reading.quantities.after_number import currency, money_with, read_unit
from grpo_rewards.answers.reading.wording.words import multiplier
from grpo_rewards.answers.values.kinds import Number

__all__ = ["read_literal", "read_number"]

GOES_ON = ("\\overline", "\\bar", "\\dot", "\\ldots")
REPEATS_BEFORE_DOTS = 3  # times that a digit must be written before dots: 0.333...
THOUSANDS_DIGITS = 3  # digits in a group of thousands: 1,000
ORDINALS = {1: "st", 2: "nd", 3: "rd"}  # the rest, and those from 11 to 13, end in th


def read_number(nodes: Nodes) -> Number | None:
    """The number that ``nodes`` as a whole spell, else ``None``: ``-\\frac{3}{4}``, ``1,000.5 \\text{ cm}``."""
    sign, rest = _sign(nodes)
    unit: str | None = None
    if money := currency(rest):
        unit, rest = money
        if sign == 1:
            sign, rest = _sign(rest)
    found = leading_number(rest)
    if found is None:
        return None
    value, places, rest = found
    if rest and unit is None and value.denominator == 1 and _is_ordinal_ending(rest, int(value)):
        return Number(sign * value)
    if rest:
        unit = read_unit(rest) if unit is None else money_with(unit, rest)
        if unit is None:
            return None
    return Number(sign * value, unit, places)


def leading_number(nodes: Nodes) -> LeadingNumber | None:
    """The number without a sign that ``nodes`` begin with, with the name of a magnitude after it; else ``None``."""
    found = _mixed(nodes) or _fraction(nodes) or _decimal(nodes)
    if found is None or not found[2] or found[2][0].kind not in WORD_KINDS:
        return found
    value, _, rest = found
    words = rest[0].text
    # Chinese writes what it counts without a space: 5万元
    first, others = words.partition(" ")[::2] if words.isascii() else (words[0], words[1:])
    times = multiplier(first)
    if times is None:
        return found
    return value * times, None, [rest[0]._replace(text=others), *rest[1:]] if others else rest[1:]


def _is_ordinal_ending(rest: Nodes, number: int) -> bool:
    """Whether what follows a whole number makes it an ordinal: the ``th`` of ``12\\text{th}`` or ``12^{th}``."""
    ending = "th" if 10 < number % 100 < 14 else ORDINALS.get(number % 10, "th")
    inner = rest[0].args[0] if len(rest) == 1 and rest[0].text == "^" else rest
    return render(inner).strip() == ending


# A number at the start of some nodes: its value, its digits after the decimal point (-1 if its last digit stands for
# tens, as in 1.2 \times 10^{2}), and the nodes that follow it.
LeadingNumber: TypeAlias = tuple[Fraction, int | None, Nodes]


def _sign(nodes: Nodes) -> tuple[int, Nodes]:
    """(1 or -1, what follows the sign); without a sign, (1, ``nodes``)."""
    if nodes and nodes[0].text in ("-", "+"):
        return (-1 if nodes[0].text == "-" else 1), nodes[1:]
    return 1, nodes


def _decimal(nodes: Nodes) -> LeadingNumber | None:
    """A number in digits, with what may belong to it: ``1,234.50``, ``9.35e5``, ``9.35 \\cdot 10^{5}``, ``10^{-7}``,
    ``0.\\overline{3}``, ``3/4``.
    """
    power = _power_of_ten(nodes)
    if power is not None:
        return Fraction(10) ** power, None, nodes[2:]
    plain = _plain(nodes)
    if plain is None:
        return None
    value, places, rest = plain
    if rest and rest[0].text in GOES_ON and places is not None:
        return _repeating(value, places, rest)
    if rest and rest[0].text == "\\cdot" and (power := _power_of_ten(rest[1:])) is not None:
        return value * Fraction(10) ** power, (places or 0) - power, rest[3:]
    if rest and rest[0].text in ("e", "E") and rest[0].kind == "letter":
        sign, exponent = _sign(rest[1:])
        if (
            exponent
            and exponent[0].kind == "digits"
            and len(exponent[0].text) <= 4
            and int(exponent[0].text) <= EXPONENT
        ):
            power = sign * int(exponent[0].text)
            return value * Fraction(10) ** power, (places or 0) - power, exponent[1:]
    if rest and rest[0].text == "/":
        sign, divisor = _sign(rest[1:])
        below = _plain(divisor)
        if below is not None and below[0]:
            return sign * value / below[0], None, below[2]
        return None
    return value, places, rest


def read_literal(nodes: Nodes) -> tuple[Fraction, Nodes] | None:
    """(value, what follows) if ``nodes`` begin with a number in digits, ``.5`` or ``1\\frac{1}{2}``; else ``None``."""
    found = _mixed(nodes) or _plain(nodes)
    if found is not None and found[1] is not None and found[2] and found[2][0].text in GOES_ON:
        found = _repeating(found[0], found[1], found[2])
    return None if found is None else (found[0], found[2])


def _repeating(value: Fraction, places: int, rest: Nodes) -> LeadingNumber | None:
    """A repeating decimal, ``0.1\\overline{6}`` or ``0.333\\ldots``.

    ``value`` and ``places`` are those of the digits before the bar or the dots, with which ``rest`` begins.
    """
    if rest[0].text == "\\ldots":
        decimals = str(int(abs(value) * 10**places) % 10**places).zfill(places)
        if len(decimals) < REPEATS_BEFORE_DOTS or len(set(decimals[-REPEATS_BEFORE_DOTS:])) > 1:
            return None
        return value + Fraction(int(decimals[-1]), 9 * 10**places), None, rest[1:]
    period, after = _period(rest)
    if not period or len(period) > NUMBER_DIGITS:
        return None
    return value + Fraction(int(period), (10 ** len(period) - 1) * 10**places), None, after


def _period(nodes: Nodes) -> tuple[str, Nodes]:
    """(digits that repeat, what follows): ``\\overline{142857}``, ``\\dot{1}4285\\dot{7}``; no digits for others."""
    end = 1
    if nodes[0].text == "\\dot":  # the dots may stand over the first and the last digit only
        last = next((at for at in (1, 2) if at < len(nodes) and nodes[at].text == "\\dot"), 0)
        end = last + 1 if last == 1 or (last and nodes[1].kind == "digits") else 1
    digits = [node for node in nodes[:end] for node in (node.args[0] if node.args else (node,))]
    period = "".join(node.text for node in digits) if all(node.kind == "digits" for node in digits) else ""
    return period, nodes[end:]


def _plain(nodes: Nodes) -> LeadingNumber | None:
    """Digits, perhaps with groups of thousands and a decimal point: ``1,234.50``."""
    whole, rest = _whole(nodes)
    places: int | None = None
    if rest and rest[0].text == ".":
        after = rest[1:]
        digits, after = (after[0].text, after[1:]) if after and after[0].kind == "digits" else ("", after)
        if not whole and not digits and not (after and after[0].text == "\\overline"):
            return None
        places, whole, rest = len(digits), whole + digits, after
    if (not whole and places is None) or len(whole) > NUMBER_DIGITS:
        return None
    return Fraction(int(whole or "0"), 10 ** (places or 0)), places, rest


def _whole(nodes: Nodes) -> tuple[str, Nodes]:
    """(digits, what follows them), with groups of thousands joined: ``1,234,567`` or ``1 234 567`` is ``1234567``.

    Each group after the first must have three digits, and all separators must be the same.
    """
    if not nodes or nodes[0].kind != "digits":
        return "", nodes
    groups, at = [nodes[0].text], 1
    separator = nodes[1].text if len(nodes) > 1 else ""
    if separator in (",", " ") and len(groups[0]) <= THOUSANDS_DIGITS and groups[0] != "0":
        while (
            at + 1 < len(nodes)
            and nodes[at].text == separator
            and nodes[at + 1].kind == "digits"
            and len(nodes[at + 1].text) == THOUSANDS_DIGITS
        ):
            groups.append(nodes[at + 1].text)
            at += 2
    return "".join(groups), nodes[at:]


def _fraction(nodes: Nodes) -> LeadingNumber | None:
    """A ``\\frac`` of two numbers in digits."""
    if not nodes or nodes[0].text != "\\frac":
        return None
    above, below = (_signed(arg) for arg in nodes[0].args)
    return None if above is None or not below else (above / below, None, nodes[1:])


def _signed(nodes: Nodes) -> Fraction | None:
    """The number that ``nodes`` as a whole spell in digits, perhaps with a sign; else ``None``."""
    sign, rest = _sign(nodes)
    plain = _plain(rest)
    return sign * plain[0] if plain is not None and not plain[2] else None


def _mixed(nodes: Nodes) -> LeadingNumber | None:
    """A whole number with a fraction below 1 after it: ``1\\frac{1}{2}``, ``1 1/2``."""
    if len(nodes) < 2 or nodes[0].kind != "digits" or len(nodes[0].text) > NUMBER_DIGITS:
        return None
    whole = Fraction(int(nodes[0].text))
    part: LeadingNumber | None = None
    if nodes[1].text == "\\frac" and all(len(arg) == 1 and arg[0].kind == "digits" for arg in nodes[1].args):
        part = _fraction(nodes[1:])
    elif len(nodes) >= 5 and nodes[1].kind == "space" and nodes[3].text == "/":
        part = _decimal(nodes[2:])
    if part is None or not 0 < part[0] < 1:
        return None
    return whole + part[0], None, part[2]


def _power_of_ten(nodes: Nodes) -> int | None:
    """The exponent n if ``nodes`` begin with ``10^{n}``, else ``None``."""
    if len(nodes) < 2 or nodes[0].text != "10" or nodes[0].kind != "digits" or nodes[1].text != "^":
        return None
    sign, exponent = _sign(nodes[1].args[0])
    if (
        len(exponent) != 1
        or exponent[0].kind != "digits"
        or len(exponent[0].text) > 4
        or int(exponent[0].text) > EXPONENT
    ):
        return None
    return sign * int(exponent[0].text)
