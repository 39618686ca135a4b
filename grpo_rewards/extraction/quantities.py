"""Finds the numbers and formulas in running text, each as a whole with its unit, and which of them a clause gives.

Look here if half of a number or formula is taken, the wrong side of an equation, or the wrong number of the right
clause. Words that make a number a bound, a label or a circumstance stand in ``cues.toml``.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple

from grpo_rewards.answers.latex.characters import with_usual_digits
from grpo_rewards.answers.reading.numerals import NUMBER_WORDS, value_of_words
from grpo_rewards.answers.reading.units import SYMBOLS, known_unit
from grpo_rewards.extraction.cues import compiled
from grpo_rewards.extraction.sentences import lowered
from grpo_rewards.extraction.statements import JOINING, Candidate, Candidates, joined, keys_of
from grpo_rewards.extraction.tracker import NO_KEYS, Keys

__all__ = ["QuantityMentions", "same_number", "words_stated"]

VULGAR = "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
CURRENCY = r"(?:(?:US|CA|AU|HK|R)?\\?\$|[€£¥₹₩]|(?:USD|EUR|GBP|CNY|RMB|INR|JPY|CHF|Rs\.?)\s)\s?"
DIGITS = r"(?:[0-9](?:(?:[0-9,.'’_]|\{,\}|[\u00a0\u202f\u2009]|\s(?=[0-9]{3}(?![0-9]))){0,400}[0-9])?|\.[0-9]{1,400})"
NUMBER_IN_TEXT = (
    rf"(?:{CURRENCY}(?=[-−]?\.?[0-9]))?{DIGITS}(?:[eE][-+−]?[0-9]{{1,4}})?"
    rf"(?:\s?[{VULGAR}]|\s[0-9]{{1,3}}/[0-9]{{1,3}})?(?:\s?\\?[%％])?"
)
LATEX_ARGUMENT = r"\s?(?:\{[^{}\n]{0,80}\}|\{[^{}\n]{0,40}\{[^{}\n]{0,40}\}[^{}\n]{0,40}\}|[0-9A-Za-z])"
MATHS = (
    r"\\begin\{[a-z]{1,12}\*?\}.{1,1500}?\\end\{[a-z]{1,12}\*?\}|"
    r"\$\$[^$\n]{1,1500}\$\$|\$(?=[^\s$])[^$\n]{0,1500}[^\s$\\]\$(?![0-9])|\$[^\s$]\$(?![0-9])"
    r"|\\\((?:(?!\\\)).){1,1500}\\\)|\\\[(?:(?!\\\]).){1,1500}\\\]"
)
ITEM = r"\s?(?:[-+−0-9./√π∞^*=]|(?<![A-Za-z])[A-Za-z](?![A-Za-z])|\\[A-Za-z]{1,10}|\{[^{}\n]{1,20}\}){1,20}"
TUPLE = rf"\\?[(\[{{]{ITEM}(?:,{ITEM}){{1,20}}\s?\\?[)\]}}]"
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
DATE_IN_TEXT = rf"(?:{MONTH}\.? [0-9]{{1,2}}|[0-9]{{1,2}} (?:of )?{MONTH})(?:,? [12][0-9]{{3}})?(?![0-9])"
TIME = r"[0-9]{1,2}:[0-9]{2}\s?[AaPp]\.?[Mm](?![A-Za-z])\.?"
FORMULA_PIECE = (
    rf"(?:{MATHS}|{TUPLE}|{DATE_IN_TEXT}|{TIME}|{NUMBER_IN_TEXT}|\\[dt]?(?:frac|binom){LATEX_ARGUMENT}{LATEX_ARGUMENT}|\\(?:sqrt|text|mathrm|mathbf){LATEX_ARGUMENT}"
    rf"|\\[A-Za-z]{{1,30}}|[{VULGAR}√π∞∅°ⁿ⁰¹²³⁴⁵⁶⁷⁸⁹⁻]|(?<![^\W\d_])[A-Za-zα-ω](?![^\W\d_]|['’])"
    r"|(?:sqrt|sin|cos|tan|log|ln|exp)(?=\s?\()|pi(?![A-Za-z])|[()\[\]{}^_!|])"
)
SIGN = r"(?:[-−–+±](?=[\\$€£0-9.(A-Za-z√π]))"
OPERATOR = (
    r"(?:[-+−–×·⋅*/÷±:]|x(?=\s?[$0-9(])|[=≈≃<>≤≥≠]|\\(?:times|cdot|div|pm|approx|leq?|geq?|neq?|equiv|in)(?![A-Za-z]))"
)
RUN = re.compile(
    rf"(?<![A-Za-zÀ-ɏ0-9_.,/#№-]){SIGN}?{FORMULA_PIECE}(?:{FORMULA_PIECE}|\s{{0,2}}{OPERATOR}{{1,2}}\s{{0,2}}{SIGN}?{FORMULA_PIECE}){{0,100}}",
    re.DOTALL,
)
WHOLE = re.compile(rf"{TUPLE}|{MATHS}|{DATE_IN_TEXT}|{TIME}", re.DOTALL)
LABEL_BEHIND = re.compile(r"(?:st|nd|rd|th|er|ème|º|ª)\b|[-‑][A-Za-z]{2,}|[A-Za-zÀ-ɏ_]|题|页|章|节|号|版|步")
UNIT_BEHIND = re.compile(
    r"\s?(?:(?P<power>square|cubic|sq\.?|cu\.?)\s)?(?P<unit>[A-Za-zµ°℃]{1,15})(?P<raised>(?:\^\{?-?[0-9]\}?|[²³])?)"
    r"(?P<rate>(?:\s?/\s?|\sper\s|\sa\s|\san\s)[A-Za-z]{1,12}(?:\^\{?-?[0-9]\}?|[²³])?)?(?![\w^(])"
)
NO_UNITS = frozenset("in a am as at us".split())  # words of English in running text
DEGREES = re.compile(r"\s?(?:°|º|\^\{?\\circ\}?|degrees?\b)(?:\s?(?:C|F|Celsius|Fahrenheit)\b)?")
PER_CENT = re.compile(r"\s(?:per ?cent|prozent|pour cent|por ciento)\b")
MAGNITUDE = re.compile(r"\s?(thousand|million|billion|trillion|hundred|dozen|k(?!\w)|[万亿])")
FACTORS = {"hundred": 100, "dozen": 12, "k": 1000, "万": 10**4, "亿": 10**8}
EQUALITY = re.compile(r"=|≈|≃|\\approx(?![A-Za-z])|\\equiv(?![A-Za-z])")
UNEQUAL = re.compile(r"[<>≤≥≠]|\\(?:leq?|geq?|neq?|in)(?![A-Za-z])")
RANGE = re.compile(r"[$€£]?(-?[0-9]{1,40}(?:\.[0-9]{1,40})?)%?\s?[-–—−]\s?[$€£]?([0-9]{1,40}(?:\.[0-9]{1,40})?)%?")
PLAIN = re.compile(r"[$€£¥₹]?-?(?:[0-9]{1,3}(?:,[0-9]{3}){1,12}|[0-9]{1,400})(?:\.[0-9]{1,400})?")
TELLING = re.compile(r"[0-9\\√π∞∅½¼¾⅓⅔]|\bpi\b")
DOING = re.compile(r"\bto (?!get|be|equal|obtain|reach|give)[a-z]{2,12}\s(?:all |the |up )?$")
COMPARISON_BEHIND = re.compile(
    r"\s(?:less|more|fewer|greater|smaller|larger|times|over|minus|plus)(?: than)? (?=[$€£0-9])|%? of (?=[$€£0-9])"
)
FACTORIAL_BEHIND = re.compile(r"![!.)]")  # "5!" at the end may be an exclamation
HALF_SOLVED = re.compile(r"[0-9.]{1,9}\s?[a-z]|[a-z]\s?[-+*/]\s?[0-9.]{1,9}")  # the left side of "2x = 18"
JOINS = re.compile(
    r"\s?(?:and|or|to|minus|plus|times|of(?: the| these| those| her| his)?|&|-|–|und|et|y|和|到)\s?[$€£]?"
)
IDENTIFIER = re.compile(r"[A-Za-z]_?[0-9]{1,9}(?!\s?[=≈0-9^])|0[xXbB][0-9A-Fa-f]")
UNFINISHED = re.compile(r"\s?(?:[-+*/×=]|(?P<times>times)|(?:more|less) than)\s?\$?\s*\Z")
EXPONENT_OF_TEN = re.compile(r"(?<=[0-9])[eE]([-+−]?[0-9]{1,4})\Z")
SUFFIXED = re.compile(rf"{SIGN}?{NUMBER_IN_TEXT}[kKMBmsgl]")
ALIGNED_ROWS = re.compile(r"\\(?:begin|end)\{(?:align|aligned|equation|gather|gathered|split|multline)\*?\}")
NEGATIVE = re.compile(r"(?<![0-9]\s)\b(?:minus|negative)\s{1,2}$|负\s?$")
COUNTRY = re.compile(r"^(?:US|CA|AU|HK|R)(?=\\?\$)")
BRACKETS = {")": "(", "]": "[", "}": "{"}
PLAIN_VALUE = re.compile(r"[$€£¥₹]?(-?[0-9,]{0,30}[0-9](?:\.[0-9]{1,30})?)(?:/([0-9]{1,30}))?(\s?\\?%)?")
DOTTED_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,12}(?:,[0-9]{1,40})?")
DECIMAL_COMMA = re.compile(r"[0-9]{1,40},[0-9]{1,40}")
SPACES_IN_NUMBERS = re.compile(r"(?<=[0-9])(?:['’_\u00a0\u202f\u2009]|\s(?=[0-9]{3}(?![0-9])))(?=[0-9])")
IN_WORDS = f"(?:{'|'.join(sorted(NUMBER_WORDS - {'and'}, reverse=True))})"
NUMBER_IN_WORDS = re.compile(
    r"(?<![\w-])(?<!\bthe )(?<!\bthese )(?<!\bboth )(?<!\ball )(?<!\bother )"
    rf"{IN_WORDS}(?:(?:-| and | ){IN_WORDS}){{0,11}}(?![\w-])",
    re.IGNORECASE,
)


class Quantity(NamedTuple):
    """A number or formula: where it stands, what is compared (``None``: it is no answer), whether it is computed."""

    start: int
    end: int
    answer: str | None
    is_outcome: bool = False


class QuantityMentions(Candidates):
    """Finds the numbers and formulas of one text, and remembers how each is written.

    Attributes:
        answers: what is compared, by key, in the order of the text.
        decimal_comma: whether 2,5 is two and a half in the language of the text.
    """

    def __init__(self, decimal_comma: bool = False) -> None:
        self.decimal_comma = decimal_comma
        self.answers: dict[Any, str] = {}

    def find(self, text: str, is_led: bool) -> list[Candidate]:
        return [self._candidate(one) for one in _usable(text, self.decimal_comma)]

    def stated(self, content: str) -> Keys:
        """The only quantity of an announcement, or its words if it has none."""
        found = quantities(content, self.decimal_comma)
        low = lowered(content)
        is_name = all(_before("label").search(low[max(one.start - 32, 0) : one.start]) for one in found)
        if found and not is_name:  # "Statement 1" is a name
            usable = self.find(content, True)
            keys = keys_of(usable)
            return keys if len(keys) == 1 and len(usable) == len(found) else NO_KEYS
        words = words_stated(content)
        self.answers.update((one, one) for one in words)
        return words

    def asserted(self, clause: str) -> Keys:
        """The quantity that a clause gives, or several that are joined: "At 20 °C it is 343 m/s"."""
        usable = _usable(clause, self.decimal_comma)
        best = _best(clause, usable)
        if best is None:
            return NO_KEYS
        at = usable.index(best)
        if best.is_outcome:
            return self._solutions(lowered(clause), usable[: at + 1])
        listed = [self._candidate(one) for one in usable]
        while at and len(joined(clause, listed[at - 1 : at + 1])[0]) > 1:
            at -= 1
        return joined(clause, listed[at:])[0]

    def _solutions(self, low: str, usable: Sequence[Quantity]) -> Keys:
        """The last outcome, and those of the same unknown that "and" joins to it: "x = 1 and x = 6"."""
        solutions = [usable[-1]]
        unknown = _unknown(usable[-1])
        for one in reversed(usable[:-1]):
            between = low[one.end : solutions[0].start]
            is_joined = compiled(JOINING).fullmatch(between) and not compiled("<alternative>").search(between)
            if not unknown or _unknown(one) != unknown or not is_joined:
                break
            solutions.insert(0, one)
        if len(solutions) > 1:
            for one in solutions:
                self.answers.pop(same_number(str(one.answer)), None)  # they are written as here
        return keys_of(list(map(self._candidate, solutions)))

    def _candidate(self, one: Quantity) -> Candidate:
        answer = str(one.answer)
        key = same_number(answer)
        self.answers.setdefault(key, answer)
        is_computed = (one.is_outcome and "=" not in answer) or UNEQUAL.search(answer) is not None
        return Candidate(one.start, one.end, frozenset([key]), "outcome" if is_computed else "number")


def _unknown(one: Quantity) -> str:
    """What stands before the sign of equality in an answer: the x of ``x = 3``."""
    return str(one.answer).rpartition("=")[0]


WORDS_STATED = 12  # of an answer in words


def words_stated(content: str) -> Keys:
    """The words that are announced, unless they are too many or refer to something else: "as shown above"."""
    words = content.strip(" .:!*\"'“”,")
    is_answer = words and len(words.split()) <= WORDS_STATED and not compiled("<reference>").search(lowered(words))
    return frozenset([words]) if is_answer else NO_KEYS


@lru_cache(maxsize=512)
def quantities(text: str, decimal_comma: bool = False) -> tuple[Quantity, ...]:
    """The numbers and formulas of a text, in order.

    >>> [one.answer for one in quantities("She ate 4, so 10 - 4 = 6 cm are left of B12.")]
    ['4', '6\\\\text{ cm}']
    """
    found: list[Quantity] = []
    for one in _quantities(text, decimal_comma):
        before = text[: one.start].rstrip(" $€£")[-1:]
        is_outcome = before == "="  # "60 people + 4 people = 64 people"
        if is_outcome or (one.is_outcome and before in tuple("+*/×-−–")):
            while found and not found[-1].is_outcome and not re.search("[,;.:(]", text[found[-1].end : one.start]):
                one = one._replace(start=found.pop().start)
        found.append(one._replace(is_outcome=one.is_outcome or is_outcome))
    return tuple(found)


def _quantities(text: str, decimal_comma: bool) -> Iterator[Quantity]:
    low, at = lowered(text), 0
    while found := RUN.search(text, at):
        start, end = _balanced(text, found.start(), found.end())
        at = max(end, found.start() + 1)
        written = text[start:end]
        if SUFFIXED.fullmatch(written):  # "12k", "5m": a magnitude or unit, no product
            end, written = end - 1, written[:-1]
        if not TELLING.search(written):
            continue
        unit = UNIT_BEHIND.match(text, end)
        is_measured = (unit is not None and _is_unit(unit["unit"])) or MAGNITUDE.match(low, end)
        if IDENTIFIER.match(written) or (LABEL_BEHIND.match(text, end) and not is_measured):
            continue
        unfinished = UNFINISHED.match(text, end)
        if unfinished and not (unfinished["times"] and "=" in written):  # "she went 42 / 14 = 3 times"
            yield Quantity(start, end, None)  # "18 +"
            continue
        one = _quantity(low, start, end, _spelled(written, decimal_comma))
        at = max(at, one.end)
        yield one


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """A run without brackets that have no partner at its ends, and without an exclamation mark."""
    if WHOLE.fullmatch(text, start, end):
        return start, end
    while start < end and text[start] in ")]}^_!|: ":
        start += 1
    opened: list[tuple[str, int]] = []
    for place in range(start, end):
        if text[place - 1 : place] == "\\":
            continue
        if text[place] in "([{":
            opened.append((text[place], place))
        elif text[place] in BRACKETS:
            if not opened or opened[-1][0] != BRACKETS[text[place]]:
                return _balanced(text, start, place) if place > start else (start, end)
            opened.pop()
    if opened:
        place = opened[0][1]
        return _balanced(text, place + 1, end) if place == start else (start, place)
    while end > start and text[end - 1] in "!|_^ :+-−–*/=<>":
        end -= 1
    inner = text[start + 1 : end - 1]
    is_wrapped = text[start : start + 1] == "(" and text[end - 1] == ")" and not re.search("[()]", inner)
    return (start + 1, end - 1) if is_wrapped and ("=" in inner or PLAIN.fullmatch(inner)) else (start, end)


def _spelled(written: str, decimal_comma: bool) -> str:
    """A formula without the delimiters of mathematics, its numbers with separators that can mean only one thing."""
    if "\\begin" in written and ALIGNED_ROWS.search(written):
        rows = [row.replace("&", " ").strip() for row in ALIGNED_ROWS.sub("", written).split("\\\\")]
        written = next((row for row in reversed(rows) if row), written)
    written = COUNTRY.sub("", written)
    for opening, closing in (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$")):
        if written.startswith(opening) and written.endswith(closing) and len(written) > len(opening + closing):
            written = written[len(opening) : -len(closing)].strip()
    if "$" in written[1:]:  # "$5 - $2", "$x$ = $3$"
        written = re.sub(r"\\?\$(?![0-9.])|(?<=[^\s=$\\])\\?\$(?=[0-9])|(?<=[-+*/] )\$", "", written)
    plain = SPACES_IN_NUMBERS.sub("", written)
    plain = EXPONENT_OF_TEN.sub(lambda found: rf" \times 10^{{{found[1].lstrip('+').replace('−', '-')}}}", plain)
    digits = plain.lstrip("$€£¥₹-− ")
    lead = plain[: len(plain) - len(digits)].replace("−", "-")
    if (decimal_comma or digits.count(".") > 1) and DOTTED_THOUSANDS.fullmatch(digits):
        return lead + digits.replace(".", "").replace(",", ".")
    return lead + (digits.replace(",", ".") if decimal_comma and DECIMAL_COMMA.fullmatch(digits) else digits)


def _quantity(low: str, start: int, end: int, written: str) -> Quantity:
    """A run with what belongs to it: the words before that deny its sign, those behind that are its unit."""
    sides = [side.strip() for side in EQUALITY.split(written)]
    answer = _outcome(written, sides)
    if NEGATIVE.search(low, max(start - 12, 0), start) and PLAIN.fullmatch(answer):
        answer = f"-{answer}"
    is_outcome = len(sides) > 1
    rising = RANGE.fullmatch(written)
    is_share = "/" in answer or answer.endswith("%")
    is_part = not is_outcome and (
        (rising and float(rising[1]) < float(rising[2]))
        or COMPARISON_BEHIND.match(low, end)
        or (not is_share and compiled("<alter>").match(low[end : end + 40].lstrip()))
    )
    is_half_solved = is_outcome and HALF_SOLVED.fullmatch(sides[0])
    if is_part or is_half_solved or not sides[-1] or FACTORIAL_BEHIND.match(low, end):  # "$3 + 4 =$ 7"
        return Quantity(start, end, None)
    if UNEQUAL.search(written):
        return Quantity(start, end, answer, is_outcome)
    answer, end = _with_unit(answer, low, end)
    return Quantity(start, end, answer, is_outcome)


def _outcome(written: str, sides: Sequence[str]) -> str:
    """Of an equation the last side, with the unknown if the first side is one, and with a rounded value."""
    if len(sides) == 1 or UNEQUAL.search(written) or any(side.count("{") != side.count("}") for side in sides):
        return written
    last = sides[-1]
    exact, sign, rounded = written.rpartition("≈")
    if sign and (exact := exact.rpartition("=")[2].strip()) and re.search("[0-9]", exact):
        last = f"{exact} ≈ {rounded.strip()}"
    is_unknown = len(sides[0]) <= 20 and re.fullmatch(r"[A-Za-z](?:[_(]\S{1,8})?|[a-z]\([a-z]\)", sides[0]) is not None
    return f"{sides[0]} = {last}" if is_unknown else last


def _with_unit(answer: str, low: str, end: int) -> tuple[str, int]:
    """A number with the magnitude, per cent or unit that stands behind it, and where that ends."""
    if found := MAGNITUDE.match(low, end):
        word = found[1]
        factor = FACTORS.get(word)
        value = same_number(answer.lstrip("$€£¥₹"))
        if factor is None:
            return f"{answer} {word}", found.end()
        return (str(value * factor), found.end()) if isinstance(value, Fraction) else (answer, end)
    if found := PER_CENT.match(low, end):
        return f"{answer}\\%", found.end()
    if found := DEGREES.match(low, end):
        return (f"{answer}°" if found.group()[-1] not in "cfst" else answer), found.end()
    found = UNIT_BEHIND.match(low, end)
    if found is None or answer[0] in "$€£¥₹" or answer[-1] == "%" or not answer[-1].isdigit():
        return answer, end
    power, name, raised, rate = found.group("power", "unit", "raised", "rate")
    if not _is_unit(name) or name in NO_UNITS:
        return answer, end
    if rate and not _is_unit(re.sub(r"[\s/^{}0-9²³]|\bper\b|\ban?\b", "", rate)):
        return answer, found.start("rate")
    raised = raised or ({"s": "^2", "c": "^3"}[power[0]] if power else "")
    unit = rf"\text{{ {name}{raised}{rate}}}" if rate else rf"\text{{ {name}}}{raised}"
    return answer + unit, found.end()


def _is_unit(name: str) -> bool:
    return known_unit(name) is not None or (name in SYMBOLS and len(name) < 4 and name != "M")  # 24M may be millions


def _usable(clause: str, decimal_comma: bool) -> list[Quantity]:
    """The quantities that a clause may give: no bounds, parts of another number or labels."""
    low = lowered(clause)
    usable: list[Quantity] = []
    last: Quantity | None = None
    for one in quantities(clause, decimal_comma):
        before = low[max(one.start - 32, 0) : one.start]
        is_bound = not one.is_outcome and _before("bound").search(before) is not None
        # "between 4 and 5"
        is_joined = last is not None and not usable and not one.is_outcome and JOINS.fullmatch(low, last.end, one.start)
        if one.answer is not None and not (
            is_bound or is_joined or (PLAIN.fullmatch(one.answer) and _before("label").search(before))
        ):
            usable.append(one)
        last = one
    return usable


@cache
def _before(act: str) -> re.Pattern[str]:
    """An act's phrases right before a quantity, perhaps with an article between."""
    return compiled(rf"(?:<{act}>)[\s$€£(:]{{0,3}}(?:(?:the|a|an|about|all|just|only|every|each)\s)?$")


