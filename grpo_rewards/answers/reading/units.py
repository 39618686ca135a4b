"""Units of measure, and all that may stand after a number: the table of units, money, what is counted.

Look here if a unit is not known, or if ``5 apples`` is misread.
"""

import re
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from grpo_rewards.answers.latex.tree import (
    DEGREE,
    SYMBOL_LETTERS,
    WORD_KINDS,
    Node,
    Nodes,
    render,
    texts,
    word_set,
    words_of,
)
from grpo_rewards.answers.reading.words import changes_meaning, takes_back

# The table of units: every unit once, with all its spellings and its size. Look here if a unit is not known.
#
# A row is a unit: its full name, its other spellings and, after ``=``, its size as a number of base units. Spellings
# with a capital letter mean the unit only as they stand (``mW`` is not ``MW``); in all others capitals make no
# difference. Plurals are found without being listed.


class UnitSize(NamedTuple):
    """How large a unit is: ``factor`` times base units, each with its power; ``factor`` is ``None`` if that varies."""

    factor: Fraction | None
    powers: tuple[tuple[str, int], ...]


# Base units: metre, gram, second, ampere, kelvin, mol, candela and bit; a radian, of which a degree is pi/180; one for
# each currency; and units that are whole parts of one another but not of those, such as month and year.
_UNITS = """
meter m metre 米 м = 1 m
inch in inches 英寸 = 0.0254 m
foot ft feet 英尺 = 0.3048 m
yard yd 码 = 0.9144 m
mile mi 英里 = 1609.344 m
nauticalmile nmi 海里 = 1852 m
lightyear ly 光年 = 9460730472580800 m
astronomicalunit AU = 149597870700 m
parsec pc = ? m
里 = 500 m
acre = 4046.8564224 m2
hectare ha 公顷 = 10000 m2
gram g gm gramme gramo gramm 克 г = 1 g
ton t tonne 吨 т = ? g
ounce oz = 28.349523125 g
lb = 453.59237 g
pound = 453.59237 g
jin 斤 = 500 g
second s sec segundo seconde sekunde sekunden 秒 秒钟 с = 1 s
minute min minuto minuten 分钟 мин = 60 s
hour h hr hora heure stunde stunden 小时 个小时 时 钟头 ч = 3600 s
day dia jour tage 天 日 = 86400 s
week wk semana semaine woche wochen 周 星期 个星期 = 604800 s
fortnight = 1209600 s
month mes mois monat monate 月 个月 = 1 month
year yr ano annee jahr jahre 年 岁 = 12 month
decade = 120 month
century centuries = 1200 month
millennium millennia = 12000 month
liter L l ℓ litre 升 л = 0.001 m3
gallon gal = 128 floz
quart qt = 32 floz
pint pt = 16 floz
cup = 8 floz
fluidounce floz = 1 floz
tablespoon tbsp = 1/2 floz
teaspoon tsp = 1/6 floz
radian rad = 1 rad
degree deg ° \\circ 度 = 1/180 pi rad
arcminute = 1/10800 pi rad
arcsecond = 1/648000 pi rad
revolution rev = 2 pi rad
degreeC celsius degreecelsius 摄氏度
degreeF fahrenheit degreefahrenheit 华氏度
percent % \\% pct percentage percentagepoint
unit = 1 unit
ampere A amp 安 = 1 A
kelvin K = 1 K
mole mol 摩尔 = 1 mol
molarity M = 1000 mol m-3
hertz Hz hz = 1 s-1
newton N n 牛 牛顿 = 1000 g m s-2
pascal Pa pa = 1000 g m-1 s-2
joule J j 焦 焦耳 = 1000 g m2 s-2
watt W w 瓦 瓦特 = 1000 g m2 s-3
coulomb C = 1 A s
volt V v 伏 伏特 = 1000 g m2 s-3 A-1
farad F = 1/1000 A2 s4 g-1 m-2
ohm \\Omega \\omega Ω 欧 欧姆 = 1000 g m2 s-3 A-2
tesla T = 1000 g s-2 A-1
henry H = 1000 g m2 s-2 A-2
weber Wb = 1000 g m2 s-2 A-1
lumen lm = 1 cd
lux lx = 1 cd m-2
becquerel Bq = 1 s-1
gray Gy = 1 m2 s-2
sievert Sv = 1 m2 s-2
electronvolt eV = 1.602176634/10000000000000000 g m2 s-2
watthour Wh wh = 3600000 g m2 s-2
calorie cal 卡 = 4184 g m2 s-2
bar = 100000000 g m-1 s-2
atmosphere atm = 101325000 g m-1 s-2
decibel dB
mph = 0.44704 m s-1
kph kmph kmh = 5/18 m s-1
mps = 1 m s-1
fps = 0.3048 m s-1
knot = 463/900 m s-1
rpm = 1/30 pi rad s-1
mpg = 1609.344/128 m floz-1
cc = 0.000001 m3
newtonmeter Nm = 1000 g m2 s-2
byte B = ? bit
bit = 1 bit
dollar $ \\$ us\\$ usd usdollar buck 美元 = 1 usd
cent ¢ = 1/100 usd
penny pennies
euro € eur 欧元 = 1 eur
eurocent = 1/100 eur
£ gbp quid poundsterling poundssterling 英镑 = 1 gbp
pence = 1/100 gbp
¥
yen jpy 日元 円 = 1 jpy
yuan rmb cny 元 块 块钱 人民币 = 1 cny
jiao 角 毛 = 1/10 cny
fen = 1/100 cny
分
rupee ₹ inr rs 卢比 = 1 inr
paise paisa = 1/100 inr
ruble rouble ₽ rub руб рубль рубля рублей 卢布 = 1 rub
kopek kopeck коп копейка копейки копеек = 1/100 rub
won ₩ krw 韩元 = 1 krw
peso
franc chf
rand
baht
dong
lira
kilometer kms 千米 公里 км
centimeter cms 厘米 公分 см
decimeter 分米
millimeter 毫米 мм
micrometer micron 微米
nanometer 纳米
millisecond 毫秒
kilogram kilo kilos kgs 千克 公斤 кг
milligram 毫克
milliliter ml 毫升 мл
centiliter cl
deciliter dl
kilowatt kw 千瓦
kilowatthour kwh 千瓦时
kilohertz khz
megahertz mhz
gigahertz ghz
kilopascal kpa
kilojoule kj 千焦
kilonewton kn
kilocalorie kcal 千卡
kilovolt kv
kilobyte kb
megabyte mb
gigabyte gb
terabyte tb
"""
# Units that take prefixes; the first other spelling of each is the symbol that its prefix is written to: km, mW.
_WITH_PREFIXES = word_set(
    "meter gram second ampere kelvin mole molarity hertz newton pascal joule watt coulomb volt farad ohm tesla henry "
    "liter electronvolt watthour parsec byte calorie bar weber lumen lux becquerel gray sievert radian"
)
_PREFIXES = (
    "T tera 12,G giga 9,M mega 6,k kilo 3,d deci -1,c centi -2,m milli -3,u micro -6,μ micro -6,\\mu micro -6,"
    "n nano -9,p pico -12,f femto -15"
)
_NEVER_SYMBOLS = ("pm", "B")  # these more often mean something else: 4 pm is a time, 4 B a billion


