"""Finds the option on which a completion rests, where no words are known that choose one: by what it speaks of last.

A text that answers a question and speaks of one option alone, by what that option says, has answered with it, in
whatever words: "Since it's pouring outside, you'd grab an umbrella." It counts where the last statement leads to it and
nothing is denied, doubted or supposed. Letters need words that choose: "Vitamin C is important" chooses nothing.

Look here if such a text is not understood, or one that only mentions an option is.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.stances import cites_somebody, gives_up, hedges, takes_back
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION, MentionFinder, options_in
from grpo_rewards.answers.multiple_choice.polarity import denies
from grpo_rewards.answers.multiple_choice.rejecting import (
    begins_with_doubt,
    is_not_own_view,
    leaves_no_choice,
    reconsiders,
    with_rejected,
)
from grpo_rewards.answers.multiple_choice.sentences import Told, told
from grpo_rewards.answers.multiple_choice.stating import without_offers

__all__ = ["resting_option"]

MOST_STATEMENTS = 60
FEWEST_WORDS = 3  # before the option; fewer state something of it, or name it alone
MOST_BEHIND = 80  # characters behind the option, which may say where or when
ABOUT_QUESTION = re.compile(
    r"(?<![^\W\d_])(?:options?|(?<!best )(?<!right )(?<!correct )(?<!of )choices?|compare|comparing|versus|vs|similar"
    r"|both|close|nearly|approximately|or so|contraindicated|avoid\w{0,3}|harm\w{0,3}|except\w{0,5}|opposite|reverse"
    r"|question|interesting|mistakes?|errors?|traps?|(?:is|are|was|were|am) given|begins?|starts?|initial\w{0,2}"
    r"|example|instead|than|against|without|before|after|opposed|unlike|only if|when|while|whereas|although|though"
    r"|despite|want\w{0,2}|every\w{3}|most|many|people|cites?|mentions?|mentioned|remembers?|refutes?|outside"
    r"|away|let (?:me|us)|let['’]s (?:look"
    r"|consider|start|try|see|move|compare)|(?:i|we) (?:see|know|look|start|have|are|can|could|may|might|will"
    r"|mentioned|discussed|said|read)|next|also|first(?!-)|second|looks?|looking|see|read\w{0,3}|discuss\w{0,3}"
    r"|consider\w{0,3}|known|thinking|thought|wonder\w{0,3}|talk\w{0,3}|speak\w{0,3}|ask\w{0,3}|it would|from"
    r"|until|during|per|of which|half|quarter|third|twice|double|times)(?![^\W\d_])",
    re.IGNORECASE,
)
CONCLUDING = re.compile(
    r"\W{0,6}(?:so|thus|therefore|hence|in (?:conclusion|summary|short|total)|overall|finally|consequently"
    r"|as a result|that means|this means|donc|ainsi|also|daher|somit|folglich|entonces|por (?:lo )?tanto|portanto"
    r"|logo|quindi|dunque|следовательно|значит|поэтому|итак|所以|因此|故|综上|よって|したがって|따라서|그러므로)(?![^\W\d_])",
    re.IGNORECASE,
)
OPTION_AND_REST = re.compile(
    rf"(?P<before>[^\U00013000-\U000130ff]*)(?P<option>{ANY_OPTION})(?P<behind>[^\U00013000-\U000130ff]*)"
)
UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{4}")


def resting_option(text: str, finder: MentionFinder) -> int | None:
    """The option on which a text rests; ``None`` if it rests on none.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    statements = list(told("\n".join(without_offers(text)) or text, finder))
    if not 1 <= len(statements) <= MOST_STATEMENTS or any(_unsettles(one) for one in statements):
        return None
    read = [(one, with_rejected(one.text)) for one in statements]
    naming = [(one, said) for one, said in read if re.search(ANY_OPTION, said)]
    if not naming or naming[-1][0] is not statements[-1]:
        return None
    last, said = naming[-1]
    is_alone = all(options_in(words) == options_in(said) for _, words in naming)
    if not (is_alone or CONCLUDING.match(said)) or not _affirms(last, said):
        return None
    (option,) = options_in(said)
    return option if finder.names_text(text, option) else None


def _unsettles(one: Told) -> bool:
    doubtful = (begins_with_doubt, leaves_no_choice, gives_up, takes_back, reconsiders)
    return one.is_question or one.is_row or any(doubts(one.text) for doubts in doubtful)


def _affirms(last: Told, said: str) -> bool:
    """Whether the last statement leads to one option, and neither denies, doubts nor cites it."""
    found = OPTION_AND_REST.fullmatch(said)
    if found is None or REJECTED_OPTION in said or last.is_title or len(found["behind"]) > MOST_BEHIND:
        return False
    before = found["before"]
    if len(before.split()) < FEWEST_WORDS and UNSPACED.search(before) is None:
        return False
    doubtful = (is_not_own_view, hedges, cites_somebody, denies)
    return ABOUT_QUESTION.search(said) is None and not any(doubts(said) for doubts in doubtful)
