"""Reads numbers: in digits, words and other bases, and amounts in several units. Look here if a number is misread."""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import takewhile
from typing import TypeAlias

from grpo_rewards.answers.latex.tree import NUMBER_DIGITS, WORD_KINDS, Nodes, render, texts, word_set, words_of
from grpo_rewards.answers.reading.units import (
    Ratio,
    currency,
    money_with,
    ratio,
    read_apart,
    read_unit,
    unit_of_words,
)
from grpo_rewards.answers.values.kinds import Number, Text

# Reads numbers that can mean only one thing, without parsing them: ``-3``, ``1,000.50``, ``25\%``, ``\frac{3}{4}``.
#
# This is a shortcut for speed: most answers are such numbers. The result must be the one that the parser and
# ``dispatch`` would give, in a fraction of their time.

# With at most 20 digits on each side of the point, no limit of size is near.
WRITTEN_PLAINLY = re.compile(
    r"(-?)(?!\\\$.*[%^])(\\\$)?([0-9]{1,20}|[1-9][0-9]{0,2}(?:(?:,|,\\!|\{,\})[0-9]{3}){1,5})(\.[0-9]{1,20})?"
    r"(\\?%|\^\\circ|\^\{\\circ\})?"
)
FRACTION = re.compile(r"(-?)\\[dt]?frac\{(-?[0-9]{1,20})\}\{([0-9]{1,20})\}")
# The signs before and behind such a number, as one text: how what stands behind is spelled, and the unit.
SIGNS_OF_PLAIN = {"": ("", None), "\\$": ("", "dollar")} | dict.fromkeys(("%", "\\%"), ("\\%", "percent"))
SIGNS_OF_PLAIN |= dict.fromkeys(("^\\circ", "^{\\circ}"), ("^{\\circ }", "degree"))


def read_plain(text: str) -> tuple[str, Number] | None:
    """(canonical spelling, value) of a plain number; ``None`` for everything else."""
    if found := WRITTEN_PLAINLY.fullmatch(text):
        sign, money, whole, decimals, behind = found.groups("")
        spelled, unit = SIGNS_OF_PLAIN[money + behind]
        whole = whole.replace("{,}", ",").replace("\\!", "")
        value = Fraction(int(sign + whole.replace(",", "") + decimals[1:]), 10 ** len(decimals[1:]))
        return f"{sign}{money}{whole}{decimals}{spelled}", Number(value, unit, len(decimals[1:]) or None)
    found = FRACTION.fullmatch(text)
    if found is None or not int(found[3]):
        return None
    sign, above, below = found.groups()
    value = Fraction(int(above), int(below))
    return f"{sign}\\frac{{{above}}}{{{below}}}", Number(-value if sign else value)


# Reads numbers from a tree: integers, decimals, fractions, mixed numbers, powers of ten, money, numbers with units.
#
# A number that can be read without a tree is read by ``read_plain``.

