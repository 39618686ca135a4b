"""Units of measure, money and counted things: which spellings are one unit, and which letters are a unit at all."""

from __future__ import annotations

__all__ = ["MAGNITUDES", "PERCENT", "canonical_unit", "is_known_unit", "is_unit_phrase"]

PERCENT = "percent"
MAX_WORDS = 4

MAGNITUDES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

# One row a unit: its canonical name, then other spellings. Plurals are found by dropping an 's'.
_SPELLINGS = """
percent % \\% pct
degree \\circ deg °
dollar \\$ $ usd buck
cent ¢
euro € eur
pound £ gbp
yen ¥ jpy
rupee ₹ inr
meter metre m
centimeter centimetre cm
millimeter millimetre mm
kilometer kilometre km
micrometer micrometre um
nanometer nanometre nm
inch in inches
foot ft feet
yard yd
mile mi
gram gramme g
kilogram kg kilo
milligram mg
ounce oz
lb lbs
ton tonne
liter litre l
milliliter millilitre ml
gallon gal
second sec s
minute min
hour hr h
day
week wk
month
year yr
radian rad
square-unit squareunit sq.unit unit^{2} sq.units
cubic-unit cubicunit unit^{3}
unit
joule j
kilojoule kj
newton n
watt w
kilowatt kw
volt v
ampere amp
ohm \\omega
hertz hz
kelvin k
pascal pa
mole mol
mph milesperhour mile/hour mi/h mi/hr
km/h kmph kph kilometersperhour kilometer/hour km/hr
m/s meterspersecond meter/second metersper second
"""
_CANONICAL = {spelling: names[0] for line in _SPELLINGS.split("\n") if (names := line.split()) for spelling in names}

# Text behind a number that changes what is said, and so is no unit.
_NOT_UNITS = frozenset(
    """
    or and not no is isn't are was be if than but maybe except minus plus times over to through about approximately less
    more between either neither nor from the answer equals hundred dozen half third quarter hundredth thousandth tenth
    """.split()
)


def canonical_unit(spelled: str) -> str:
    """One name for all spellings of a unit: ``cm``, ``centimeters`` and ``\\text{cm.}`` are one."""
    text = spelled.replace(" ", "").strip(".").casefold()
    base, power, rest = text.partition("^")
    return _singular(base.strip(".")) + power + rest


def _singular(word: str) -> str:
    if word in _CANONICAL:
        return _CANONICAL[word]
    for ending in ("s", "es"):
        if word.endswith(ending) and word[: -len(ending)] in _CANONICAL:
            return _CANONICAL[word[: -len(ending)]]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def is_known_unit(spelled: str) -> bool:
    """Whether letters are the name of a unit, so that they are one even without ``\\text``: ``10 cm``, not ``5x``."""
    word = spelled.replace(" ", "").strip(".").casefold()
    return word in _CANONICAL or any(
        word.endswith(ending) and word[: -len(ending)] in _CANONICAL for ending in ("s", "es")
    )


def is_unit_phrase(text: str) -> bool:
    """Whether words in ``\\text`` behind a number say what is counted: ``ways``, ``miles per hour``, not ``or six``."""
    words = text.casefold().split()
    if (
        not words
        or len(words) > MAX_WORDS
        or any(word.strip(".,") in _NOT_UNITS or word.endswith("ths") for word in words)
    ):
        return False
    # A single letter may be a variable in upright type; only letters that name a unit are taken for one.
    return len("".join(words).strip(".")) > 1 or is_known_unit(words[0])
