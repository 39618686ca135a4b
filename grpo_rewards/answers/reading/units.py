"""Units of measure: the table of them, how many of one another one is, and units read with prefixes and powers.

Look here if a unit is not known, or misread.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS, WORD_KINDS, Node, Nodes, render

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
gram g gm gramme 克 г = 1 g
ton t tonne 吨 т = ? g
ounce oz = 28.349523125 g
lb = 453.59237 g
pound = 453.59237 g
jin 斤 = 500 g
second s sec 秒 秒钟 с = 1 s
minute min 分钟 мин = 60 s
hour h hr 小时 个小时 时 钟头 ч = 3600 s
day 天 日 = 86400 s
week wk 周 星期 个星期 = 604800 s
fortnight = 1209600 s
month 月 个月 = 1 month
year yr 年 岁 = 12 month
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
byte B = ? bit
bit = 1 bit
dollar $ \\$ usd buck 美元 = 1 usd
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
"""
# Units that take prefixes; the first spelling of each is the symbol that its prefix is written to: km, mW.
_WITH_PREFIXES = frozenset(
    "meter gram second ampere kelvin mole hertz newton pascal joule watt coulomb volt farad ohm tesla henry liter "
    "electronvolt watthour parsec byte calorie bar weber lumen lux becquerel gray sievert radian".split()
)
_PREFIX_ROWS = (
    "T tera 12,G giga 9,M mega 6,k kilo 3,d deci -1,c centi -2,m milli -3,u micro -6,μ micro -6,\\mu micro -6,"
    "n nano -9,p pico -12,f femto -15"
)
# Other spellings of units with a prefix, whose capitals make no difference either.
_PREFIXED_ROWS = """
kilometer kms 千米 公里 км|centimeter cms 厘米 公分 см|decimeter 分米|millimeter 毫米 мм|micrometer micron 微米
nanometer 纳米|millisecond 毫秒
kilogram kilo kilos kgs 千克 公斤 кг|milligram 毫克|milliliter ml 毫升 мл|kilowatt kw 千瓦|kilowatthour kwh 千瓦时
kilohertz khz|megahertz mhz|gigahertz ghz|kilopascal kpa|kilojoule kj 千焦|kilonewton kn|kilocalorie kcal 千卡
kilovolt kv|kilobyte kb|megabyte mb|gigabyte gb|terabyte tb
"""
_NEVER_SYMBOLS = ("pm", "B")  # these more often mean something else: 4 pm is a time, 4 B a billion


def _sized(size: str) -> UnitSize:
    """The size that a row gives after its ``=``: ``1000 g m s-2``."""
    factor, *bases = size.split()
    powers = []
    for base in bases:
        name = base.rstrip("-0123456789") or base
        powers.append((name, int(base[len(name) :] or 1)))
    if factor == "?":
        return UnitSize(None, tuple(sorted(powers)))
    above, _, below = factor.partition("/")
    return UnitSize(Fraction(above) / Fraction(below or 1), tuple(sorted(powers)))


def _read_rows() -> tuple[dict[str, str], dict[str, str], dict[str, UnitSize]]:
    """(name by spelling without regard to capitals, name by symbol, size by name) of the rows without prefixes."""
    spelled: dict[str, str] = {}
    symbols: dict[str, str] = {}
    sizes: dict[str, UnitSize] = {}
    for row in filter(None, _UNITS.split("\n")):
        names, _, size = row.partition(" = ")
        name, *others = names.split()
        sizes[name] = _sized(size or f"1 {name}")
        spelled[name.casefold()] = name
        for other in others:
            (spelled if other == other.casefold() else symbols)[other] = name
    return spelled, symbols, sizes


def _add_prefixes(spelled: dict[str, str], symbols: dict[str, str], sizes: dict[str, UnitSize]) -> None:
    """Adds the units with a prefix: ``km`` and ``kilometer`` for the row of the metre."""
    rows = [row.split(" = ")[0].split() for row in _UNITS.split("\n") if row]
    for name, symbol in ((row[0], [*row, row[0]][1]) for row in rows if row[0] in _WITH_PREFIXES):
        factor, powers = sizes[name]
        for prefix, long, exponent in (one.split() for one in _PREFIX_ROWS.split(",")):
            ten = Fraction(10) ** int(exponent)
            symbols[prefix + symbol] = long + name
            spelled[long + name] = long + name
            sizes[long + name] = UnitSize(None if factor is None else factor * ten, powers)
    for name, *others in (row.split() for row in _PREFIXED_ROWS.replace("\n", "|").split("|") if row):
        spelled.update(dict.fromkeys(others, name))
    symbols.update({prefix + "l": f"{long}liter" for prefix, long in (("m", "milli"), ("c", "centi"), ("d", "deci"))})