_BASE_UNIT = re.compile("([^-0-9 ]+)(-?[0-9]*)")  # with its power


def _sized(size: str) -> UnitSize:
    """The size that a row gives after its ``=``: ``1000 g m s-2``."""
    factor, _, bases = size.partition(" ")
    powers = ((base, int(power or 1)) for base, power in _BASE_UNIT.findall(bases))
    above, _, below = factor.partition("/")
    known = None if factor == "?" else Fraction(above) / Fraction(below or 1)
    return UnitSize(known, tuple(sorted(powers)))


def _read_table() -> tuple[dict[str, str], dict[str, str], dict[str, UnitSize]]:
    """(name by spelling without regard to capitals, name by symbol, size by name) of all rows, and with prefixes."""
    spelled: dict[str, str] = {}
    symbols: dict[str, str] = {}
    sizes: dict[str, UnitSize] = {}
    for row in _UNITS.strip().split("\n"):
        names, _, size = row.partition(" = ")
        name, *others = names.split()
        factor, powers = sizes.setdefault(name, _sized(size or f"1 {name}"))
        spelled[name.casefold()] = name
        for other in others:
            (spelled if other == other.casefold() else symbols)[other] = name
        for prefix, long, exponent in (one.split() for one in _PREFIXES.split(",") if name in _WITH_PREFIXES):
            symbols[prefix + (others or names.split())[0]] = spelled[long + name] = long + name
            sizes[long + name] = UnitSize(None if factor is None else factor * Fraction(10) ** int(exponent), powers)
    return spelled, {one: name for one, name in symbols.items() if one not in _NEVER_SYMBOLS}, sizes


