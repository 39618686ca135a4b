"""Splits a text into sentences and clauses, without the marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Clause", "Sentence", "sentences"]


class Clause(NamedTuple):
    """A part of a sentence that holds one thought, and the word that joins it to the one before: ``but``, ``or`` …"""

    text: str
    link: str = ""


class Sentence(NamedTuple):
    """A sentence, its clauses, and what it is: ``text``, ``question``, ``heading`` or ``item`` of a list."""

    text: str
    clauses: tuple[Clause, ...]
    kind: str = "text"
    line: int = 0


RUN_ON = re.compile(r"\n\W{0,6}(?:question|q|problem|exercise|human|user|task)(?: [0-9]{1,3})?\W{0,3}:", re.IGNORECASE)
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
EMPHASIS = re.compile(r"\*{1,3}|(?<![A-Za-z0-9])_{1,2}(?=\w)|(?<=[\w.)])_{1,2}(?![A-Za-z0-9])|`|~~")
LINE_MARK = re.compile(r"\s{0,12}(?:(#{1,6})\s|([-+•–—]|[0-9]{1,2}[.)])\s(?=\S{2})|(>)\s?)?")
BREAK = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,2}\s+(?=\S)|(?<=[。！？；])|\s[–—]{1,2}\s|;\s")
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|cf|vs|approx|etc|Dr|Mr|Mrs|Ms|St|No|Fig|Eq|z\.B|d\.h|p\.ej|resp|ca|Nr)\.$")
LINK = re.compile(
    r",?\s(?P<but>but|yet|however|although|though|while|whereas|aber|doch|jedoch|sondern|mais|pero|sino|mas|porém|ma|но|а)\s"
    r"|,?\s(?P<because>because|since|as|for|denn|weil|da|car|parce que|porque|pois|perché|потому что|так как)\s"
    r"|,?\s(?P<so>so|thus|hence|therefore|daher|somit|donc|así que|por lo tanto|logo|portanto|quindi|значит|поэтому)[\s,]"
    r"|,?\s(?P<not>not|rather than|instead of|and not|nicht|et non|no|não|non|а не|не)\s"
    r"|,?\s(?P<if>if|unless|provided|only if|wenn|falls|si|se|если)\s"
    r"|(?:,\s|[，；])(?P<comma>)",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, in order."""
    text = FENCE.sub("\n", RUN_ON.split(text, maxsplit=1)[0])
    for number, line in enumerate(text.split("\n")):
        mark = LINE_MARK.match(line)
        start = mark.end() if mark else 0
        kind = "heading" if mark and mark.group(1) else "item" if mark and mark.group(2) else "text"
        line = EMPHASIS.sub("", line[start:]).strip()
        if not line:
            continue
        for part in _parts(line):
            is_question = part.rstrip("\"'”’) ").endswith(("?", "？"))
            yield Sentence(part, tuple(_clauses(part)), "question" if is_question else kind, number)


def _parts(line: str) -> Iterator[str]:
    start = 0
    for found in BREAK.finditer(line):
        if line[found.start() - 1] == "." and ABBREVIATION.search(line[max(start, found.start() - 8) : found.start()]):
            continue
        yield line[start : found.end()].strip()
        start = found.end()
    if line[start:].strip():
        yield line[start:].strip()


def _clauses(text: str) -> Iterator[Clause]:
    start, link = 0, ""
    for found in LINK.finditer(text):
        if piece := text[start : found.start()].strip():
            yield Clause(piece, link)
        start, link = found.end(), str(found.lastgroup)
    if piece := text[start:].strip():
        yield Clause(piece, link)
