"""Finds which option of a multiple-choice question a completion chooses, and which one the answer names."""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from grpo_rewards.answers.comparing.options import Taste
from grpo_rewards.answers.comparing.steps import compare
from grpo_rewards.answers.finding.final_answer import find_final_answer
from grpo_rewards.answers.finding.gold import gold_text
from grpo_rewards.completion.text import unwrapped, visible

__all__ = ["Choice", "choice_of_gold", "find_choice"]

OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTION_TASTE = Taste(unevaluated=True)  # an option may be written as a sum
# The flag "a" (ASCII) keeps the Kelvin sign from matching [a-z] when case is ignored.
LETTER_ALONE = re.compile(
    r"(?ai:(?:i\s+(?:choose|pick|select|think|say)\s+(?:it\s+is\s+)?|it\s+is\s+)?"
    r"(?:(?:the\s+)?(?:correct\s+)?(?:option|choice|answer)\s*(?:is)?:?\s*)?[(\[]?([a-z])[)\].:]*"
    r"(?:\s+is\s+(?:the\s+)?(?:correct|right|best)(?:\s+(?:answer|option|choice|one))?)?)"
)
LETTER_WITH_TEXT = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Z])[)\].:]+\s*(\S.*)", re.DOTALL)
LETTER_WITH_OPTION = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Za-z])[)\].:]*[\s–—-]+(\S.*)", re.DOTALL)
# Letters that name further options: "A or B", "A and (C)", "A. maybe B", "A. c.", "A. or b"; but not "I think".
FURTHER_LETTERS = re.compile(
    r"[(\[]([A-Za-z])[)\]]|(?<![A-Za-z])(?!I [a-z])([A-Z])(?![A-Za-z'])|(?<![A-Za-z'.])([a-z])[.):](?!\S)"
    r"|(?:\b(?:or|and|nor|maybe|perhaps)\s+|[/,;|&]\s*)([a-z])(?=\s*(?:$|[.,;/)\]]))|^([a-z])$"
)
EXPLANATION = re.compile(r",?\s+(?:because|since|as|so|which)\s")  # what follows explains the choice, and names none
OPTION_WORDS = re.compile(r"\w+")
FULL_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94)}
LAST_LINE_CHARACTERS = 300  # a longer last line is not taken for a choice
CHOICE_CHARACTERS = 2_000  # of a choice, with the text of the option


class Choice(NamedTuple):
    """What a completion chooses.

    Attributes:
        option: the index of the chosen option, or ``None``.
        reason: why there is none: ``no_choice`` or ``several_choices``.
        text: the words that name the option.
    """

    option: int | None
    reason: str = ""
    text: str | None = None


def choice_of_gold(answer: Any, choices: Sequence[str] | None, labels: Sequence[str] = ()) -> int | None:
    """The index of the right option; ``None`` if the answer names none.

    An answer is a label, a letter (also as ``(B)`` or ``B.``), an index from 0 as an int, or the text of an option.

    >>> choice_of_gold("(B)", None), choice_of_gold(1, ["yes", "no"]), choice_of_gold("no", ["yes", "no"])
    (1, 1, 1)
    """
    size = len(OPTION_LETTERS) if choices is None else len(choices)
    is_number = isinstance(answer, numbers.Number) and not isinstance(answer, bool)
    label = gold_text(answer) if is_number else str(answer)  # Python refuses to write out an int of thousands of digits
    if label in labels:
        return labels.index(label)
    if isinstance(answer, numbers.Integral) and not isinstance(answer, bool):
        return int(answer) if 0 <= int(answer) < size else None
    text = gold_text(answer)
    if text is None:
        return None
    by_text = _by_text(text, choices)
    if by_text is not None:
        return by_text
    return _by_letter(_unwrapped(text), choices).option


