"""Gets the text of a completion or a prompt, whatever form it is handed over in, and its visible part.

Everything is a linear scan, and nothing that a model writes makes it raise.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress
from typing import Any, Literal

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"
REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning")  # where parsers put reasoning, in their order here
REASONING_BLOCKS = ("thinking", "reasoning", "redacted_thinking")  # and the types of content blocks with it
RESPONSES_FIELDS = ("content", "summary")  # where a block of reasoning of the Responses API has its parts

DEEPEST = 12  # levels of messages, blocks and their parts; what is deeper stays as it is

WRAPPING = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|boxed)\s?\{([^{}]*)\}")
MEANINGFUL = re.compile(r"[^\W_]|[∞∅]")  # a letter, a digit or one of the two signs that are answers
# What is written around a content, or sets a distance: commands before braces, tags, fences. No quantifier may go back.
MARKUP_ALONE = re.compile(
    r"(?:[^\w\\<&`~∞∅]|_"
    r"|\\(?:begin|end)\{[a-z]{1,20}\*?\}|\\[A-Za-z]{1,20}\s{0,9}(?=\{)"
    r"|\\(?:q?quad|boxed|fbox|text|left|right|displaystyle|newline|hfill)(?![A-Za-z])|\\(?![A-Za-z{])"
    r"|</?[A-Za-z][\w:-]{0,30}(?:\s[^<>]{0,100})?/?>|<!--[^<>]{0,200}-->|<(?![/!A-Za-z])"
    r"|(?:```|~~~)[^\n`]{0,30}(?:\n|\Z)|[`~]|&(?:nbsp|ensp|emsp|thinsp|zwnj|zwj|\#160);|&)*+"
)
# The characters that Unicode calls "default ignorable", its annotation marks, the control characters beyond ASCII
# (except white space), and the empty Braille pattern.
INVISIBLE = re.compile(
    "[\x80-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)

# Composing takes quadratic time on a long run of accents, so it is done in pieces. A piece ends before an ASCII
# character, with which nothing before it combines, or else after 200 characters.
PIECE = re.compile(r"(?s).{1,200}(?=[\x00-\x7f]|\Z)|.{1,200}")
MOST_COMPOSED = 2  # times its length, to which a piece of more than 100 characters may grow
# Raised, lowered and other special digits: Unicode's compatibility form writes them all as ordinary digits.
RAISED = "²³¹⁰ⁱ⁴-ⁿʰ-ʸˠ-ˤᴬ-ᵡ"
LOWERED = "₀-ₜ"
FRACTIONS = "¼-¾⅐-⅟↉"
# In circles, in brackets, before a full stop; hours, days and months in one character.
OTHER_SPECIAL = "①-⒛⓪-⓿❶-➓㉈-㉏㉑-㉟㊱-㊿㋀-㋋㍘-㍰㏠-㏾🄀-🄊🄋-🄌"
SMALL = re.compile(
    rf"(?P<fraction>[{FRACTIONS}]|(?<=\d)[{RAISED}]{{1,20}}(?=⁄))"
    rf"|(?:(?<=[\d)\]}}])|(?<=\w)(?=⁻))(?P<raised>[{RAISED}]+)"
    rf"|(?<=[\d)\]}}])(?P<lowered>[{LOWERED}]+)"
    rf"|(?P<other>[{OTHER_SPECIAL}])"
)
MOST_APART = 20_000  # of one text; none that is read has so many
MARKS_BEFORE = {"raised": "^", "lowered": "_"}


class Parsed(str):
    """The text of a message from which a parser had taken the reasoning, put together again in ``<think>`` tags.

    It is a text like any other. The order of text around the reasoning is known only for content blocks; elsewhere all
    text stands behind the reasoning.

    Attributes:
        reasoning: what the policy thought, without delimiters.
        content: the text behind it.
        is_closed: whether the reasoning ended. A parser that finds no end leaves nothing for the content.
        before: the text before it.
    """

    reasoning: str
    content: str
    is_closed: bool
    before: str

    def __new__(cls, reasoning: str, content: str, is_closed: bool, before: str = "") -> Parsed:
        thought = f"{THINK_OPEN}{reasoning}{THINK_CLOSE}" if reasoning.strip() else ""
        made = super().__new__(cls, f"{before}{thought}{content}")
        made.reasoning, made.content, made.is_closed, made.before = reasoning, content, is_closed, before
        return made

    def __getnewargs__(self) -> tuple[str, str, bool, str]:  # type: ignore[override]  # what pickle calls __new__ with
        return self.reasoning, self.content, self.is_closed, self.before


def completion_text(completion: Any) -> str:
    """The text of the last assistant message, for every form in which TRL hands over a completion.

    A string is returned as it is. Of a list of messages, the last one with the role ``assistant`` counts: a tool's
    output is not the policy's answer. Its content may be ``None``, a string, or blocks, whose texts are joined.
    Reasoning that a parser moved to its own field (``reasoning_content``, ``thinking``, ``reasoning``) or block is put
    back in ``<think>`` tags, and the text remembers it (``Parsed``). Arrays, as tables give them back, are lists here.
    Anything else gives ``""``.

    >>> completion_text([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "5"}])
    '4'
    """
    if isinstance(completion, str):
        return completion
    for message in reversed(_messages(completion)):
        # Some datasets leave out the role; then the policy wrote the message.
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant":
            return _message_text(message)
    return ""


def completion_texts(completions: Iterable[Any]) -> list[str]:
    """``completion_text`` of each, at once for a text and for one message with a role, a text and nothing else."""
    texts = []
    for one in completions:
        text = one
        if type(one) is list and len(one) == 1 and type(message := one[0]) is dict and len(message) == 2:
            text = message.get("content") if message.get("role") == "assistant" else None
        texts.append(text if type(text) is str else completion_text(one))
    return texts


def as_messages(completion: Any) -> list[dict[str, Any]]:
    """A completion as a list of messages. A string becomes one assistant message; an unknown type, an empty one."""
    if isinstance(completion, str):
        return [{"role": "assistant", "content": completion}]
    if completion is None or not is_completion(completion):
        return [{"role": "assistant", "content": ""}]
    return [message for message in _messages(completion) if isinstance(message, dict)]


def is_completion(thing: Any) -> bool:
    """Whether a value may be a completion: a text, a message, a list of messages, or ``None``, which is an empty one.

    Any model output qualifies; a number or ``NaN`` is a caller's mistake.
    """
    return isinstance(thing, str | dict | None) or isinstance(without_arrays(thing, 1), list | tuple)


def _messages(completion: Any) -> list[Any]:
    """The messages of a completion that is no text, with lists in place of arrays; none if it has an unknown type."""
    listed = without_arrays([completion] if isinstance(completion, dict) else completion)
    return listed if isinstance(listed, list) else []


def without_arrays(value: Any, levels: int = DEEPEST) -> Any:
    """The value with lists in place of arrays and other array-likes, also inside lists and dicts.

    Arrays of numbers stay as they are: images are, and no text is.

    Args:
        value: a completion, a message, or a part of one.
        levels: how deep it is looked into.
    """
    if value is None or isinstance(value, str | int | float) or levels == 0:
        return value
    if isinstance(value, dict):
        return {name: without_arrays(one, levels - 1) for name, one in value.items()}
    if not isinstance(value, list | tuple):
        dtype = getattr(value, "dtype", None)
        if not hasattr(value, "tolist") or (dtype is not None and getattr(dtype, "kind", "") not in ("O", "U", "T")):
            return value
        value = value.tolist()
    return [without_arrays(one, levels - 1) for one in value] if isinstance(value, list | tuple) else value


def from_json(value: Any) -> Any:
    """A value of a column, read if it is JSON; an array as a list. A text that is no JSON stays one."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value.tolist() if hasattr(value, "tolist") else value


