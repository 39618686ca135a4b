"""Finds cues: phrases of ``cues.toml`` that announce an answer, deny it, leave it open, cite it or take it back.

Look here if a phrase of the table is not found in a text. The phrases of one act are one regular expression, compiled
once; a language is added in the table alone.
"""

import re
import tomllib
from functools import cache
from itertools import chain, filterfalse
from pathlib import Path

__all__ = ["ANNOUNCEMENT", "compiled", "expression", "opening", "phrases", "table"]

CUE_TABLE = Path(__file__).with_name("cues.toml")
PHRASE_PART = re.compile(r"\[([^\]]*)\]|(…)|(\([^)]*\)|[^\s\[]+)")
WORDS_BETWEEN = r"(?:\s{1,3}\S{1,30}){0,8}?"
SPACE = r"\s{1,3}"
ACT = re.compile(r"(?<!P)<(\w+)>")  # in a pattern: the name of an act, and not of a group
# Scripts that write no spaces between words.
UNSPACED_SCRIPT = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# What may stand between the name of what is announced and its link: "the answer [to the question] is".
ABOUT = (
    r"(?:\s(?:to|for|of|from|in|that|which|here|we|you|i|among|on|"
    r"based on|according to)\b[^.:?!,;\n]{0,60}?)?"
)


@cache
def table() -> dict[str, dict[str, tuple[str, ...]]]:
    """The phrases of the table by act and language."""
    acts = tomllib.loads(CUE_TABLE.read_text(encoding="utf-8"))
    return {
        act: {
            language: tuple(line.strip() for line in text.splitlines() if line.strip())
            for language, text in lines.items()
        }
        for act, lines in acts.items()
    }


@cache
def phrases(act: str) -> str:
    """All phrases of an act as one alternation, the longest first; those of scripts with spaces are whole words.

    What is common to all of them stands outside, for an expression tries its alternatives at each place of a text.
    """
    every = sorted(map(expression, chain(*table()[act].values())), key=len, reverse=True)
    whole, parts = "|".join(filterfalse(UNSPACED_SCRIPT.search, every)), "|".join(filter(UNSPACED_SCRIPT.search, every))
    return rf"(?<!\w)(?:{whole})(?!\w|-\w)" + (f"|{parts}" if parts else "")


def expression(phrase: str) -> str:
    """A phrase of the table as a regular expression: ``[optional]``, ``(one|other)``, ``…`` for up to eight words.

    >>> re.search(expression("[final] answer (is|was)"), "my answer was").group()
    'answer was'
    """
    gap = r"\s{0,3}" if UNSPACED_SCRIPT.search(phrase) else SPACE
    body, before = "", ""  # before: what separates a phrase's next word from the one before; "" until there is one
    for optional, few, word in PHRASE_PART.findall(phrase):
        if optional:
            inner = f"(?:{_plain(optional)})"
            body += f"(?:{before}{inner})?" if before else f"(?:{inner}{gap})?"
            continue
        body += WORDS_BETWEEN if few else before + _plain(word).replace("(", "(?:")
        before = gap
    return body


def _plain(text: str) -> str:
    escaped = re.sub(r"([.+*?^${}\\])", r"\\\1", text)
    return escaped.replace(" ", SPACE)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The expression of a pattern in which ``<deny>`` stands for the phrases of that act; it searches small letters.

    >>> compiled("(?:<option_noun>) a").search("option a").group()
    'option a'
    """
    return re.compile(ACT.sub(lambda found: phrases(found[1]), pattern))


CLAUSE_START = r"(?:\A|[.!?…])\W{0,3}(?:(?:<opener>)\W{1,3}){0,3}"  # what may stand before a clause's first words


@cache
def opening(act: str) -> re.Pattern[str]:
    """The expression of an act whose phrases stand at the start of a clause: "wait, no", not "do not wait"."""
    return compiled(CLAUSE_START + f"(?:<{act}>)")


# What joins a name to the answer besides the phrases of the table: a sign, or a bracket right behind the name of an
# answer, "Ans. (B)"; "choice (B)" only names an option.
NOT_BEHIND_OPTION = "".join(f"(?<!{noun})(?<!{noun} )" for noun in ("choice", "option", "statement", "response"))
SIGNS = rf"\s?[:：=→≈】]|'s\b|\s[—–-]\s|\s?[-=]>|{NOT_BEHIND_OPTION}\.?\s?(?=[(（\[])"


# What stands before an announced answer: a ``name`` with a link, a verb of choice (``choose``) or an ``arrow``.
ANNOUNCEMENT = (
    rf"(?P<name><name>){ABOUT}[\s\"'*)]{{0,4}}(?:\s?(?:<link>)|{SIGNS})\s?[:：]?|(?P<bare><bare>)"
    rf"|(?P<choose><choose>|{CLAUSE_START}(?:<command>))|(?P<arrow>→|⇒|[-=]>|∴)"
)