def find_choice(response: str, choices: Sequence[str] | None, labels: Sequence[str] = ()) -> Choice:
    """The option that a completion chooses. ``response`` is the completion without its reasoning.

    It may stand in the last box, in ``<answer>``, behind "the answer is", or be the last line.
    """
    found = find_final_answer(response, last_number=False)
    if found is not None:
        return _chosen(found.text, choices, labels)
    last = response.rstrip().rpartition("\n")[2]
    return (
        _chosen(last, choices, labels) if 0 < len(last.strip()) <= LAST_LINE_CHARACTERS else Choice(None, "no_choice")
    )


def _chosen(said: str, choices: Sequence[str] | None, labels: Sequence[str]) -> Choice:
    if len(said) > CHOICE_CHARACTERS:
        return Choice(None, "no_choice")
    text = _unwrapped(said)
    by_text, label = _by_text(said, choices), text.strip("()[].: ")
    if label in labels and by_text in (None, labels.index(label)):
        return Choice(labels.index(label), text=said)
    if by_text is not None:
        return Choice(None, "several_choices", said) if label in labels else Choice(by_text, text=said)
    return _by_letter(text, choices)._replace(text=said)


def _unwrapped(text: str) -> str:
    plain = unwrapped(visible(text)).translate(FULL_WIDTH)
    return plain.strip(" \t\r\n*$_`\"'.,;").removeprefix("\\(").removesuffix("\\)").strip()


def _by_letter(text: str, choices: Sequence[str] | None) -> Choice:
    size = len(OPTION_LETTERS) if choices is None else len(choices)
    option = LETTER_WITH_OPTION.fullmatch(text)
    named = _by_text(option.group(2), choices) if option else None
    if option is not None and named is not None:
        # if the letter and the text name different options, nothing is chosen
        return Choice(named) if _index(option) == named else Choice(None, "several_choices")
    said = EXPLANATION.split(text, maxsplit=1)[0]
    found = LETTER_ALONE.fullmatch(said)
    if found is None:
        found = LETTER_WITH_TEXT.fullmatch(said)
        if found is None:
            several = len(_letters(text)) > 1
            return Choice(None, "several_choices" if several else "no_choice")
        if _names_another(found.group(2), _index(found), choices):
            return Choice(None, "several_choices")
    return Choice(_index(found)) if _index(found) < size else Choice(None, "no_choice")


def _index(found: re.Match[str]) -> int:
    return OPTION_LETTERS.index(found.group(1).upper())


def _letters(text: str) -> set[int]:
    """The indices of the further options that a text names by their letters."""
    return {OPTION_LETTERS.index("".join(filter(None, found)).upper()) for found in FURTHER_LETTERS.findall(text)}


def _names_another(text: str, index: int, choices: Sequence[str] | None) -> bool:
    """Whether a text also names an option other than ``index``, by its letter or its text."""
    if choices is None or index >= len(choices):
        return bool(_letters(text) - {index})
    rest = f" {' '.join(OPTION_WORDS.findall(_folded(text)))} "
    options = [f" {' '.join(OPTION_WORDS.findall(_folded(one)))} " for one in choices]
    rest = rest.replace(options[index], "  ")
    is_named = any(one in rest for at, one in enumerate(options) if at != index and one.strip())
    return is_named or any(letter != index and letter < len(choices) for letter in _letters(text))


def _by_text(text: str, choices: Sequence[str] | None) -> int | None:
    """The index of the option with this text or value; ``None`` if there is none, or more than one."""
    if choices is None:
        return None
    plain = _folded(text)
    same = [index for index, one in enumerate(choices) if _folded(one) == plain]
    if not same and LETTER_WITH_OPTION.fullmatch(_unwrapped(text)) is None:  # the letter has a say as well
        same = [index for index, one in enumerate(choices) if compare(text, one, OPTION_TASTE).outcome == "correct"]
    return same[0] if len(same) == 1 else None


def _folded(text: Any) -> str:
    return " ".join(_unwrapped(str(text)).casefold().split())
