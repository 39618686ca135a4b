"""Splits a text into sentences and these into clauses, without the marks of Markdown.

Look here if a sentence is cut in two, if two are read as one, or if a clause is joined by the wrong word.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grpo_rewards.extraction.cues import compiled

__all__ = ["Clause", "Sentence", "clauses", "lowered", "sentences", "without_run_on"]


class Clause(NamedTuple):
    """A part of a sentence that holds one thought, and what joins it to the one before: ``but``, ``so``, ``if``…"""

    text: str
    link: str = ""


class Sentence(NamedTuple):
    """A sentence, and what it is: ``text``, ``question``, ``heading`` or ``item`` of a list."""

    text: str
    kind: str = "text"


LINK = (
    r"(?P<contrast><contrast>)|(?:,\s(?P<not><not>)|,?\s(?:(?P<but><but>)|(?P<because><because>)|(?P<so><so>)"
    r"|(?P<then><then>)|(?P<instead_of><instead_of>)|(?P<if><if>)))[\s,:]"
    r"|(?:[,;]\s(?!-?[0-9./]{1,12}\s?[)\]}])|[，；])(?P<comma>)"
)
# A dash behind the name of an answer or before a verdict: "Ответ — B", "B – Correct.".
GOES_ON = r"(?:<name>)\s[–—]|[–—]\s(?:<verdict>|<deny>)"
SENTENCE_PIECE = re.compile(r".{1,2000}")  # a longer sentence is cut
RUN_ON = re.compile(r"\n\W{0,6}(?:question|q|problem|exercise|human|user|task)(?: [0-9]{1,3})?\W{0,3}:", re.IGNORECASE)
CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
EMPHASIS = re.compile(
    r"(?<![A-Za-z0-9)])(?:\*{1,3}|_{1,2})(?=\S)|(?<=\S)(?:\*{1,3}|_{1,2})(?![A-Za-z0-9(])|`|~~[^~\n]{0,80}~~|<<[^<>\n]{0,80}>>"
)
LINE_MARK = re.compile(r"\s{0,12}(?:(#{1,6})\s|([-+•–—]|\*(?=\s)|[0-9]{1,2}[.)])\s(?=\S)|(>)\s?)?")
BREAK = re.compile(r"(?<=[.!?])[\"'”’)\]$]{0,2}\s+(?=\S)|(?<=[。！？；])|\s[–—]{1,2}\s")
ABBREVIATION = re.compile(
    r"^[A-Za-z]\.$|(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|etc|Ans|ans|Dr|Mr|Mrs|Ms|St|No|Fig|Eq|z\.B|d\.h|resp|ca|Nr)\.$"
)
EXCEPT = re.compile(r"\b(?:everything|anything|all|none|nothing)$", re.IGNORECASE)  # before "but"
BEFORE_YEAR = re.compile(r"[A-Z][a-z]{2,8}\.? [0-9]{1,2}$")
SET_BEGUN = re.compile(r"\{(?:[^{}A-Za-z]|\\[a-z]{1,10}|\{[^{}]{0,20}\}){1,60}$")  # and no system of equations
NAME_BEFORE = re.compile(r"[A-Z][a-z]{2,20}$")
NAME_BEHIND = re.compile(r"[A-Z][A-Za-z]{1,20}[\W_]*")
SENTENCE_ENDED = re.compile(r"[.!?。…)\]}\"'”*`$:]\W*\Z")
LONG_DASHES = ("–", "—")
DASH_REACH = 30  # characters around a dash
QUESTION_MARKS = ("?", "？", "؟")


def without_run_on(text: str) -> str:
    """A text up to where it goes on with another question, as models do that do not stop."""
    return RUN_ON.split(text, maxsplit=1)[0]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, in order.

    >>> [one.text for one in sentences("Not A, but B. So C.")]
    ['Not A, but B.', 'So C.']
    """
    for line in text.split("\n"):
        mark = LINE_MARK.match(line)
        start = mark.end() if mark else 0
        kind = "heading" if mark and mark[1] else "item" if mark and mark[2] else "text"
        for part in _parts(EMPHASIS.sub("", line[start:]).strip()):
            is_question = part.rstrip("\"'”’)$ ").endswith(QUESTION_MARKS)
            yield Sentence(part, "question" if is_question else kind)


def lowered(text: str) -> str:
    """A text in small letters of the same length, in which cues are searched."""
    low = text.lower().replace("’", "'")
    return low if len(low) == len(text) else text


def _parts(line: str) -> Iterator[str]:
    start = 0
    for found in BREAK.finditer(line):
        end = found.end()
        if line[found.start() - 1] == "." and ABBREVIATION.search(line[max(start, found.start() - 8) : found.start()]):
            continue
        around = line[max(start, found.start() - DASH_REACH) : end + DASH_REACH]
        if found.group().strip() in LONG_DASHES and compiled(GOES_ON).search(lowered(around)):
            continue
        yield from SENTENCE_PIECE.findall(line[start:end].strip())
        start = end
    yield from SENTENCE_PIECE.findall(line[start:].strip())


def _is_open(piece: str) -> bool:
    """Whether a bracket or a formula is open at the end of a piece of text."""
    opened = sum(map(piece.count, "([")) - sum(map(piece.count, ")]"))
    return opened > 0 or SET_BEGUN.search(piece) is not None or (piece.count("$") % 2 == 1 and "$(" in piece)


def clauses(text: str, whole: Sequence[tuple[int, int]] = ()) -> Iterator[Clause]:
    """The clauses of a sentence, in order; ``whole`` are the spans that no clause ends in.

    >>> list(clauses("Not A, but B."))
    [Clause(text='Not A', link=''), Clause(text='B.', link='but')]
    """
    spans = [*reversed(whole)]
    start, link = 0, ""
    for found in compiled(LINK).finditer(lowered(text)):
        while spans and spans[-1][1] <= found.start():
            spans.pop()
        if spans and spans[-1][0] < found.start():
            continue
        piece = text[start : found.start()]
        if found.lastgroup == "comma" and (
            _is_open(piece)  # "the point (2, 3)"
            or BEFORE_YEAR.search(piece)  # "July 4, 1776"
            or (NAME_BEFORE.search(piece) and NAME_BEHIND.fullmatch(text, found.end()))  # "Paris, Texas."
        ):
            continue
        if found.lastgroup == "but" and EXCEPT.search(piece):
            continue
        is_contrast = found.lastgroup == "contrast"  # "AではなくB": the phrase denies what stands before it
        if piece := text[start : found.end() if is_contrast else found.start()].strip():
            yield Clause(piece, link)
        start, link = found.end(), "but" if is_contrast else str(found.lastgroup)
    if piece := text[start:].strip():
        yield Clause(piece, link)