_SPELLED, SYMBOLS, SIZES = _read_rows()
_add_prefixes(_SPELLED, SYMBOLS, SIZES)
for _spelled_out in _NEVER_SYMBOLS:
    SYMBOLS.pop(_spelled_out, None)


def known_unit(word: str) -> str | None:
    """The full name of a unit that is in the table, in the singular or plural; ``None`` for any other word.

    ``word`` is in small letters. It is not looked up among the symbols in which capitals matter.
    """
    # a single letter has no plural: ms are milliseconds, not meters
    endings = (ending for ending in ("s", "es") if len(word) > len(ending) + 1)
    spellings = [word, *(word.removesuffix(ending) for ending in endings)]
    if "metre" in word or "litre" in word:
        spellings += [one.replace("metre", "meter").replace("litre", "liter") for one in spellings]
    return next((_SPELLED[one] for one in spellings if one in _SPELLED), None)


# How many of one unit another one is: an hour is 60 minutes, a metre per second 3.6 kilometres per hour.
#
# Look here if two quantities with different units are judged wrongly. Only exact ratios are known. Scales of
# temperature are not converted, because 20 °C is 68 °F, but a difference of 20 °C is one of 36 °F. Counted things are
# no units.


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
_MONEY = frozenset("usd eur gbp jpy cny inr rub krw ¥".split())  # base units
# Units of the same kind whose ratio is not fixed: a year has 365 days or 366, and countries differ over the gallon.
_VARIES = {"month": "s", "floz": "m3"}


def is_measure(unit: str) -> bool:
    """Whether a unit is one of measure (``cm``), not the name of what is counted (``egg``)."""
    return all(name in SIZES for name, _ in _factors(unit))


def may_mean(unit: str, other: str) -> bool:
    """Whether two names may mean the same unit: ``¥`` is a yen or a yuan, a pound may be money, a wage hourly."""
    have_one = not set(_meanings(unit)).isdisjoint(_meanings(other))
    return have_one or any(
        is_rate_of(one, two) or _is_rate_without_money(one, two) for one, two in ((unit, other), (other, unit))
    )


def _is_rate_without_money(rate: str, of_money: str) -> bool:
    """Whether ``18 per week`` may stand for ``$18 per week``, or for ``$18`` where that is a wage."""
    per = [(name, power) for name, power in _factors(rate) if power < 0]
    of = [name for name, power in _factors(of_money) if power > 0 and name in SIZES]
    is_money = len(of) == 1 and SIZES[of[0]].powers[0][0] in _MONEY
    rest = [(name, power) for name, power in _factors(of_money) if power < 0]
    return is_money and len(per) == len(_factors(rate)) and rest in ([], per)


def _meanings(unit: str) -> tuple[str, ...]:
    return _MEANINGS.get(unit, (unit,))


def is_rate_of(unit: str, money: str) -> bool:
    """Whether a unit is money per something: of dollars per hour, only the dollars are often written."""
    if money not in SIZES or SIZES[money].powers[0][0] not in _MONEY:
        return False
    others = [power for name, power in _factors(unit) if name != money]
    return (money, 1) in _factors(unit) and bool(others) and all(power < 0 for power in others)


@lru_cache(maxsize=1_024)
def ratio(unit: str, other: str) -> Ratio | bool | None:
    """How many of ``other`` one ``unit`` is, for two units of measure.

    ``False`` if they measure different things; ``None`` if they measure the same, but the ratio is not known exactly.
    """
    if unit == other:
        return SAME
    found = [_fixed_ratio(one, two) for one in _meanings(unit) for two in _meanings(other)]
    return next((one for one in found if one), None if None in found else False)


