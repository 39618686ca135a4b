"""Splits what a completion says into statements and these into clauses: lines, sentences, list items, rows, headings.

Look here if a sentence is cut in two, or if code, a remark in parentheses or a list marker is taken for prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES

__all__ = ["BOLD", "Clause", "Statement", "statements"]


class Clause(NamedTuple):
    """A part of a statement, and how it is joined to what comes before: ``""``, ``so``, ``because``, ``but``, ``not``,
    ``if``, ``remark``."""

    text: str
    link: str = ""


class Statement(NamedTuple):
    """A sentence, or what stands in place of one.

    Attributes:
        kind: ``sentence``, ``item`` of a list, ``row`` of a table, ``heading``, ``hashes`` (behind ``####``), or
            ``remark`` (all in parentheses).
        text: what it says. Emphasis is removed, and bold text begins and ends with ``BOLD``.
        clauses: its parts.
        is_question: whether it ends with a question mark.
    """

    kind: str
    text: str
    clauses: list[Clause]
    is_question: bool


BOLD = "\x1c"  # counts as white space wherever a pattern looks for it, and is in no text that anybody writes
MARK_UP = re.compile(
    r"~~[^~\n]{0,200}~~|https?://\S{1,300}|<<[^<>\n]{0,200}>>|</?[A-Za-z][^<>\n]{0,80}>|&nbsp;|\u200b|\ufeff"
)
EMPHASIS = re.compile(r"(?<![0-9)\]\w])\*\*\*?|\*\*\*?(?![0-9(\w])|(?<!\w)__|__(?!\w)|\*\*")
LIGHT_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_\n]{1,200})(?<=[^\s*_])\1(?![\w*])|`{1,3}")
SPACE_COMMAND = re.compile(r"(?<!\\)\\(?:[,;:! ]|quad\b|qquad\b)")
BOLD_COMMAND = re.compile(r"\\(?:textbf|mathbf|emph)\{([^{}\n]{1,200})\}")
# "9 - that is, …", but not "10 - sqrt(2)" or "a - b"
HYPHEN_AS_DASH = re.compile(r"(?<=[^\s(\[=+*/]) - (?=[A-Za-z]{2,40}[\s,])(?!(?:sqrt|sin|cos|tan|log|ln|exp|pi)\b)")
WIDE = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | {ord("（"): "(", ord("）"): ")", ord("．"): "."}
PLUS_OR_MINUS = re.compile(
    r"(?:\bplus(?: or |[- /]|/or )minus|\b(?:positive|plus) (?:and|or) (?:negative|minus)|\+/[-−–]"
    r"|(?<![0-9)])(?<![0-9)] )\+[-−](?=[0-9]))\s{0,2}"
    r"(?=[$\\√]{0,2}[0-9\\√])",
    re.IGNORECASE,
)
FENCE_LINE = re.compile(r"\s{0,8}(?:```|~~~)\s?(\w{0,20})")
CODE_LANGUAGES = frozenset("python py c cpp java js javascript ts bash sh r matlab julia rust go sql haskell".split())
LIST_MARKER = re.compile(
    r"\s{0,12}(?:[-*•+‣◦–][ \t]+(?:\[[ xX]\] )?|\(?(?:[0-9]{1,9}|[a-hA-H])[.)][ \t]+(?=\S)"
    r"|\[[0-9]{1,4}\][ \t]+(?=\S))"
)
HEADING_MARKER = re.compile(r"\s{0,3}(?:#{2,6}\s{0,4}|#\s{1,4})")
QUOTE_MARKER = re.compile(r"\s{0,3}(?:>\s?){1,4}")
BOUND_MARKER = re.compile(r"\s{0,3}>\s?[-$€£]?[0-9]")
ROW_OF_TABLE = re.compile(r"\s{0,12}\|(?:\s|[:-]{2}|\*\*|\x1c|[^|=]{1,200}\|[^=]{0,2000}\|\s{0,4}$)")  # not "|-8| = 8"
TABLE_RULE = re.compile(r"[|:\-\s]{3,400}")
SENTENCE_BREAK = re.compile(r"[.!?]{1,4}[\"'”’)\]*\x1c]{0,4}(?=\s|$)|[。！？]|(?<=\w)\.(?=[A-Z][a-z]{1,12} )")
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:no|nos|fig|figs|eq|eqs|approx|ca|cf|e\.g|i\.e|p|pp|vs|mr|mrs|ms|dr|st|rs|sect?|ch|ex|vol|resp"
    r"|ans|nr|bzw|env|aprox|"
    r"art|núm|num|max|min|ex|[A-H])$",
    re.IGNORECASE,
)
LINK_WORDS = {
    "so": r"(?<!or )so|thus|namely|in other words|equivalently|therefore|hence|then|and then|which (?:means|gives|makes"
    r"|is|leaves|equals|comes|rounds)|meaning|giving|leaving"
    r"|yielding|making|consequently|for a total of|donc|ainsi|folglich|por lo tanto|así que|entonces",
    "because": r"because|since|as (?:shown|required|expected|computed|seen|desired|calculated|in|we|described"
    r"|stated|per|"
    r"can be|explained|noted|given|demanded|wanted|claimed|indicated|mentioned)|given that|due to|where"
    r"|see (?=(?:also|above|below|here|the|my|our|step|part|page|section|figure|table|equation|line|chapter)\b)|cf"
    r"|(?<!after )(?<!by )(?<!before )(?<!without )using|although|even though|even if|despite|in spite of"
    r"|obwohl|bien que|aunque"
    r"|parce que|puisque|weil|denn|porque|ya que",
    "if": r"(?<!\bas )if|(?<!\w )when|whenever|unless|assuming|supposing|provided|taking|testing|plugging in"
    r"|substituting|putting|setting|inserting|si|wenn"
    r"|falls(?! (?:on|in|to|into|from|off|by|down|at|under|within|short|between)\b)"
    r"|cuando",
    "but": r"(?<!anything )(?<!nothing )(?<!everything )but|however|though|whereas|yet|while|mais|aber"
    r"|sondern|pero|sino",
    "not": r"(?:and |but )?not|rather than|instead of|as opposed to|unlike|et non(?: pas)?|und nicht|y no",
}
BEHIND_A_SPACE = "|(?<=[ ])"
LINK_KINDS = {"arrow": "so", "aim": "if", "contrast": "but", "not_this": "not", "reason": "because"}
# Every link stands at the start, behind a space, a comma or a dash, or begins with one of these characters: a look at
# that spares the look for every word at every place.
LINK = re.compile(
    r"(?:(?<![^\s,—–])|(?=[→⇒⟹=\\∴，所因故而由-]))(?:"
    + "|".join(
        rf"(?P<{name}>(?:(?<=[,;:—–]\s)|(?<=[—–])|^\W{{0,3}}{'' if name == 'not' else BEHIND_A_SPACE})"
        rf"(?:{words})\b(?!-))"
        for name, words in LINK_WORDS.items()
    )
    + r"|(?P<aim>^\W{0,3}to (?:find|solve|get|calculate|compute|determine|answer|work out)\b)"
    + r"|(?P<contrast>(?<=, )(?=it['’]s\b|it is\b|and (?:the|it|he|she|they|we|this|that|not|there)\b))"
    r"|(?P<arrow>(?<=[\s,])(?:i\.e\.,?|that is,)(?=\s)|→|⇒|⟹|=>|->"
    r"|\\Rightarrow|\\implies|\\therefore|∴|，(?:所以|因此|即)|所以|因此|故)"
    + r"|(?P<not_this>(?<=[ ])(?:and not|but not|rather than|instead of|as opposed to)\b|，?(?:而不是|而非))"
    + r"|(?P<reason>因为|由于))",
    re.IGNORECASE,
)
REMARK = re.compile(r"(?<![=+*/×·−-]\s)(?<!\bis\s)(?<!\bby\s)(?<!\bare\s)(?<=[\s\x1c])[(\[]([^()\[\]]{1,300})[)\]]")
WORDED = re.compile(r"[^\W\d_]{2}|[=≈]")
CALCULATION = re.compile(r"[0-9][0-9.,]{0,20}(?: ?[-+−–×·*/÷] ?[0-9][0-9.,]{0,20}){1,9}")
CITATION = re.compile(r"(?<=[^\s,;:=(+*/^×·-])\s?(?<![=(+*/^×·-]\s)\[\^?[0-9]{1,9}\](?!\()")
OPENING = re.compile(
    r"[\s\x1c,]{0,4}(?:(?:well|ok|okay|now|and|but|here|first|next|then),?)?[\s\x1c]{0,2}", re.IGNORECASE
)
FIRST_COMMA = re.compile(
    r"[,，](?=\s)|，|(?=\b(?:we|you|i) (?:get|obtain|find)\b)"
    r"|(?<=\w{3} )(?=(?:he|she|it|they|we|you|i|there) (?:will|would|gets?|needs?|makes?|must|earns?|pays?|has"
    r"|have)\b)"
)
STOP_IN_DISPLAY = re.compile(r"(?<=[^\s.,])[.,;]\s{0,8}$")
DISPLAYS = (("\\[", "\\]"), ("$$", "$$"), ("\\begin{", "\\end{"))


def statements(text: str) -> list[Statement]:
    """The statements of a text, in order. Code is left out, and so is what a calculator wrote: ``<<9*2=18>>``."""
    found: list[Statement] = []
    language: str | None = None
    was_quoted = False
    known: dict[str, list[Statement]] = {}  # a policy may write one line a thousand times
    for line in _displays_in_one_line(MARK_UP.sub("", text.replace(BOLD, " ").translate(WIDE))).split("\n"):
        quoted = QUOTE_MARKER.match(line)
        if quoted is not None and (was_quoted or not BOUND_MARKER.match(line)):  # "> 12" alone is a bound
            line = line[quoted.end() :]
        was_quoted = quoted is not None
        fence = FENCE_LINE.match(line)
        if fence is not None:
            language = fence.group(1).casefold() if language is None else None
        elif language not in CODE_LANGUAGES:
            if line not in known:
                known[line] = list(_of_line(line))
            found.extend(known[line])
    return found


def _displays_in_one_line(text: str) -> str:
    """The text with every displayed formula in one line."""
    for opening, closing in DISPLAYS:
        at = text.find(opening)
        parts, copied = [], 0
        while at >= 0 and (end := text.find(closing, at + 2)) >= 0:
            parts += [text[copied:at], STOP_IN_DISPLAY.sub("", text[at:end].replace("\n", " "))]
            copied = end
            at = text.find(opening, end + 2)
        text = "".join([*parts, text[copied:]])
    return text


def _of_line(line: str) -> Iterator[Statement]:
    """The statements of one line."""
    prose, hashes, behind = line.partition("####")
    if hashes:
        yield from _of_line(prose)
        yield _statement("hashes", _plain(behind.lstrip("#")))
        return
    heading = HEADING_MARKER.match(line)
    kind = "heading" if heading else "sentence"
    line = line[heading.end() :] if heading else line
    if ROW_OF_TABLE.match(line):
        yield from _of_row(line)
        return
    marker = LIST_MARKER.match(line)
    if marker is not None:
        kind, line = "item" if kind == "sentence" else kind, line[marker.end() :]
    for sentence in _sentences(_plain(line)):
        yield _statement(kind, sentence)
        kind = "sentence" if kind == "item" else kind


def _of_row(line: str) -> Iterator[Statement]:
    """A row of a table as "its first cell: its last cell"."""
    cells = [cell.strip(" \t\r") for cell in _plain(line).split("|") if cell.strip()]
    if len(cells) > 1 and not TABLE_RULE.fullmatch(line) and any(map(str.isalpha, cells[0])):
        row = f"{cells[0].strip(BOLD + ' :')}: {cells[-1]}"
        yield Statement("row", row, [Clause(row)], False)


def _plain(line: str) -> str:
    """A line without mark-up for emphasis; bold text begins and ends with ``BOLD``, and "plus or minus" is a sign."""
    line = PLUS_OR_MINUS.sub("±", line) if "+" in line or "or " in line or "us" in line else line
    if "\\" in line:
        line = BOLD_COMMAND.sub(r"**\1**", SPACE_COMMAND.sub(" ", line))
    line = HYPHEN_AS_DASH.sub(" — ", line) if " - " in line else line
    if "*" in line or "_" in line or "`" in line:
        line = LIGHT_EMPHASIS.sub(lambda found: found.group(2) or "", EMPHASIS.sub(BOLD, line))
    return line


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for end in SENTENCE_BREAK.finditer(line):
        if line[end.start()] == "." and ABBREVIATION.search(line[max(start, end.start() - 8) : end.start()]):
            continue
        yield line[start : end.end()]
        start = end.end()
    yield line[start:]


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def _statement(kind: str, text: str) -> Statement:
    text = text.strip(" \t\r")
    is_question = text.rstrip(" \x1c\"'”’)]*").endswith(("?", "？"))
    inner = text.strip(" \x1c.")
    if inner[:1] in "([" and inner[-1:] in ")]" and inner.count("(") + inner.count("[") == 1 and WORDED.search(inner):
        return Statement("remark", text, [Clause(inner[1:-1])], is_question)
    body, remarks = CITATION.sub("", text), []
    if "(" in body or "[" in body:
        found_all = [found.group(1) for found in REMARK.finditer(body) if found.start() > 1]
        is_counted = any(map(str.isdigit, body.partition("(")[0]))  # "22 marbles are left (30 − 8)."
        remarks = [one for one in found_all if WORDED.search(one) or (is_counted and CALCULATION.fullmatch(one))]
        body = REMARK.sub(lambda found: "" if found.group(1) in remarks else found.group(), body)
    return Statement(kind, text, [*_clauses(body), *(Clause(remark, "remark") for remark in remarks)], is_question)


def _clauses(text: str) -> Iterator[Clause]:
    """The clauses of a sentence. A reason at its start ends at the first comma."""
    start, link = 0, ""
    is_opening = False
    for found in LINK.finditer(text):
        if found.start() > start or link:
            yield from _split_opening(text[start : found.start()], link, is_opening)
        is_opening = OPENING.fullmatch(text[start : found.start()]) is not None and (start == 0 or link == "so")
        named = str(found.lastgroup)
        start, link = found.end(), LINK_KINDS.get(named, named)
    yield from _split_opening(text[start:], link, is_opening)


def _split_opening(text: str, link: str, is_opening: bool) -> Iterator[Clause]:
    comma = FIRST_COMMA.search(text) if is_opening and link in ("because", "not", "but", "if") else None
    if comma is None:
        yield Clause(text, link)
        return
    yield Clause(text[: comma.start()], link)
    yield Clause(text[comma.end() :].lstrip())
