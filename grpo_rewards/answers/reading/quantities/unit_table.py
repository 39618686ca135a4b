"""The table of units: every unit once, with all its spellings and its size. Look here if a unit is not known.

A row is a unit: its full name, its other spellings and, after ``=``, its size as a number of base units. Spellings with
a capital letter mean the unit only as they stand (``mW`` is not ``MW``); in all others capitals make no difference.
Plurals are found without being listed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

__all__ = ["SIZES", "SYMBOLS", "UnitSize", "known_unit"]


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
