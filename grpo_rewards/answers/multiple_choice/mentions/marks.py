"""The characters that stand in a text in place of its options, so that wording can be read around them."""

from __future__ import annotations

import re

from grpo_rewards.answers.multiple_choice.options import OPTION_LETTERS

__all__ = ["ANY_OPTION", "FIRST_MARK", "REJECTED_OPTION", "index_of", "options_in", "unmasked"]

FIRST_MARK = 0x13000  # hieroglyphs: letters, so that they count as words; those of a text are removed
ANY_OPTION = "[\U00013000-\U000130ff]"
REJECTED_OPTION = "\U00013100"


def _shown_letter(found: re.Match[str]) -> str:
    index = ord(found.group()) - FIRST_MARK
    return OPTION_LETTERS[index] if index < len(OPTION_LETTERS) else str(index)


def unmasked(text: str) -> str:
    """A masked text with the letter of an option in place of each mark."""
    return re.sub(ANY_OPTION, _shown_letter, text)


def index_of(mark: str) -> int:
    """The index of the option for which a character stands."""
    return ord(mark) - FIRST_MARK


def options_in(text: str) -> set[int]:
    """The indices of the options that stand in a masked text, without rejected ones."""
    return {ord(one) - FIRST_MARK for one in text if "\U00013000" <= one <= "\U000130ff"}