_SPELLED, SYMBOLS, SIZES = _read_table()


FOREIGN_SPELLING = re.compile("(met|lit)(?:re|ro)")  # kilometre, kilometro


def known_unit(word: str) -> str | None:
    """The full name of a unit that is in the table, in the singular or plural; ``None`` for any other word.

    ``word`` is in small letters. It is not looked up among the symbols in which capitals matter.
    """
    # a single letter has no plural: ms are milliseconds, not meters
    endings = (ending for ending in ("s", "es") if len(word) > len(ending) + 1)
    spellings = [word, *(word.removesuffix(ending) for ending in endings)]
    if FOREIGN_SPELLING.search(word):
        spellings += [FOREIGN_SPELLING.sub(r"\1er", one) for one in spellings]
    return next((_SPELLED[one] for one in spellings if one in _SPELLED), None)


# How many of one unit another one is: an hour is 60 minutes, a metre per second 3.6 kilometres per hour.
#
# Look here if two quantities with different units are judged wrongly. Only exact ratios are known. Scales of
# temperature have none, since 0 °C is not 0 °F: ``comparing`` converts them. Counted things are no units.


class Ratio(NamedTuple):
    """``factor`` times a power of pi: how many of one unit another one is. Only angles have a power of pi."""

    factor: Fraction
    pi: int = 0


SAME = Ratio(Fraction(1))
ONE_DEGREE = Ratio(Fraction(1, 180), 1)  # in radians, which are plain numbers
# What a sign or a word may mean that leaves open which unit it is.
_MEANINGS = {
    "¥": ("yen", "yuan"),
    "pound": ("pound", "£"),
    "分": ("minute", "fen"),
    "cent": ("cent", "eurocent"),
    "penny": ("cent", "pence"),
}
_MONEY = word_set("usd eur gbp jpy cny inr rub krw ¥")  # base units
# Units of the same kind whose ratio is not fixed: a year has 365 days or 366, and countries differ over the gallon.
_VARIES = {"month": ("s", 1), "floz": ("m", 3)}


def is_measure(unit: str) -> bool:
    """Whether a unit is one of measure (``cm``), not the name of what is counted (``egg``)."""
    return all(name in SIZES for name, _ in _factors(unit))


def is_rate_of(unit: str, money: str) -> bool:
    """Whether a unit is money per something: dollars per hour."""
    factors = _factors(unit)
    is_money = money in SIZES and SIZES[money].powers[0][0] in _MONEY
    return is_money and (money, 1) in factors and all(power < 0 for name, power in factors if name != money)