def prompt_text(prompt: Any) -> str:
    """The text that a completion continues; ``""`` if there is none.

    It is the prompt itself if that is a string, or its last message's text if that is a prefilled assistant turn.
    """
    if isinstance(prompt, str):
        return prompt
    messages = [] if isinstance(prompt, dict) else _messages(prompt)
    if messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "assistant":
        return _message_text(messages[-1])
    return ""


def _message_text(message: dict[str, Any]) -> str:
    blocks = message.get("content")
    blocks = blocks if isinstance(blocks, list) else [blocks]
    thoughts = [isinstance(block, dict) and block.get("type") in REASONING_BLOCKS for block in blocks]
    texts = [*map(_block_text, blocks)]
    outside = ["" if is_thought else text for text, is_thought in zip(texts, thoughts, strict=True)]
    first = thoughts.index(True) if True in thoughts else 0
    before, text = "".join(outside[:first]), "".join(outside[first:])
    reasoning = "".join(compress(texts, thoughts))
    reasoning = next(filter(None, (_text_of(message.get(field)) for field in REASONING_FIELDS)), reasoning)
    # An empty field says nothing: many servers and tables have one in every message.
    if not reasoning or not (reasoning.strip() or before.strip() or text.strip()):
        return before + text
    return Parsed(reasoning, text, bool(text or message.get("tool_calls")), before)


