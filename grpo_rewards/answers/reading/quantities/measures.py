"""Reads units of measure with prefixes and powers: ``\\text{ kg m}^{-3}``, ``km/h``, ``miles per hour``, ``sq. ft``.

A unit is returned as a product of full names in alphabetical order: ``kilogram*meter^{-3}``.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS, WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.quantities.unit_table import SYMBOLS, known_unit

__all__ = ["read_apart", "read_measure", "words_as_measure"]

# Units that are products of others under one symbol.
COMPOUND = {
    "mph": Counter({"mile": 1, "hour": -1}),
    "kph": Counter({"kilometer": 1, "hour": -1}),
    "kmph": Counter({"kilometer": 1, "hour": -1}),
    "kmh": Counter({"kilometer": 1, "hour": -1}),
    "mps": Counter({"meter": 1, "second": -1}),
    "fps": Counter({"foot": 1, "second": -1}),
    "rpm": Counter({"revolution": 1, "minute": -1}),
    "mpg": Counter({"mile": 1, "gallon": -1}),
    "knot": Counter({"nauticalmile": 1, "hour": -1}),
    "knots": Counter({"nauticalmile": 1, "hour": -1}),
    "cc": Counter({"centimeter": 3}),
    "Nm": Counter({"newton": 1, "meter": 1}),
}
POWERS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cu": 3, "cubed": 3}
MEASURE_NODES = 24  # in the longest unit that is read
# Chinese writes them without spaces: 平方米 is a square metre, 千米每小时 kilometres per hour.
_CHINESE_PARTS = (("平方", " square "), ("立方", " cubic "), ("每", " per "))
# Short units in which capitals make no difference.
CAPITALS = frozenset("KM CM KG FT LB LBS OZ HR HRS MIN SEC ML MPH Km Kg Cm Ft Lbs Hrs Min Sec Day USD EUR GBP".split())
CAPITALS |= frozenset("Rs RMB CNY INR JPY RUB CHF Mph Kph KPH RPM KW KWH MI YD IN YR YRS Yrs Yr Mi In Gal GAL".split())
# Units that are also known without \text, even where no space parts them from the number. The lengths and times below
# are, only as a fraction: m/s.
ITALIC = frozenset(
    "cm mm km kg ft mL Hz kHz MHz mph kph kmph lb lbs oz min hr hrs sec yd yr yrs kW kWh kPa usd gbp pct".split()
)
ITALIC_LENGTHS, ITALIC_TIMES = frozenset(["m", "km", "cm", "ft", "mi"]), frozenset(["s", "h", "hr", "min", "sec"])
# Single letters that are a unit where they stand apart from a number; others are nearly always a variable.
_LONE = frozenset("m g s h L N J W".split())


@lru_cache(maxsize=1_024)
def words_as_measure(words: str) -> str | None:
    """The unit of measure that words name, in canonical form, else ``None``: ``miles per hour``, ``sq. ft``."""
    return _written(_of_words(words))


def read_measure(nodes: Nodes) -> str | None:
    """The unit of measure that ``nodes`` as a whole spell, in canonical form; ``None`` for anything else."""
    if not nodes or len(nodes) > MEASURE_NODES:
        return None
    return _written(_of_nodes(nodes, apart=False))


def read_apart(nodes: Nodes) -> str | None:
    """As ``read_measure``, for letters that a space or upright type parts from a number: the m of ``10 m``.

    They may just as well be variables; ``10m`` is only read as a product.
    """
    if not nodes or len(nodes) > MEASURE_NODES or not nodes[0].apart or not _may_be_unit(nodes):
        return None
    return _written(_of_nodes(nodes, apart=True))


def _may_be_unit(nodes: Nodes) -> bool:
    """Whether letters that stand apart may be a unit, if they are symbols of one: ``m``, ``yr``, ``m s^{-2}``, ``J/K``.

    Single letters are mostly variables, and so is the s of ``2 s^2``.
    """
    is_lone = len(nodes) == 1 or nodes[1].kind != "letter" or nodes[1].apart
    if is_lone and nodes[0].text not in _LONE:
        return False
    if not is_lone or any(node.text == "/" or _is_inverse(node) for node in nodes):
        return True
    if len(nodes) == 2 and nodes[1].text == "^":
        return nodes[0].text == "m"
    return all(node.text in _LONE or node.text in ("\\cdot", "^") for node in nodes)


def _is_inverse(node: Node) -> bool:
    return node.text == "^" and render(node.args[0]).startswith("-")


def _of_nodes(nodes: Nodes, apart: bool) -> Counter[str] | None:
    """The power of each unit in a product, ``{"meter": 1, "second": -2}``; ``None`` if any part is not a unit."""
    total: Counter[str] = Counter()
    sign, at = 1, 0
    while at < len(nodes):
        if nodes[at].text in ("\\cdot", "/", "per"):
            sign, at = (sign if nodes[at].text == "\\cdot" else -1), at + 1
            continue
        words = nodes[at].text.split() if nodes[at].kind in WORD_KINDS else []
        if len(words) > 1 and at + 1 < len(nodes) and nodes[at + 1].text == "^":
            before = _of_words(" ".join(words[:-1]))  # in \text{kg m}^{-3} the power belongs to m alone
            if before is None:
                return None
            _multiply(total, before, sign)
            nodes = [*nodes[:at], nodes[at]._replace(text=words[-1]), *nodes[at + 1 :]]
        found, at = _factor(nodes, at, apart)
        if found is None:
            return None
        raised = at < len(nodes) and nodes[at].text == "^"
        power = _power(nodes[at]) if raised else 1
        if power is None:
            return None
        at += raised
        _multiply(total, found, sign * power)
    return total


def _multiply(total: Counter[str], factor: Counter[str], power: int) -> None:
    """Multiplies ``total``, in place, by the ``power`` of another product of units."""
    for name, times in factor.items():
        total[name] += power * times


def _factor(nodes: Nodes, at: int, apart: bool) -> tuple[Counter[str] | None, int]:
    """(powers, end) of the factor that starts at index ``at``: words, letters, a fraction, a group in parentheses.

    The powers are ``None`` if it is not a unit; ``end`` is the index after it.
    """
    node = nodes[at]
    if node.kind in WORD_KINDS:
        return _of_words(node.text), at + 1
    if node.text == "\\frac":
        above, below = (_of_nodes(arg, apart) for arg in node.args)
        return (None if above is None or below is None else _quotient(above, below)), at + 1
    if node.text == "(":
        end = next((index for index in range(at, len(nodes)) if nodes[index].text == ")"), None)
        return (None, at) if end is None else (_of_nodes(nodes[at + 1 : end], apart), end + 1)
    if node.text == "\\Omega":
        return _of_word(node.text), at + 1
    if node.text == "\\mu" and at + 1 < len(nodes) and nodes[at + 1].kind in WORD_KINDS:
        return _of_word(node.text + nodes[at + 1].text), at + 2
    return _apart(nodes, at) if apart else _italic(nodes, at)


def _italic(nodes: Nodes, at: int) -> tuple[Counter[str] | None, int]:
    """(powers, end) of letters without ``\\text``: mg may be a weight, but m/s and cm can only be units."""
    end = at
    while end < len(nodes) and nodes[end].kind == "letter":
        end += 1
    symbol = "".join(node.text for node in nodes[at:end])
    above = end + 1 < len(nodes) and nodes[end].text == "/" and symbol in ITALIC_LENGTHS
    below = at > 0 and nodes[at - 1].text == "/" and symbol in ITALIC_TIMES
    if above:
        after = "".join(node.text for node in nodes[end + 1 : end + 4] if node.kind == "letter")
        above = after in ITALIC_TIMES
    # of a letter after a unit in words it is plain that it is one: mol/L
    below = below or (at > 1 and nodes[at - 1].text in ("/", "\\cdot") and nodes[0].kind in WORD_KINDS)
    return (_of_word(symbol) if above or below or symbol in ITALIC else None), end


def _apart(nodes: Nodes, at: int) -> tuple[Counter[str] | None, int]:
    """(powers, end) of letters that stand apart; of several, those up to the next space are one symbol."""
    end = at + 1
    while end < len(nodes) and nodes[end].kind == "letter" and not nodes[end].apart:
        end += 1
    symbol = "".join(node.text for node in nodes[at:end])
    if symbol in POWERS and end < len(nodes):  # 5 sq cm
        found, after = _apart(nodes, end)
        return (
            None if found is None else Counter({name: POWERS[symbol] * times for name, times in found.items()})
        ), after
    # in small letters, n is no newton
    is_symbol = nodes[at].kind == "letter" and (len(symbol) > 1 or symbol in _LONE or symbol in SYMBOLS)
    return (_of_word(symbol) if is_symbol else None), end


def _quotient(above: Counter[str], below: Counter[str]) -> Counter[str]:
    """One product of units divided by another one."""
    quotient = Counter(above)
    quotient.subtract(below)
    return quotient


def _power(node: Node) -> int | None:
    """The exponent of a unit; ``None`` if it is not a small whole number."""
    written = render(node.args[0])
    return int(written) if written in ("2", "3", "4", "-1", "-2", "-3", "-4") else None


def _of_words(words: str) -> Counter[str] | None:
    """The power of each unit that words name; ``None`` if any word is not one."""
    total: Counter[str] = Counter()
    sign = power = 1
    if not words.isascii():
        for part, english in _CHINESE_PARTS:
            words = words.replace(part, english)
    for word in words.replace("/", " per ").split():
        plain = word.strip(".,").casefold()
        if plain == "per":
            sign = -1
        elif plain in ("square", "sq", "cubic", "cu"):
            power = POWERS[plain]
        elif plain in ("squared", "cubed") and total:
            last = list(total)[-1]
            total[last] *= POWERS[plain]
        else:
            found = _of_word(word)
            if found is None:
                return None
            _multiply(total, found, sign * power)
            power = 1
    return total if total and power == 1 else None


def _of_word(word: str) -> Counter[str] | None:
    """The unit that a word is: a symbol, in which capitals matter, or a name, in which they do not; else ``None``."""
    if word in COMPOUND:
        return COMPOUND[word]
    if word in SYMBOLS and not word.islower():
        return Counter({SYMBOLS[word]: 1})
    if word.isascii() and not word.islower() and len(word) <= SYMBOL_LETTERS and word not in CAPITALS:
        return None  # M may be millions, and Nm is not nm
    plain = word.strip(".,").casefold()
    if plain in COMPOUND:
        return COMPOUND[plain]
    name = known_unit(plain) or SYMBOLS.get(plain)
    return None if name is None else Counter({name: 1})


def _written(powers: Counter[str] | None) -> str | None:
    """The canonical form of a product of units, ``kilogram*meter^{-3}``; ``None`` for none, or if all cancel."""
    if not powers:
        return None
    factors = sorted((name, times) for name, times in powers.items() if times)
    return "*".join(name if times == 1 else f"{name}^{{{times}}}" for name, times in factors) or None
