"""Words after a number that make it another number, or take it back: ``5 million``, ``5 or 6``, ``5 is wrong``."""

from __future__ import annotations

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS

__all__ = ["MAGNITUDES", "SHORT_WORDS", "capitals_matter", "changes_meaning", "denies", "multiplier"]

# Answers in words of two or three letters, which without \text could be products of variables.
SHORT_WORDS = ("yes", "no", "am", "pm", "odd", "all", "one", "two", "six", "ten", "red", "day")

# Powers of ten by their names.
MAGNITUDES = {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
MAGNITUDES |= {"quadrillion": 15, "万": 4, "亿": 8}


# Words after a number that change the meaning, and so are not a unit.
_NOT_UNITS = frozenset(
    """
    or and not no non is isn't are was be if than but maybe perhaps except to through about approximately roughly
    around between either neither nor from the answer equals equal false wrong incorrect never wait without below
    above under most least less more fewer greater other another instead minus plus times over negative positive
    divided multiplied squared cubed factorial root roots sqrt square-root power inverse reciprocal pi ln log exp
    mod base binary octal hex decimal doubled tripled twice double triple quarter quarters zero one two three four
    five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    thirty forty fifty sixty seventy eighty ninety half halves third fourth fifth sixth seventh eighth ninth tenth
    hundredth thousandth hundred hundreds dozen dozens gross score lakh lakhs crore crores bn mn mil thousand
    thousands million millions billion billions trillion trillions k mega giga grand tens myriad permille square cube
    alpha beta gamma delta theta phi tau omega infinity sine cosine tangent imaginary approx ish shy choose modulo
    excluded negated unsure guess nope isnt cannot unlikely doubt almost nearly opposite error previous unequal
    absolute yes unless given unknown epsilon googol eleventy
    """.split()
)


# Those in -ths are of fractions, fifths and thirteenths; months and paths are none.
_FRACTIONS = ("fths", "xths", "enths", "hths", "ninths", "tieths", "urths", "dredths", "sandths", "ionths")
NOT_UNIT_ENDINGS = ("illion", "illions", "n't", "ly", *_FRACTIONS)


_CHINESE_DENIALS = frozenset("不没无非错误假否未别勿")
# Those of them that may also stand in a name or before an answer.
HARMLESS = frozenset("the from answer to is are was be at if than equal equals least most total".split())


def changes_meaning(word: str) -> bool:
    """Whether a word after a number makes it another number, or takes it back: ``thousand``, ``squared``, ``or``."""
    plain = word.strip(".,?!").casefold()
    if not plain.isascii():
        return not _CHINESE_DENIALS.isdisjoint(plain)
    return plain in _NOT_UNITS or plain.endswith(NOT_UNIT_ENDINGS) or plain.startswith("half-")


def multiplier(word: str) -> int | None:
    """What the name of a magnitude multiplies a number by: 1000 for ``thousand``, 12 for ``dozen``; else ``None``."""
    plain = word.strip(".,").casefold().removesuffix("s")
    return 12 if plain == "dozen" else 10 ** MAGNITUDES[plain] if plain in MAGNITUDES else None


def capitals_matter(word: str) -> bool:
    """Whether capitals matter in a short word: CO is no Co, and NaF is neither NAF nor naf; but YES is Yes."""
    if len(word) == 1 or (len(word) == 2 and word.casefold() not in SHORT_WORDS):
        return True
    return len(word) <= SYMBOL_LETTERS and word not in (word.lower(), word.upper(), word.capitalize())


def denies(word: str) -> bool:
    """Whether a word takes an answer back or makes it another one, wherever it stands: ``not``, ``six``, ``or``."""
    return changes_meaning(word) and word.strip(".,").casefold() not in HARMLESS
