"""Reads units of measure with prefixes and powers: ``\\text{ kg m}^{-3}``, ``km/h``, ``miles per hour``, ``sq. ft``.

A unit is returned as a product of full names in alphabetical order: ``kilogram*meter^{-3}``.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS, WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.units import known_unit

__all__ = ["NAMES", "read_measure", "words_as_measure"]

_PREFIXES = "T tera,G giga,M mega,k kilo,d deci,c centi,m milli,u micro,μ micro,\\mu micro,n nano,p pico,f femto"
_BASES = (
    "m meter,g gram,s second,A ampere,K kelvin,mol mole,Hz hertz,N newton,Pa pascal,J joule,W watt,C coulomb,V volt,"
    "F farad,\\Omega ohm,Ω ohm,T tesla,H henry,L liter,l liter,eV electronvolt,Wh watthour,pc parsec,B byte,"
    "cal calorie,bar bar,Wb weber,lm lumen,lx lux,Bq becquerel,Gy gray,Sv sievert"
)
PREFIXES = dict(row.split() for row in _PREFIXES.split(","))
BASES = dict(row.split() for row in _BASES.split(","))
SYMBOLS = BASES | {prefix + base: long + name for prefix, long in PREFIXES.items() for base, name in BASES.items()}
NAMES = frozenset(SYMBOLS.values())
# These more often mean something else: 4 pm is a time, and 4 B may be four billion.
for _said_otherwise in ("pm", "B"):
    del SYMBOLS[_said_otherwise]
SYMBOLS |= {"dB": "decibel", "AU": "astronomicalunit", "cc": "centimeter^{3}"}
COMPOUND = {
    "mph": Counter({"mile": 1, "hour": -1}),
    "kph": Counter({"kilometer": 1, "hour": -1}),
    "kmph": Counter({"kilometer": 1, "hour": -1}),
}
POWERS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3}
MEASURE_NODES = 24  # in the longest unit that is read
# Short units in which capitals make no difference.
CAPITALS = frozenset("KM CM KG FT LB LBS OZ HR MIN SEC ML MPH Km Kg Cm Ft Lbs Hrs Min Sec Day".split())
# Units that are also known without \text. The lengths and times below are, only as a fraction: m/s.
ITALIC = frozenset("cm mm km kg ft mL Hz kHz MHz mph kph lb lbs oz min hr hrs sec yd".split())
ITALIC_LENGTHS, ITALIC_TIMES = frozenset(["m", "km", "cm", "ft", "mi"]), frozenset(["s", "h", "hr", "min", "sec"])


@lru_cache(maxsize=1_024)
def words_as_measure(words: str) -> str | None:
    """The unit of measure that words name, in canonical form, else ``None``: ``miles per hour``, ``sq. ft``."""
    return _written(_of_words(words))


def read_measure(nodes: Nodes) -> str | None:
    """The unit of measure that ``nodes`` as a whole spell, in canonical form; ``None`` for anything else."""
    if not nodes or len(nodes) > MEASURE_NODES:
        return None
    return _written(_of_nodes(nodes))


def _of_nodes(nodes: Nodes) -> Counter[str] | None:
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
        found, at = _factor(nodes, at)
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


def _factor(nodes: Nodes, at: int) -> tuple[Counter[str] | None, int]:
    """(powers, end) of the factor that starts at index ``at``: words, letters, a fraction, a group in parentheses.

    The powers are ``None`` if it is not a unit; ``end`` is the index after it.
    """
    node = nodes[at]
    if node.kind in WORD_KINDS:
        return _of_words(node.text), at + 1
    if node.text == "\\frac":
        above, below = (_of_nodes(arg) for arg in node.args)
        return (None if above is None or below is None else _quotient(above, below)), at + 1
    if node.text == "(":
        end = next((index for index in range(at, len(nodes)) if nodes[index].text == ")"), None)
        return (None, at) if end is None else (_of_nodes(nodes[at + 1 : end]), end + 1)
    if node.text == "\\Omega":
        return _of_word(node.text), at + 1
    return _italic(nodes, at)


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
    return (_of_word(symbol) if above or below or symbol in ITALIC else None), end


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
    for word in words.replace("/", " per ").split():
        plain = word.strip(".,").casefold()
        if plain == "per":
            sign = -1
        elif plain in ("square", "sq", "cubic"):
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
    if word in SYMBOLS and not word.islower():
        return Counter({SYMBOLS[word]: 1})
    if not word.islower() and len(word) <= SYMBOL_LETTERS and word not in CAPITALS:
        return None  # M may be millions, and Nm is not nm
    plain = word.strip(".,").casefold()
    if plain in COMPOUND:
        return COMPOUND[plain]
    name = known_unit(plain) or SYMBOLS.get(word.strip(".,")) or _by_name(plain)
    return None if name is None else Counter({name: 1})


def _by_name(plain: str) -> str | None:
    """The canonical name of a unit by its full name, also in the plural and in British spelling."""
    american = plain.replace("metre", "meter").replace("litre", "liter")
    return next((name for name in (american, american.removesuffix("s")) if name in NAMES), None)


def _written(powers: Counter[str] | None) -> str | None:
    """The canonical form of a product of units, ``kilogram*meter^{-3}``; ``None`` for no unit."""
    if not powers:
        return None
    factors = sorted((name, times) for name, times in powers.items() if times)
    return "*".join(name if times == 1 else f"{name}^{{{times}}}" for name, times in factors)