@lru_cache(maxsize=1_024)
def ratio(unit: str, other: str) -> Ratio | bool | None:
    """How many of ``other`` one ``unit`` is, for two units, of which each may mean several: ``¥`` is a yen or a yuan.

    ``False`` if they measure different things, or one counts them; ``None`` if they measure the same, but the ratio is
    not known exactly.
    """
    pairs = product(_MEANINGS.get(unit, [unit]), _MEANINGS.get(other, [other]))
    found = [_fixed_ratio(*pair) for pair in pairs]
    return next((one for one in found if one), None if None in found else False)


def _fixed_ratio(unit: str, other: str) -> Ratio | bool | None:
    """``ratio`` for two units that each have one meaning: their quotient, of which all base units must cancel."""
    if not is_measure(unit) or not is_measure(other):
        return False
    factor: Fraction | None = Fraction(1)
    powers: Counter[str] = Counter()
    for name, power in (*_factors(unit), *((name, -power) for name, power in _factors(other))):
        size = SIZES[name]
        factor = None if factor is None or size.factor is None else factor * size.factor**power
        for base, times in size.powers:
            powers[base] += times * power
    pi = powers.pop("pi", 0)
    if not any(powers.values()):
        return None if factor is None else Ratio(factor, pi)
    for base, (kind, times) in _VARIES.items():
        powers[kind] += times * powers.pop(base, 0)
    return False if any(powers.values()) else None


def _factors(unit: str) -> list[tuple[str, int]]:
    """The units in a product, each with its power: (meter, 1) and (second, -2) of ``meter*second^{-2}``."""
    return [(name, int(power.strip("{}") or 1)) for name, _, power in (one.partition("^") for one in unit.split("*"))]


# Reads units of measure with prefixes and powers: ``\text{ kg m}^{-3}``, ``km/h``, ``miles per hour``, ``sq. ft``.
#
# A unit is returned as a product of full names in alphabetical order: ``kilogram*meter^{-3}``.

POWERS_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
POWERS_BEHIND = {"squared": 2, "cubed": 3} | {f"^{power}": power for power in range(-4, 5) if power}
# What joins the parts of a unit, and the word for it.
JOINING_SIGNS = {"/": ["per"], "\\cdot": [], "(": [], ")": []}
# Chinese writes them without spaces: 平方米 is a square metre, 千米每小时 kilometres per hour.
_JOINED_PARTS = (("/", " per "), ("平方", " square "), ("立方", " cubic "), ("每", " per "))
# Short units in which capitals make no difference.
CAPITALS = word_set(
    """
    KM CM KG FT LB LBS OZ HR HRS MIN SEC ML MPH Km Kg Cm Ft Lbs Hrs Min Sec Day USD EUR GBP Rs RMB CNY INR JPY RUB CHF
    Mph Kph KPH RPM KW KWH MI YD IN YR YRS Yrs Yr Mi In Gal GAL
    """
)
# Units that are also known without \text, even where no space parts them from the number.
ITALIC = word_set("cm mm km kg ft mL Hz kHz MHz mph kph kmph lb lbs oz min hr hrs sec yd yr yrs kW kWh kPa usd gbp pct")
ITALIC_SPEED = re.compile("(?:m|km|cm|ft|mi)/(?:s|h|hr|min|sec)(?![a-z])")
# Single letters that are a unit where they stand apart from a number; others are nearly always a variable.
_LONE = word_set("m g s h L M N J W")


def read_measure(nodes: Nodes) -> str | None:
    """The unit of measure that ``nodes`` as a whole spell, in canonical form; ``None`` for anything else."""
    return _product(_unit_words(nodes, apart=False))


def read_apart(nodes: Nodes) -> str | None:
    """As ``read_measure``, for letters that a space or upright type parts from a number: the m of ``10 m``.

    They may just as well be variables; ``10m`` is only read as a product.
    """
    if not nodes[0].apart:
        return None
    words = _unit_words(nodes, apart=True)
    return _product(words) if words and _are_no_variables(words) else None


