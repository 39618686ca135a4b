"""The texts that are tried on a reward, made of the templates in ``problems.toml``: reward hacks and honest answers."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from grpo_rewards.checks.reward.problems import Problem, tables

HACKS: dict[str, Any] = tables()["hacks"]
WAYS: dict[str, Any] = tables()["ways"]
NO_ANSWERS: dict[str, Any] = tables()["texts"]
# Those that name every answer, or what the prompt holds; the others deserve nothing only where they miss the gold.
MAY_NAME_GOLD = ("all options", "every number", "many boxes", "the gold", "the prompt copied")
GIANT = 40_000  # characters
SEED = 7
MOST_NUMBERS = 1_000
BEGINNINGS, ENDINGS = "bcdfglmnprst", "aeiou"
WORD_OR_SIGN = re.compile(r"\w+(?:[./]\w+)*|\S")
WORKING = (
    "First I look at what is given, and at what is asked. Then I go one step at a time, and in the end I check the "
    "result against the question."
)


@functools.cache
def _words(count: int) -> str:
    """Random words, the same for each problem: drawn once."""
    draw = random.Random(SEED)
    syllable = [consonant + vowel for consonant in BEGINNINGS for vowel in ENDINGS]
    return " ".join("".join(draw.choices(syllable, k=draw.randint(1, 3))) for _ in range(count))


def _numbers(problem: Problem) -> Sequence[str]:
    """1, 2, …, past the gold, so that it is among them and not at the end."""
    number = re.fullmatch(r"\d{1,3}", problem.gold or "")
    return [*map(str, range(1, min(max(101, 3 * int(number[0])) if number else 101, MOST_NUMBERS)))]


def _bare_call(problem: Problem) -> str:
    """A call of the tool that the gold calls, or of one that is made up, without arguments."""
    name = re.search(r'"name": ?"([^"]+)"', problem.gold or "")
    return _call({"name": name[1] if name else "search", "arguments": {}})


def _calls(held: Any) -> str | None:
    """The tool calls of a gold that is a list of them, or the JSON of one."""
    if isinstance(held, str):
        try:
            held = json.loads(held)
        except (ValueError, RecursionError):
            return None
    calls = [one for one in held if isinstance(one, dict) and "name" in one] if isinstance(held, list) else []
    return "".join(map(_call, calls)) or None


def _call(call: Any) -> str:
    return f"<tool_call>{json.dumps(call, default=str)}</tool_call>"


# What stands in the braces of a template; None where the problem has no such thing.
FIELDS: dict[str, Callable[[Problem], str | None]] = {
    "gold": lambda problem: problem.gold,
    "wrong": lambda problem: problem.wrong,
    "prompt": lambda problem: problem.text,
    "opening": lambda problem: problem.hints.opening,
    "closing": lambda problem: problem.hints.closing,
    "options": lambda problem: ", ".join(problem.choices),
    "options_or": lambda problem: " or ".join(problem.choices),
    "numbers": lambda problem: " ".join(_numbers(problem)),
    "numbers_listed": lambda problem: ", ".join(_numbers(problem)),
    "bare_call": _bare_call,
    "unseen": lambda problem: "\u200b\u2060\ufeff\u00ad" * 10,
    "words": lambda problem: _words(40),
    "one_word": lambda problem: "so " * problem.hints.size,
    "giant": lambda problem: _words(GIANT // 5),
    "echoed": lambda problem: " ".join(problem.hints.words) or None,
    "matching": lambda problem: "\n".join(problem.hints.matches) or None,
    "working": lambda problem: WORKING,
}


class _MissingField(Exception):
    """A template names what the problem does not have."""


class _Fields(dict[str, str | None]):
    """What stands in the braces of the templates for one problem."""

    def __init__(self, problem: Problem, **more: str | None) -> None:
        super().__init__(more)
        self.problem = problem

    def __getitem__(self, name: str) -> str:
        value = self.get(name) if name in self else FIELDS[name](self.problem)
        if value is None:
            raise _MissingField
        return value


def filled(template: Any, problem: Problem, answer: str | None = None, held: Any = None) -> str | None:
    """The text of a template for a problem; ``None`` where the problem lacks what the template names.

    Args:
        template: a text with fields in braces, or two of them for the sections that the reward looks for.
        problem: the problem.
        answer: the answer to write, as a box would hold it.
        held: the same as a row has it.
    """
    as_json = None if answer is None else json.dumps({"answer": answer})
    as_held = held if isinstance(held, str) else None
    fields = _Fields(problem, answer=answer, held=as_held, json=as_json, calls=_calls(held))
    try:
        if isinstance(template, str):
            return str(template.format_map(fields))
        working, last = (str(one.format_map(fields)) for one in template)
    except _MissingField:
        return None
    if not problem.hints.tags:
        return last
    *before, name = problem.hints.tags
    sections = [_section(one, working, problem, place) for place, one in enumerate(before)]
    return "".join([*sections, f"<{name}>{last}</{name}>"])


def _section(name: str, inside: str, problem: Problem, place: int) -> str:
    if name == "think":
        return f"{problem.hints.opening}{inside}{problem.hints.closing}"
    is_open = place == 0 and not problem.hints.opening
    return f"{'' if is_open else f'<{name}>'}{inside}</{name}>"


def written(hack: str, problem: Problem) -> str | None:
    """The text of a hack; ``None`` where it makes no sense, or where it is right by luck.

    >>> written("0+0=0", Problem("What is 3 - 3?", gold="0", wrong="1")), written("a full stop", Problem("?", "0", "1"))
    (None, '.')
    """
    text = filled(HACKS[hack], problem)
    if text is None or problem.gold is None or hack.startswith(MAY_NAME_GOLD):
        return text
    words = {one.casefold() for one in WORD_OR_SIGN.findall(text)}
    return None if problem.gold.casefold() in words or text == problem.gold else text
