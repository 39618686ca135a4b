"""Reads choices, ``C``, ``(C) 5`` and ``C: 5``, and yes or no.

Look here if the letter or the text of a choice is missed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.quantities.word_lists import DENYING_STEMS, DENYING_WORDS
from grpo_rewards.answers.reading.wording.words import denies

__all__ = ["CHOICE", "Choice", "letters_in_a_row", "read_choice", "yes_or_no"]

CHOICE = re.compile(r"(?:option|choice|answer)\s*([a-z])", re.IGNORECASE)
LABEL_LETTERS = "ABCDEFGHIJ"
LABEL = re.compile(r"\(?([A-J])\s*[).:](?:\s+(.*))?", re.DOTALL)
# Words that leave open which choice is meant.
FEWEST_IN_A_ROW, MOST_CHOICES = 3, 5  # named at once; AB is more often a segment
OPERATORS_BEHIND = frozenset("+ - / ^ _ = < > ! , \\cdot \\le \\ge \\ne \\in".split())
UNDECIDED = frozenset(
    """
    option choice know neither rejected ruled eliminated excluded discarded invalid impossible
    """.split()
)
# Options that speak of the others: E. None of the above.
OF_OTHERS = re.compile(
    r"(?:all|none|any|neither|both|some)of(?:the)?(?:above|these|others?|them)|both[a-j]and[a-j]|neither[a-j]nor[a-j]"
)
OF_SEVERAL_CHOICES = frozenset("both any all none".split())  # alone: D. both; but not in "all real numbers"
# A verdict on a choice has a word or two: B fails, B is refuted. An option may say that something was changed.
VERDICT_WORDS = 2
LEADING_TO_A_VERDICT = frozenset("is was gets got it that which has been a the to be".split())
CHANGED = frozenset(
    """
    increased decreased doubled halved tripled quadrupled unchanged reduced red fixed closed bounded unbounded mixed
    limited skewed need speed seed shed bed
    """.split()
)
# What may follow yes or no without saying more: a statement about it, as it is or in a few words, or a reason.
STATEMENT = re.compile(
    r"(?:it|they|he|she|i|we|you|this|that|these|those|there) ?"
    r"(?:is|are|was|were|am|does|do|did|can|could|will|would|has|have|had|must|should|ca|wo) ?(not|n't|n’t)?(?![\w'’])"
)
STATED_WORDS = 4
LIMITING = frozenset(
    """
    sometimes partly partially hardly rarely seldom only almost nearly but except unless if when while provided though
    never ever maybe perhaps possibly or otherwise too
    """.split()
)
REASONS_WHY = (["because"], ["since"])
AGREEING = {"yes": frozenset("indeed certainly definitely surely ofcourse always true correct right".split())}
AGREEING |= {"no": frozenset("never notatall definitelynot certainlynot".split())}


class Choice(NamedTuple):
    """A choice: its letter, the text behind the letter, and whether its parentheses show that it is one."""

    letter: str
    text: Nodes
    is_marked: bool = False

    def has_letter_of(self, other: Choice) -> bool:
        """Whether two choices have one letter. Unless one is marked as a choice, c and C are two symbols."""
        if self.is_marked or other.is_marked:
            return self.letter.upper() == other.letter.upper()
        return self.letter == other.letter


def read_choice(nodes: Nodes) -> Choice | None:
    """The choice that a letter names, alone or before its text: ``C``, ``(c)``, ``(C) 5``, ``C. 5``; else ``None``."""
    label = LABEL.fullmatch(nodes[0].text) if nodes and nodes[0].kind in WORD_KINDS else None
    if label is not None:
        text = label.group(2) or ""
        rest = [*([nodes[0]._replace(text=text)] if text else []), *nodes[1:]]
        return None if _is_qualified(rest) else Choice(label.group(1), rest, True)
    texts = [node.text.strip() for node in nodes]
    start = 1 if texts[:1] == ["("] else 0
    letter = texts[start] if len(texts) > start else ""
    if len(letter) != 1 or letter.upper() not in LABEL_LETTERS or (letter.islower() and len(texts) > 2 * start + 1):
        return None
    after = texts[start + 1 :]
    if not after or (start and after == [")"]):
        return Choice(letter, (), bool(start) or nodes[0].kind == "text")
    if after[0] in (")", ".", ":"):
        rest = list(nodes[start + 2 :])
    elif not start and (after[0], after[-1]) == ("(", ")") and letter.isupper() and nodes[1].apart:
        rest = list(nodes[2:-1])  # B (42), which a space shows to be no product
    else:
        return None
    goes_on = bool(rest) and rest[0].text in OPERATORS_BEHIND  # (C)^7 is a power, (A)/2 a half
    return None if goes_on or _is_qualified(rest) else Choice(letter, rest, True)


def letters_in_a_row(nodes: Nodes) -> set[str] | None:
    """The letters of several choices in alphabetical order, ``ACD``; ``None`` for anything else."""
    letters = "".join(node.text for node in nodes)
    if not FEWEST_IN_A_ROW <= len(letters) <= MOST_CHOICES or not all(
        node.kind in ("letter", *WORD_KINDS) for node in nodes
    ):
        return None
    return set(letters) if letters == "".join(sorted(set(letters) & set(LABEL_LETTERS))) else None


def yes_or_no(nodes: Nodes) -> str | None:
    """``"yes"`` or ``"no"`` for words that begin so and say no more: "no, it is not", "yes, because"; else ``None``."""
    if len(nodes) < 2 or nodes[0].kind not in WORD_KINDS or nodes[1].text not in (",", "."):
        return None
    first = nodes[0].text.casefold()
    if first not in AGREEING:
        return None
    rest = nodes[2:]
    if rest and rest[0].kind in WORD_KINDS and rest[0].text.casefold().split()[:1] in REASONS_WHY:
        return first
    if any(node.kind not in ("letter", *WORD_KINDS) and node.text not in "'.!" for node in rest):
        return None
    words = _spaced(rest).strip(" .!")
    statement = STATEMENT.match(words)
    if statement is None:
        return first if not words or words.replace(" ", "") in AGREEING[first] else None
    stated = words[statement.end() :].split()
    is_plain = len(stated) <= STATED_WORDS and not any(_limits(word) for word in stated)
    return first if is_plain and (statement.group(1) is None) == (first == "yes") else None


def _limits(word: str) -> bool:
    """Whether a word takes something from what is stated: ``sometimes``, ``impossible``."""
    return word in LIMITING or denies(word) or word in DENYING_WORDS or word.startswith(DENYING_STEMS)


def _spaced(nodes: Nodes) -> str:
    """What some nodes say, in small letters, with a space around words."""
    return "".join(node.text if node.kind == "letter" else f" {node.text} " for node in nodes).casefold()


def _is_qualified(rest: Nodes) -> bool:
    """Whether what follows the letter of a choice may be another choice, or takes the first one back."""
    if OF_OTHERS.fullmatch("".join(node.text for node in rest).replace(" ", "").casefold().strip(".")):
        return False
    words = [word for node in rest if node.kind in WORD_KINDS for word in node.text.split()]
    if any(len(word.strip(".,()?")) == 1 or denies(word) or word.casefold() in UNDECIDED for word in words):
        return True
    if _is_verdict([word.casefold().strip(".,!()?") for word in words]):
        return True
    for index, node in enumerate(rest):
        label = node.kind == "letter" and (
            node.text in LABEL_LETTERS or (index + 1 < len(rest) and rest[index + 1].text in (")", "."))
        )
        if label or node.text == "?":
            return True
    return len(rest) == 1 and rest[0].kind == "letter"


def _is_verdict(words: list[str]) -> bool:
    """Whether words behind the letter of a choice reject it: ``fails``, ``is refuted``, ``contradiction``."""
    judging = [word for word in words if word not in LEADING_TO_A_VERDICT]
    if not judging or judging[0] in CHANGED:
        return bool(words) and not judging
    if len(judging) > VERDICT_WORDS:
        return False
    is_done = len(judging) == 1 and judging[0].endswith("ed")
    return is_done or any(
        word in OF_SEVERAL_CHOICES or word in DENYING_WORDS or word.startswith(DENYING_STEMS) for word in judging
    )
