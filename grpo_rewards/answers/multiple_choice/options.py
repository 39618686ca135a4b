"""The options of a question: their letters, labels, texts and values, and which one the answer of a row names.

Look here if a gold is ``bad_answer``, or if an option's value is not recognised in a box.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from grpo_rewards.answers.comparing.options import GradingOptions
from grpo_rewards.answers.comparing.steps import compare
from grpo_rewards.answers.golds import gold_text
from grpo_rewards.completion.text import unwrapped, visible

__all__ = ["OPTION_LETTERS", "Options", "choice_of_gold", "plain_choice", "usual_labels", "with_own_text"]

OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTION_TASTE = GradingOptions(unevaluated=True)  # an option may be written as a sum
# The flag "a" (ASCII) keeps the Kelvin sign from matching [a-z] when case is ignored.
GOLD_LETTER = re.compile(r"(?ai:(?:(?:option|choice|answer)\s*:?\s*)?[(\[]?([a-z])[)\].:]*)")
GOLD_LETTER_WITH_TEXT = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Za-z])[)\].:]*[\s–—:-]+(\S.*)", re.DOTALL)
DIGITS_FROM = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50)  # Arabic, Persian, Hindi, Bengali, Thai
PLAIN_LETTERS_AND_DIGITS = {0xFF01 + place: 0x21 + place for place in range(94)} | {
    start + digit: 0x30 + digit for start in DIGITS_FROM for digit in range(10)
}


# How options are labelled other than by Latin letters, in the order of the options.
SERIES = (
    "1 2 3 4 5 6 7 8 9 10", "I II III IV V VI VII VIII IX X", "А Б В Г Д Е", "Α Β Γ Δ Ε", "א ב ג ד ה", "أ ب ج د ه",
    "الف ب ج د", "क ख ग घ ङ", "अ ब स द", "ক খ গ ঘ ঙ", "ก ข ค ง จ", "가 나 다 라 마", "ㄱ ㄴ ㄷ ㄹ ㅁ", "ア イ ウ エ オ",
    "あ い う え お", "甲 乙 丙 丁 戊", "① ② ③ ④ ⑤",
)  # fmt: skip


class Options:
    """The options of a question.

    Attributes:
        texts: what the options say; ``None`` if it is not known.
        labels: how the options are called, if not by letters: ``["1", "2", "3"]``; else ``[]``.
        size: how many there may be.
    """

    def __init__(self, texts: Sequence[str] | None, labels: Sequence[str] = ()) -> None:
        self.texts = None if texts is None else list(texts)
        self.labels = list(labels)
        self.size = len(OPTION_LETTERS) if texts is None else len(texts)

    @cached_property
    def folded(self) -> list[str]:
        """The texts of the options as they are compared: without mark-up, in small letters."""
        return [_folded(one) for one in self.texts or ()]

    def of_text(self, text: str) -> int | None:
        """The index of the option with this text or value; ``None`` if there is none, or more than one."""
        if self.texts is None:
            return None
        plain = _folded(text)
        same = [index for index, one in enumerate(self.folded) if one == plain]
        is_letter = len(plain) == 1 and plain.isalpha() and self.of_letter(plain) is not None
        # The letter of an option says nothing of another one's value, and has a say beside a text.
        if not same and not is_letter and GOLD_LETTER_WITH_TEXT.fullmatch(plain_choice(text)) is None:
            same = [
                index for index, one in enumerate(self.texts) if compare(text, one, OPTION_TASTE).outcome == "correct"
            ]
        return same[0] if len(same) == 1 else None

    def of_letter(self, letter: str) -> int | None:
        """The index of the option with this letter; ``None`` if there are not so many."""
        index = OPTION_LETTERS.find(letter.upper()) if letter.isascii() else -1
        return index if 0 <= index < self.size else None


def usual_labels(answer: Any) -> list[str]:
    """The labels among which a gold stands whose options are not known; ``[]`` if it is a Latin letter, or no label.

    >>> usual_labels("(ウ)")[:3], usual_labels("IV")[:4], usual_labels("B")
    (['ア', 'イ', 'ウ'], ['I', 'II', 'III', 'IV'], [])
    """
    label = plain_choice(answer).strip("()[].: （）") if isinstance(answer, str) else ""
    is_latin = len(label) == 1 and label.isascii() and label.isalpha()
    return next((one.split() for one in SERIES if not is_latin and label in one.split()), [])


def choice_of_gold(answer: Any, options: Options) -> int | None:
    """The index of the right option; ``None`` if the answer names none.

    An answer is a label, a letter (also as ``(B)`` or ``B.``), an index from 0 as an int, or the text of an option.

    >>> two = Options(["yes", "no"])
    >>> choice_of_gold("(B)", Options(None)), choice_of_gold(1, two), choice_of_gold("no", two)
    (1, 1, 1)
    """
    is_number = isinstance(answer, numbers.Number) and not isinstance(answer, bool)
    label = gold_text(answer) if is_number else str(answer)  # Python refuses to write out an int of thousands of digits
    if options.texts is None and label is not None:
        label = plain_choice(label).strip("()[].: （）")
    if label in options.labels:
        return options.labels.index(label)
    if isinstance(answer, numbers.Integral) and not isinstance(answer, bool):
        return int(answer) if 0 <= int(answer) < options.size else None
    text = gold_text(answer)
    if text is None:
        return None
    by_text = options.of_text(text)
    if by_text is not None:
        return by_text
    return with_own_text(plain_choice(text), options)


def plain_choice(text: str) -> str:
    """A text without mark-up and quotation marks around it, with plain letters and digits."""
    plain = unwrapped(visible(text)).translate(PLAIN_LETTERS_AND_DIGITS)
    return plain.strip(" \t\r\n*$_`\"'.,;").removeprefix("\\(").removesuffix("\\)").strip()


def with_own_text(text: str, options: Options) -> int | None:
    """The option of ``B``, ``(B)`` or ``B. Rome``; ``None`` if the letter and the text name different options."""
    alone = GOLD_LETTER.fullmatch(text)
    if alone is not None:
        return options.of_letter(alone.group(1))
    both = GOLD_LETTER_WITH_TEXT.fullmatch(text)
    if both is None or (options.texts is None and text[1:2].isspace()):
        return None  # "A plant"
    index, named = options.of_letter(both.group(1)), options.of_text(both.group(2))
    return index if options.texts is None or named == index else None


def _folded(text: Any) -> str:
    return " ".join(plain_choice(str(text)).casefold().split())
