"""Takes a docstring apart as this package writes them. One that is written otherwise is text, and stays whole."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

__all__ = ["Docstring", "plain", "read_docstring"]

DOCUMENTED_SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Yields|Attributes|Source):[ \t]*(.*)")
DOCUMENTED_ARGUMENT = re.compile(r"(\*{0,2}\w+(?:, \w+)*)(?: \([^:]*\))?:(?: (.*))?$")
DOCUMENTED_REASON = re.compile(r"- ((?:``\w+``(?:, )?)+): (.*)", re.DOTALL)
REASON_IN_BRACKETS = re.compile(r"``(\w+)``\s+\(([^()]*)\)")
DOCUMENTED_ROLE = re.compile(r":\w+:`~?([^`<>]+)`")
DOCUMENTED_LINK = re.compile(r"`([^`<>]+) <([^<>`]+)>`_{1,2}")
WOULD_TRY = "A policy would"
LONGEST_DOCSTRING = 50_000  # characters that are looked at; a plug-in may hold a book


@dataclass(frozen=True)
class Docstring:
    """The contents of a docstring, each part as text with ``code`` between double backticks.

    Attributes:
        line: its first paragraph, in one line.
        body: the paragraphs after that, in one line each; the items of a list are paragraphs.
        arguments: the text about each argument, by its name.
        returns: what is returned, without the list of reasons.
        reasons: the text about each reason, by its code.
        source: the paper that it is from.
        would_try: what a policy would try.
        example: the lines of its example.
    """

    line: str = ""
    body: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    would_try: str = ""
    example: tuple[str, ...] = ()


def read_docstring(text: object) -> Docstring:
    """Takes a docstring apart; that of a function without one is empty."""
    if not isinstance(text, str):
        return Docstring()
    sections = _sections(inspect.cleandoc(text[:LONGEST_DOCSTRING]).splitlines())
    paragraphs = _paragraphs(sections.get("", []))
    would_try = [one for one in paragraphs if one.startswith(WOULD_TRY)]
    paragraphs = [one for one in paragraphs if one not in would_try]
    returned = _paragraphs(sections.get("Returns", []))
    reasons = _reasons(returned)
    return Docstring(
        line=paragraphs[0] if paragraphs else "",
        body=tuple(paragraphs[1:]),
        arguments=_arguments([*sections.get("Args", []), *sections.get("Arguments", [])]),
        returns=" ".join(one for one in returned if not DOCUMENTED_REASON.match(one)).removesuffix(" Reasons:"),
        reasons=reasons,
        source=" ".join(_paragraphs(sections.get("Source", []))),
        would_try=" ".join(would_try),
        example=tuple(sections.get("example", [])),
    )


def plain(text: str) -> str:
    """The text without the marks of reStructuredText.

    >>> plain("``None`` where :func:`weighted` is")
    'None where weighted is'
    """
    return DOCUMENTED_LINK.sub(r"\1 (\2)", DOCUMENTED_ROLE.sub(r"\1", text)).replace("``", "")


def _sections(lines: Sequence[str]) -> dict[str, list[str]]:
    """The lines of each section by its title, those outside of all under ``""``, without their indentation."""
    sections: dict[str, list[str]] = {"": []}
    title, after_blank = "", True
    for line in lines:
        heading = DOCUMENTED_SECTION.fullmatch(line)
        if line.startswith(">>>"):
            title = "example"
        elif heading:
            title = heading[1]
        elif line and after_blank and not line[0].isspace():
            title = ""
        after_blank = not line.strip()
        sections.setdefault(title, []).append(heading[2] if heading else line)
    return {
        title: its if title == "" else inspect.cleandoc("\n" + "\n".join(its)).splitlines()
        for title, its in sections.items()
    }


def _paragraphs(lines: Iterable[str]) -> list[str]:
    """The paragraphs in one line each; an item of a list begins one."""
    found: list[str] = []
    for is_text, together in groupby(lines, lambda line: bool(line.strip())):
        if is_text:
            block = list(together)
            starts = [at for at, line in enumerate(block) if at == 0 or line.lstrip().startswith(("- ", "* "))]
            ends = [*starts[1:], len(block)]
            found += [" ".join(" ".join(block[start:end]).split()) for start, end in zip(starts, ends, strict=True)]
    return found


def _arguments(lines: Iterable[str]) -> dict[str, str]:
    """The text about each argument. One entry may be about several, separated by commas."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        entry = DOCUMENTED_ARGUMENT.match(line)
        if entry:
            names = [name.lstrip("*") for name in entry[1].split(", ")]
            found |= dict.fromkeys(names, entry[2] or "")
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found


def _reasons(returned: Iterable[str]) -> dict[str, str]:
    """The text about each reason: as an item of a list, or in brackets behind it."""
    found: dict[str, str] = {}
    for paragraph in returned:
        item = DOCUMENTED_REASON.match(paragraph)
        if item:
            found |= dict.fromkeys(re.findall(r"\w+", item[1]), item[2])
        else:
            found |= {code: " ".join(text.split()) for code, text in REASON_IN_BRACKETS.findall(paragraph)}
    return found
