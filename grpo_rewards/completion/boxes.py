"""Finds the boxes of a completion: ``\\boxed{…}``, ``\\boxed 5``, ``\\fbox{…}``, and some models' tokens for a box.

Look here if the wrong box counts.

Everything is a linear scan, and no text makes it raise.
"""

import re

BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")
# A box without braces holds a number, a letter or a command with its arguments. "Put it in \\boxed is" has none, for
# "is" is a word.
UNBRACED = r"\\[A-Za-z]+|[-+]?[0-9][^\s\\${}]*|[A-Za-z](?![A-Za-z])"
# A text may be full of boxes, so that each is one token: without braces or commands inside (1), with its opening brace
# (2), or without braces (3). In text that was escaped twice, two backslashes stand before "boxed"; the second one still
# starts a box. Braces that close at once are one token, and so is a run of braces.
BRACE_OR_BOX = re.compile(
    rf"\\(?:boxed|fbox)(?![A-Za-z])\s*(?:\{{([^\\{{}}]*)\}}|(\{{)|(?=({UNBRACED})))?"
    r"|\\(?!\\(?:boxed|fbox)).|(?:\{[^\\{}]*\}){1,100}|\{+|\}+",
    re.DOTALL,
)
PLAIN_BOX, OPENED_BOX, UNBRACED_BOX = 1, 2, 3
# A box with at most two levels of braces inside, none of them escaped.
LONE_BOX = re.compile(r"\\boxed\{((?:[^\\{}]++|\\[^{}]|\{(?:[^\\{}]++|\\[^{}]|\{(?:[^\\{}]++|\\[^{}])*+\})*+\})*+)\}")
UNBRACED_ARGUMENTS = re.compile(  # two at most
    r"(?:\{[^{}]{0,80}(?:\{[^{}]{0,40}\}[^{}]{0,40}){0,4}\}|(?<=[a-z])[0-9](?![0-9.]{2})|(?<=[0-9])[0-9]){0,2}"
)
# The tokens that some models write in place of \\boxed and its braces.
BOX_TOKENS = (("<|begin_of_box|>", "\\boxed{"), ("<|end_of_box|>", "}"))
# Two boxes are one list if, without LAYOUT, only a JOINT stands between them: "or", ",and", ",x=".
LAYOUT = re.compile(r"\\(?:textbf|text|mathbf|qquad|quad|[\[\](),;! ])|[ \t\r\n${}~.*_]")
JOINT = re.compile(
    r"[,;]?(?:and|or|\\lor|\\vee|\\wedge|&|/|\||)(?:maybe|perhaps|else|also|possibly|even)?"
    r"(?:\(?(?:[a-h1-9]|i{1,3}|iv)\):?)?(?:[A-Za-z]=)?",
    re.IGNORECASE,
)
BOX_NAME = re.compile(r"(?<![A-Za-z\\])([A-Za-z](?:_\{?[0-9A-Za-z]\}?)?)\s*=\s*$")
MOST_LISTED = 1_000  # boxes that may be one answer
CHARACTERS_BEFORE_BOX = 600  # the last one, in which others of its list, and one around it, begin
JOINT_CHARACTERS = 60  # characters between two boxes of a list


def last_box(text: str) -> str | None:
    """The contents of the last closed box; ``None`` if no box is closed, or if the text is cut off inside a later box.

    Reads ``\\boxed{…}``, ``\\boxed {…}``, ``\\boxed 5`` and ``\\fbox{…}``. Of nested boxes the outermost counts; the
    inner one is part of its contents. Takes time linear in the length of the text.

    >>> last_box(r"\\boxed{7} no, \\boxed{\\frac{1}{2}}")
    '\\\\frac{1}{2}'
    """
    text = _around_last_box(text)
    spans, is_cut_off = _spans(text)
    return text[slice(*spans[-1])] if spans and not is_cut_off else None