def _text_of(content: Any) -> str:
    """The content if it is a text, and the joined texts of content blocks."""
    return "".join(map(_block_text, content)) if isinstance(content, list) else _block_text(content)


def _block_text(block: Any) -> str:
    if not isinstance(block, dict):
        return block if isinstance(block, str) else ""
    fields = ("text", *REASONING_FIELDS, *RESPONSES_FIELDS)
    return next(filter(None, (_text_of(block.get(field)) for field in fields)), "")


def visible(text: str) -> str:
    """The text without invisible characters, such as zero-width spaces, direction marks and variation selectors."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def compatible(text: str, form: Literal["NFC", "NFKC"] = "NFKC") -> str:
    """The text in a composed form of Unicode, by default the compatibility form NFKC, in linear time.

    One character may become eighteen; a long run of such characters stays as it is.
    """
    return text if text.isascii() else "".join(_composed(piece, form) for piece in PIECE.findall(text))


@lru_cache(maxsize=256)  # a loop has the same few pieces
def _composed(piece: str, form: Literal["NFC", "NFKC"]) -> str:
    composed = unicodedata.normalize(form, piece)
    is_run = len(piece) > 100 and len(composed) > MOST_COMPOSED * len(piece)
    return piece if is_run else composed


def small_digits_apart(text: str) -> str:
    """The text with special digits apart from those before them, so that NFKC does not make 102 of 10².

    ``^`` stands before raised characters, ``_`` before lowered ones, and spaces around others. Behind a letter they
    stay as they are: H₂O may be written H2O, and m² m2.

    >>> small_digits_apart("10², 1½, 101₂, ½, H₂O")
    '10^², 1 ½, 101_₂, ½, H₂O'
    """
    return text if text.isascii() else SMALL.sub(_apart, text, count=MOST_APART)


def _apart(found: re.Match[str]) -> str:
    before, after = found.string[max(found.start() - 1, 0) : found.start()], found.string[found.end() : found.end() + 1]
    mark = MARKS_BEFORE.get(str(found.lastgroup), " " if before.isalnum() else "")
    return f"{mark}{found[0]}{' ' if after.isalnum() else ''}"


def unwrapped(text: str) -> str:
    """The text without LaTeX commands that only set a style: ``\\text{Paris}`` becomes ``Paris``."""
    return WRAPPING.sub(r"\1", WRAPPING.sub(r"\1", text)) if "\\" in text else text


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit, no ``∞`` and no ``∅``. ``...`` is blank."""
    return MEANINGFUL.search(visible(text)) is None


def is_only_markup(text: str) -> bool:
    """Whether a text has no content, however it is marked up: ``\\boxed{}``, ``<answer></answer>``, empty code.

    >>> is_only_markup(r"**$\\boxed{\\text{ }}$**"), is_only_markup(r"\\boxed{\\pi}"), is_only_markup("...")
    (True, False, True)
    """
    return MARKUP_ALONE.fullmatch(visible(text)) is not None
