"""Finds whole words and phrases in a text of any script, in linear time, as a reader would see them."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from grpo_rewards.completion.linear_patterns import compiled, encodable
from grpo_rewards.completion.text import compatible, visible

SAME_SIGNS = {"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "‐": "-", "‑": "-"}
STARS_AROUND_WORDS = re.compile(r"(?<!\w)\*{1,3}(?=\w)|(?<=\w)\*{1,3}(?!\w)")
# Scripts that put no space between words: Thai and Lao, Tibetan, Burmese, Khmer, those of the Tai languages, kana,
# bopomofo, Han, Yi. Written for RE2.
KANA_AND_HAN = (
    r"\x{3005}-\x{3007}\x{3021}-\x{3029}\x{3031}-\x{3035}\x{303b}\x{3040}-\x{30ff}\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}"
)
KANA_AND_HAN_FOR_RE = re.sub(r"\\x\{(\w{4})\}", r"\\u\1", KANA_AND_HAN)
OTHER_UNSPACED = (
    r"\x{0e00}-\x{0fff}\x{1000}-\x{109f}\x{1780}-\x{17ff}\x{1950}-\x{19df}\x{1a20}-\x{1aaf}\x{3100}-\x{312f}"
    r"\x{31a0}-\x{31ff}\x{a000}-\x{a4cf}\x{a9e0}-\x{a9ff}\x{aa60}-\x{aadf}\x{f900}-\x{faff}\x{20000}-\x{3ffff}"
)
UNSPACED = KANA_AND_HAN + OTHER_UNSPACED
# It begins with the space, for which a search is fast.
GAP_IN_HAN = re.compile(rf" (?<=[{KANA_AND_HAN_FOR_RE}] )(?=[{KANA_AND_HAN_FOR_RE}])")
# What Korean joins to the end of a word.
PARTICLES = (
    "은|는|이|가|을|를|의|에|에서|에게|께|께서|한테|로|으로|와|과|랑|이랑|하고|도|만|까지|부터|처럼|보다|마다|조차|밖에|라도"
    "|이라도|나|이나|들|이다|다|입니다|이고|이며|이면|였다|이었다|인|일|이라|라|라고|이라고|요|예요|이에요|죠|이죠|이지만|지만"
)
# Letters that look like Latin ones, and the small capitals that stand for them.
LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһквнмтԛԝӏցհոսօԼꮃᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡɩАВЕКМНОРСТХІЈЅοανεικρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhkbhmtqwlghnuoLwabcdefghijklmnoprstuvwyzagiABEKMHOPCTXIJSoaveikptuxABEZHIKMNOPTYX",
)
SMALL_CAPITALS = r"\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d22\ua730\ua731"
# Greek, Cyrillic, Armenian, phonetic letters, small Cherokee.
OTHER_ALPHABETS = rf"\u0370-\u058f\u0251\u0261\u0269\uab70-\uabbf{SMALL_CAPITALS}"
OTHER_LETTER = re.compile(f"[{OTHER_ALPHABETS}]")  # without one, no word mixes alphabets
# A match begins only where a word does, or a long word of one alphabet would be tried from each of its letters.
MIXED_WORD = re.compile(
    rf"(?<![A-Za-z{OTHER_ALPHABETS}])(?:(?:[A-Za-z]+[{OTHER_ALPHABETS}]|[{OTHER_ALPHABETS}]+[A-Za-z])"
    rf"[A-Za-z{OTHER_ALPHABETS}]*|[{SMALL_CAPITALS}]{{2,}})"
)
# What parts the letters of a word and is not seen on the page: emphasis, tags and comments of HTML.
INSIDE_WORD = re.compile(r"(?<=[^\W\d_])(?:\*{1,3}|~~|__|`|</?[A-Za-z]{1,10}>|<!--[^<>]{0,99}-->)+(?=[^\W\d_])")
SIGNS_INSIDE_WORDS = "*~_`<"  # one of them is in all of that
WORD_CHARACTERS = r"\pL\pN\pM"  # characters that make one word when they stand side by side
# What may stand before a word that begins with a letter, or with a digit ("5" is not in "3.5").
BEFORE_LETTER = rf"(?:^|[^{WORD_CHARACTERS}_]|[{UNSPACED}\p{{Hangul}}]|(?:^|[^{WORD_CHARACTERS}])_)"
BEFORE_DIGIT = rf"(?:^|[^{WORD_CHARACTERS}_.,]|[{UNSPACED}\p{{Hangul}}]|[^\pN\s][.,]|^,|(?:^|[^{WORD_CHARACTERS}])_)"
BEFORE_HANGUL = r"(?:^|[^\p{Hangul}])"
# And behind one: "can" is not in "can't", "C" is not in "C++" and "C#", "a" is not in "a_b".
BEHIND_LETTER = (
    rf"(?:$|[^{WORD_CHARACTERS}_'+#]|[{UNSPACED}\p{{Hangul}}]|_(?:$|[^{WORD_CHARACTERS}])|'(?:$|[^tT]|[tT][\pL\pN])"
    r"|\+(?:$|[^+]|\+[\pL\pN])|#[\pL\pN])"
)
BEHIND_DIGIT = rf"(?:$|[^{WORD_CHARACTERS}_.,]|[{UNSPACED}\p{{Hangul}}]|[.,](?:$|[^\pN])|_(?:$|[^{WORD_CHARACTERS}]))"
BEHIND_HANGUL = rf"(?:$|[^\p{{Hangul}}\pM]|(?:{PARTICLES}){{1,3}}(?:$|[^\p{{Hangul}}]))"
BEHIND_UNSPACED = r"(?:$|[^\pM])"

# How far the expressions above look, and one character more, so that the end of what is cut out is not the text's.
CHARACTERS_BEFORE, CHARACTERS_BEHIND = 3, 16
MOST_TIMES = 100_000  # places where a word may stand; further ones are not looked at


def folded(text: str, case_sensitive: bool = False) -> str:
    """A text in the form in which words are compared.

    Invisible characters and emphasis are removed; compatibility forms (NFKC), quotation marks, hyphens and white space
    are made alike, and so is case unless ``case_sensitive``. No space is left between Chinese or Japanese characters.

    >>> folded("**Don’t**  ｓｔｏｐ")
    "don't stop"
    """
    if not text.isascii():
        text = compatible(visible(text))
        for sign, same in SAME_SIGNS.items():  # some calls that search are faster than one that looks at each character
            text = text.replace(sign, same)
    text = " ".join((STARS_AROUND_WORDS.sub("", text) if "*" in text else text).split())
    text = text if text.isascii() else GAP_IN_HAN.sub("", text)
    return text if case_sensitive else text.casefold().replace("i\u0307", "i")  # İ


def undisguised(text: str) -> str:
    """A folded text without what hides a word from a search, but not from a reader.

    In words that mix alphabets, Latin letters stand for the Greek, Cyrillic and Armenian ones that look like them;
    emphasis and tags inside words are removed.

    >>> undisguised("m\u0430ybe w**ai**t \u0434\u0430")
    'maybe wait \u0434\u0430'
    """
    if not text.isascii() and OTHER_LETTER.search(text):
        text = MIXED_WORD.sub(lambda word: word.group().translate(LOOK_ALIKES), text)
    return INSIDE_WORD.sub("", text) if any(one in text for one in SIGNS_INSIDE_WORDS) else text


def holds(text: str, word: str) -> bool:
    """Whether a word or phrase stands in a text as a whole; both must be folded.

    In scripts without spaces, it may stand anywhere. Korean particles may follow. In all other scripts it must not be
    joined to a letter or digit of a script that puts spaces between words, Korean aside.

    >>> holds("the start", "art"), holds("我不知道答案", "不知道")
    (False, True)
    """
    return word in text and next(_whole(text, word), None) is not None


def times(text: str, word: str) -> int:
    """How often a word or phrase stands in a text as a whole; both must be folded. It counts no further than 100,000.

    >>> times("tea, tea-time and a teapot", "tea"), times("不知道不知道", "不知道")
    (2, 2)
    """
    return sum(1 for _ in _whole(text, word))


def _whole(text: str, word: str) -> Iterator[int]:
    """Where a word stands in a text as a whole."""
    text, (before, behind) = encodable(text), _sides(word)
    left, right = compiled(f"(?:{before})$"), compiled(f"^(?:{behind})")
    known: dict[tuple[str, str], bool] = {}  # whether a word between these characters is a whole one
    for found in islice(_candidate(word).finditer(text), MOST_TIMES):
        start, end = found.span()
        around = text[max(0, start - CHARACTERS_BEFORE) : start], text[end : end + CHARACTERS_BEHIND]
        if around not in known:
            known[around] = left.search(around[0]) is not None and right.search(around[1]) is not None
        if known[around]:
            yield start


@lru_cache(maxsize=256)
def _candidate(word: str) -> re.Pattern[str]:
    """The word, where no ASCII letter or digit beside it makes another one of it."""
    # The word comes first and the look at its left end last, because a literal beginning is searched for fastest.
    exact = re.escape(encodable(word))
    left = rf"(?<![a-zA-Z0-9]{exact})" if word[0].isascii() and word[0].isalpha() else ""
    right = r"(?![a-zA-Z0-9])" if word[-1].isascii() and word[-1].isalpha() else ""
    return re.compile(exact + right + left)


def _sides(word: str) -> tuple[str, str]:
    """The expressions for what may stand before a word, and behind it."""
    before = {"letter": BEFORE_LETTER, "digit": BEFORE_DIGIT, "hangul": BEFORE_HANGUL}
    behind = {"letter": BEHIND_LETTER, "digit": BEHIND_DIGIT, "hangul": BEHIND_HANGUL, "unspaced": BEHIND_UNSPACED}
    ends = rf"(?:$|[^{re.escape(word[-1])}])" if word[-1] in "+#" else behind.get(_kind(word[-1]), "")
    return before.get(_kind(word[0]), ""), ends


def _kind(character: str) -> str:
    """``digit``, ``unspaced``, ``hangul``, ``letter`` or ``sign``."""
    if character.isdecimal():
        return "digit"
    for kind, members in (("unspaced", UNSPACED), ("hangul", r"\p{Hangul}"), ("letter", WORD_CHARACTERS)):
        if compiled(f"[{members}]").search(encodable(character)):
            return kind
    return "sign"
