"""What the options of a reward look for, echoed: its keywords, and a text that its expression matches."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["echoes", "matching"]

# Options that state how a completion is read and not what is wanted in it.
NOT_WANTED = (
    "reasoning",
    "tokenizer",
    "engine",
    "credit",
    "on_timeout",
    "boxed",
    "name",
    "exclude",
    "use",
    "form",
    "tag",
    "tags",
)
MOST_ECHOED, LONGEST_WORD = 50, 2_000
CATEGORIES = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": "-",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
}


def echoes(options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """(the texts among the options of a reward, and for those that are expressions texts that they match).

    >>> echoes({"regex": "Answer: [0-9]+", "case_sensitive": True})
    (['Answer: [0-9]+'], ['Answer: 0'])
    """
    wanted = [value for name, value in options.items() if name not in NOT_WANTED]
    words = [text for value in wanted for text in _texts(value)][:MOST_ECHOED]
    matched = ((text, matching(text)) for text in words)
    return words, [found for text, found in matched if found is not None and found != text]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and 0 < len(value) <= LONGEST_WORD:
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value))
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _texts(one)


def matching(expression: str) -> str | None:
    """A short text that a regular expression matches; ``None`` if none was found, or it is no expression of Python's.

    >>> matching("<a>([0-9]{2}|x)+</a>")
    '<a>00</a>'
    """
    # Python's own parser: its module has no public name, and where it changes, the expression itself is echoed
    parser = importlib.import_module("re._parser")
    try:
        text = "".join(_written(parser.parse(expression)))
        return text if re.search(expression, text) else None
    except (re.error, RecursionError, OverflowError, MemoryError, AttributeError, TypeError, ValueError, KeyError):
        return None


def _written(parsed: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """What each part of a parsed expression matches: the first way there is, as seldom as may be."""
    for operation, argument in parsed:
        kind = str(operation)
        if kind == "LITERAL":
            yield chr(argument)
        elif kind == "NOT_LITERAL":
            yield "b" if argument == ord("a") else "a"
        elif kind == "ANY":
            yield "a"
        elif kind == "IN":
            yield _one_of(argument)
        elif kind == "BRANCH":
            yield from _written(argument[1][0])
        elif kind == "SUBPATTERN":
            yield from _written(argument[3])
        elif kind == "ATOMIC_GROUP":
            yield from _written(argument)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            yield "".join(_written(inner)) * min(max(int(least), 1), int(most), LONGEST_WORD)


def _one_of(members: list[tuple[Any, Any]]) -> str:
    """A character of a class."""
    (kind, argument), *_ = members
    if str(kind) == "NEGATE":
        excluded = re.compile("[" + "".join(_member(one) for one in members[1:]) + "]")
        return next(one for one in "a1 -.,\n" if not excluded.match(one))
    if str(kind) == "CATEGORY":
        return CATEGORIES[str(argument)]
    return chr(argument[0] if str(kind) == "RANGE" else argument)


def _member(member: tuple[Any, Any]) -> str:
    """A member of a class, spelled again."""
    kind, argument = str(member[0]), member[1]
    if kind == "CATEGORY":
        letter = {"DIGIT": "d", "WORD": "w", "SPACE": "s"}[str(argument).rpartition("_")[2]]
        return "\\" + (letter.upper() if "_NOT_" in str(argument) else letter)
    if kind == "RANGE":
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    return re.escape(chr(argument))