def last_boxes(text: str) -> list[str]:
    """The last box and, before it, the boxes that form one list with it; ``[]`` if the last box is not closed.

    ``\\boxed{1}`` or ``\\boxed{2}`` is one answer in two boxes. In a list, each box keeps the name before it. A text
    cut off inside its last box has no answer.

    >>> last_boxes(r"\\boxed{3}. So $x = \\boxed{1}$ or $x = \\boxed{2}$")
    ['x=1', 'x=2']
    """
    at = text.rfind("box")
    if at < 0:
        return []
    # A search for one character is the fastest: mostly no command or token stands before the box, or no other box does.
    is_only = (text.find("\\", 0, at - 1) < 0 and "|" not in text) or text.rfind("box", 0, at) < 0
    alone = LONE_BOX.match(text, at - 1) if is_only else None
    if alone is not None:
        return [alone[1]]  # as nearly always
    text = _around_last_box(text)
    spans, is_cut_off = _spans(text)
    if not spans or is_cut_off:
        return []
    first = len(spans) - 1
    while len(spans) - MOST_LISTED < first and first > 0 and _are_listed(text, spans[first - 1], spans[first]):
        first -= 1
    is_list = first < len(spans) - 1
    return [(_name(text, start) if is_list else "") + text[start:end] for start, end in spans[first:]]


def one_answer(boxed: list[str]) -> str:
    """The contents of several boxes as one answer: a list with commas, or only the first if all are the same."""
    return boxed[0] if boxed.count(boxed[0]) == len(boxed) else ", ".join(boxed)


def boxes(text: str) -> list[str]:
    """The contents of every closed box that is not inside another one, in order."""
    text = _with_boxes(text)
    return [text[start:end] for start, end in _spans(text)[0]]


def _with_boxes(text: str) -> str:
    """The text with the special tokens around a boxed answer written as ``\\boxed{…}``."""
    if BOX_TOKENS[0][0] in text:
        for token, written in BOX_TOKENS:
            text = text.replace(token, written)
    return text


def _around_last_box(text: str) -> str:
    """Cuts everything before the last blank line that is at least 600 characters before the last box."""
    text = _with_boxes(text)
    empty_line = text.rfind("\n\n", 0, max(text.rfind("box") - CHARACTERS_BEFORE_BOX, 0))
    return text[max(empty_line, 0) :]


def _name(text: str, start: int) -> str:
    """``"x="`` if that stands before the box whose contents begin at ``start``; else ``""``."""
    command = text.rfind("\\", 0, start)
    named = BOX_NAME.search(text, max(command - 20, 0), command)
    return f"{named.group(1)}=" if named else ""


def _are_listed(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two neighbouring boxes are one list: joined by "or", "and" or a comma, or side by side in one line."""
    between = text[one[1] : text.rfind("\\", 0, other[0])]
    if len(between) > JOINT_CHARACTERS:
        return False
    joint = LAYOUT.sub("", between)
    return JOINT.fullmatch(joint) is not None and (bool(joint) or "\n" not in between)


def _spans(text: str) -> tuple[list[tuple[int, int]], bool]:
    """(spans, is_cut_off): where the contents of every closed outermost box start and end, in order.

    ``is_cut_off``: whether the last box of the text is opened and never closed.
    """
    first = BOX.search(text)
    depth = 0
    opened: list[tuple[int, int]] = []  # of each open box, its depth and where its contents start
    closed = []  # a box that closes replaces those inside it
    for token in BRACE_OR_BOX.finditer(text, first.start()) if first else ():
        kind = token.lastindex
        if kind == PLAIN_BOX:
            closed.append(token.span(1))
        elif kind == OPENED_BOX:
            depth += 1
            opened.append((depth, token.end()))
        elif kind == UNBRACED_BOX:
            closed.append((token.end(), _unbraced_end(text, token.end(), token[3])))
        elif token[0][0] == "{":
            depth += token[0].count("{") - token[0].count("}")
        elif token[0][0] == "}":
            depth_left = max(depth - len(token[0]), 0)
            while opened and opened[-1][0] > depth_left:
                depth_inside, start = opened.pop()
                while closed and closed[-1][0] >= start:
                    closed.pop()
                closed.append((start, token.start() + depth - depth_inside))
            depth = depth_left
    return closed, bool(opened) and (not closed or opened[-1][1] > closed[-1][0])


def _unbraced_end(text: str, start: int, begun: str) -> int:
    """The index at which the contents of a box without braces end: after a number, or after a command's arguments."""
    if begun[0] != "\\":
        return start + len(begun.rstrip(".,;:!?"))
    return UNBRACED_ARGUMENTS.match(text, start + len(begun)).end()  # type: ignore[union-attr]  # it matches no argument, too
