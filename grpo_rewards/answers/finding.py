"""Which part of a response is its final answer, where the answer need not be in a box. One linear scan each."""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.text import last_box

__all__ = ["Found", "find_final_answer"]


class Found(NamedTuple):
    """``text`` is the answer; ``source`` says where it stood: box, answer_tag, hashes, phrase or last_number."""

    source: str
    text: str


# No quantifier stands inside another one, so that no text makes them slow.
NUMBER = re.compile(r"(?<![\w.])[-+]?[$€£¥]?\.?\d[\d,]*\.?\d*/?\d*%?")
PHRASE = re.compile(r"\banswer[*\s]{0,4}(?:is\b|:|=)[*:\s]{0,6}|^[ \t]{0,8}A:[ \t]{0,8}", re.IGNORECASE | re.MULTILINE)
MATH = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
# What follows a number that is not yet the whole answer: "5 or 6", "3, 4", "4:30", "2^{10}".
GOES_ON = re.compile(r"\s*(?:or\b|and\b|to\b|,\s*\d|[-:/^_*+=(\\]|[A-Za-z]\b)", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")


def find_final_answer(response: str) -> Found | None:
    """The final answer: the last box, else ``<answer>``, else ``#### n``, else "answer is n" or ``A: n``, else the
    last number.

    >>> find_final_answer("So she has 3 + 4 apples. The answer is 7.")
    Found(source='phrase', text='7')
    """
    boxed = last_box(response)
    if boxed is not None:
        return Found("box", boxed)
    close = response.rfind("</answer>")
    opening = response.rfind("<answer>", 0, max(close, 0))
    if opening >= 0:
        return Found("answer_tag", response[opening + len("<answer>") : close].strip())
    hashes = response.rfind("####")
    if hashes >= 0:
        return Found("hashes", response[hashes:].lstrip("#").lstrip().partition("\n")[0].strip())
    phrase = _last(PHRASE, response)
    if phrase is not None and (said := _said(response[phrase.end() : phrase.end() + 1000])):
        return Found("phrase", said)
    number = _last(NUMBER, response)
    return None if number is None else Found("last_number", number.group().rstrip(".,"))


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):  # noqa: B007  # the last one is wanted
        pass
    return found


def _said(text: str) -> str:
    """What stands behind "the answer is": a formula, a number, or the rest of the sentence."""
    text = text.lstrip()
    for opening, closing in MATH:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        # "$5 and $6" is money: what stands between dollar signs touches them
        if end > 0 and text[end - 1].strip() and text[len(opening)].strip():
            return text[len(opening) : end]
    leading = NUMBER.match(text)
    number = leading.group().rstrip(".,") if leading else ""
    if number and not GOES_ON.match(text, len(number)):
        return number
    sentence = SENTENCE_END.search(text)
    return text[: sentence.start() if sentence else len(text)].strip(" *\t")
