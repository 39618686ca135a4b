"""Finds the word that a text without an answer in numbers asserts: "So the triangle is isosceles.", "No, they differ."

Look here if such a word is missed, or a word is taken that is no answer.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.announcements import announcement
from grpo_rewards.answers.finding.prose.asides import concludes, supposes
from grpo_rewards.answers.finding.prose.choosing import is_circumstance
from grpo_rewards.answers.finding.prose.quantities import quantities
from grpo_rewards.answers.finding.prose.stances import cites_somebody, denies_number, gives_up, hedges
from grpo_rewards.answers.finding.prose.statements import Statement

__all__ = ["asserted_word"]

LONE_LETTER = re.compile(r"[\x1c(\[]{0,3}([A-J])[\x1c)\].]{0,3}")
YES_OR_NO = re.compile(
    r"\W{0,4}(?:(?:so|thus|therefore|hence|well),? )?(yes|no)\b"
    r"(?:[\s\x1c]{0,2}$|[,.!;:—](?!.{0,20}\b(?:i|we|let|wait|sorry|problem)\b))",
    re.IGNORECASE,
)
# "The triangle is isosceles." "The capital of Australia is Canberra."
PREDICATE = re.compile(
    r"\W{0,4}(?:(?:so|thus|therefore|hence|consequently|in conclusion),? )?"
    r"(?:(?:the|this|that|these|both|all|it|they|a|an)\b|[A-Z][\w']{0,20}\b|\$)[^.,;:]{0,80}? (?:is|are|was|were|falls"
    r"|fell|lands|becomes)"
    r" (?:(?:therefore|thus|hence|indeed|always) )?(?:(?:on|in|at) )?(?:(?:an?|the) )?"
    r"([^\W\d_][\w-]{1,20}(?: [^\W\d_][\w-]{1,20}){0,2})[.!\x1c\s]{0,3}$",
    re.IGNORECASE,
)
# "So Evelyn has the greatest average speed.": it is asked who.
SUPERLATIVE = re.compile(
    r"\W{0,4}(?:(?:[Ss]o|[Tt]hus|[Tt]herefore|[Hh]ence|[Cc]onsequently|[Ii]n conclusion),? )?"
    r"(?P<who>[A-Z][^\W\d_]{1,20})"
    r" (?:has|had|is|was|got|gets|makes|made|earns|earned|ran|runs|scored|paid|pays|needs|spent|sold|won) "
    r"(?:the )?(?:most|least|fewest|\w{2,10}est)\b[^,;:]{0,60}$"
)


def asserted_word(heard: list[Statement]) -> str | None:
    """The word that a text asserts: its only letter, "yes" or "no" at its start, or what it says that something is.

    ``None`` if it asserts none. What only stands on the way counts no more: the last statement decides.
    """
    if not heard or any(gives_up(one.text) for one in heard) or heard[-1].is_question:
        return None
    if len(heard) == 1 and (letter := LONE_LETTER.fullmatch(heard[0].text)):
        return letter.group(1)
    first, last = heard[0], heard[-1]
    if (found := YES_OR_NO.match(first.text)) and not first.is_question and not hedges(first.text):
        return found.group(1)
    clause = last.clauses[-1]
    is_conclusion = len(heard) == 1 or concludes(last.text) or clause.link == "so"
    is_about_numbers = quantities(last.text) or cites_somebody(last.text) or announcement(last.text) is not None
    return _predicate(clause.text.strip()) if is_conclusion and not is_about_numbers else None


def _predicate(text: str) -> str | None:
    """What a clause says that something is: ``isosceles`` of "The triangle is isosceles."."""
    best = SUPERLATIVE.match(text)
    found = PREDICATE.match(text)
    if hedges(text) or supposes(text) or (best is not None and denies_number(text)):
        return None
    if best is not None and best.group("who") not in ("It", "This", "That", "He", "She", "Which", "Who", "There"):
        return best.group("who")
    if found is None:
        return None
    word = found.group(1)
    is_denied = denies_number(text[: found.start(1)]) or (" " in word and denies_number(word))
    return None if is_denied or is_circumstance(f"{word} ") else word