ORDINALS = {1: "st", 2: "nd", 3: "rd"}  # the rest, and those from 11 to 13, end in th
# A number at the start of some nodes: its value, its digits after the decimal point (-1 if its last digit stands for
# tens, as in 1.2 \times 10^{2}), and the nodes that follow it.
LeadingNumber: TypeAlias = tuple[Fraction, int | None, Nodes]
# What the canonical spelling of a number is made of, besides digits.
NUMBER_PARTS = word_set(", . - + / e E ^ ( ) \\cdot \\frac \\overline \\dot \\ldots") | {" "}
EXPONENT = 1_000  # the largest exponent of ten in scientific notation
NUMBER_NODES = 60
REPEATS_BEFORE_DOTS = 3  # times that a digit must be written before dots: 0.333...
GROUPED_DIGITS = r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3}(?![0-9]))+|(?: [0-9]{3}(?![0-9]))+)"
SIGNED = rf"[-+]?(?:{GROUPED_DIGITS}|[0-9]+)?(?:\.[0-9]*)?"
LITERAL = re.compile(
    rf"(?=\.?[0-9]|\.\\overline)(?P<digits>(?:{GROUPED_DIGITS}|[0-9]*))"
    r"(?:\.(?P<decimals>[0-9]*)"
    r"(?P<period>\\(?:overline|dot)\{[0-9]+\}(?:[0-9]*\\dot\{[0-9]+\})?|(?<=\.)\([0-9]+\)|\\ldots )?)?"
)
# Magnitudes that numbers in words are made of, and all those that may follow a number in digits.
LARGE = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 10**9, "trillion": 10**12}
MULTIPLIERS = LARGE | {"lakh": 100_000, "crore": 10**7, "quadrillion": 10**15, "万": 10_000, "亿": 10**8}
WHOLE_DIGITS = "([0-9]{1,1000})"  # NUMBER_DIGITS of them
MIXED = re.compile(rf"{WHOLE_DIGITS}(?:\\frac\{{{WHOLE_DIGITS}\}}\{{{WHOLE_DIGITS}\}}| {WHOLE_DIGITS}/{WHOLE_DIGITS})")
FRACTION_OF_TWO = re.compile(rf"\\frac\{{({SIGNED})\}}\{{({SIGNED})\}}")
POWER_OF_TEN = re.compile(r"10\^\{([-+]?[0-9]{1,4})\}")
# What may follow a number in digits: a power of ten, or a divisor.
SCALE = re.compile(r"(?:\\cdot 10\^\{([-+]?[0-9]{1,4})\}|[eE]([-+]?[0-9]{1,4}))(?![0-9])")
DIVISOR = re.compile(rf"/({SIGNED})")


def read_number(nodes: Nodes) -> Number | None:
    """The number that ``nodes`` as a whole spell, else ``None``: ``-\\frac{3}{4}``, ``1,000.5 \\text{ cm}``."""
    minus, rest = _sign(nodes)
    unit: str | None = None
    if money := currency(rest):
        unit, rest = money
        if not minus:
            minus, rest = _sign(rest)
    found = leading_number(rest)
    if found is None:
        return None
    size, places, rest = found
    value = -size if minus else size
    if not rest:
        return Number(value, unit, places)
    if _is_ordinal_ending(rest, size.numerator):
        return Number(value)
    unit = read_unit(rest) if unit is None else money_with(unit, rest)
    return None if unit is None else Number(value, unit, places)


def leading_number(nodes: Nodes) -> LeadingNumber | None:
    """The number without a sign that ``nodes`` begin with, with the name of a magnitude after it; else ``None``."""
    found = _beginning(nodes, _number_in)
    if found is None or not found[2]:
        return found
    value, _, rest = found
    words = rest[0].text
    # Chinese writes what it counts without a space: 5万元
    first, others = words.partition(" ")[::2] if words.isascii() else (words[0], words[1:])
    times = MULTIPLIERS.get(first.strip(".,").casefold().removesuffix("s"))
    if times is None:
        return found
    return value * times, None, [rest[0]._replace(text=others), *rest[1:]] if others else rest[1:]


def read_literal(nodes: Nodes) -> LeadingNumber | None:
    """The number in digits that ``nodes`` begin with, ``.5`` or ``1\\frac{1}{2}``; else ``None``."""
    return _beginning(nodes, _literal)


def _is_ordinal_ending(rest: Nodes, number: int) -> bool:
    """Whether what follows a whole number makes it an ordinal: the ``th`` of ``12\\text{th}`` or ``12^{th}``."""
    ending = "th" if 10 < number % 100 < 14 else ORDINALS.get(number % 10, "th")
    inner = rest[0].args[0] if len(rest) == 1 and rest[0].text == "^" else rest
    return len(inner) <= len(ending) and render(inner).strip() == ending


def _sign(nodes: Nodes) -> tuple[bool, Nodes]:
    """(whether ``nodes`` begin with a minus sign, what follows their sign); without one, (``False``, ``nodes``)."""
    if nodes and nodes[0].text in ("-", "+"):
        return nodes[0].text == "-", nodes[1:]
    return False, nodes


