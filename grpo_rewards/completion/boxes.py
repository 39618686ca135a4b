"""Where the boxes of a completion are: ``\\boxed{…}``, ``\\boxed 5``, ``\\fbox{…}``. Linear scans; nothing raises."""

from __future__ import annotations

import re

__all__ = ["boxes", "last_box", "last_boxes", "lone_box"]

BOXED = "\\boxed{"
BOXED_LENGTH = len(BOXED)
BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")
# '\\\\boxed' is how a box looks that was escaped twice; its second backslash still starts a box.
BRACE_OR_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])|\\(?!\\(?:boxed|fbox)).|[{}]", re.DOTALL)
ESCAPE_OR_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
SPACES = re.compile(r"\s*")
# Without braces a box holds a number, a letter or a command; in prose, "put it in \\boxed is" is no box.
UNBRACED = re.compile(r"\\[A-Za-z]+|[-+]?[0-9][^\s\\${}]*|[A-Za-z](?![A-Za-z])")
# What stands between the boxes of one list, without mathematics delimiters and spaces: "or", ", and", ",x=".
LAYOUT = re.compile(r"\\(?:textbf|text|mathbf|qquad|quad|[\[\](),;! ])|[ \t\r\n${}~.*_]")
JOINT = re.compile(
    r"[,;]?(?:and|or|\\lor|\\vee|\\wedge|&|/|\||)(?:maybe|perhaps|else|also|possibly|even)?(?:[A-Za-z]=)?",
    re.IGNORECASE,
)
NAME = re.compile(r"(?<![A-Za-z\\])([A-Za-z](?:_\{?[0-9A-Za-z]\}?)?)\s*=\s*$")
JOINT_LENGTH = 60
REACH = JOINT_LENGTH + 2  # characters before a box in which the one before it in a list ends
LIST_REACH = 300  # characters before a box in which the one before it in a list begins


def last_box(text: str) -> str | None:
    """The contents of the last box that is closed and not inside another; ``None`` where there is none.

    Reads ``\\boxed{…}``, ``\\boxed {…}``, ``\\boxed 5`` and ``\\fbox{…}``. Of nested boxes the outermost counts, with
    the inner one in its contents. Linear in the length of the text.

    >>> last_box(r"\\boxed{7} no, \\boxed{\\frac{1}{2}}")
    '\\\\frac{1}{2}'
    """
    span = _last_span(text)
    return None if span is None else text[span[0] : span[1]]


def last_boxes(text: str) -> list[str]:
    """The last box, after those that it makes a list with: ``\\boxed{1}`` or ``\\boxed{2}`` is one answer.

    In a list the boxes keep the names that stand before them.

    >>> last_boxes(r"\\boxed{3}. So $x = \\boxed{1}$ or $x = \\boxed{2}$")
    ['x=1', 'x=2']
    """
    span = _last_span(text)
    if span is None:
        return []
    if not _has_neighbour(text, text.rfind("\\", 0, span[0])):
        return [text[span[0] : span[1]]]
    spans = _spans(text)
    first = len(spans) - 1
    while first > 0 and _are_listed(text, spans[first - 1], spans[first]):
        first -= 1
    if first == len(spans) - 1:
        return [text[start:end] for start, end in spans[first:]]
    return [_with_name(text, start) + text[start:end] for start, end in spans[first:]]


def lone_box(text: str) -> str | None:
    """The contents of the last box where one look tells that they are the answer, as it nearly always does: no other
    box is near it, and what it holds and what follows it is plain. ``None`` where it takes a closer look.
    """
    start = text.rfind(BOXED)
    if start < 0 or _has_neighbour(text, start):
        return None
    inside, closing, behind = text[start + BOXED_LENGTH :].partition("}")
    is_plain = closing and "\\" not in inside and "{" not in inside and "}" not in behind and "box" not in behind
    return inside if is_plain else None


def boxes(text: str) -> list[str]:
    """The contents of all closed outermost boxes, in order."""
    return [text[start:end] for start, end in _spans(text)]


def _has_neighbour(text: str, start: int) -> bool:
    """Whether another box is so near before ``start`` that the two may make a list."""
    near = text[start - REACH : start] if start > REACH else text[:start]
    return ("}" in near or "\\b" in near) and "box" in text[max(start - LIST_REACH, 0) : start]


def _with_name(text: str, start: int) -> str:
    """``x=`` where that stands before the box whose contents start there."""
    command = text.rfind("\\", 0, start)
    named = NAME.search(text, max(command - 20, 0), command)
    return f"{named.group(1)}=" if named else ""


def _are_listed(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    between = text[one[1] : text.rfind("\\", 0, other[0])]
    if len(between) > JOINT_LENGTH:
        return False
    said = LAYOUT.sub("", between)
    # side by side in one line they are a list as well
    return JOINT.fullmatch(said) is not None and (bool(said) or "\n" not in between)


def _last_span(text: str) -> tuple[int, int] | None:
    """Where the contents of the last box start and end."""
    # Nearly always it can be read off from the end.
    start = text.rfind(BOXED) + BOXED_LENGTH
    if start >= BOXED_LENGTH:
        end = _closing_brace(text, start)
        if end >= 0 and _is_last(text, start, end):
            return start, end
    return next(reversed(_spans(text)), None)


def _is_last(text: str, start: int, end: int) -> bool:
    """Whether no box of another spelling follows the one with these contents, and none can be around it; if in doubt,
    ``False``."""
    behind = text[end + 1 :]
    if "box" in behind:
        return False
    return "}" not in behind or text.find("box", 0, start - len("boxed{")) < 0 or _closing_brace(behind, 0) < 0


def _closing_brace(text: str, start: int) -> int:
    """Where a brace that was opened before ``start`` closes, or -1."""
    depth = 1
    for token in ESCAPE_OR_BRACE.finditer(text, start):
        piece = token.group()
        depth += (piece == "{") - (piece == "}")
        if not depth:
            return token.start()
    return -1


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the contents of all closed outermost boxes start and end, in order."""
    first = BOX.search(text)
    depth = 0
    opened: list[tuple[int, int]] = []  # (depth, where its contents start) of each open box
    closed: list[tuple[int, int]] = []  # an outer box replaces its inner ones
    pending = -1  # where the brace of a box just named stands
    for token in BRACE_OR_BOX.finditer(text, first.start()) if first else ():
        piece = token.group()
        if piece == "{":
            depth += 1
            if token.start() == pending:
                opened.append((depth, token.end()))
        elif piece == "}" and depth:
            if opened and opened[-1][0] == depth:
                start = opened.pop()[1]
                while closed and closed[-1][0] >= start:
                    closed.pop()
                closed.append((start, token.start()))
            depth -= 1
        elif len(piece) > 2:
            after = SPACES.match(text, token.end()).end()  # type: ignore[union-attr]  # it matches the empty string
            if text.startswith("{", after):
                pending = after
            elif unbraced := UNBRACED.match(text, after):
                closed.append((after, after + len(unbraced.group().rstrip(".,;:!?"))))
    return closed
