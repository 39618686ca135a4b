"""Finds the parts of a completion: the end of its turn, its reasoning, its tags. Everything is a linear scan.

Look here if a completion is cut in the wrong place, or if reasoning is taken for the answer.
"""

import re
from typing import Any

from grpo_rewards.completion.reasoning.harmony import ANALYSIS, FINAL, answers, channels, is_harmony
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.text import Parsed, prompt_text
from grpo_rewards.completion.tool_calls.tags import without_calls
from grpo_rewards.completion.turns import ENDS_OF_TURN, before_end_of_turn

ANALYSIS_HEADER = "<|channel|>analysis<|message|>"
CLOSING_QUOTES = dict(zip("`\"'“‘«‹„「『", "`\"'”’»›“」』", strict=True))
# Code, in a block or in a line.
CODE = re.compile(r"(?<![`~])(`{3,9}+|~{3,9}+).*?\1|`[^`\n]{1,1000}`", re.DOTALL)
MOST_DELIMITERS = 200
QUOTING_CHARACTERS = 1_000  # before a delimiter, in which the quotation marks of its line are counted
NO_DELIMITER = "\0"  # in place of the first character of one
TAG_NAME = re.compile(r"[A-Za-z_][\w.-]*")
# What shows that a text is not all response: a tag or token, a call, a channel, the end of a turn.
TAG_OR_TOKEN = re.compile("<[A-Za-z/|｜]")
MARK_IN_BRACKETS = re.compile(r"\[(?:[|]|e~|/?INST|TOOL_CALLS|(?<=functools\[))")
BEGINS_MARKED = re.compile(r"\s*(?:analysis|commentary|final|to=|\{\s*\"|\[[A-Za-z_])")
# The first characters of that: white space, and these.
MAY_BEGIN_MARKED = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000atcf[{"
)
# Of the delimiters and of what ends a turn, one rare character, those that may follow it, and what the place is then
# compared with: a search for one character is the fastest.
ENDS_WITHIN = {
    "<": (ENDS_OF_TURN["<"][0], re.compile(rf"<(?:[|｜]|/?think>)|{ENDS_OF_TURN['<'][1].pattern}")),
    "|": ("]", re.compile(r"\|\]")),
    "I": ("N", re.compile(r"INST\]")),
    "~": ("b![", re.compile("~")),
}


def opens_thinking(prompt: Any, stated: bool | None = None, marks: Marks = THINK) -> bool:
    """Whether the prompt ends with ``<think>``, so that completions start with reasoning; ``stated`` overrides it."""
    if stated is not None or prompt is None:
        return bool(stated)
    text = prompt if type(prompt) is str else prompt_text(prompt)
    return bool(text) and text.rstrip().endswith((marks.opening.rstrip(), ANALYSIS_HEADER))


def _behind_plain_reasoning(text: str) -> str | None:
    """What stands behind the reasoning, if a quick look shows where that ends; else ``None``."""
    begin = len(THINK.opening) if text.startswith(THINK.opening) else 0
    close = text.rfind(THINK.closing)
    is_begun_otherwise = text[:1] in MAY_BEGIN_MARKED and BEGINS_MARKED.match(text) is not None
    if close < 0 or text[close - 1] in CLOSING_QUOTES or is_begun_otherwise or _may_be_marked(text, begin, close):
        return None
    rest = text[close + len(THINK.closing) :]
    return None if "`" in rest or not rest or rest.isspace() else rest


def _may_be_marked(text: str, begin: int, end: int) -> bool:
    """Whether a delimiter, a token or the end of a turn may stand in the reasoning between these two places."""
    for character, (following, pattern) in ENDS_WITHIN.items():
        at = text.find(character, begin, end)
        while at >= 0:
            if text[at + 1] in following and pattern.match(text, at) is not None:
                return True
            at = text.find(character, at + 1, end)
    return False


def _is_quoted(text: str, at: int, mark: str) -> bool:
    """Whether a delimiter stands between two quotation marks or backticks, of which the first opens.

    Three backticks are a fence, and quote nothing.
    """
    quote, behind = text[max(at - 1, 0) : at], text[at + len(mark) : at + len(mark) + 1]
    if CLOSING_QUOTES.get(quote) != behind or text.endswith("```", 0, at):
        return False
    before = text[max(at - QUOTING_CHARACTERS, 0) : at].rpartition("\n")[2]
    # no apostrophes; one that is the same on both sides opens if it is an odd one in its line
    return quote != behind or len(re.findall(rf"(?<!\w){quote}+|{quote}+(?!\w)", before)) % 2 == 1


def without_quoted(text: str, marks: Marks) -> str:
    """Masks quoted delimiters so that later searches skip them.

    A quoted one stands between quotation marks or backticks, or in an example: code, in a line or in a block, that has
    an opening and a closing one. Texts with over 200 delimiters are returned unchanged.
    """
    if sum(map(text.count, marks)) > MOST_DELIMITERS:
        return text
    places = [(found.start(), mark) for mark in marks for found in re.finditer(re.escape(mark), text)]
    quoted = {at for at, mark in places if _is_quoted(text, at, mark)}
    has_code = "`" in text or "~~~" in text
    for code in CODE.finditer(text) if has_code and len(places) > len(quoted) + 1 else ():
        opening = text.find(marks.opening, *code.span())
        if 0 <= opening < text.find(marks.closing, *code.span()):
            quoted.update(at for at, _ in places if code.start() < at < code.end())
    for at in quoted:
        text = f"{text[:at]}{NO_DELIMITER}{text[at + 1 :]}"
    return text


def response(completion: str, opened: bool = False, marks: Marks = THINK, *, with_calls: bool = True) -> str | None:
    """What a completion says between its reasoning and the end of its turn; ``None`` if the reasoning never ends.

    What stands before the reasoning never counts. A delimiter that is only quoted opens and closes nothing. Most
    completions are plain, which a quick look shows; to find the response of another takes several times as long.

    Args:
        completion: the text of a completion.
        opened: whether the prompt already opened the reasoning.
        marks: the delimiters of the reasoning.
        with_calls: whether the tools that it calls are left in.

    >>> response("<think>2 + 2</think>4"), response("4<think>2 + 2, yes</think>"), response("<think>2 + 2")
    ('4', '', None)
    >>> response("<think>Then I write `</think>`. 2 + 2 = 4</think>4")
    '4'
    """
    if type(completion) is str and marks is THINK:
        has_reasoning = opened or completion.startswith(THINK.opening)
        rest = _behind_plain_reasoning(completion) if has_reasoning else completion
        if (
            rest is not None
            and ("<" not in rest or TAG_OR_TOKEN.search(rest) is None)
            and (rest[:1] not in MAY_BEGIN_MARKED or BEGINS_MARKED.match(rest) is None)
            and ("[" not in rest or MARK_IN_BRACKETS.search(rest) is None)
            and ("~" not in rest or "]~" not in rest)
            and "Action Input" not in rest
        ):
            return rest
    found = _searched_response(completion, opened, marks)
    return found if found is None or with_calls else without_calls(found)


def _searched_response(completion: str, opened: bool, marks: Marks) -> str | None:
    """The response, with the tools that it calls, found by all that may delimit it."""
    text, opened = as_written(completion, opened, marks)
    opening, closing = marks
    ended = text.rstrip()
    if ended.endswith(closing):  # an empty block at the end is no reasoning
        before, opened_again, inside = ended.removesuffix(closing).rpartition(opening)
        if opened_again and not inside.strip():
            text = before
    close = text.rfind(closing)
    rest = text[close + len(closing) :] if close >= 0 else text
    may_quote = opening in rest or "`" in rest or _is_quoted(text, close, closing)
    bare = without_quoted(text, marks) if may_quote else text
    end = bare.rfind(closing) + len(closing) if closing in bare else 0
    return None if opening in bare[end:] or (opened and not end) else text[end:]


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
        return next((message.text for message in reversed(parts) if message.channel == FINAL), ""), is_open
    opening, closing = marks
    pieces = [f"{opening}{one.text}{closing}" if one.channel == ANALYSIS else one.text for one in parts]
    written = "".join(pieces).replace(f"{closing}{opening}", "")
    opened = bool(parts) and parts[0].is_begun
    written = written.removeprefix(opening) if opened else written
    return (written.removesuffix(closing) if is_open else written), opened


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