# The value of a number at the start of a spelling, its digits after the point, and where it ends.
Spelled: TypeAlias = tuple[Fraction, int | None, int]


def _beginning(nodes: Nodes, read: Callable[[str], Spelled | None]) -> LeadingNumber | None:
    """The number that ``nodes`` begin with, as ``read`` finds it in their canonical spelling; ``None`` for none."""
    if not nodes:
        return None
    first, following = nodes[0], nodes[1].text if len(nodes) > 1 else ""
    is_alone = following not in NUMBER_PARTS or following in "+-("
    if is_alone and first.kind == "digits" and len(first.text) <= NUMBER_DIGITS:
        return Fraction(int(first.text)), None, nodes[1:]  # as mostly
    spelled, ends = "", {}  # how many nodes end at each place of the spelling
    for count, node in enumerate(nodes[:NUMBER_NODES], 1):
        if node.kind != "digits" and node.text not in NUMBER_PARTS:
            break
        spelled += render((node,))
        ends[len(spelled)] = count
    found = read(spelled)
    if found is None or found[2] not in ends:
        return None
    value, places, end = found
    return value, places, nodes[ends[end] :]


def _number_in(spelled: str) -> Spelled | None:
    """A number in digits, with what may belong to it: ``1,234.50``, ``9.35e5``, ``9.35 \\cdot 10^{5}``, ``10^{-7}``,
    ``0.\\overline{3}``, ``3/4``, ``\\frac{3}{4}``.
    """
    if fraction := FRACTION_OF_TWO.match(spelled):
        above, below = map(_value, fraction.groups())
        if above is not None and below:
            return above / below, None, fraction.end()
    power = POWER_OF_TEN.match(spelled)
    if power and abs(int(power[1])) <= EXPONENT:
        return Fraction(10) ** int(power[1]), None, power.end()
    literal = _literal(spelled)
    if literal is None:
        return None
    value, places, end = literal
    scale = SCALE.match(spelled, end)
    if scale and abs(exponent := int(scale[1] or scale[2])) <= EXPONENT:
        return value * Fraction(10) ** exponent, (places or 0) - exponent, scale.end()
    divisor = DIVISOR.match(spelled, end)
    if divisor is None:
        return literal
    below = _value(divisor[1])
    return (value / below, None, divisor.end()) if below else None


def _literal(spelled: str) -> Spelled | None:
    """A number in digits, which may be mixed, ``1 1/2``, or repeat, ``0.1\\overline{6}`` and ``0.(6)``."""
    if mixed := MIXED.match(spelled):
        whole, above, below = map(int, filter(None, mixed.groups()))
        if 0 < above < below:
            return whole + Fraction(above, below), None, mixed.end()
    found = LITERAL.match(spelled)
    if found is None:
        return None
    decimals = found["decimals"]
    value = _value(f"{found['digits']}.{decimals or 0}")
    if value is None:
        return None
    if not found["period"]:
        return value, None if decimals is None else len(decimals), found.end()
    period = "".join(filter(str.isdigit, found["period"]))
    if not period and len(decimals) >= REPEATS_BEFORE_DOTS and len(set(decimals[-REPEATS_BEFORE_DOTS:])) == 1:
        period = decimals[-1]
    if not 0 < len(period) <= NUMBER_DIGITS:
        return None
    return value + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(decimals)), None, found.end()


def _value(spelled: str) -> Fraction | None:
    """The value of digits, perhaps with a sign, groups of thousands and a decimal point; ``None`` if too many."""
    plain = spelled.replace(",", "").replace(" ", "")
    if not plain.strip("+-.") or len(plain) > NUMBER_DIGITS + 3:
        return None
    whole, _, decimals = plain.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


# Reads numerals in another base than ten: ``2516_8``, ``1010 \text{ (base 2)}``, ``1010_{\text{two}}``.
#
# Look here if such a numeral is read as a number in base ten, or not at all.