def _fixed_ratio(unit: str, other: str) -> Ratio | bool | None:
    """``ratio`` for two units that each have one meaning."""
    one, two = _size(unit), _size(other)
    if one.powers != two.powers and _roughly(one) != _roughly(two):
        return False
    if one.factor is None or two.factor is None or one.powers != two.powers:
        return None
    return Ratio(one.factor / two.factor, _pi(unit) - _pi(other))


def _factors(unit: str) -> list[tuple[str, int]]:
    """The units in a product, each with its power: (meter, 1) and (second, -2) of ``meter*second^{-2}``."""
    split = [factor.partition("^") for factor in unit.split("*")]
    return [(name, int(power.strip("{}") or 1)) for name, _, power in split]


def _size(unit: str) -> UnitSize:
    """The size of a product of units of measure, without its power of pi."""
    total: Counter[str] = Counter()
    factor: Fraction | None = Fraction(1)
    for name, power in _factors(unit):
        size = SIZES[name]
        factor = None if factor is None or size.factor is None else factor * size.factor**power
        for base, times in size.powers:
            total[base] += times * power
    return UnitSize(factor, tuple(sorted((base, times) for base, times in total.items() if times and base != "pi")))


def _pi(unit: str) -> int:
    """The power of pi in the size of a product of units."""
    return sum(power * dict(SIZES[name].powers).get("pi", 0) for name, power in _factors(unit))


def _roughly(size: UnitSize) -> Counter[str]:
    """The powers of a size, where a month counts as a time and a fluid ounce as a volume."""
    total: Counter[str] = Counter()
    for base, times in size.powers:
        kind = _VARIES.get(base, base)
        total[kind.rstrip("3")] += times * (3 if kind.endswith("3") else 1)
    return total


# Reads units of measure with prefixes and powers: ``\text{ kg m}^{-3}``, ``km/h``, ``miles per hour``, ``sq. ft``.
#
# A unit is returned as a product of full names in alphabetical order: ``kilogram*meter^{-3}``.

# Units that are products of others under one symbol.
COMPOUND = {
    "mph": Counter({"mile": 1, "hour": -1}),
    "kph": Counter({"kilometer": 1, "hour": -1}),
    "kmph": Counter({"kilometer": 1, "hour": -1}),
    "kmh": Counter({"kilometer": 1, "hour": -1}),
    "mps": Counter({"meter": 1, "second": -1}),
    "fps": Counter({"foot": 1, "second": -1}),
    "rpm": Counter({"revolution": 1, "minute": -1}),
    "mpg": Counter({"mile": 1, "gallon": -1}),
    "knot": Counter({"nauticalmile": 1, "hour": -1}),
    "knots": Counter({"nauticalmile": 1, "hour": -1}),
    "cc": Counter({"centimeter": 3}),
    "Nm": Counter({"newton": 1, "meter": 1}),
}
POWERS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cu": 3, "cubed": 3}
MEASURE_NODES = 24  # in the longest unit that is read
# Chinese writes them without spaces: 平方米 is a square metre, 千米每小时 kilometres per hour.
_CHINESE_PARTS = (("平方", " square "), ("立方", " cubic "), ("每", " per "))
# Short units in which capitals make no difference.
CAPITALS = frozenset("KM CM KG FT LB LBS OZ HR HRS MIN SEC ML MPH Km Kg Cm Ft Lbs Hrs Min Sec Day USD EUR GBP".split())
CAPITALS |= frozenset("Rs RMB CNY INR JPY RUB CHF Mph Kph KPH RPM KW KWH MI YD IN YR YRS Yrs Yr Mi In Gal GAL".split())
# Units that are also known without \text, even where no space parts them from the number. The lengths and times below
# are, only as a fraction: m/s.
ITALIC = frozenset(
    "cm mm km kg ft mL Hz kHz MHz mph kph kmph lb lbs oz min hr hrs sec yd yr yrs kW kWh kPa usd gbp pct".split()
)
ITALIC_LENGTHS, ITALIC_TIMES = frozenset(["m", "km", "cm", "ft", "mi"]), frozenset(["s", "h", "hr", "min", "sec"])
# Single letters that are a unit where they stand apart from a number; others are nearly always a variable.
_LONE = frozenset("m g s h L N J W".split())