def _best(clause: str, usable: Sequence[Quantity]) -> Quantity | None:
    """The quantity that a clause gives: the outcome of an equation, what follows "is", else the last one that is no
    circumstance ("in 3 days"); none if only a circumstance opens the clause."""
    low = lowered(clause)
    main = [
        one
        for one in usable
        if (one.is_outcome and "=" not in str(one.answer))
        or not _is_circumstance(low[max(one.start - 32, 0) : one.start])
    ]
    for better in (
        [one for one in main if one.is_outcome],
        [one for one in main if _before("equals").search(low[max(one.start - 40, 0) : one.start])],
        main,
        [one for one in usable if low[: one.start].count(" ") > 1 and "=" not in str(one.answer)],
    ):
        if better:
            return better[-1]
    return None


def _is_circumstance(before: str) -> bool:
    return (_before("circumstance").search(before) or DOING.search(before)) is not None


@lru_cache(maxsize=1_024)  # a policy may write one number a thousand times
def same_number(written: str) -> Fraction | str:
    """The value of a plain number, fraction or per cent, so that 1/8 and 12.5% are the same; else the text.

    >>> same_number("1/8") == same_number("12.5%"), same_number("x+1")
    (True, 'x+1')
    """
    bare = written.rpartition("=")[2].partition("\\text")[0].strip()
    found = PLAIN_VALUE.fullmatch(bare)
    if found is None or not (divisor := int(found[2] or 1)):
        return written
    value = Fraction(found[1].replace(",", "")) / divisor
    return value / 100 if found[3] else value


def with_digits(text: str) -> str:
    """A text whose numbers in words are digits, except those that name things: "the two angles"; digits are 0 to 9.

    >>> with_digits("In total they picked twenty-five pears.")
    'In total they picked 25 pears.'
    """
    return NUMBER_IN_WORDS.sub(_digits_of_words, with_usual_digits(text))


def _digits_of_words(found: re.Match[str]) -> str:
    words = found.group().casefold().replace("-", " ").split()
    value = value_of_words(words)
    return found.group() if value is None or words == ["one"] else str(value)