_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
ONES = {name: value for value, name in enumerate(_ONES.split())}
_SYSTEMS = {"binary": 2, "ternary": 3, "octal": 8, "decimal": 10, "hexadecimal": 16, "hex": 16}
BASES = ONES | _SYSTEMS
BASED = re.compile(
    r"\(?([0-9]{1,1000})\)?(?:_\{\(?(?:base)?([0-9]{1,2}|[a-z]{1,11})\)?\}"
    rf"|\(?(?:in)?(?:base-?([0-9]{{1,2}}|[a-z]{{1,11}})|({'|'.join(_SYSTEMS)}))\)?)"
)
LONGEST_NUMERAL = 10  # nodes, with its base


def read_based(nodes: Nodes) -> Text | Number | None:
    """The numeral in a base that ``nodes`` as a whole spell, else ``None``. In base ten it is a number.

    A numeral with a digit that its base does not have is not read.
    """
    found = BASED.fullmatch(render(nodes).casefold()) if len(nodes) <= LONGEST_NUMERAL else None
    if found is None:
        return None
    digits, named = filter(None, found.groups())
    base = int(named) if named.isdecimal() else BASES.get(named, 0)
    if int(max(digits)) >= base:
        return None
    return Number(Fraction(int(digits))) if base == 10 else Text(f"{int(digits)}_{base}")


# Reads numbers, dates and times in words: ``seven``, ``twenty-one apples``, ``March 15``, ``2024-02-29``, ``4:30 pm``.

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {name: 10 * value for value, name in enumerate(_TENS.split(), start=2)}
NUMBER_WORDS = frozenset((*ONES, *TENS, *LARGE, "and"))
# What may follow a number in words, or a number and "and": two thirds, two and a half.
_PARTS = "half third fourth fifth sixth seventh eighth ninth tenth"
PARTS = {name: size for size, name in enumerate(_PARTS.split(), 2)} | {"halve": 2, "quarter": 4}
_ONE = "|".join(ONES)
FRACTION_IN_WORDS = re.compile(rf"(?:({_ONE}) and )?((?<=and )an?|{_ONE}) ({'|'.join(PARTS)})s?")
_MONTHS = "january february march april may june july august september october november december".split()
MONTHS = {name: index for index, month in enumerate(_MONTHS, 1) for name in (month, month[:3])}
_MONTH, _DAY = "|".join(sorted(MONTHS, key=len, reverse=True)), "([0-9]{1,2})(?: ?(?:st|nd|rd|th))?"
DATE = re.compile(rf"(?:([0-9]{{4}}) )?(?:(?:the )?{_DAY}(?: of)? ({_MONTH})|({_MONTH}) {_DAY})(?: ([0-9]{{4}}))?")
TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?![0-9])([a-z0-9.:]*)")
HALVES_OF_DAY = ("am", "pm")


def read_number_in_words(nodes: Nodes) -> Number | None:
    """The number that words spell, perhaps with what is counted behind it; ``None`` for other words."""
    if any(not node.is_words and node.text != "-" for node in nodes) or nodes[0].text == "-":
        return None
    words = " ".join(texts(nodes)).casefold().replace("-", " ").strip(" .").split()
    if found := FRACTION_IN_WORDS.fullmatch(" ".join(words)):
        whole, above, part = found.groups("")
        return Number(ONES.get(whole, 0) + Fraction(ONES.get(above, 1), PARTS[part]))
    spelled = list(takewhile(NUMBER_WORDS.__contains__, words))
    value, behind = value_of_words(spelled), " ".join(words[len(spelled) :])
    if not spelled or value is None:
        return None
    unit = unit_of_words(behind)
    return None if behind and unit is None else Number(Fraction(value), unit)


