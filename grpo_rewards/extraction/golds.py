"""Reads golds that are sentences or worked solutions as completions are read: "Therefore, the answer is 180."

Look here if a gold in prose is ``bad_answer``, or is compared as it is spelled.
"""

import re
from functools import lru_cache
from typing import Any

from grpo_rewards.answers.comparing.steps import reading_of
from grpo_rewards.answers.golds import gold_text
from grpo_rewards.extraction import options
from grpo_rewards.extraction.choices import find_choice
from grpo_rewards.extraction.cues import ANNOUNCEMENT, compiled
from grpo_rewards.extraction.final import find_final_answer
from grpo_rewards.extraction.options import Options
from grpo_rewards.extraction.sentences import lowered

__all__ = ["choice_of_gold", "stated_gold"]

LONGEST_GOLD = 20_000  # characters
FEWEST_WORDS = 3  # of a sentence
BEGINS_A_WORD = re.compile(r"(?<![^\W\d_])(?<!\\)[^\W\d_]{2}")  # two letters that are not the name of a command


def stated_gold(answer: Any) -> Any:
    """The answer that a gold in prose states; any other gold, also one in words, as it is.

    It is what the gold announces, or, of a solution of several sentences, the number that its last one asserts.

    >>> stated_gold("Therefore, the answer is: 180."), stated_gold("Quadrant II"), stated_gold(7)
    ('180', 'Quadrant II', 7)
    """
    if isinstance(answer, list | tuple):
        return [stated_gold(one) for one in answer]
    return _stated(answer) if type(answer) is str and len(answer) <= LONGEST_GOLD else answer


@lru_cache(maxsize=4096)  # all completions of a group have the same gold
def _stated(answer: str) -> str:
    text = gold_text(answer)
    if text is None or len(text.split()) < FEWEST_WORDS or BEGINS_A_WORD.search(text) is None:
        return answer
    announces = "\\" not in text and compiled(ANNOUNCEMENT).search(lowered(text))
    if not announces and reading_of(text) != "spelling":
        return answer
    is_solution = any(mark in text for mark in ("\n", ". ", "。"))
    found = find_final_answer(text, last_number=is_solution)
    return answer if found is None else found.text


def choice_of_gold(answer: Any, of: Options) -> int | None:
    """The index of the right option; ``None`` if the answer names none.

    An answer is a label, a letter (also as ``(B)`` or ``B.``), an index from 0 as an int, the text of an option, or a
    sentence that announces one.

    >>> two = Options(["yes", "no"])
    >>> choice_of_gold("(B)", Options(None)), choice_of_gold(1, two), choice_of_gold("The answer is B.", two)
    (1, 1, 1)
    """
    named = options.choice_of_gold(answer, of)
    is_sentence = isinstance(answer, str) and len(answer.split()) >= FEWEST_WORDS and len(answer) <= LONGEST_GOLD
    return find_choice(answer, of).option if named is None and is_sentence else named
