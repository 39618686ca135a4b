"""Splits what a completion says into statements about options, line by line, and these into clauses.

Look here if "B. Rome" is cut in two, or a clause swallows the one behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.asides import is_closing
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION, MentionFinder
from grpo_rewards.answers.multiple_choice.spelling import in_full

__all__ = ["Told", "clauses_of", "told"]


class Told(NamedTuple):
    """A sentence with its options masked.

    Attributes:
        text: the sentence.
        is_question: whether it ends with a question mark.
        is_followed: whether more stands behind it in its line: ``C`` of "C. Rome" where the texts are not known.
        is_first: whether it begins a line.
        is_row: whether it is a row of a table.
        is_title: whether it is a heading.
        is_listed: whether its line is one of a list that goes through the options: "A: too narrow", "B: off topic".
    """

    text: str
    is_question: bool
    is_followed: bool
    is_first: bool
    is_row: bool
    is_title: bool
    is_listed: bool = False


LONGEST_STATEMENT = 700  # characters; a longer sentence is not heard
LINE_LEAD = re.compile(
    r"\s{0,12}(?:>\s?){0,4}\s{0,4}(?:(#{1,6})\s|[-*•+‣◦–✦▪➤➡️👉✅☑✔️]{1,2}\s{1,4}|\d{1,2}[.)]\s{1,3})?"
)
LINE_MARK_UP = re.compile(
    r"\*{2,3}|__|~~[^~\n]{0,200}~~|</?[A-Za-z][^<>\n]{0,40}>|[*_`](?=[^\s*_`])|(?<=[^\s*_`])[*_`]|```\w{0,20}"
)
RULER = re.compile(r"[\s|:=_*-]{3,400}")
STOP = re.compile(r"(?:[.!?]{1,4}|…)[\"'”’)\]*$]{0,3}(?=\s|$)|[。！？।۔؟]|\.(?=[A-Z][a-z])")
SHORT_FORM = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|mr|mrs|ms|dr|st|eq|fig|approx|ca|resp|nr|bzw|z\.b|d\.h|etc|al)$", re.I
)
CLAUSE_LINK = re.compile(
    rf"(?<!{REJECTED_OPTION})(?<!{REJECTED_OPTION},)\s{{0,2}}"
    r"(?:[;；؛→⇒]|=>|->"
    r"|[,，—–-]?\s?(?<![^\W\d_])(?<!\bis )(?<!\bis, )(?<!\bare )(?<!\b[ei]st )(?<!\bes )(?<!\bè )(?<!\bé )"
    r"(?<!agit )(?<!\bmich )(?<!\bmust )(?<!should )(?<!would )(?<!can )"
    r"(?:and so"
    r"|so that|so(?! far)|therefore|thus|hence|but|however(?!,\s(?:is|was|must|has to|would|remains)\s)|whereas|while"
    r"|although|though|yet|consequently|accordingly|meaning(?: that)?|which means(?: that)?|donc|ainsi|aber|mais|pero"
    r"|però|ma|quindi|alors|daher|deshalb|somit|así que|de modo que|de sorte que|dus|więc|så|maka|jadi|vì vậy"
    r"|por lo tanto|por tanto|portanto|logo|entonces|поэтому|значит"
    r"|но|(?:men|maar|ale|ama|fakat|tapi|tetapi|nhưng|але)(?=\s(?:jag|ik|ja|jeg|ben|saya|tôi|mình|я|wybieram|antwoord|svar"
    r"|cevabım|odpowied\w{1,3}|jawaban)(?![^\W\d_])))(?![\w'’])"
    r"|[,，]?\s?(?:所以|因此|因而|故(?=选|答|应|正|本|此)|但是?|从而|综上所述|综上|于是|よって|したがって|따라서"
    r"|그러므로)"
    r"|(?<=지만)\s|(?<=으나)\s|(?<=므로)\s|(?<=니까)\s|(?<=때문에)\s"
    r"|,\s(?=and (?:the|my|so|therefore|thus|since|because|(?:that|this|which) (?:makes|leaves|means|is|gives)) )"
    r"|,\swhich(?=\s(?:leaves|makes|means|gives|points|corresponds|matches|leads|brings)(?![^\W\d_])))",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"\W{0,3}(?:but|however|whereas|while|although|though|yet|aber|mais|pero|però|ma|но|但)",
    re.IGNORECASE,
)

ARROW_TO_VERDICT = re.compile(
    r"\s?(?:→|⇒|->|=>)\s?(?=(?:no|yes|wrong|right|correct|incorrect|true|false|[✓✔✅✗✘❌])(?![^\W\d_]))", re.IGNORECASE
)
SNAKE = re.compile(r"(?<=[a-z])_(?=[a-z])")  # "final_answer"
CHECKED = re.compile(r"^([ \t]{0,12}(?:[-*+]|\d{1,2}[.)])[ \t]{1,3})\[[xX✓✔]\][ \t]{1,3}([^\n]{1,300})$", re.MULTILINE)
UNCHECKED = re.compile(r"^[ \t]{0,12}(?:[-*+]|\d{1,2}[.)])[ \t]{1,3}\[[ \t]?\][ \t]{1,3}[^\n]{1,300}$", re.MULTILINE)
# "A) … ✗" and "B) … ✓", one below the other
UNTICKED_OPTION = re.compile(
    r"^[ \t]{0,12}(?:[-*+][ \t]{1,3})?\*{0,2}\(?[A-Za-z0-9][).:](?![^\n]*✅)[^\n]*$", re.MULTILINE
)
CROSSED_LINE = re.compile(r"[^\n] [✗✘❌❎][^\n✓✔✅☑✗✘❌❎]{0,80}$", re.MULTILINE)
# "| B | Yes |", below "| A | No |"
ROW_OF_YES = re.compile(
    r"(?<=\|)[ \t*]{0,4}(?:yes|correct|right)[ \t*]{0,4}\|[ \t]{0,4}$", re.IGNORECASE | re.MULTILINE
)
ROW_OF_NO = re.compile(
    r"(?<=\|)[ \t*]{0,4}(?:no|incorrect|wrong)[ \t*]{0,4}\|[ \t]{0,4}$", re.IGNORECASE | re.MULTILINE
)
TICKED_LINE = re.compile(
    r"^([ \t]{0,12}(?:[-*+][ \t]{1,3})?\*{0,2}\(?[A-Za-z0-9][).:])(?![^\n]*[✗✘❌❎])"
    r"[^\n]{1,300} [✓✔✅☑]\ufe0f?[^\n✓✔✅☑✗✘❌❎]{0,80}$",
    re.MULTILINE,
)
# "(c) confirm it ← this one"
POINTED_OUT = re.compile(
    r"[ \t]{0,4}(?:←|<--?|⬅\ufe0f?)[ \t]{0,3}(?:this(?: one)?|here|(?:the )?(?:correct|right|best)(?: (?:answer"
    r"|one|option|choice))?"
    r"|(?:the |my )?(?:answer|choice|pick))?[ \t.!*]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
# a line that says something of an option, or copies it
LINE_OF_OPTION = re.compile(r"\s{0,8}(?:[-*•]\s{1,3})?\*{0,2}\(?([A-Za-z])(?:[).]|\*{0,2}\s?[:–—-])\*{0,2}\s{1,3}[^\s]")
FEWEST_LISTED = 3
QUESTION_LINE = re.compile(r"^[\s*#>]{0,8}Q(?:uestion)?\s?\d{0,3}[*]{0,2}[:.]", re.MULTILINE)
ANSWER_LINE = re.compile(r"^[\s*#>]{0,8}A[*]{0,2}:")  # "Q: …" above it
CONCEDING = re.compile(r"\W{0,4}(?:while|although|though|whereas)\s[^,]{1,400},\s", re.IGNORECASE)


@lru_cache(maxsize=64)  # a text is heard in several ways
def told(text: str, finder: MentionFinder) -> tuple[Told, ...]:
    """The statements of a text, in order."""
    text = _with_ticks(text)
    has_question = QUESTION_LINE.search(text) is not None
    lines = text.replace("【", "\n【").split("\n")
    listed = _list_of_options(lines)
    statements: list[Told] = []
    for place, written in enumerate(lines):
        of_line = _remembered(ANSWER_LINE.sub("Answer:", written) if has_question else written, finder)
        statements += of_line if place not in listed else (one._replace(is_listed=True) for one in of_line)
    return tuple(statements)


def _list_of_options(lines: list[str]) -> set[int]:
    """The places of three lines or more, one below the other, of which each says something of the next option."""
    letters = [found.group(1).upper() if (found := LINE_OF_OPTION.match(line)) else "" for line in lines]
    listed: set[int] = set()
    run: list[int] = []
    for place, letter in enumerate(letters):
        follows = bool(run and letter) and ord(letter) == ord(letters[run[-1]]) + 1
        run = [*run, place] if follows else [place] if letter else []
        listed |= set(run) if len(run) >= FEWEST_LISTED else set()
    return listed


@lru_cache(maxsize=4_096)  # a policy may write one line a thousand times
def _remembered(line: str, finder: MentionFinder) -> tuple[Told, ...]:
    return tuple(_of_line(line, finder))


def _with_ticks(text: str) -> str:
    """A text in which a list of options keeps only those that are checked, ticked or pointed out by an arrow."""
    ticked = CHECKED.sub(r"\1\2 ✅", UNCHECKED.sub("", text)) if CHECKED.search(text) is not None else text
    ticked = ROW_OF_YES.sub("✅ |", ROW_OF_NO.sub("❌ |", ticked)) if ROW_OF_YES.search(ticked) is not None else ticked
    ticked = TICKED_LINE.sub(r"\1 ✅", ticked) if CROSSED_LINE.search(text) is not None else ticked
    ticked = POINTED_OUT.sub(" ✅", ticked) if "←" in text or "<-" in text or "⬅" in text else ticked
    return text if ticked == text else UNTICKED_OPTION.sub("", ticked)


def _of_line(line: str, finder: MentionFinder) -> Iterator[Told]:
    """The statements of one line."""
    if not line.strip() or RULER.fullmatch(line):
        return
    lead = LINE_LEAD.match(line)
    if lead is not None and finder.has_numbers and re.search(r"\d", lead.group()):
        lead = None  # the number may be the label of an option
    is_row = line.lstrip().startswith("|")
    line = in_full(SNAKE.sub(" ", line))
    body = LINE_MARK_UP.sub("", line[lead.end() :] if lead else line)
    masked = ARROW_TO_VERDICT.sub(": ", finder.masked(body))
    sentences = [masked] if is_row else list(_sentences(masked))
    for place, sentence in enumerate(sentences):
        if len(sentence) > LONGEST_STATEMENT or (is_closing(sentence) and not re.search(ANY_OPTION, sentence)):
            continue
        is_question = sentence.rstrip(" \"'”’)*").endswith(("?", "？", "؟"))
        is_title = lead is not None and lead.group(1) is not None
        yield Told(sentence.strip(), is_question, place + 1 < len(sentences), place == 0, is_row, is_title)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for stop in STOP.finditer(line):
        if line[stop.start()] == "." and SHORT_FORM.search(line[max(start, stop.start() - 8) : stop.start()]):
            continue
        if line[start : stop.end()].strip():
            yield line[start : stop.end()]
        start = stop.end()
    if line[start:].strip():
        yield line[start:]


def clauses_of(text: str) -> Iterator[tuple[str, str]]:
    """(clause, how it is joined to the one before it: ``but``, ``so`` or ``""``) for the clauses of a statement."""
    start, joined = 0, ""
    for link in CLAUSE_LINK.finditer(text):
        if CONCEDING.match(text, start) and not text[start : link.start()].strip():
            continue  # "While a case can be made for A, …" is a reason as a whole
        if text[start : link.start()].strip():
            yield text[start : link.start()], joined
        start, joined = (
            link.end(),
            "but" if CONTRAST.match(link.group()) else "so" if link.group().strip(" ,;；—–-") else "",
        )
    if text[start:].strip():
        yield text[start:], joined
