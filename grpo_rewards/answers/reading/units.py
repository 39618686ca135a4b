"""Units of measure, money and counted things: which spellings are the same unit, and which words are a unit at all."""

from __future__ import annotations

from grpo_rewards.answers.reading.words import changes_what_is_said

__all__ = ["counted", "is_counted", "known_unit"]

MAX_WORDS = 4  # in the name of what is counted


# Each row is one unit: its canonical name, then its other spellings. Plurals are found without being listed.
_SPELLINGS = """
percent % \\% pct
degree \\circ deg °
degreeC celsius degreescelsius degreecelsius
degreeF fahrenheit degreesfahrenheit degreefahrenheit
dollar \\$ $ usd buck
cent ¢
euro € eur
£ gbp
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
lb lbs pound
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
kelvin
pascal pa
mole mol
"""
_CANONICAL = {spelling: names[0] for line in _SPELLINGS.split("\n") if (names := line.split()) for spelling in names}


def counted(spelled: str) -> str:
    """The canonical name of what is counted: ``eggs`` and ``Egg`` both become ``egg``."""
    word = spelled.replace(" ", "").strip(".").casefold()
    return known_unit(word) or (word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)


def known_unit(word: str) -> str | None:
    """The canonical name of a unit that is in the table, in the singular or plural; ``None`` for any other word."""
    # a single letter has no plural: ms are milliseconds, not meters
    spellings = [word, *(word.removesuffix(ending) for ending in ("s", "es") if len(word) > len(ending) + 1)]
    return next((_CANONICAL[one] for one in spellings if one in _CANONICAL), None)


def is_counted(text: str) -> bool:
    """Whether words after a number say what is counted: ``ways`` and ``fresh eggs`` do, ``or six`` does not."""
    words = text.split()
    if not words or len(words) > MAX_WORDS or any(map(changes_what_is_said, words)):
        return False
    if len(words[-1]) > 3 and words[-1].casefold().endswith("ed"):
        return False  # something was done to the number: increased, omitted
    # A word that is not a known unit must look like one, or it may be a product of variables in upright type.
    return all(
        (len(word) > 1 and word.islower() and known_unit(word.strip(".")) is not None)
        or (len(word) > 2 and any(vowel in word.casefold() for vowel in "aeiouy"))
        for word in words
    )
