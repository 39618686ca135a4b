"""Words: lists of them, and what they do to the answer that they stand beside.

Some change a number or take it back, some name the quantity before ``=``, and some say what problems without a usual
answer are answered with.
"""

import re

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS, Nodes, kept_spellings, word_set

# Words after a number that make it another number, or take it back: ``5 million``, ``5 or 6``, ``5 is wrong``.

# Answers in words of two or three letters, which without \text could be products of variables.
SHORT_WORDS = word_set("yes no am pm odd all one two six ten red day")


# Words after a number that change the meaning, and so are not a unit.
_NOT_UNITS = word_set(
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
    absolute yes unless given unknown epsilon googol eleventy nths
    """
)


# Those in -ths are of fractions, fifths and thirteenths; months and paths are none.
NOT_UNIT_ENDINGS = tuple(
    "illion illions n't ly fths xths enths hths ninths tieths urths dredths sandths ionths".split()
)


_CHINESE_DENIALS = frozenset("不没无非错误假否未别勿")
# Those of them that may also stand in a name or before an answer.
HARMLESS = word_set("the from answer to is are was be at if than equal equals least most total")


def changes_meaning(word: str) -> bool:
    """Whether a word after a number makes it another number, or takes it back: ``thousand``, ``squared``, ``or``."""
    plain = word.strip(".,?!").casefold()
    if not plain.isascii():
        return not _CHINESE_DENIALS.isdisjoint(plain)
    return plain in _NOT_UNITS or plain.endswith(NOT_UNIT_ENDINGS) or plain.startswith("half-")


def capitals_matter(word: str) -> bool:
    """Whether capitals matter in a short word: CO is no Co, and NaF is neither NAF nor naf; but YES is Yes."""
    if len(word) == 1 or (len(word) == 2 and word.casefold() not in SHORT_WORDS):
        return True
    return len(word) <= SYMBOL_LETTERS and word not in (word.lower(), word.upper(), word.capitalize())


def denies(word: str) -> bool:
    """Whether a word takes an answer back or makes it another one, wherever it stands: ``not``, ``six``, ``or``."""
    return changes_meaning(word) and word.strip(".,").casefold() not in HARMLESS


# Words that take a number back or make it another one wherever they stand, besides those above.
DENYING_WORDS = word_set(
    """
    impossible invalid fake extraneous spurious inadmissible unacceptable erroneous mistaken ruled denied forbidden
    prohibited disallowed rejected discarded eliminated omitted excluded removed retracted withdrawn cancelled canceled
    crossed void undefined undetermined indeterminate uncertain untrue unreal doubtful questionable dubious implausible
    improbable inconsistent infeasible unattainable unreachable insufficient inadequate excessive meaningless nonsense
    garbage hypothetical tentative tbd trap error errors mistake mistakes guess guesses nah wait too otherwise else off
    out bad worse worst rather versus vs fail fails failed err violate violates break breaks exceed exceeds miss lack
    lacks conflict conflicts disagree differ differs diverge diverges vanish vanishes cancel cancels become becomes get
    gets make makes give gives yield yields works holds satisfies seems appears looks sounds says means have has had
    does do did can could will would should might may must cannot am be been being falls drops rises grows changes turns
    goes comes remains needs requires none nothing nowhere hardly scarcely barely rarely seldom twofold threefold fold
    ratio reciprocals inverses opposites negatives halved quartered quadrupled increased decreased reduced raised
    lowered added subtracted rounded truncated shifted swapped replaced reversed inverted flipped percentile percentiles
    logarithm logarithms exponent exponents modulus remainder up down wrongly unsolved unsolvable unfit equals
    approaches varies depends radicals kilo kilos milli micro nano close closer closest struck basis oops sorry cosine
    minuses bogus unproven unverified suspicious unsatisfiable useless worthless rubbish paradox typo nay unsound hoax
    fraud scam fiction myth decoy distractor kidding disagreeing clashing overshoot undershoot
    """
)
# Verbs that refute what stands before them, and look like the plural of something counted: 5 rejects.
REFUTING_VERBS = word_set(
    """
    annuls approximates bluffs clashes collides debunks deceives deletes denies departs deviates disagrees discards
    dismisses disobeys disputes disqualifies doubts eliminates errs excepts excludes falsifies fluctuates forbids
    forfeits hinders ignores infringes inverts lies loses miscounts misfits misleads mismatches misreads misrepresents
    misses nears negates neglects nullifies obviates omits opposes oscillates outnumbers overestimates overlooks
    overrules overshoots overturns precludes prevents prohibits rebuts recants refuses rejects removes rescinds
    retracts reverses revokes shrinks sinks skips surpasses thwarts underestimates undershoots undoes voids withdraws
    """
)
# The beginnings of such words, also of their plurals in other languages: 5 imposibles.
DENYING_STEMS = tuple(
    "impos invali incorrec inexac falso falsa erron negativ unmögl ungült contradict disprov refut".split()
)


def takes_back(word: str) -> bool:
    """Whether a word in small letters takes back what stands before it: ``refutes``, ``extraneous``."""
    return word in DENYING_WORDS or word in REFUTING_VERBS or word.startswith(DENYING_STEMS)


# Says which words before ``=`` may name a quantity: ``\text{Area of } ABC = 5``, but not ``\text{impossible } x = 5``.
#
# Look here if a word before an equation makes its value count although it takes it back, or hinders one that names it.

# Modifiers that make a value one that is only looked at.
TENTATIVE = word_set("candidates test trial sample example candidate possible potential assumed guessed upper lower")
DESCRIBING = word_set(
    """
    absolute imaginary total least most greatest positive negative square root roots cube power base exponent modulus
    ratio remainder score zero get have gives tangent decimal binary inverse exactly between
    through daily weekly monthly yearly hourly family only
    """
)
NO_NAMES = word_set(
    """
    mistake nothing bad bound bounds error guess estimate never none unlike about around near where invalid if
    assume assuming suppose supposing let unless check when given plug put test before since because whenever provided
    show prove verify consider try wrong reject rejected discard exclude excluding omit avoid skip remove nobody what
    attempt draft placeholder dummy misconception misprint counterexample complement complementary
    """
)
BOUNDING = word_set("at least|at most|at minimum|at maximum|the answer", "|")  # "the answer has 5 digits"
COUNTS = word_set("two three four five six seven eight nine ten")
# "The least possible value" is one that was found.
MAKES_DEFINITE = word_set("the all least greatest largest smallest maximum minimum highest lowest only total max of")


def names_quantity(words: str) -> bool:
    """Whether words before ``=`` may name a quantity: they are English, and none takes back what it equals."""
    plain = [word.strip(".,:()") for word in words.casefold().split()]
    is_taken_back = any(map(_takes_back, ["", *plain], plain))
    return words.isascii() and not is_taken_back and NO_NAMES.isdisjoint(plain)


def _takes_back(before: str, word: str) -> bool:
    """Whether a word before ``=``, which follows ``before``, takes back what the words name, or only bounds it."""
    if f"{before} {word}" in BOUNDING:
        return True
    if word in DESCRIBING or (before and word in COUNTS) or (word == "possible" and before in MAKES_DEFINITE):
        return False
    return word in TENTATIVE or takes_back(word) or denies(word)


# Says alike what problems without a usual answer are answered with: "no solution", "DNE", "infinitely many".
#
# Look here if two wordings of such an answer are not seen as the same.

# Each row: the usual wording, then others, in small letters and without spaces.
USUAL_WORDINGS = kept_spellings("""
nosolution noanswer 无解 方程无解 没有解 不等式无解
doesnotexist dne notexist doesntexist itdoesnotexist thelimitdoesnotexist limitdoesnotexist nosuchlimit 不存在
infinitelymany infinitelymanysolutions infinitesolutions therearinfinitelymany thereareinfinitelymany
infinitelymany thereareinfinitelymanysolutions infinitenumberofsolutions aninfinitenumberofsolutions 无数个 无穷多个
diverges divergent 发散 doesnotconverge itdoesnotconverge itdiverges itisdivergent isdivergent
converges convergent 收敛 itconverges itisconvergent isconvergent
absolutelyconvergent convergesabsolutely isabsolutelyconvergent
conditionallyconvergent convergesconditionally isconditionallyconvergent
counterclockwise anticlockwise
undefined notdefined itisundefined isundefined
cannotbedetermined itcannotbedetermined notenoughinformation thereisnotenoughinformation insufficientinformation
cannotbedetermined notenoughinformationtodetermine thereisnotenoughinformationtodetermine
cannotbedetermined thereisnotenoughinformationtodetermineit
necessaryandsufficient sufficientandnecessary
righttriangle rightangledtriangle
gray grey
quadranti firstquadrant
quadrantii secondquadrant ii
quadrantiii thirdquadrant iii
quadrantiv fourthquadrant iv
""")
# The same without spaces: "there are no real solutions", "no such integer exists", "no solution in integers".
KINDS_OF_SOLUTIONS = "(?:positive|real|rational|integer)"
NO_SOLUTION = re.compile(
    r"(?:there(?:is|are)|(?:it|(?:the)?(?:equation|system|inequality))has)?no(?:such)?"
    rf"({KINDS_OF_SOLUTIONS}*?)(?:(?:solution|root|number|value|pair)s?|(?<=such)(integer)s?)"
    rf"(?:exists?|(?:in(?:the)?|of)({KINDS_OF_SOLUTIONS}+)s?)?"
)
HYPHEN_IN_WORD = re.compile(r"(?i)\b(non|co|anti|counter|semi|north|south|right)-(?=[a-z])")
WINNING = re.compile("(?<=.)(?:wins|hasawinningstrategy|winsthegame)$")  # what is said of a player
# Words that say of which kind a noun behind them is, without spaces, and that noun: "even", "even function".
NAMES_OF_KINDS = re.compile(
    r"(?:(?:but|and|not|both|neither|nor)*(?:sufficient|necessary))+(?=condition)"
    "|(?:even|odd|increasing|decreasing|periodic|constant|linear|quadratic)(?=function)"
    "|(?:even|odd|prime|composite|rational|irrational|real|positive|negative)(?=number)"
    "|(?:right|acute|obtuse|isosceles|equilateral|scalene)(?=triangle)"
    "|(?:arithmetic|geometric|convergent|divergent|increasing|decreasing)(?=sequence|series)"
    "|[充分必要非不既又也且]+(?=条件)|[奇偶增减](?=函数)|(?:直角|等腰|等边|锐角|钝角)(?=三角形)"
)
NOUN_OF_KIND = re.compile("condition|function|number|triangle|sequence|series|条件|函数|三角形")
LEADING = re.compile(
    r"\A(?:(?:it|this|that|the (?:(?:correct |final )?(?:answer|option|choice)|statement|result|claim|day of the week"
    r"|day|shape|conic(?: section)?|curve|graph|domain|range|limit|series|sequence|integral|function|triangle)) "
    r"(?:(?:is|was|will be) |(?=(?:con|di)verge|increase|decrease)))?(?:(?:an?|the) )?",
    re.IGNORECASE,
)


def usual_words(spelled: str) -> str:
    """The usual wording of an answer in words; the words themselves if none is known."""
    spelled = HYPHEN_IN_WORD.sub(r"\1", spelled)
    folded = spelled.casefold()
    unsolved = NO_SOLUTION.fullmatch(folded)
    if unsolved is None:
        return USUAL_WORDINGS.get(folded, WINNING.sub("", spelled))
    return f"no{''.join(filter(None, unsolved.groups()))}solution"


def name_one_kind(one: str, other: str) -> bool:
    """Whether two answers in words, without spaces, differ only in the noun of which they name a kind: ``even`` and
    ``evenfunction``.
    """
    shorter, longer = sorted((one, other), key=len)
    kind = NAMES_OF_KINDS.match(longer)
    if kind is None or NOUN_OF_KIND.fullmatch(longer, kind.end()) is None:
        return False
    return usual_words(kind[0]) == shorter


def without_article(nodes: Nodes) -> Nodes:
    """Words without what leads to them: ``a rhombus`` is a rhombus, "It is a Thursday" says Thursday."""
    text = LEADING.sub("", nodes[0].text, count=1).strip() if nodes[0].is_words else ""
    return [nodes[0]._replace(text=text), *nodes[1:]] if text else nodes