def value_of_words(words: list[str]) -> int | None:
    """The number that number words spell; ``None`` if they do not follow each other as in a number."""
    total = group = 0
    last = 1_000  # the size of the word before: after "twenty" only ones may come
    for index, word in enumerate(words):
        if word == "and":
            if index in (0, len(words) - 1) or last < 100:
                return None
        elif word in LARGE:
            if not group or (word == "hundred" and group > 9):
                return None
            group, last = group * LARGE[word], LARGE[word]
            if word != "hundred":
                total, group = total + group, 0
        else:
            value = ONES.get(word, TENS.get(word, 0))
            if last < 100 and (last != 20 or not 0 < value < 10):
                return None
            group, last = group + value, 20 if word in TENS else 1
    return total + group


def read_date(nodes: Nodes) -> Text | None:
    """A date as a ``Text`` of its month, day and year: ``March 15``, ``15 March 2024``.

    ``None`` for anything else.
    """
    if nodes[0].kind not in ("digits", *WORD_KINDS):
        return None
    spelled = words_of(nodes).replace(",", " ").replace(".", " ")
    found = DATE.fullmatch(" ".join(spelled.casefold().split()))
    if found is None:
        return None
    before, first, name, other_name, last, year = found.groups()
    return Text(f"date {MONTHS[name or other_name]} {int(first or last)} {year or before or ''}".strip())


def read_time(nodes: Nodes) -> Text | None:
    """A time of day as a ``Text``, by twenty-four hours: ``4:30 p.m.``, ``16:30``; ``None`` for the ratio ``7:3``."""
    found = TIME_OF_DAY.fullmatch(render(nodes).casefold())
    if found is None or int(found[1]) > 24:
        return None
    hour, half = int(found[1]), found[3].replace(".", "")
    if half in HALVES_OF_DAY and hour <= 12:
        return Text(f"{hour % 12 + 12 * (half == 'pm')}:{found[2]}")
    return Text(f"{hour}:{found[2]}{half}")


# Reads amounts in several units, each a part of the one before: ``2 hours 15 minutes``, ``5 ft 3 in``, ``45° 30'``.
#
# Look here if such an amount is read as a list, or not at all.

COMPOUND_NODES = 24
_PARTS_OF_A_DEGREE = {"'": "arcminute", "''": "arcsecond", '"': "arcsecond"}
_BEFORE_COMMA = word_set("year month week day hour minute dollar foot pound")  # "3 m, 20 cm" are two lengths


def read_compound(nodes: Nodes) -> Number | None:
    """The amount that ``nodes`` as a whole give in several units, in the first of them; ``None`` for anything else.

    Each unit must be smaller than the one before, and each number too small to make one more of that: ``3 cm 4 cm``
    and ``1 hour 90 minutes`` are not one amount.
    """
    if not 3 <= len(nodes) <= COMPOUND_NODES or sum(node.kind == "digits" for node in nodes) < 2:
        return None
    total, scale = Fraction(0), Fraction(1)
    first = before = ""
    rest = nodes
    while rest:
        found = leading_number(rest)
        if found is None:
            return None
        value, _, rest = found
        end = next((at for at, node in enumerate(rest) if node.kind == "digits"), len(rest))
        unit = _part(rest[:end], before, is_last=end == len(rest))
        if unit is None:
            return None
        step = ratio(before or unit, unit)
        if not isinstance(step, Ratio) or (before and not value < step.factor > 1):
            return None
        scale *= step.factor
        total += value / scale
        first, before, rest = first or unit, unit, rest[end:]
    return Number(total, first) if before != first else None


def _part(nodes: Nodes, before: str, is_last: bool) -> str | None:
    """The unit of one part, without the "and" that joins it to the next one; ``before`` is the unit before it."""
    if not is_last and nodes:
        joint = nodes[-1].text.casefold()
        if joint == "and" or (joint == "," and read_unit(nodes[:-1]) in _BEFORE_COMMA):
            nodes = nodes[:-1]
    if not nodes:
        return None
    if before.startswith(("degree", "arc")) and (part := _PARTS_OF_A_DEGREE.get(render(nodes))):
        return part
    # of letters between two numbers it is plain that they are a unit
    return read_unit(nodes) or read_apart([nodes[0]._replace(apart=True), *nodes[1:]])
