"""Reads what stands after a number: a unit, money, what is counted. Look here if ``5 apples`` is misread."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from grpo_rewards.answers.latex.tree import DEGREE, WORD_KINDS, Node, Nodes, render, texts, words_of
from grpo_rewards.answers.reading.units import JOINING_SIGNS, is_rate_of, known_unit, read_measure, words_as_measure
from grpo_rewards.answers.reading.words import (
    COLLECTIVE,
    DESCRIBING_WORDS,
    HARMLESS_HERE,
    NOT_PLURAL,
    NOUNS,
    OF_MATHEMATICS,
    PREPOSITIONS,
    REMARKS,
    changes_meaning,
    takes_back,
)

# Says what words after a number count: ``fresh eggs``, ``tickets per day``, ``pages left``.
#
# Look here if words after a number are taken for what is counted and are not, or the other way round. What is counted
# is an open class, and so is what would take a number back (``5 impossible``, ``5 fails``). English separates them:
# what is counted is a noun in the plural. So the last word before ``of``, ``per``, ``left`` and the like must be a
# plural or a listed noun, no word may change or deny the number, and a plural that is a number itself (``pairs``) names
# nothing.

MOST_WORDS = 8  # after a number
SHORTEST_NOUN = 3
# What makes a bound or a guess of a number behind "at" and "in": at minimum, in theory.
HEDGES_BEHIND = frozenset("minimum maximum best worst theory principle".split())
IRREGULAR = tuple("fish men people children feet teeth mice hedra".split())  # also at the end of longer words
# Chinese: what all words that count begin with, how long they may be, and what they may not hold: numbers and denials.
COUNTERS = "个只本人次种条张辆名位件棵支头匹朵颗根组套倍岁页层间台部首封段场排列行块座"
CHINESE_LETTERS = 6
_CHINESE_CHANGES = frozenset(
    "不没无非错误假否未别勿半多余以或约近到至对双打成百千万亿一二三四五六七八九十两几是分之吗吧呢左右幂"
)


def counted_thing(words: str) -> str | None:
    """The name of what words after a number count, in small letters and in the singular; ``None`` if they count
    nothing: ``fresh egg`` for ``Fresh eggs left``.
    """
    if not words.isascii():
        return _counted_in_chinese("".join(words.split()))
    every = named_part(words)
    if not every or not _is_noun(every) or any(len(word) == 1 for word in every):
        return None
    return " ".join([*every[:-1], _singular(every[-1])])


def named_part(words: str) -> list[str] | None:
    """The words before ``of``, ``per``, ``left`` and the like, in small letters: ``kg`` of ``kg of cereal``.

    ``None`` if any word takes the number back, or if what follows says more than where, when or of what.
    """
    every = [word.strip(".,").casefold() for word in words.split()]
    if not every or len(every) > MOST_WORDS or any(map(_takes_back, every)):
        return None
    if any(before in ("at", "in") and word in HEDGES_BEHIND for before, word in pairwise(every)):
        return None
    ends = (at for at, word in enumerate(every) if word in PREPOSITIONS or (at and _describes(word, every[at - 1])))
    end = next(ends, len(every))
    for word in every[end:]:
        if word in PREPOSITIONS:
            break
        if not _describes(word, every[end - 1]):
            return None
    return every[:end] or None  # "5 left"


def is_remark(words: str) -> bool:
    """Whether words after a number name nothing and change nothing: ``only``, ``in total``; in Chinese ``个``."""
    plain = " ".join(words.split()).strip(" .,!").casefold()
    return plain in REMARKS or (len(plain) == 1 and plain in COUNTERS)


def _takes_back(word: str) -> bool:
    """Whether a word, or the singular of it, changes the number or takes it back: ``sines`` as ``sine`` does."""
    if word in HARMLESS_HERE:
        return False
    after_hyphen = word.rpartition("-")[2]
    if after_hyphen != word and after_hyphen in COLLECTIVE:
        return True
    parts = {word, after_hyphen, _singular(word)} - HARMLESS_HERE
    return any(takes_back(part) or changes_meaning(part) for part in parts)


def _describes(word: str, before: str) -> bool:
    """Whether a word says more about the noun ``before`` it: ``pages left``, ``games played``."""
    return word in DESCRIBING_WORDS or (word.endswith("ed") and _is_plural(before))


def _is_noun(words: list[str]) -> bool:
    """Whether words end in a noun that can be counted; ``more`` says of a noun that it is one of several."""
    last = words[-1]
    if not COLLECTIVE.isdisjoint(words):
        return last in COLLECTIVE and not OF_MATHEMATICS.isdisjoint(words[:-1])
    return last.endswith(IRREGULAR) or last in NOUNS or _is_plural(last) or known_unit(last) is not None


def _is_plural(word: str) -> bool:
    ends_well = word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))
    return ends_well and len(word) > SHORTEST_NOUN and word not in NOT_PLURAL


def _singular(word: str) -> str:
    """A noun without the ending of its plural; eggs and egg must be the same, not more."""
    if unit := known_unit(word):
        return unit
    if not _is_plural(word):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _counted_in_chinese(word: str) -> str | None:
    """What a Chinese word after a number counts: 苹果 for 个苹果; ``None`` if it may change the number."""
    if not word or any(letter.isascii() for letter in word):
        return None
    if len(word) > CHINESE_LETTERS or word[0] not in COUNTERS or not _CHINESE_CHANGES.isdisjoint(word):
        return None
    if word.startswith("次方"):
        return None  # a power
    return word[1:] or word


# Reads all that may follow a number and belongs to it: a unit of measure, a sign of money, what is counted.
#
# Look here if what stands after a number is not seen as its unit.

# What may stand behind the sign of a degree.
SCALES_OF_DEGREES = {"": "degree", "c": "degreeC", "celsius": "degreeC", "f": "degreeF", "fahrenheit": "degreeF"}
CURRENCIES = r"\$ € £ ¥ ₹ ₽ ₩".split()
SIGNS_OF_UNITS = (*CURRENCIES, "\\%", "%", "¢")
BEGINNINGS_OF_UNITS = frozenset((*SIGNS_OF_UNITS, *JOINING_SIGNS))  # besides words, letters and commands
# Codes that may stand before an amount: USD 25, Rs. 25.
_CODES = frozenset("usd eur gbp jpy cny rmb inr rs rub chf us".split())
LONGEST_CODE = 3


def currency(nodes: Nodes) -> tuple[str, Nodes] | None:
    """(unit, what follows) if ``nodes`` begin with money's sign or code: ``\\$5``, ``USD 5``, ``US\\$5``."""
    if not nodes:
        return None
    if nodes[0].text in CURRENCIES:
        return known_unit(nodes[0].text) or nodes[0].text, nodes[1:]
    letters = 1 if nodes[0].is_words else LONGEST_CODE if nodes[0].kind == "letter" else 0
    for end in range(letters, 0, -1):
        code = "".join(texts(nodes[:end])).casefold().rstrip(" .") if len(nodes) > end else ""
        if code == "us" and nodes[end].text == "\\$":
            return "dollar", nodes[end + 1 :]
        if code in _CODES and (unit := known_unit(code)):
            return unit, nodes[end:]
    return None


