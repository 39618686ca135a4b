"""Finds the parts of a completion: the end of its turn, its reasoning, its tags. Everything is a linear scan.

Look here if a completion is cut in the wrong place, or if reasoning is taken for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.harmony import ANALYSIS, FINAL, answers, channels, is_harmony
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.text import Parsed, prompt_text
from grpo_rewards.completion.turns import before_end_of_turn, first_end_of_turn

__all__ = [
    "CLOSING_QUOTES",
    "as_written",
    "before_end_of_turn",
    "count_tags",
    "is_tag_name",
    "last_tagged",
    "opens_thinking",
    "plain_response",
    "response",
    "without_quoted",
]

TAG_OR_TOKEN = re.compile("<[A-Za-z/|｜]")
MAY_BEGIN_MARKED = " \n\t\r\f\v\xa0atcf[{"  # first characters of a text in channels, and of a call without tags
BEGINS_MARKED = re.compile(r"\s*(?:analysis|commentary|final|to=|\{\s*\"|\[[A-Za-z_])")
MARK_IN_BRACKETS = re.compile(r"\[(?:[|]|e~|/?INST|TOOL_CALLS|(?<=functools\[))")
ANALYSIS_HEADER = "<|channel|>analysis<|message|>"
CLOSING_QUOTES = dict(zip("`\"'“‘«‹„「『", "`\"'”’»›“」』", strict=True))
CODE_IN_LINE = re.compile(r"`[^`\n]{1,1000}`")
FENCE_OF_CODE = "```"
MOST_DELIMITERS = 200
NO_DELIMITER = "\0"  # in place of the first character of one
TAG_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def opens_thinking(prompt: Any, stated: bool | None = None, marks: Marks = THINK) -> bool:
    """Whether the prompt ends with ``<think>``, so that completions start with reasoning; ``stated`` overrides it."""
    if stated is not None or prompt is None:
        return bool(stated)
    if type(prompt) is list and prompt and type(prompt[-1]) is dict and prompt[-1].get("role") == "user":
        return False  # as nearly always
    text = prompt if type(prompt) is str else prompt_text(prompt)
    return bool(text) and text.rstrip().endswith((marks.opening.rstrip(), ANALYSIS_HEADER))


def plain_response(completion: str, opened: bool, marks: Marks) -> str | None:
    """What a completion says, if a quick look shows that only reasoning stands before it, and no calls are in it.

    ``None`` means that it has to be looked for.
    """
    if type(completion) is not str or marks is not THINK:
        return None
    if not opened and _is_unmarked(completion):
        return completion  # as nearly always without reasoning
    if not completion.startswith(THINK.opening):
        return None
    close = completion.rfind(THINK.closing)
    rest = completion[close + len(THINK.closing) :]
    is_plain = (
        close > 0
        and completion[close - 1] not in CLOSING_QUOTES
        and "`" not in rest
        and _is_unmarked(rest)
        and rest.strip()
        and first_end_of_turn(completion, close) < 0
    )
    return rest if is_plain else None


def _is_unmarked(text: str) -> bool:
    """Whether one look shows that a text has no reasoning, tool call, channel or end of a turn, and is all response."""
    return (
        ("<" not in text or TAG_OR_TOKEN.search(text) is None)
        and (text[:1] not in MAY_BEGIN_MARKED or BEGINS_MARKED.match(text) is None)
        and ("[" not in text or MARK_IN_BRACKETS.search(text) is None)
        and ("~" not in text or "]~" not in text)
        and "Action Input" not in text
    )


def _behind_reasoning(text: str, opened: bool, marks: Marks) -> str | None:
    """The text behind the reasoning, all of it if there is no reasoning; ``None`` if the reasoning never ends."""
    opening, closing = marks
    close = text.rfind(closing)
    rest = text[close + len(closing) :] if close >= 0 else text
    if close >= 0 and not rest.strip():
        begin = text.rfind(opening, 0, close)
        if begin >= 0 and not text[begin + len(opening) : close].strip():  # an empty block at the end is no reasoning
            text = text[:begin]
            close = text.rfind(closing)
            rest = text[close + len(closing) :] if close >= 0 else text
    is_quoted = text[max(close - 1, 0) : close] in CLOSING_QUOTES and bool(_quoted(text, [(close, closing)]))
    if opening not in rest and "`" not in rest and not is_quoted:
        return rest if close >= 0 or not opened else None  # as nearly always
    bare = without_quoted(text, marks)
    close = bare.rfind(closing)
    end = close + len(closing) if close >= 0 else 0
    return None if opening in bare[end:] or (opened and close < 0) else text[end:]


def _quoted(text: str, found: Sequence[tuple[int, str]]) -> list[int]:
    """Those of the delimiters that stand between two quotation marks or backticks, of which the first opens.

    Three backticks are a fence, and quote nothing.
    """
    quoted: list[int] = []
    between: dict[str, list[int]] = {}  # by the mark on both sides, of which an odd one in a line opens
    for at, mark in found:
        quote = text[at - 1] if at > 0 else ""
        closing = text[at + len(mark) : at + len(mark) + 1]
        if CLOSING_QUOTES.get(quote) == closing and not text.startswith(FENCE_OF_CODE, max(at - len(FENCE_OF_CODE), 0)):
            (between.setdefault(quote, []) if quote == closing else quoted).append(at)
    for quote, places in between.items():
        line = text.rfind("\n", 0, places[0]) + 1
        marks = re.compile(rf"\n|(?<!\w){quote}+|{quote}+(?!\w)").finditer(text, line)  # no apostrophes
        count, mark_found = 0, next(marks, None)
        for at in places:
            while mark_found is not None and mark_found.start() < at:
                count = 0 if mark_found.group() == "\n" else count + 1
                mark_found = next(marks, None)
            if count % 2:
                quoted.append(at)
    return quoted


def without_quoted(text: str, marks: Marks) -> str:
    """The text with another first character for each delimiter that it only quotes, so that nothing finds that.

    Such a one stands between quotation marks or backticks, or in an example: code, in a line or in a block, that has an
    opening and a closing one. Of a text with hundreds of delimiters, which explains nothing, none is quoted.
    """
    if sum(map(text.count, marks)) > MOST_DELIMITERS:
        return text
    found = [(at, mark) for mark in marks for at in _places(text, mark)]
    quoted = _quoted(text, found)
    first = min((at for at, _ in found), default=0)  # an example in code has code before it
    if len(found) - len(quoted) > 1 and ("`" in text[:first] or "~~~" in text[:first] or len(found) > len(marks)):
        blocks = [(block.start, block.end) for block in fenced_blocks(text) if block.is_closed]
        lines = [one.span() for one in CODE_IN_LINE.finditer(text)]
        for start, end in (*blocks, *lines):
            opening = text.find(marks.opening, start, end)
            if 0 <= opening < text.find(marks.closing, start, end):
                quoted += [at for mark in marks for at in _places(text, mark, start, end)]
    pieces, begin = [], 0
    for at in sorted({*quoted}):
        pieces += [text[begin:at], NO_DELIMITER]
        begin = at + 1
    return "".join([*pieces, text[begin:]])


def _places(text: str, part: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Where a part begins each time that it occurs."""
    at = text.find(part, start, end)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part), end)


