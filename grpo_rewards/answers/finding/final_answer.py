"""Which part of a response is its final answer, where the answer need not be in a box. One linear scan each."""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.answers.finding.gold import MATH_DELIMITERS
from grpo_rewards.answers.reading.words import MAGNITUDES, changes_what_is_said
from grpo_rewards.completion.boxes import last_boxes
from grpo_rewards.completion.sections import last_tagged

__all__ = ["Found", "find_final_answer", "one_answer"]


class Found(NamedTuple):
    """``text`` is the answer; ``source`` says where it stood: box, answer_tag, hashes, phrase or last_number."""

    source: str
    text: str


# No quantifier stands inside another one, so that no text makes them slow.
NUMBER = re.compile(r"(?<![\w.])[-−+]?[$€£¥]?\.?\d(?:[\d,]|\{,\})*\.?\d*/?\d*%?")
PHRASE = re.compile(r"\banswer[*\s]{0,4}(?:is\b|:|=)[*:\s]{0,6}|^[ \t]{0,8}A:[ \t]{0,8}", re.IGNORECASE | re.MULTILINE)
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
# Behind the answer: nothing, the end of the sentence, or why it is so.
ENDS = re.compile(r"[*\s]*(?:$|[.!?)\"'](?=\s|$|\*))|,?\s+(?:because|since|as|which|so)\b", re.IGNORECASE)
WORDS = re.compile(r"[A-Za-z\s'*-]*")
REACH = 1_000  # characters behind "the answer is" that are looked at


def find_final_answer(response: str) -> Found | None:
    """The final answer: the last box, else ``<answer>``, else ``#### n``, else "answer is n" or ``A: n``, else the last
    number.

    >>> find_final_answer("So she has 3 + 4 apples. The answer is 7.")
    Found(source='phrase', text='7')
    """
    boxed = last_boxes(response)
    if boxed:
        return Found("box", one_answer(boxed))
    tagged = last_tagged(response, "answer")
    if tagged is not None:
        return Found("answer_tag", tagged.strip())
    hashes = response.rfind("####")
    if hashes >= 0:
        return Found("hashes", response[hashes:].lstrip("#").lstrip().partition("\n")[0].strip(" *\t\r"))
    phrase = _last(PHRASE, response)
    if phrase is not None and (said := _said(response[phrase.end() : phrase.end() + REACH])):
        return Found("phrase", said)
    number = _last(NUMBER, response)
    return None if number is None else Found("last_number", _whole_number(response, number))


def one_answer(boxed: list[str]) -> str:
    """Boxes that make a list are one answer, a list, unless all of them hold the same."""
    return boxed[0] if len(set(boxed)) == 1 else ", ".join(boxed)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):  # noqa: B007  # the last one is wanted
        pass
    return found


def _said(text: str) -> str:
    """What stands behind "the answer is": a formula or a number that ends there, or else the whole sentence.

    Half an answer must not be paid: "5 or 6", "5 thousand" and "5 times 6" are not 5.
    """
    text = text.lstrip()
    for opening, closing in MATH_DELIMITERS:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        # "$5 and $6" is money: what stands between dollar signs touches them
        if end > 0 and text[end - 1].strip() and text[len(opening)].strip() and _ends_at(text, end + len(closing)):
            return text[len(opening) : end]
    leading = NUMBER.match(text)
    number = leading.group().rstrip(".,") if leading else ""
    if number and _ends_at(text, len(number)):
        return number
    sentence = SENTENCE_END.search(text)
    return text[: sentence.start() if sentence else len(text)].strip(" *\t\r")


def _ends_at(text: str, at: int) -> bool:
    """Whether the answer is over: nothing follows in the sentence but words that do not change it."""
    if ENDS.match(text, at):
        return True
    sentence = SENTENCE_END.search(text, at)
    rest = text[at : sentence.start() if sentence else len(text)]
    words = rest.split()
    return rest[:1].isspace() and WORDS.fullmatch(rest) is not None and not any(map(changes_what_is_said, words))


def _whole_number(text: str, found: re.Match[str]) -> str:
    """A last number with what belongs to it: ``1 1/2``, ``1 000``, ``2^{10}``, ``3 million``."""
    start, end = found.span()
    while (
        found.start() - start < REACH
        and start > 1
        and text[start - 1] == " "
        and text[start - 2].isdigit()
        and text[start].isdigit()
    ):
        before = NUMBER.match(text, text.rfind(" ", max(start - 40, 0), start - 1) + 1, start - 1)
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
