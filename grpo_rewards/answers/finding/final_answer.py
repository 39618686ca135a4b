"""Finds the final answer in a text where it need not be in a box: "The answer is 7.", ``#### 7``, the last number.

Look here if the wrong number is taken. Every search takes linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.answers.finding.gold import MATH_DELIMITERS
from grpo_rewards.answers.reading.words import MAGNITUDES, changes_what_is_said
from grpo_rewards.completion.boxes import last_boxes
from grpo_rewards.completion.sections import last_tagged

__all__ = ["Found", "find_final_answer", "one_answer"]


class Found(NamedTuple):
    """An answer and where it was found: ``box``, ``answer_tag``, ``hashes``, ``phrase`` or ``last_number``."""

    source: str
    text: str


# No pattern has a quantifier inside another one, so that no text can make them slow.
NUMBER_IN_TEXT = re.compile(r"(?<![\w.])[-−+]?[$€£¥]?\.?\d(?:[\d,]|\{,\})*\.?\d*/?\d*%?")
PHRASE = re.compile(r"\banswer[*\s]{0,4}(?:is\b|:|=)[*:\s]{0,6}|^[ \t]{0,8}A:[ \t]{0,8}", re.IGNORECASE | re.MULTILINE)
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
# What may follow an answer: nothing, the end of the sentence, or a reason.
ENDS = re.compile(r"[*\s]*(?:$|[.!?)\"'](?=\s|$|\*))|,?\s+(?:because|since|as|which|so)\b", re.IGNORECASE)
ONLY_WORDS = re.compile(r"[A-Za-z\s'*-]*")
FINAL_ANSWER_CHARACTERS = 1_000  # characters after "the answer is", and before a last number, that are looked at


def find_final_answer(text: str) -> Found | None:
    """The final answer of a completion without its reasoning; ``None`` if there is none.

    The first of these that is found: the last box, the last ``<answer>``, ``#### n``, "answer is n" or ``A: n``, the
    last number.

    >>> find_final_answer("So she has 3 + 4 apples. The answer is 7.")
    Found(source='phrase', text='7')
    """
    boxed = last_boxes(text)
    if boxed:
        return Found("box", one_answer(boxed))
    tagged = last_tagged(text, "answer")
    if tagged is not None:
        return Found("answer_tag", tagged.strip())
    hashes = text.rfind("####")
    if hashes >= 0:
        return Found("hashes", text[hashes:].lstrip("#").lstrip().partition("\n")[0].strip(" *\t\r"))
    phrase = _last(PHRASE, text)
    if phrase is not None and (said := _said(text[phrase.end() : phrase.end() + FINAL_ANSWER_CHARACTERS])):
        return Found("phrase", said)
    number = _last(NUMBER_IN_TEXT, text)
    return None if number is None else Found("last_number", _whole_number(text, number))


def one_answer(boxed: list[str]) -> str:
    """The contents of several boxes as one answer: a list with commas, or only the first if all are the same."""
    return boxed[0] if len(set(boxed)) == 1 else ", ".join(boxed)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match of a pattern; ``None`` if there is none."""
    found = None
    for found in pattern.finditer(text):  # noqa: B007  # the last one is wanted
        pass
    return found


def _said(text: str) -> str:
    """The answer in the text after "the answer is": a formula or number if nothing changes it, else the whole sentence.

    Half an answer must not be rewarded: "5 or 6", "5 thousand" and "5 times 6" are not 5.
    """
    text = text.lstrip()
    for opening, closing in MATH_DELIMITERS:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        # "$5 and $6" is money, not mathematics: mathematics touches both of its dollar signs
        if end > 0 and text[end - 1].strip() and text[len(opening)].strip() and _ends_at(text, end + len(closing)):
            return text[len(opening) : end]
    leading = NUMBER_IN_TEXT.match(text)
    number = leading.group().rstrip(".,") if leading else ""
    if number and _ends_at(text, len(number)):
        return number
    sentence = SENTENCE_END.search(text)
    return text[: sentence.start() if sentence else len(text)].strip(" *\t\r")


def _ends_at(text: str, at: int) -> bool:
    """Whether the answer ends at index ``at``: only words that do not change it follow in the sentence."""
    if ENDS.match(text, at):
        return True
    sentence = SENTENCE_END.search(text, at)
    rest = text[at : sentence.start() if sentence else len(text)]
    words = rest.split()
    return rest[:1].isspace() and ONLY_WORDS.fullmatch(rest) is not None and not any(map(changes_what_is_said, words))


def _whole_number(text: str, found: re.Match[str]) -> str:
    """The last number of a text with what belongs to it: ``1 1/2``, ``1 000``, ``2^{10}``, ``3 million``."""
    start, end = found.span()
    while (
        found.start() - start < FINAL_ANSWER_CHARACTERS
        and start > 1
        and text[start - 1] == " "
        and text[start - 2].isdigit()
        and text[start].isdigit()
    ):
        before = NUMBER_IN_TEXT.match(text, text.rfind(" ", max(start - 40, 0), start - 1) + 1, start - 1)
        if before is None or before.end() != start - 1:
            break
        start = before.start()
    if text[start - 1 : start] in ("^", "_", "{", "/", "\\"):
        start = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
        end = next((i for i in range(end, min(end + 40, len(text))) if text[i].isspace()), len(text))
    word = text[end : end + 20].split()[:1]
    if word and word[0].strip(".,!").casefold() in MAGNITUDES:
        return f"{text[start:end]} {word[0].strip('.,!')}"
    return text[start:end].rstrip(".,")