def response(completion: str, *, opened: bool = False, marks: Marks = THINK) -> str | None:
    """What a completion says between its reasoning and the end of its turn; ``None`` if the reasoning never ends.

    What stands before the reasoning never counts. A delimiter that is only quoted opens and closes nothing.

    Args:
        completion: the text of a completion.
        opened: whether the prompt already opened the reasoning.
        marks: the delimiters of the reasoning.

    >>> response("<think>2 + 2</think>4"), response("4<think>2 + 2, yes</think>"), response("<think>2 + 2")
    ('4', '', None)
    >>> response("<think>Then I write `</think>`. 2 + 2 = 4</think>4")
    '4'
    """
    plain = plain_response(completion, opened, marks)
    if plain is not None:
        return plain
    text, opened = as_written(completion, opened, marks)
    return _behind_reasoning(text, opened, marks)


def as_written(completion: str, opened: bool = False, marks: Marks = THINK) -> tuple[str, bool]:
    """(text, opened): a completion up to the end of its turn, with its reasoning between the delimiters.

    It is the text itself, unless a parser had taken it apart, or the model writes channels. What the parser or the
    channel says to be reasoning is then put between the delimiters, so that every form of one completion reads alike.

    Args:
        completion: the text of a completion.
        opened: whether the template opened the reasoning.
        marks: the delimiters.
    """
    if type(completion) is Parsed:
        completion, opened = _put_together(completion, marks), False
    elif is_harmony(completion):
        completion, opened = _with_channels(completion, marks)
    return before_end_of_turn(completion), opened


def _put_together(parsed: Parsed, marks: Marks) -> str:
    reasoning = parsed.reasoning
    bare = reasoning.strip()  # some servers leave the delimiters in
    if bare.startswith(marks.opening) or bare.endswith(marks.closing):
        reasoning = bare.removeprefix(marks.opening).removesuffix(marks.closing)
    return f"{parsed.before}{marks.opening}{reasoning}{marks.closing if parsed.is_closed else ''}{parsed.content}"


def _with_channels(text: str, marks: Marks) -> tuple[str, bool]:
    """The analysis between the delimiters, and the text of the final channel; never the commentary.

    Other delimiters than the default were requested in words, and are looked for in the final channel alone.
    """
    messages = channels(text)
    is_open = bool(messages) and messages[-1].channel == ANALYSIS
    parts = answers(messages)
    if marks is not THINK:
        finals = [message.text for message in parts if message.channel == FINAL]
        return (finals[-1] if finals else ""), is_open
    pieces: list[str] = []
    thinks = opened = False
    for channel, part, is_begun, _ in parts:
        if channel == ANALYSIS:
            opened = opened or is_begun
            pieces += [part] if thinks or is_begun else [marks.opening, part]
        else:
            pieces += [marks.closing, part] if thinks else [part]
        thinks = channel == ANALYSIS
    return "".join(pieces) + (marks.closing if thinks and not is_open else ""), opened


def count_tags(text: str, tag: str) -> tuple[int, int]:
    """How often ``<tag>`` occurs, and how often ``</tag>``."""
    return text.count(f"<{tag}>"), text.count(f"</{tag}>")


def last_tagged(text: str, tag: str) -> str | None:
    """The text between the last ``</tag>`` and the ``<tag>`` before it; ``None`` if either is missing."""
    close = text.rfind(f"</{tag}>")
    opening = text.rfind(f"<{tag}>", 0, max(close, 0))
    return text[opening + len(tag) + 2 : close] if opening >= 0 else None


def is_tag_name(name: Any) -> bool:
    """Whether a value can name a tag: a letter or ``_``, then letters, digits, ``_``, ``.`` and ``-``."""
    return isinstance(name, str) and TAG_NAME.fullmatch(name) is not None