@lru_cache(maxsize=1_024)
def words_as_measure(words: str) -> str | None:
    """The unit of measure that words name, in canonical form, else ``None``: ``miles per hour``, ``sq. ft``."""
    return _written(_of_words(words))


def read_measure(nodes: Nodes) -> str | None:
    """The unit of measure that ``nodes`` as a whole spell, in canonical form; ``None`` for anything else."""
    if not nodes or len(nodes) > MEASURE_NODES:
        return None
    return _written(_of_nodes(nodes, apart=False))


def read_apart(nodes: Nodes) -> str | None:
    """As ``read_measure``, for letters that a space or upright type parts from a number: the m of ``10 m``.

    They may just as well be variables; ``10m`` is only read as a product.
    """
    if not nodes or len(nodes) > MEASURE_NODES or not nodes[0].apart or not _may_be_unit(nodes):
        return None
    return _written(_of_nodes(nodes, apart=True))


def _may_be_unit(nodes: Nodes) -> bool:
    """Whether letters that stand apart may be a unit, if they are symbols of one: ``m``, ``yr``, ``m s^{-2}``, ``J/K``.

    Single letters are mostly variables, and so is the s of ``2 s^2``.
    """
    is_lone = len(nodes) == 1 or nodes[1].kind != "letter" or nodes[1].apart
    if is_lone and nodes[0].text not in _LONE:
        return False
    if not is_lone or any(node.text == "/" or _is_inverse(node) for node in nodes):
        return True
    if len(nodes) == 2 and nodes[1].text == "^":
        return nodes[0].text == "m"
    return all(node.text in _LONE or node.text in ("\\cdot", "^") for node in nodes)


def _is_inverse(node: Node) -> bool:
    return node.text == "^" and render(node.args[0]).startswith("-")


def _of_nodes(nodes: Nodes, apart: bool) -> Counter[str] | None:
    """The power of each unit in a product, ``{"meter": 1, "second": -2}``; ``None`` if any part is not a unit."""
    total: Counter[str] = Counter()
    sign, at = 1, 0
    while at < len(nodes):
        if nodes[at].text in ("\\cdot", "/", "per"):
            sign, at = (sign if nodes[at].text == "\\cdot" else -1), at + 1
            continue
        words = nodes[at].text.split() if nodes[at].kind in WORD_KINDS else []
        if len(words) > 1 and at + 1 < len(nodes) and nodes[at + 1].text == "^":
            before = _of_words(" ".join(words[:-1]))  # in \text{kg m}^{-3} the power belongs to m alone
            if before is None:
                return None
            _multiply(total, before, sign)
            nodes = [*nodes[:at], nodes[at]._replace(text=words[-1]), *nodes[at + 1 :]]
        found, at = _factor(nodes, at, apart)
        if found is None:
            return None
        raised = at < len(nodes) and nodes[at].text == "^"
        power = _power(nodes[at]) if raised else 1
        if power is None:
            return None
        at += raised
        _multiply(total, found, sign * power)
    return total


def _multiply(total: Counter[str], factor: Counter[str], power: int) -> None:
    """Multiplies ``total``, in place, by the ``power`` of another product of units."""
    for name, times in factor.items():
        total[name] += power * times


def _factor(nodes: Nodes, at: int, apart: bool) -> tuple[Counter[str] | None, int]:
    """(powers, end) of the factor that starts at index ``at``: words, letters, a fraction, a group in parentheses.

    The powers are ``None`` if it is not a unit; ``end`` is the index after it.
    """
    node = nodes[at]
    if node.kind in WORD_KINDS:
        return _of_words(node.text), at + 1
    if node.text == "\\frac":
        above, below = (_of_nodes(arg, apart) for arg in node.args)
        return (None if above is None or below is None else _quotient(above, below)), at + 1
    if node.text == "(":
        end = next((index for index in range(at, len(nodes)) if nodes[index].text == ")"), None)
        return (None, at) if end is None else (_of_nodes(nodes[at + 1 : end], apart), end + 1)
    if node.text == "\\Omega":
        return _of_word(node.text), at + 1
    if node.text == "\\mu" and at + 1 < len(nodes) and nodes[at + 1].kind in WORD_KINDS:
        return _of_word(node.text + nodes[at + 1].text), at + 2
    return _apart(nodes, at) if apart else _italic(nodes, at)


