"""What thirty lines make of a text: the last box, the last "answer is", the last number."""

import re
from typing import Any

from grpo_rewards.answers import compare

BOX = re.compile(r"\\boxed\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
ANNOUNCED = re.compile(r"(?:answer|option|choice)(?: is)?:?\s*\**\(?([^\n]+)|####\s*([^\n]+)", re.IGNORECASE)
LETTER = re.compile(r"(?<![A-Za-z])([A-Z])(?![A-Za-z])")
NUMBER = re.compile(r"-?\$?\d[\d,]*(?:\.\d+)?(?:/\d+)?")


def _last(text: str) -> str:
    """What the last box, tag or announcement holds, else all of the text."""
    for place in (BOX, TAG, ANNOUNCED):
        if found := place.findall(text):
            return "".join(found[-1])
    return text


def chooses(text: str, gold: Any) -> bool:
    """Whether the first capital letter behind the last announcement is the gold's."""
    found = LETTER.search(_last(text))
    return found is not None and found.group(1) == str(gold)


def answers(text: str, gold: str, last_number: bool = True) -> bool:
    """Whether the last number of the last announcement, or of the text, is the gold's."""
    said = _last(text)
    found = NUMBER.findall(said) if last_number or said != text else []
    return bool(found) and compare(found[-1], gold).outcome == "correct"
