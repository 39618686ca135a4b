"""Splits a text into sentences, without a trained model.

A sentence ends with ``.``, ``!``, ``?`` or an ellipsis, and closing quotes and brackets, before white space; in
Chinese and Japanese no white space is needed. It does not end behind the number of a list item, initials, a title
("Dr. Lee"), an abbreviation that goes on ("e.g. this", "5 p.m. on Monday", "the U.S. Army"), an ellipsis that goes on
in lower case, or a quoted question that goes on in lower case. A line break alone ends nothing.
"""

import re
from functools import lru_cache
from operator import add

CLOSERS = "\"'”’»)\\]*_"
# Words that begin a sentence more often than they follow an abbreviation that belongs to a name.
STARTERS = (
    "A|After|All|An|And|As|At|Before|But|For|He|Her|His|However|I|If|In|It|Its|My|No|Now|On|Our|She|So|Some|That|The|"
    "Their|Then|There|These|They|This|Those|To|We|What|When|While|Yes|You|Your"
)
TITLES = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Gen|Col|Sgt|Capt|Lt|Cmdr|Maj|Rev|Hon|Gov|Sen|Rep|Pres|Mt|Ft|Mme|Mlle|Messrs"
GOING_ON = "vs|cf|viz|approx|ca|et al"
BEFORE_NUMBER = "[Nn]o|[Nn]os|[Ff]ig|[Ff]igs|[Vv]ol|[Ee]q|[Ss]ec|[Cc]h|pp|p|[Aa]rt"
AT_THE_END = "etc|Inc|Ltd|Co|Corp|Bros|Jr|Sr|Esq|dept|est|Ave|Blvd|Rd|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
# Every abbreviation is a short word and a full stop, which a look ahead decides before all of them are compared. Both
# patterns are one group, so that a split keeps what it finds.
NO_END = re.compile(
    r"(\b(?=(?:et )?[A-Za-z]{1,6}\.)"
    rf"(?:(?:{TITLES}|{GOING_ON})\.(?=\s)"
    rf"|(?:{BEFORE_NUMBER})\.(?=\s?\d)"
    rf"|(?:{AT_THE_END})\.(?=\s[a-z\d(])"
    # U.S., e.g., p.m., Ph.D.: a sentence ends there only if a word that begins sentences follows
    rf"|(?<![.'’])(?:[A-Za-z]{{1,2}}\.){{2,6}}+(?=\s(?!(?:{STARTERS})\b))"
    rf"|(?<![\w.'’])[A-HJ-Z]\.(?=\s(?!(?:{STARTERS})\b)[A-Z]))"
    r"|^[ \t]{0,8}(?:\d{1,3}|[A-Za-z])\.(?=[ \t]))",
    re.MULTILINE,
)
# The character that a sentence may end with comes first, for that is what the pattern is searched for by.
END = re.compile(
    r"([.!?…。！？｡](?:(?<![.!?…].)(?:"
    # an ellipsis that does not go on in lower case
    rf"(?:(?<=\.)\.|(?<=…))[.…]*+(?![!?])[{CLOSERS}]*+(?=\s{{1,9}}[^a-z\s])"
    # a full stop, or a run with a question or exclamation mark
    r"|(?:(?<=\.)(?![.!?…])|(?<=[.…])[.…]*+[!?][.!?…]*+|(?<=[!?])[.!?…]*+)"
    rf"(?:(?=\s)|[{CLOSERS}]++(?=\s{{1,9}}[^a-z\s]))"
    r")|(?<=[。！？｡])[。！？｡]*+[”’」』）]*+))"
)
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
REMEMBERED_TEXTS = 8  # a row may have many instructions about sentences, each about the same variants of a text
MOST_SENTENCES = 10_000  # in a longer text the rest is one sentence
HELD, ENDED = "\ue0f0", "\ue0f1"  # characters for private use, which a text has no use for


def sentences(text: str) -> list[str]:
    """The sentences of a text, without white space around them; those without a letter or digit are left out.

    >>> sentences('Dr. Lee paid $3.50. "Why?" she asked. And then... nothing!')
    ['Dr. Lee paid $3.50.', '"Why?" she asked.', 'And then... nothing!']
    """
    return [one for one in pieces(text) if LETTER_OR_DIGIT.search(one)]


@lru_cache(maxsize=REMEMBERED_TEXTS)
def pieces(text: str) -> tuple[str, ...]:
    """As :func:`sentences`, with those that hold no letter or digit, such as an emoji behind the last full stop."""
    text = text.replace(HELD, " ").replace(ENDED, " ")
    if "." in text:
        parts = NO_END.split(text, maxsplit=MOST_SENTENCES)
        parts[1::2] = [one.replace(".", HELD) for one in parts[1::2]]
        text = "".join(parts)
    parts = END.split(text, maxsplit=MOST_SENTENCES)
    ended = ENDED.join(map(add, parts[::2], [*parts[1::2], ""])).replace(HELD, ".").split(ENDED)
    return tuple(one for one in map(str.strip, ended) if one)


def ends_with(sentence: str, marks: str) -> bool:
    """Whether a sentence ends with one of the marks, quotes and brackets around them aside."""
    return sentence.rstrip("\"'”’»)]*_」』） ").endswith(tuple(marks))