def _italic(nodes: Nodes, at: int) -> tuple[Counter[str] | None, int]:
    """(powers, end) of letters without ``\\text``: mg may be a weight, but m/s and cm can only be units."""
    end = at
    while end < len(nodes) and nodes[end].kind == "letter":
        end += 1
    symbol = "".join(node.text for node in nodes[at:end])
    above = end + 1 < len(nodes) and nodes[end].text == "/" and symbol in ITALIC_LENGTHS
    below = at > 0 and nodes[at - 1].text == "/" and symbol in ITALIC_TIMES
    if above:
        after = "".join(node.text for node in nodes[end + 1 : end + 4] if node.kind == "letter")
        above = after in ITALIC_TIMES
    # of a letter after a unit in words it is plain that it is one: mol/L
    below = below or (at > 1 and nodes[at - 1].text in ("/", "\\cdot") and nodes[0].kind in WORD_KINDS)
    return (_of_word(symbol) if above or below or symbol in ITALIC else None), end


def _apart(nodes: Nodes, at: int) -> tuple[Counter[str] | None, int]:
    """(powers, end) of letters that stand apart; of several, those up to the next space are one symbol."""
    end = at + 1
    while end < len(nodes) and nodes[end].kind == "letter" and not nodes[end].apart:
        end += 1
    symbol = "".join(node.text for node in nodes[at:end])
    if symbol in POWERS and end < len(nodes):  # 5 sq cm
        found, after = _apart(nodes, end)
        return (
            None if found is None else Counter({name: POWERS[symbol] * times for name, times in found.items()})
        ), after
    # in small letters, n is no newton
    is_symbol = nodes[at].kind == "letter" and (len(symbol) > 1 or symbol in _LONE or symbol in SYMBOLS)
    return (_of_word(symbol) if is_symbol else None), end


def _quotient(above: Counter[str], below: Counter[str]) -> Counter[str]:
    """One product of units divided by another one."""
    quotient = Counter(above)
    quotient.subtract(below)
    return quotient


def _power(node: Node) -> int | None:
    """The exponent of a unit; ``None`` if it is not a small whole number."""
    written = render(node.args[0])
    return int(written) if written in ("2", "3", "4", "-1", "-2", "-3", "-4") else None


def _of_words(words: str) -> Counter[str] | None:
    """The power of each unit that words name; ``None`` if any word is not one."""
    total: Counter[str] = Counter()
    sign = power = 1
    if not words.isascii():
        for part, english in _CHINESE_PARTS:
            words = words.replace(part, english)
    for word in words.replace("/", " per ").split():
        plain = word.strip(".,").casefold()
        if plain == "per":
            sign = -1
        elif plain in ("square", "sq", "cubic", "cu"):
            power = POWERS[plain]
        elif plain in ("squared", "cubed") and total:
            last = list(total)[-1]
            total[last] *= POWERS[plain]
        else:
            found = _of_word(word)
            if found is None:
                return None
            _multiply(total, found, sign * power)
            power = 1
    return total if total and power == 1 else None


def _of_word(word: str) -> Counter[str] | None:
    """The unit that a word is: a symbol, in which capitals matter, or a name, in which they do not; else ``None``."""
    if word in COMPOUND:
        return COMPOUND[word]
    if word in SYMBOLS and not word.islower():
        return Counter({SYMBOLS[word]: 1})
    if word.isascii() and not word.islower() and len(word) <= SYMBOL_LETTERS and word not in CAPITALS:
        return None  # M may be millions, and Nm is not nm
    plain = word.strip(".,").casefold()
    if plain in COMPOUND:
        return COMPOUND[plain]
    name = known_unit(plain) or SYMBOLS.get(plain)
    return None if name is None else Counter({name: 1})


def _written(powers: Counter[str] | None) -> str | None:
    """The canonical form of a product of units, ``kilogram*meter^{-3}``; ``None`` for none, or if all cancel."""
    if not powers:
        return None
    factors = sorted((name, times) for name, times in powers.items() if times)
    return "*".join(name if times == 1 else f"{name}^{{{times}}}" for name, times in factors) or None
