"""Words after a number that make it another number, or take it back: ``5 million``, ``5 or 6``, ``5 is wrong``."""

from __future__ import annotations

__all__ = ["MAGNITUDES", "changes_what_is_said", "denies"]

MAGNITUDES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}


# Words after a number that change what is said, and so are not a unit.
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


NOT_UNIT_ENDINGS = ("ths", "illion", "illions", "n't", "ly")


# Those of them that may also stand in a name or before an answer.
HARMLESS = frozenset("the from answer to is are was be at if than equal equals least most total".split())


def changes_what_is_said(word: str) -> bool:
    """Whether a word after a number makes it another number, or takes it back: ``thousand``, ``squared``, ``or``."""
    plain = word.strip(".,?!").casefold()
    return plain in _NOT_UNITS or plain.endswith(NOT_UNIT_ENDINGS) or plain.startswith("half-")


def denies(word: str) -> bool:
    """Whether a word takes an answer back or makes it another one, wherever it stands: ``not``, ``six``, ``or``."""
    return changes_what_is_said(word) and word.strip(".,").casefold() not in HARMLESS