def read_unit(nodes: Nodes) -> str | None:
    """The unit that ``nodes``, all that follows a number, name: ``\\text{ cm}^{2}``, ``\\%``, eggs; else ``None``."""
    if not nodes:
        return None
    if nodes[0].kind == "mark" and nodes[0].text not in BEGINNINGS_OF_UNITS:
        return None  # as mostly: a comma, or a sign between two numbers
    if nodes[0] == DEGREE:
        return SCALES_OF_DEGREES.get(render(nodes[1:]).casefold())  # 20^\circ C is in degrees Celsius
    if not nodes[0].is_words and nodes[0].text in SIGNS_OF_UNITS:
        unit = known_unit(nodes[0].text)
        return unit if unit and _more_of(unit, nodes[1:]) == unit else None  # 20 % of the total
    words = _words(nodes)
    return read_measure(nodes) if words is None else unit_of_words(words)


def money_with(unit: str, nodes: Nodes) -> str | None:
    """The unit of an amount of money that has ``nodes`` after it: dollars per hour for ``\\$5`` and ``/hour``.

    ``None`` if they do not belong to it, as in ``\\$5 \\text{ apples}``.
    """
    if read_unit(nodes) == unit:
        return unit
    more = _more_of(unit, nodes)
    return more if more is not None and is_rate_of(more, unit) else None


def _more_of(unit: str, nodes: Nodes) -> str | None:
    """The unit of a word with ``nodes`` after it."""
    return read_unit([Node("text", unit), *nodes])


def _words(nodes: Nodes) -> str | None:
    """The words that ``nodes`` are; ``None`` for anything else. The "of" of ``cups of flour`` is two letters there."""
    parts = [node for node in nodes if node.text != "."]  # sq. units
    are_words = all(node.kind in ("letter", *WORD_KINDS) for node in parts)
    return words_of(parts) if are_words and any(node.is_words for node in parts) else None


@lru_cache(maxsize=1_024)
def unit_of_words(words: str) -> str | None:
    """The unit that words after a number name: a unit of measure, or what is counted (eggs); else ``None``."""
    joined = "".join(words.split()).casefold()
    whole = known_unit(joined.replace("degrees", "degree"))
    if whole is not None and len(joined) < len(words):
        return whole  # degrees Celsius
    measure = words_as_measure(words)
    if measure is not None:
        return measure
    named = named_part(words)
    # kg of cereal; the capitals of a symbol matter, so it is looked up as it was written
    before = None if named is None else words_as_measure(" ".join(words.split()[: len(named)]))
    return before or counted_thing(words)
