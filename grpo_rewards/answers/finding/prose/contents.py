"""Reads what follows "the answer is": a number or formula, a list, or words.

Look here if half of what is announced is taken, or a hedge for an answer.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.announcements import Announcement, is_text_answer
from grpo_rewards.answers.finding.prose.asides import supposes
from grpo_rewards.answers.finding.prose.choosing import choose, is_circumstance, leading
from grpo_rewards.answers.finding.prose.number_spellings import writes_decimal_comma
from grpo_rewards.answers.finding.prose.quantities import quantities
from grpo_rewards.answers.finding.prose.stances import denies_number, hedges
from grpo_rewards.answers.finding.prose.statements import BOLD, Statement

__all__ = ["announced_answer", "is_joined", "is_reasoned"]

CHOICE_LEADS = re.compile(r"[\s\x1c\"'(\[]{0,4}[A-J][).:\]]")
# "C) 24 square metres"
CHOICE_OF_AMOUNT = re.compile(
    r"[\s\x1c(\[]{0,4}([A-J])[).:\]]\s?([-−]?[$€£]?[0-9][0-9.,/]{0,20})\s[a-z ]{1,40}[.\s\x1c]{0,3}"
)
TIME_OF_DAY = re.compile(r"[0-9]{1,2}:[0-9]{2}(?![0-9])")
JOINED = re.compile(r"[^.]{0,60}\b(?:or|oder|ou)\b(?! so\b)|[^.]{0,20}(?:或|または)", re.IGNORECASE)


def announced_answer(said: Announcement, content: str, is_marked: bool) -> str | None:
    """The answer in what is announced; ``None`` if it leaves the answer open, ``""`` if it announces nothing.

    Args:
        said: the announcement.
        content: what is announced, in one clause.
        is_marked: whether it stands behind ``####``, so that any words are an answer.
    """
    if CHOICE_LEADS.match(content):
        counted = CHOICE_OF_AMOUNT.fullmatch(content)
        return _words(content) if counted is None or denies_number(content) else "{}) {}".format(*counted.groups())
    found = quantities(content)
    if not found:
        return _words(content) if is_marked or is_text_answer(said) else ""
    decimal_comma = said.decimal_comma or writes_decimal_comma(content)
    choice = leading(content, decimal_comma)
    is_plan = choice is None and supposes(content)
    choice = choice or choose(content, decimal_comma)
    if choice.answer is None or choice.quantity is None:
        return None if choice.is_spoilt or any(one.kind == "label" for one in found) else _words(content)
    tail = content[choice.quantity.end :]
    is_time = TIME_OF_DAY.match(choice.answer) is not None  # "the bus arrives at 10:20"
    if leading(content, decimal_comma) is None and is_circumstance(content[: choice.quantity.start]) and not is_time:
        return None  # "far from 24", "divisible by 24"
    return None if is_plan or said.is_open or hedges(content) or is_joined(tail) else choice.answer


def is_joined(tail: str) -> bool:
    """Whether what follows an answer adds another one: "or 6"."""
    return JOINED.match(tail) is not None


def is_reasoned(statement: Statement) -> bool:
    """Whether a statement draws a conclusion: "Since 6 × 4 = 24, he owns 24 sheep."."""
    return any(one.link == "so" or (one.link == "because" and quantities(one.text)) for one in statement.clauses)


def _words(content: str) -> str:
    """Announced words as an answer."""
    return content.replace(BOLD, " ").strip(" *\t\r\"'`").rstrip(".,").strip()