def _are_no_variables(words: list[str]) -> bool:
    """Whether letters that stand apart may be a unit, if they are symbols of one: ``m``, ``yr``, ``m s^{-2}``, ``J/K``.

    Single letters are mostly variables, and so is the s of ``2 s^2``.
    """
    if len(words[0]) > 1:
        return True
    is_rate = any(word == "per" or word.startswith("^-") for word in words)
    is_area = words[0] == "m" or "^2" not in words
    return words[0] in _LONE and (is_rate or (is_area and all(word in _LONE or word[0] == "^" for word in words)))


def _unit_words(nodes: Nodes, apart: bool) -> list[str] | None:
    """The words of which a unit consists, ``["m", "per", "s", "^2"]``; ``None`` if something else is among them.

    ``apart``: whether letters that a space parts are each a word, and any of them may be a unit.
    """
    words: list[str] = []
    at = 0
    while at < len(nodes):
        start, node, at = at, nodes[at], at + 1
        if node.is_words:
            words += _parted(node.text)
        elif node.text in JOINING_SIGNS:
            words += JOINING_SIGNS[node.text]
        elif node.text == "\\frac":
            above, below = (_unit_words(arg, apart) for arg in node.args)
            if above is None or below is None:
                return None
            words += [*above, "per", *below]
        elif node.text == "^" and (not start or nodes[start - 1].text != ")"):
            words.append("^" + render(node.args[0]))
        elif node.text in ("\\Omega", "\\mu"):
            prefix = words.pop() if words and words[-1] in ("k", "M") else ""
            words.append(prefix + node.text)
        elif node.kind == "letter":
            while at < len(nodes) and nodes[at].kind == "letter" and not (apart and nodes[at].apart):
                at += 1
            symbol = "".join(texts(nodes[start:at]))
            # of a letter behind a unit in words it is plain that it is one: mol/L
            is_behind = start > 1 and nodes[0].is_words and nodes[start - 1].text in JOINING_SIGNS
            is_speed = "/" in texts(nodes[1:3]) and ITALIC_SPEED.match(render(nodes)) is not None
            if not (apart or symbol in ITALIC or is_behind or is_speed):
                return None
            words.append(symbol)
        else:
            return None
    return words


def _parted(words: str) -> list[str]:
    """The single words of a unit in words, with "per" for a slash."""
    for part, parted in _JOINED_PARTS:
        words = words.replace(part, parted)
    return words.split()


def _product(words: list[str] | None) -> str | None:
    """The canonical form of the unit that words name, ``kilogram*meter^{-3}``; ``None`` if any word is not one."""
    if not words:
        return None
    powers: Counter[str] = Counter()
    sign = power = 1
    last = prefix = ""
    for word in words:
        plain = word.strip(".,").casefold()
        if plain == "per":
            sign = -1
        elif plain in POWERS_BEFORE:
            power = POWERS_BEFORE[plain]
        elif plain in POWERS_BEHIND and last:
            powers[last] += (POWERS_BEHIND[plain] - 1) * sign
        elif word == "\\mu":
            prefix = word
        elif (name := _unit_name(prefix + word)) is not None:
            powers[name] += sign * power
            last, power, prefix = name, 1, ""
        else:
            return None
    factors = sorted((name, times) for name, times in powers.items() if times)
    spelled = "*".join(name if times == 1 else f"{name}^{{{times}}}" for name, times in factors)
    return spelled if spelled and power == 1 and not prefix else None


def _unit_name(word: str) -> str | None:
    """The unit that a word is: a symbol, in which capitals matter, or a name, in which they do not; else ``None``."""
    if word in SYMBOLS:
        return SYMBOLS[word]
    if word.isascii() and not word.islower() and len(word) <= SYMBOL_LETTERS and word not in CAPITALS:
        return None  # Nm is not nm
    plain = word.strip(".,").casefold()
    return known_unit(plain) or SYMBOLS.get(plain)


