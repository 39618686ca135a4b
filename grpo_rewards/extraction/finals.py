"""Reads the final answer of a text that need not have a box: a number, a formula or words."""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.in_tag import answer_in_tag
from grpo_rewards.answers.finding.prose.choosing import choose
from grpo_rewards.answers.finding.prose.number_spellings import same_number, with_digits
from grpo_rewards.answers.finding.prose.quantities import quantities
from grpo_rewards.completion.boxes import last_boxes, one_answer
from grpo_rewards.completion.sections import last_tagged
from grpo_rewards.extraction.reader import Candidate, Tracker, read
from grpo_rewards.answers.multiple_choice.places import _json_answer

HASHES = re.compile(r"####\s*([^\n]+)")
MAX = 6000


LONE = re.compile(r"[\s*_`$\\\[\](){}=≈.:\"']*")


class Numbers:
    def __init__(self) -> None:
        self.texts: dict[object, str] = {}

    def find(self, text: str, led: bool) -> list[Candidate]:
        found = []
        for one in quantities(text):
            if one.answer is None:
                continue
            key = self.key(one.answer)
            self.texts.setdefault(key, one.answer)
            found.append(Candidate(one.start, one.end, frozenset([key]), one.kind))
        return found


    def choose(self, clause: str) -> frozenset:
        choice = choose(clause)
        if choice.answer is None:
            return frozenset()
        key = self.key(choice.answer)
        self.texts[key] = choice.answer
        return frozenset([key])

    @staticmethod
    def key(answer: str) -> object:
        return same_number(answer.rpartition("=")[2].partition("\\text")[0].strip(" $€£"))


def find_final(text: str, last_number: bool = True):
    boxed = last_boxes(text)
    if boxed:
        return "box", one_answer(boxed)
    tagged = last_tagged(text, "answer")
    if tagged is not None:
        return "answer_tag", answer_in_tag(tagged)
    if "{" in text and (value := _json_answer(text[-MAX:])):
        return "json", value
    marks = HASHES.findall(text)
    numbers = Numbers()
    tracker = read(text[-MAX:].replace("####", "Answer:"), numbers.find, numbers.choose)
    if tracker.announced:
        return "phrase", ", ".join(numbers.texts[key] for key in sorted(tracker.announced, key=str))
    if tracker.words:
        return "phrase", tracker.words
    lone = text.strip().strip("*_`= \n.").strip()
    if "\n" not in lone and len(lone) <= 60 and len(lone.split()) <= 4:
        return "phrase", lone
    if last_number and tracker.asserted:
        return "last_number", ", ".join(numbers.texts[key] for key in sorted(tracker.asserted, key=str))
    return None
