"""Says which words before ``=`` name a quantity: ``\\text{Area of } ABC = 5``, but not ``\\text{reject } x = 5``.

Look here if a word before an equation makes its value count although it takes it back, or hinders one that names it.
Statements about ``x = 5`` are an open class, and so is what takes it back. So words before a symbol need a listed
noun of quantity as the last one before ``of`` and the like; words alone, ``\\text{Students who passed} = 40``, are a
name unless they deny.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.reading.quantities.word_lists import DENYING_STEMS, DENYING_WORDS, PREPOSITIONS
from grpo_rewards.answers.reading.wording.words import denies

__all__ = ["describes", "names_quantity"]

# Nouns of what has a value.
QUANTITIES = frozenset(
    """
    answer value result solution number count total sum difference product quotient remainder part digit digits
    area volume perimeter circumference length width height depth breadth thickness distance displacement radius
    diameter side base altitude median hypotenuse leg legs diagonal edge chord arc apothem slope gradient intercept
    x-intercept y-intercept coordinate coordinates x-coordinate y-coordinate abscissa ordinate midpoint point vertex
    centre center focus centroid circumcenter incenter orthocenter domain codomain range image kernel interval
    angle angles argument amplitude period frequency phase wavelength speed velocity acceleration force mass weight
    density pressure temperature energy work momentum impulse torque charge current voltage resistance
    capacitance flux concentration molarity moles time duration age ages date year day hour minute rate percentage
    proportion fraction probability chance odds expectation mean average mode variance deviation
    correlation covariance skewness entropy score scores price cost costs fee tax tip discount profit loss revenue
    income salary wage wages balance interest principal amount quantity share spending savings budget
    determinant rank trace eigenvalue eigenvalues dimension nullity norm magnitude modulus limit integral derivative
    coefficient constant exponent degree order index discriminant root roots zero zeros solutions extremum maximum
    minimum max min supremum infimum sup inf gcd gcf hcf lcm lcd lhs rhs term terms ratio scale factor factors
    permutations combinations ways possibilities outcomes capacity population size cardinality ph
    var sd std avg prob vol dist asymptote directrix axis divergence curl residue residual conjugate matrix vector
    intersect intersects meet meets intersection numerator denominator multiplicity eccentricity
    """.split()
)
# What may stand before the name without being part of it, beside articles.
ANNOUNCEMENTS = frozenset(
    "so thus hence therefore then and we get have obtain the a an its his her their our final".split()
)
# Modifiers that make a value one that is only looked at.
TENTATIVE = frozenset("test trial sample example candidate possible potential assumed guessed upper lower".split())
DESCRIBING = frozenset("absolute imaginary total least most greatest positive negative square root cube power".split())
NO_NAMES = frozenset(
    "mistake nothing bad bound bounds error guess estimate never none unlike about around near".split()
)
# "The least possible value" is one that was found.
MAKES_DEFINITE = frozenset(
    "least greatest largest smallest maximum minimum highest lowest only total max min of".split()
)
LONGEST_ABBREVIATION = 4
CHINESE_QUANTITY = re.compile(
    r"(?:面积|体积|周长|长度?|宽度?|高度?|距离|半径|直径|边长?|斜率|角度?|值|和|差|积|商|余数|个数|人数|总数|数量?|总?价格?|单价"
    r"|速度|时间|质量|重量|密度|压强|温度|概率|期望|方差|平均数|中位数|众数|系数|次数|通项公式|坐标|焦距|离心率|周期|利润|成本|费用|解集?"
    r"|定义域|值域|答案|结果|公式|比例?|率)[是为]?\Z"
)
CHINESE_ANNOUNCEMENT = re.compile(
    r"(?:所以|因此|于是|从而|那么|故|则|即|得到?|解得|求得|可得|有|答案?[是为]?|方程的?[解根][是为]?){1,4}\Z"
)
CHINESE_DOUBTS = frozenset("不没无非错误假否未别勿令设若取但排除舍增当如果")
CHINESE_WORDS = 12  # letters


def names_quantity(words: str, alone: bool) -> bool:
    """Whether words name a quantity; ``alone`` if no symbol follows them, so that ``apples`` is a name as well."""
    plain = words.strip(" .,:")
    if not plain.isascii():
        return _in_chinese("".join(plain.split()), alone)
    if alone and plain.isalpha() and len(plain) <= LONGEST_ABBREVIATION and (len(plain) == 1 or plain[-1].isupper()):
        return describes(plain)  # LHS, pH
    every = [word.strip(".,:") for word in plain.casefold().split()]
    while every and every[0] in ANNOUNCEMENTS:
        del every[0]
    end = next((at for at, word in enumerate(every) if word in PREPOSITIONS or word == "between"), len(every))
    if end == 0:
        return not every and not alone  # "and then x = 5"
    head = every[end - 1].removesuffix("'s")
    is_named = head in QUANTITIES or (alone and NO_NAMES.isdisjoint(every))
    return is_named and describes(plain)


def describes(words: str) -> bool:
    """Whether no one of some words takes back what they describe."""
    every = words.casefold().split()
    return not any(
        _takes_back(word) and not (word == "possible" and before in MAKES_DEFINITE)
        for before, word in zip(["", *every], every, strict=False)
    )


def _takes_back(word: str) -> bool:
    plain = word.strip(".,:()")
    if plain in DESCRIBING or plain in QUANTITIES:
        return False
    return plain in TENTATIVE or plain in DENYING_WORDS or plain.startswith(DENYING_STEMS) or denies(plain)


def _in_chinese(words: str, alone: bool) -> bool:
    if len(words) > CHINESE_WORDS or not CHINESE_DOUBTS.isdisjoint(words):
        return False
    is_named = CHINESE_QUANTITY.search(words.removesuffix("的")) is not None
    return is_named or (not alone and CHINESE_ANNOUNCEMENT.match(words) is not None)