# Says what words after a number count: ``fresh eggs``, ``tickets per day``, ``pages left``.
#
# Look here if words after a number are taken for what is counted and are not, or the other way round. What is counted
# is an open class, and so is what would take a number back (``5 impossible``, ``5 fails``). English separates them:
# what is counted is a noun in the plural. So the last word before ``of``, ``per``, ``left`` and the like must be a
# plural or a listed noun, no word may change or deny the number, and a plural that is a number itself (``pairs``) names
# nothing.

MOST_WORDS = 8  # after a number
SHORTEST_NOUN = 3
IRREGULAR = tuple("fish men people children feet teeth mice hedra".split())  # also at the end of longer words
# Words that do no harm after a number, although the lists of words that do have them or words like them.
HARMLESS_HERE = word_set(
    """
    family only daily weekly monthly yearly hourly early elderly friendly supply assembly jelly july the from to at
    times roots squares cubes positive negative decimal more around through seconds
    cans answers triples quadruples zeros zeroes
    """
)
# Plurals that are themselves numbers: five pairs are ten.
COLLECTIVE = word_set(
    """
    pairs couples scores trios duos duets quartets quintets sextets twins triplets quadruplets doubles triples
    quadruples tuples halves thirds quarters tens ones multiples powers factorials
    """
)
# What makes one thing of a collective: five ordered pairs are five answers.
OF_MATHEMATICS = word_set("ordered unordered coordinate integer solution pythagorean amicable")
# Words in -s that are no plurals.
NOT_PLURAL = word_set(
    """
    this its his hers ours theirs yours perhaps always sometimes besides unless towards backwards forwards upwards
    downwards afterwards is was has does thus plus minus less versus whereas likes nonetheless nevertheless
    """
)
# Plurals without -s, nouns of which as many are counted in the singular, and others of which there may be just one.
NOUNS = word_set(
    """
    people children men women feet teeth mice geese sheep deer dice fish salmon trout shrimp cattle police staff
    vertices indices matrices axes radii foci series species data media fungi aircraft spacecraft offspring clothes
    lice bacteria criteria fishermen grandchildren money cash rice sugar taxis kiwis flour milk water juice bread
    meat fruit cereal homework sand gold silver wood red blue green black white yellow
    way solution value number integer digit point line side edge face vertex angle triangle square circle polygon
    factor divisor prime set element function case possibility choice option step game match person student child
    day apple egg marble book page coin ticket dog cat car house
    """
)
# Words that introduce of what, where or when something is counted.
PREPOSITIONS = word_set(
    "of per for in on at from to by with each every a an around through along across during within among"
)
# Words that may follow what is counted.
DESCRIBING_WORDS = word_set(
    """
    left remaining total altogether each only exactly old tall high long wide deep thick needed required used sold
    combined overall apart available away late early later earlier extra as many much faster slower larger bigger
    large big heavy increase decrease profit discount chance probability interest growth reduction gain
    north south east west clockwise counterclockwise inclusive the original
    longer older younger taller higher heavier wider deeper farther further apiece absent
    """
)
# What may stand after a number without naming anything.
REMARKS = word_set(
    """
    only|exactly|exact|total|in total|in all|altogether|left|remaining|left over|each|apiece|per person|for each|
    of them|overall|combined|needed|required|in the end|respectively|inclusive|the answer|is the answer
    """,
    "|",
)
# Chinese: what all words that count begin with, and what they may not hold: numbers and denials. 次方 is a power.
COUNTERS = "个只本人次种条张辆名位件棵支头匹朵颗根组套倍岁页层间台部首封段场排列行块座"
_CHINESE_CHANGES = "不没无非错误假否未别勿半多余以或约近到至对双打成百千万亿一二三四五六七八九十两几是分之吗吧呢左右幂"
_COUNTED_IN_CHINESE = re.compile(rf"(?!次方)[{COUNTERS}]([^{_CHINESE_CHANGES}\x00-\x7f]{{0,5}})")


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

    ``None`` if any word takes the number back.
    """
    every = [word.strip(".,").casefold() for word in words.split()]
    if len(every) > MOST_WORDS or any(map(_takes_back, every)):
        return None
    ends = (at for at, word in enumerate(every) if word in PREPOSITIONS or (at and _describes(word, every[at - 1])))
    end = next(ends, len(every))
    return every[:end] or None  # "5 left"


def is_remark(words: str) -> bool:
    """Whether words after a number name nothing and change nothing: ``only``, ``in total``; in Chinese ``个``."""
    plain = " ".join(words.split()).strip(" .,!").casefold()
    return plain in REMARKS or (len(plain) == 1 and plain in COUNTERS)


def _takes_back(word: str) -> bool:
    """Whether a word, or the singular of it, changes the number or takes it back: ``sines`` as ``sine`` does."""
    if word in HARMLESS_HERE:
        return False
    parts = {word, word.rpartition("-")[2], _singular(word)} - HARMLESS_HERE
    return any(takes_back(part) or changes_meaning(part) for part in parts)


def _describes(word: str, before: str) -> bool:
    """Whether a word says more about the noun ``before`` it: ``pages left``, ``games played``."""
    return word in DESCRIBING_WORDS or (word.endswith("ed") and _is_plural(before))


def _is_noun(words: list[str]) -> bool:
    """Whether words end in a noun that can be counted; ``more`` says of a noun that it is one of several."""
    last = words[-1]
    if not COLLECTIVE.isdisjoint(words):
        return last in COLLECTIVE and not OF_MATHEMATICS.isdisjoint(words)
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
    found = _COUNTED_IN_CHINESE.fullmatch(word)
    return None if found is None else found[1] or word


# Reads all that may follow a number and belongs to it: a unit of measure, a sign of money, what is counted.
#
# Look here if what stands after a number is not seen as its unit.

CURRENCIES = word_set(r"\$ € £ ¥ ₹ ₽ ₩")
SIGNS_OF_UNITS = (*CURRENCIES, "\\%", "%", "¢")
BEGINNINGS_OF_UNITS = frozenset((*SIGNS_OF_UNITS, *JOINING_SIGNS))  # besides words, letters and commands
# Signs and codes that may stand before an amount: USD 25, Rs. 25.
_BEFORE_AMOUNTS = CURRENCIES | word_set(r"usd eur gbp jpy cny rmb inr rs rub chf us\$")
LONGEST_CODE = 3


def currency(nodes: Nodes) -> tuple[str, Nodes] | None:
    """(unit, what follows) if ``nodes`` begin with money's sign or code: ``\\$5``, ``USD 5``, ``US\\$5``."""
    if not nodes:
        return None
    longest = LONGEST_CODE if nodes[0].kind == "letter" else 1
    for end in range(longest, 0, -1):
        code = "".join(texts(nodes[:end])).casefold().rstrip(" .")
        if code in _BEFORE_AMOUNTS and (unit := known_unit(code)):
            return unit, nodes[end:]
    return None


def read_unit(nodes: Nodes) -> str | None:
    """The unit that ``nodes``, all that follows a number, name: ``\\text{ cm}^{2}``, ``\\%``, eggs; else ``None``."""
    if not nodes:
        return None
    if nodes[0].kind == "mark" and nodes[0].text not in BEGINNINGS_OF_UNITS:
        return None  # as mostly: a comma, or a sign between two numbers
    if nodes[0] == DEGREE:
        return _SPELLED.get("degree" + render(nodes[1:]).casefold())  # 20^\circ C is Celsius; 45^\circ S is no plural
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
    measure = _product(_parted(words))
    if measure is not None:
        return measure
    named = named_part(words)
    # kg of cereal; the capitals of a symbol matter, so it is looked up as it was written
    before = None if named is None else _product(_parted(" ".join(words.split()[: len(named)])))
    return before or counted_thing(words)
