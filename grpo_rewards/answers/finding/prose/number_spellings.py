"""Writes numbers of running text as they are compared: thousands of several conventions, ``6E+23``, ``12k``.

Look here if ``1.250.000``, ``12,50,000`` or ``260 hundred`` is misread.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from grpo_rewards.answers.reading.numerals.number_words import NUMBER_WORDS, value_of_words

__all__ = [
    "VULGAR",
    "digits_of",
    "is_group_of_thousands",
    "multiplied",
    "number_text",
    "same_number",
    "with_digits",
    "writes_decimal_comma",
]

VULGAR = "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
SPACES_IN_NUMBERS = re.compile(r"['’_\u00a0\u202f\u2009]")
DOTTED_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,12}(?:,[0-9]{1,40})?")
INDIAN_THOUSANDS = re.compile(r"[1-9][0-9]?(?:,[0-9]{2}){1,12},[0-9]{3}(?:\.[0-9]{1,40})?")
DECIMAL_COMMA = re.compile(r"[0-9]{1,40},[0-9]{1,40}")
DECIMAL_COMMA_LANGUAGES = re.compile(
    r"\b(?:ist|sind|braucht|brauchen|benötigt|wiegt|dauert|beträgt|lautet|bleiben|bleibt|kostet|kosten|und|ergibt|insgesamt|est|sont|donc|une|les|reste"
    r"|coûte|vaut|respuesta|resultado|por|el|los|las"
    r"|tiene|quedan?|cuesta|cada|así|contiene|miden?|pesan?|necesita|recorre|verdient|jeden?|pro|chaque|chacune?|mesure|pèse|elle|par|semaine|è|sono|risultato|são|não|het|zijn|равно|ответ)\b",
    re.IGNORECASE,
)
NO_DIGITS = re.compile(r"[^0-9./½-]")
FRACTION_OR_DECIMAL = re.compile(
    r"(-?[0-9,]{1,30}[0-9](?:\.[0-9]{1,30})?|-?[0-9](?:\.[0-9]{1,30})?)(?:/([0-9]{1,30}))?(\s?\\?%)?"
)
ANY_NUMBER_WORD = f"(?:{'|'.join(sorted(NUMBER_WORDS - {'and'}, reverse=True))})"
# "the two triangles", "one of them" and "in three steps" count nothing that is asked for.
WORDS_FOR_NUMBER = re.compile(
    r"(?<![\w-])(?<!\bthe )(?<!\bthese )(?<!\bthose )(?<!\bboth )(?<!\ball )(?<!\bfirst )(?<!\blast"
    r" )(?<!\bother )(?<!\bonly )"
    rf"{ANY_NUMBER_WORD}(?:(?:-| and | ){ANY_NUMBER_WORD}){{0,11}}(?![\w-])"
    r"(?! (?:cases?|steps?|ways?|parts?|methods?|equations?|unknowns?|variables?|conditions?|options?"
    r"|possibilit\w{1,3}|things?"
    r"|types?|kinds?|facts?|numbers?|sides?|angles?|triangles?|terms?|half|halves|thirds?|quarters?|fifths?"
    r"|tenths?)\b)",
    re.IGNORECASE,
)
PLAIN_DECIMAL = re.compile(r"[$€£¥₹]?(-?(?:[0-9]{1,40}|[0-9]{1,3}(?:,[0-9]{3}){1,12})(?:\.[0-9]{1,40})?)")


def number_text(found: re.Match[str], decimal_comma: bool) -> str:
    """A number as it is compared. ``found`` has the groups ``money``, ``digits``, ``exponent`` and ``tail``."""
    money, digits, exponent, tail = found.group("money", "digits", "exponent", "tail")
    digits = _digits(digits, decimal_comma)
    if exponent is not None:
        digits += rf" \times 10^{{{exponent.lstrip('+').replace('−', '-')}}}"
    sign = "-" if money and money.strip().endswith(("-", "−")) else ""
    symbol = money.strip().lstrip("\\")[-1:] if money and not sign else ""
    return sign + (symbol if symbol in tuple("$€£¥₹") else "") + digits + tail.replace("％", "%")


def _digits(digits: str, decimal_comma: bool) -> str:
    """The digits with separators that can mean only one thing."""
    plain = SPACES_IN_NUMBERS.sub("", digits)
    if (decimal_comma or plain.count(".") > 1) and DOTTED_THOUSANDS.fullmatch(plain):
        return plain.replace(".", "").replace(",", ".")
    if decimal_comma and DECIMAL_COMMA.fullmatch(plain):
        return plain.replace(",", ".")
    return plain.replace(",", "") if INDIAN_THOUSANDS.fullmatch(plain) else plain


@lru_cache(maxsize=16)  # it is asked again for each clause of a statement
def writes_decimal_comma(text: str) -> bool:
    """Whether a text is in a language in which 2,5 is two and a half: German, French, Spanish, Italian, Portuguese."""
    return DECIMAL_COMMA_LANGUAGES.search(text) is not None


def is_group_of_thousands(before: str, after: str) -> bool:
    """Whether two numbers with a space between them are one: ``1 000``."""
    return (
        len(after) == 3
        and after.isdecimal()
        and before.lstrip("$€£¥₹-").isdecimal()
        and len(before.lstrip("$€£¥₹-")) <= 3
    )


def multiplied(number: str, factor: int) -> str | None:
    """A plain number times a factor, as a decimal: ``12`` and 1000 are ``12000``; ``None`` if it is not plain."""
    plain = PLAIN_DECIMAL.fullmatch(number)
    if plain is None:
        return None
    whole, _, decimals = plain.group(1).replace(",", "").partition(".")
    value = Fraction(int(whole + decimals), 10 ** len(decimals)) * factor
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def with_digits(text: str) -> str:
    """A text whose numbers in words are written as digits, except those that only name things: "the two angles".

    >>> with_digits("In total they picked twenty-five pears on the two days.")
    'In total they picked 25 pears on the two days.'
    """
    return WORDS_FOR_NUMBER.sub(_digits_of_words, text)


@lru_cache(maxsize=1_024)  # a policy may write one number a thousand times
def same_number(written: str) -> Fraction | str:
    """The value of a plain number, fraction or per cent, so that 1/8 and 12.5% are the same; else the text.

    >>> same_number("1/8") == same_number("12.5%"), same_number("x+1")
    (True, 'x+1')
    """
    found = FRACTION_OR_DECIMAL.fullmatch(written)
    if found is None or (found.group(2) is not None and not int(found.group(2))):
        return written
    value = Fraction(found.group(1).replace(",", "")) / int(found.group(2) or 1)
    return value / 100 if found.group(3) else value


def digits_of(answer: str) -> str:
    """What is left of an answer for telling whether two are the same number: ``12`` of ``x = 12 apples``."""
    return NO_DIGITS.sub("", answer.rpartition("=")[2].replace("−", "-").replace("–", "-")).rstrip(".")


def _digits_of_words(found: re.Match[str]) -> str:
    words = found.group().casefold().replace("-", " ").split()
    value = value_of_words(words)
    return found.group() if value is None or words == ["one"] else str(value)
