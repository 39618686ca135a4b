"""Which option of a multiple-choice question a response chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from grpo_rewards.answers.comparison import compare
from grpo_rewards.answers.finding import find_final_answer
from grpo_rewards.answers.gold import gold_text
from grpo_rewards.answers.taste import Taste
from grpo_rewards.text import unwrapped, visible

__all__ = ["Choice", "choice_of_gold", "find_choice"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TASTE = Taste(unevaluated=True)  # an option may be written as a sum
ALONE = re.compile(
    r"(?:(?:the\s+)?(?:correct\s+)?(?:option|choice|answer)\s*(?:is)?:?\s*)?[(\[]?([A-Za-z])[)\].:]*", re.IGNORECASE
)
WITH_TEXT = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Z])[)\].:]+\s*(\S.*)", re.DOTALL)
# Another option in what follows a letter: "A or B", "A and (C)", "A. maybe B".
ANOTHER = re.compile(r"(?<![A-Za-z])[(\[]?[A-Z][)\]]?(?![A-Za-z'])")
LAST_LINE = 300  # characters of a last line that can be a choice
LONGEST = 2_000  # characters of a choice with its text


class Choice(NamedTuple):
    """``option`` is its index; ``None``: there is none, for the ``reason`` ``no_choice`` or ``several_choices``."""

    option: int | None
    reason: str = ""
    text: str | None = None


def choice_of_gold(answer: Any, choices: Sequence[str] | None) -> int | None:
    """The index of the right option: its letter in any dress, its index (from 0) as an int, or its text.

    >>> choice_of_gold("(B)", None), choice_of_gold(1, ["yes", "no"]), choice_of_gold("no", ["yes", "no"])
    (1, 1, 1)
    """
    size = len(LETTERS) if choices is None else len(choices)
    if isinstance(answer, int) and not isinstance(answer, bool):
        return answer if 0 <= answer < size else None
    text = gold_text(answer)
    if text is None:
        return None
    by_text = _by_text(text, choices)
    if by_text is not None:
        return by_text
    found = _by_letter(_unwrapped(text), size)
    return found.option


def find_choice(response: str, choices: Sequence[str] | None) -> Choice:
    """What a response chooses: in its last box, its ``<answer>``, behind "the answer is", or as its last line."""
    found = find_final_answer(response)
    if found is not None and found.source != "last_number":
        return _chosen(found.text, choices)
    last = response.rstrip().rpartition("\n")[2]
    return _chosen(last, choices) if 0 < len(last.strip()) <= LAST_LINE else Choice(None, "no_choice")


def _chosen(said: str, choices: Sequence[str] | None) -> Choice:
    if len(said) > LONGEST:
        return Choice(None, "no_choice")
    text = _unwrapped(said)
    by_text = _by_text(said, choices)
    if by_text is not None:
        return Choice(by_text, text=said)
    found = _by_letter(text, len(LETTERS) if choices is None else len(choices))
    if found.option is None or choices is None:
        return found._replace(text=said)
    behind = WITH_TEXT.fullmatch(text)
    other = _by_text(behind.group(2), choices) if behind else None
    # a letter with the text of another option is no choice
    return Choice(None, "several_choices", said) if other not in (None, found.option) else found._replace(text=said)


def _unwrapped(text: str) -> str:
    return unwrapped(visible(text)).strip(" \t\r\n*$_`\"'.,;").removeprefix("\\(").removesuffix("\\)").strip()


def _by_letter(text: str, size: int) -> Choice:
    alone = ALONE.fullmatch(text)
    if alone is not None:
        letter = alone.group(1)
    else:
        behind = WITH_TEXT.fullmatch(text)
        if behind is None:
            several = len(set(ANOTHER.findall(text))) > 1
            return Choice(None, "several_choices" if several else "no_choice")
        if ANOTHER.search(behind.group(2)) is not None:
            return Choice(None, "several_choices")
        letter = behind.group(1)
    index = LETTERS.index(letter.upper())
    return Choice(index) if index < size else Choice(None, "no_choice")


def _by_text(text: str, choices: Sequence[str] | None) -> int | None:
    """The only option with this text or value."""
    if choices is None:
        return None
    plain = _folded(text)
    same = [index for index, one in enumerate(choices) if _folded(one) == plain]
    if not same:
        same = [index for index, one in enumerate(choices) if compare(text, one, TASTE).outcome == "correct"]
    return same[0] if len(same) == 1 else None


def _folded(text: Any) -> str:
    return " ".join(_unwrapped(str(text)).casefold().split())
