"""Chooses which number or formula of a clause is the one that the clause gives: "At 20 °C it is **343 m/s**.".

Look here if the wrong number of the right sentence is taken.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.number_spellings import same_number
from grpo_rewards.answers.finding.prose.quantities import Quantity, quantities
from grpo_rewards.answers.finding.prose.statements import BOLD
from grpo_rewards.answers.finding.prose.words_behind import is_named, is_numbered

__all__ = ["Choice", "choose", "is_circumstance", "leading"]


class Choice(NamedTuple):
    """What a clause gives.

    Attributes:
        answer: the number or formula, or several with commas; ``None`` if there is none.
        is_spoilt: whether the clause holds a number that is none by itself, such as a bound, so that nothing is given.
        quantity: the one that was chosen, or the last one of a list.
    """

    answer: str | None
    is_spoilt: bool = False
    quantity: Quantity | None = None


BEFORE_QUANTITY = 32  # characters before a number in which the words are that belong to it
BOUNDING = re.compile(
    r"(?:\b(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|longer|shorter|older|younger|taller"
    r"|faster|better|worse|earlier|later|other|rather|different) than(?: or equal to)?"
    r"|\b(?:at (?:least|most)|divisible by|coprime (?:to|with)|relatively prime to|congruent to|proportional to"
    r"|(?:different|distinct) from|up to|under|over|above|below|exceed(?:s|ing|ed)?|between|within|nearly|almost"
    r"|just short of|close to|near|approaching|upwards? of"
    r"|not quite|no (?:more|fewer|less) than|minimum|at minimum|until|beyond|anything but|except|besides"
    r"|apart from|bounded by|such as|like|including|among others|argument,|up from|down from|somewhere"
    r"|plus de|moins de|au moins|au plus|entre|mehr als|weniger als|mindestens|höchstens|zwischen|über|unter"
    r"|más de|menos de|al menos|como máximo|casi|più di|meno di|mais de|больше|меньше|более|менее)"
    r"|不到|超过|不足"
    r"|至少|至多|最多|最少|多于|少于|大于|小于|高于|低于|介于|接近|将近|以上)[\s$€£\x1c]{0,4}(?:the |about |around )?$",
    re.IGNORECASE,
)
MAKES_ANOTHER = re.compile(
    r"(?:\b(?:half|third|quarter|twice|double|triple|thrice|roots?|square|cube|power|log|ln|logarithm|sines?"
    r"|cosines?|tangents?|sum|product|difference|quotient|ratio|reciprocal"
    r"|inverse|multiples?|factors?|divisors?|percent|percentage|per cent|factorial|absolute value|opposite|moitié"
    r"|double|triple|hälfte|mitad|doble)(?: (?:root|as much as|as many as))?(?: of)?"
    r"|%(?: of)|\b(?:minus|plus|times|divided by|multiplied by|add|subtract|by a factor of)|一半|倍|减|加|乘以"
    r"|除以)\s(?:the |a |an )?[\x1c$]{0,2}$",
    re.IGNORECASE,
)
NEGATIVE = re.compile(r"\b(?:minus|negative)\s{1,2}[\x1c$]{0,2}$|负\s?$", re.IGNORECASE)
BEFORE_NEGATIVE = re.compile(r"[0-9$%)]\s{0,2}(?:[^\W\d_]{2,20}\s)?(?:minus)\s{1,2}[\x1c$]{0,2}$", re.IGNORECASE)
OFFSET = re.compile(r"[\s\x1c](?:[^\W\d_]{1,12} )?(?:after|before|later|earlier|ago|from now)\b", re.IGNORECASE)
# "He paid $250, $50 less than the list price of $300."
COMPARES = re.compile(
    r"[\s\x1c](?:[^\W\d_]{1,12} )?(?:less|more|fewer|greater|smaller|larger|higher|lower|older|younger|longer|shorter"
    r"|taller|cheaper|heavier|faster|slower) than\b",
    re.IGNORECASE,
)
PART_OF = re.compile(
    r"(?:\bout of|(?:^\W{0,3}|[0-9]\S{0,3}\s|\beach |\bone |\bsome |\bany |\ball |\bmost |\bnone |\bboth "
    r"|\bhalf )of)(?: the| these| those| her| his| all| its| our)?\s[\x1c$]{0,2}$",
    re.IGNORECASE,
)
CIRCUMSTANCE = re.compile(
    r"\b(?:at|in|after|for|with|within|during|per|every|from|among|across|against|than|on|by|using|over|between"
    r"|since|before|through|throughout|each of|when|where|if|while|as|"
    r"de los|dans|pour|après|avec|für|mit|nach|bei|von|aus|con|para|después de|en)"
    r"(?: (?:the|a|an|all|these|those|her|his|its|their|only|just|about|each|every|another|first|last|next|of|les"
    r"|los|las|den|die|der))?\s[\x1c$]{0,2}$",
    re.IGNORECASE,
)
DOING = re.compile(
    r"(?:(?<!remain)(?<!total)(?<!totall)(?<!equal)(?<!reach)(?<!becom)(?<!yield)(?<!mean)(?<!giv)(?<!leav)ing"
    r"|(?<!need )(?<!needs )(?<!has )(?<!have )(?<!had )(?<!able )(?<!going )(?<!want )(?<!wants )\bto (?!get\b"
    r"|give\b|obtain\b|make\b|be\b|equal\b|reach\b|find\b|yield\b|become\b"
    r"|total\b)[a-z]{2,15})\s(?:(?:all|both|his|her|their|its|our|my|up|out|off)(?: of)?(?: the| these| those)?\s)?"
    r"[$€£\x1c]{0,2}$"
)
# "The 20 in the denominator", "these 20 cookies": what is definite is known already, and not given here.
DEFINITE = re.compile(r"\b(?:the|these|those)[\s\x1c]{1,2}$", re.IGNORECASE)
# "20 is divisible by 4", "20 would be too many": said about a number; but "20 is the number of edges" gives it.
TALKED_ABOUT = re.compile(
    r"[\s\x1c]{1,2}(?:(?:is|are|was|were|has|have|can|could|may|might|must|will|would|should|cannot|looks?"
    r"|seems?|appears?|divides"
    r"|satisfies|leaves|fails|occurs|lies|ends|does|makes sense)\b(?! (?:therefore |thus |then )?(?:the|our|my"
    r"|what|how|it|left"
    r"|correct|right)\b|n['’]t))",
    re.IGNORECASE,
)
LEADS = re.compile(
    r"[\s\x1c,]{0,4}(?:(?:so|thus|then|and|but|now|here|since|because|the number|a value of),? )?[\s\x1c]{0,2}",
    re.IGNORECASE,
)
LETTER_OF_UNIT = re.compile(r"[^\W\d_]")
SAYS_WHAT_IT_IS = re.compile(r"[^\W\d_]|[:=]")
ORDERED = re.compile(
    r"(?:^\W{0,3}|\b(?:the|her|his|its|their|my) )(?:first|last|next|top|previous|initial)\s$", re.IGNORECASE
)
COPULA = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|equals?|gives?|gets?|makes?|leaves?|yields?|becomes?|totals?|reaches"
    r"|comes? (?:out )?to|amounts? to|adds? up to|works out to|equal to|reduces? to|simplifies to"
    r"|est|sont|vaut|ist|sind|beträgt|ergibt|es|son|è|é|są|равно)|['’]s|[:=]|是|为|得|等于|共|は)"
    r"(?: (?:now|then|thus|therefore|exactly|about|approximately|roughly|around|only|just|simply|also|precisely"
    r"|indeed|still|equal to|a total of|the same as|the year|worth|environ|genau|exactement))?\s?[\x1c$]{0,2}$",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"[\s\x1c\"'“”‘’«»:=>*_~≈$\[({✅✔☑→👉-]{0,12}(?:(?:therefore|thus|so|then|hence|simply|just|exactly|precisely"
    r"|about|approximately|approx\.?|roughly|around|circa|ca\.?|only|indeed|clearly|still|now|"
    r"given by|equal to|the (?:one|option|choice) with|the (?:year|number|value|integer|fraction|amount|sum)"
    r"|a total of|equals?|i (?:think"
    r"|believe|get|got)|environ|etwa|ungefähr|unos|約|约|为|是|等于|：)[\s\x1c:,=$]{0,3}){0,3}",
    re.IGNORECASE,
)
DETERMINERS = r"(?:the|a|also|another|about|only|just|maybe|perhaps|possibly|even|approximately|either)"
JOINT_OF_QUANTITIES = re.compile(
    rf"[\s\x1c]{{0,2}}(?:[,;/|&、，]|\bvs\.?|\bversus\b)?[\s\x1c]{{0,2}}(?:(?:and|or|und|oder|et|ou|y|e|o|u|和|或者?|及"
    rf"|또는|или|и|と)\b)?[\s\x1c]{{0,2}}(?:{DETERMINERS}\s)?[\x1c]?(?:\(?[a-z0-9][.)]\s)?",
    re.IGNORECASE,
)
# "$10\\sqrt{3}$ m, about 17.3 m" is one value, as "10\\sqrt{3} ≈ 17.3" is.
ROUNDED = re.compile(r"\b(?:about|approximately)\s", re.IGNORECASE)
JOINT_WITH_NOUN = re.compile(
    rf"[\s\x1c](?:[^\W\d_]{{2,20}}\s){{1,2}}(?:and|or|und|oder|et|ou|y"
    rf"|o)\s(?:{DETERMINERS}\s)?[\x1c]?",
    re.IGNORECASE,
)
JOINT_WITH_LABEL = re.compile(r"[^,;.\d]{0,20}[,;]\s(?:[^\W\d_]{2,20}\s?){1,2}:\s\x1c?")
JOINT_OF_RANGE = re.compile(
    r"[\s\x1c]{0,2}(?:\b(?:to|through|thru|until|till|up to|bis|à|al?|hasta|до)\b"
    r"|[~～至到–—-])[\s\x1c]{0,2}[$€£]?",
    re.IGNORECASE,
)
JOINS_RANGE = re.compile(
    r"[\s\x1c](?:[^\W\d_]{1,20}\s){0,2}(?:and|or|to|et|und|y|oder|through|bis)\s[$€£\x1c]?|[\s\x1c]?(?:[-–—~,/]|和"
    r"|到|至|或)[\s\x1c]?",
    re.IGNORECASE,
)
RANGE_OPENED = re.compile(
    r"(?:\bbetween|\bfrom|\bentre|\bzwischen|\bvon|\bde|介于|从|在)\s?[$€£\x1c]{0,2}$", re.IGNORECASE
)


def choose(clause: str, decimal_comma: bool = False) -> Choice:
    """The number or formula that a clause gives; of several equally good ones, the last.

    A bold one is better than others, then the outcome of an equation, what follows "is" and the like, and what is no
    circumstance ("at 20 °C", "for 3 hours").
    """
    usable, spoilt = _usable(clause, decimal_comma)
    if not usable:
        return Choice(None, spoilt)
    best = _best(clause, usable)
    return _with_neighbours(clause, usable, best)


def leading(content: str, decimal_comma: bool = False) -> Choice | None:
    """What a text gives that begins with a number or formula; ``None`` if it begins with words."""
    found = quantities(content, decimal_comma)
    if not found or FILLER.fullmatch(content[: found[0].start]) is None:
        return None
    usable, _ = _usable(content, decimal_comma)
    if not usable or usable[0].start != found[0].start:
        return Choice(None, is_spoilt=found[0].kind != "label")
    return _with_neighbours(content, usable, usable[0])


@lru_cache(maxsize=16)  # what a clause gives is asked for again when it is asked whether it begins with that
def _usable(clause: str, decimal_comma: bool) -> tuple[list[Quantity], bool]:
    """The quantities that may be given, signed, and whether one of the others is spoilt."""
    usable: list[Quantity] = []
    spoilt = False
    previous: Quantity | None = None  # the last one that is spoilt, and so what is joined to it
    for one in quantities(clause, decimal_comma):
        if usable and COMPARES.match(clause, one.end) and clause[: one.start].rstrip().endswith(","):
            break
        if usable and OFFSET.match(clause, one.end) and "," in clause[usable[-1].end : one.start]:
            continue
        before = _words_before(clause, one)
        is_name = one.kind == "number" and not BOUNDING.search(before) and is_named(clause, one.start, one.end)
        if one.kind == "label" or is_name or (one.kind == "number" and is_numbered(clause, one.start, one.end)):
            continue
        if (
            NEGATIVE.search(before)
            and not BEFORE_NEGATIVE.search(before)
            and one.kind == "number"
            and one.answer is not None
        ):
            usable.append(one._replace(answer=f"-{one.answer}"))
        elif one.answer is None or _is_spoilt(clause, one, before, previous):
            spoilt = True
            previous = one
        elif not (PART_OF.search(before) or ORDERED.search(before) or _is_known(clause, one, before)):
            usable.append(one)
    return usable, spoilt


def _words_before(clause: str, one: Quantity, needed: re.Pattern[str] = LETTER_OF_UNIT) -> str:
    """The words just before a quantity; ``""`` if there are none but numbers and signs, which say nothing about it."""
    before = clause[max(one.start - BEFORE_QUANTITY, 0) : one.start]
    return before if needed.search(before) else ""  # a row of numbers would be searched for words a long time


def _is_known(clause: str, one: Quantity, before: str) -> bool:
    """Whether a number is only spoken of and not given: "these 20 cookies", "20 is divisible by 4"."""
    if one.kind != "number" or LETTER_OF_UNIT.search(clause[one.start : one.end]):
        return False
    is_subject = TALKED_ABOUT.match(clause, one.end) is not None and LEADS.fullmatch(clause[: one.start]) is not None
    return is_subject or DEFINITE.search(before) is not None


def _is_spoilt(clause: str, one: Quantity, before: str, previous: Quantity | None) -> bool:
    """Whether the words before a number make it a bound or another number: "more than 5", "between 4 and 5"."""
    if one.kind == "equation":
        return False
    if BOUNDING.search(before) or MAKES_ANOTHER.search(before):
        return True
    return previous is not None and JOINS_RANGE.fullmatch(clause[previous.end : one.start]) is not None


def is_circumstance(before: str) -> bool:
    """Whether the words before a number make it a circumstance of another one: "at 20 °C", "after buying 3 toys"."""
    return CIRCUMSTANCE.search(before) is not None or DOING.search(before) is not None


def _best(clause: str, usable: list[Quantity]) -> Quantity:
    """The quantity that a clause gives."""
    main = [one for one in usable if not is_circumstance(_words_before(clause, one))] or usable
    tests = (
        lambda one: clause.count(BOLD, 0, one.start) % 2 == 1,
        lambda one: one.kind == "equation",
        lambda one: COPULA.search(_words_before(clause, one, SAYS_WHAT_IT_IS)) is not None,
    )
    for test in tests:
        if better := [one for one in main if test(one)]:
            return better[-1]
    return main[-1]


def _with_neighbours(clause: str, usable: list[Quantity], best: Quantity) -> Choice:
    """The chosen quantity, with those that form one list or range with it."""
    at = usable.index(best)
    first = last = at
    while first and _are_one(clause, usable[first - 1], usable[first]):
        first -= 1
    while last + 1 < len(usable) and _are_one(clause, usable[last], usable[last + 1]):
        last += 1
    group = usable[first : last + 1]
    for one, other in pairwise(group):
        if JOINT_OF_RANGE.fullmatch(clause[one.end : other.start]):
            return Choice(None, is_spoilt=True)
    answers = [str(one.answer) for one in group]
    if len(group) == 2 and group[0].kind == "formula" and ROUNDED.search(clause[group[0].end : group[1].start]):
        exact = answers[0].partition("\\text{")[0]  # the unit stands behind the rounded one
        return Choice(f"{exact} ≈ {answers[1]}", quantity=group[-1])
    value = same_number(answers[0])
    is_one = all(same_number(one) == value for one in dict.fromkeys(answers))
    answer = answers[0] if is_one else ", ".join(answers)
    return Choice(answer, quantity=group[-1])


def _are_one(clause: str, one: Quantity, other: Quantity) -> bool:
    """Whether two neighbouring quantities are one list ("3 or 4", "3 cows and 4 pigs") or range ("3 to 4")."""
    between = clause[one.end : other.start]
    if JOINT_OF_RANGE.fullmatch(between):
        return one.kind != "equation" or RANGE_OPENED.search(clause[: one.start]) is not None
    if not any(joint.fullmatch(between) for joint in (JOINT_OF_QUANTITIES, JOINT_WITH_NOUN, JOINT_WITH_LABEL)):
        return False
    if (one.kind == "equation") != (other.kind == "equation"):
        return False
    names = [LETTER_OF_UNIT.findall(str(side.answer).partition("=")[0]) for side in (one, other)]
    if names[0] == names[1] and _name(other) in names[1] and _name(one) != _name(other):
        return False  # "2n = 48, n = 24"
    # "10 - 4 = 6, 6 + 2 = 8" is a calculation, "x = 6, y = 8" is a list
    is_calculation = other.kind == "equation" and "=" not in str(other.answer)
    return not is_calculation and not (
        one.kind == "equation" and other.kind == "equation" and "=" not in str(one.answer)
    )


def _name(equation: Quantity) -> str:
    return str(equation.answer).partition("=")[0].strip()
