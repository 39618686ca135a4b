"""Finds the one option on which a completion rests, in whatever words: "Since it's pouring, you'd grab an umbrella."

A text that answers a question and speaks of one option alone, by what that option says, has answered with it. It counts
where the last statement leads to it and nothing is denied, doubted or supposed. Letters need words that choose:
"Vitamin C is important" chooses nothing. Look here if a text that only speaks of an option is paid.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.multiple_choice.mentions import (
    ANY_OPTION,
    REJECTED_OPTION,
    MentionFinder,
    index_of,
    options_in,
)
from grpo_rewards.answers.multiple_choice.rejecting import with_rejected
from grpo_rewards.answers.multiple_choice.sentences import Told, told
from grpo_rewards.answers.multiple_choice.unannounced.ends import (
    MOST_STATEMENTS,
    is_doubtful,
    unsettles,
    without_offers,
)

__all__ = ["resting_option"]

FEWEST_WORDS_BEFORE = 3  # before the option; fewer state something of it, or name it alone
MOST_BEHIND = 80  # characters behind the option, which may say where or when
ABOUT_QUESTION = re.compile(
    r"(?<![^\W\d_])(?:options?|(?<!best )(?<!right )(?<!correct )(?<!of )choices?|compare|comparing|versus|vs|similar"
    r"|both|close|nearly|approximately|or so|contraindicated|avoid\w{0,3}|harm\w{0,3}|except\w{0,5}|opposite|reverse"
    r"|question|allergic|intoleran\w{1,2}|already|history of|was treated|interesting|mistakes?|errors?|traps?|(?:is|are"
    r"|was|were|am) given|begins?|starts?|initial\w{0,2}"
    r"|example|instead|than|against|without|before|after|opposed|unlike|only if|when|while|whereas|although|though"
    r"|despite|want\w{0,2}|every\w{3}|most(?! of (?:the|its|this|our) )"
    r"|many|people|cites?|mentions?|mentioned|remembers?|refutes?"
    r"|away|let (?:me|us)|let['’]s (?:look"
    r"|consider|start|try|see|move|compare)|(?:i|we) (?:see|know|look|start|have|are|can|could|may|might|will"
    r"|mentioned|discussed|said|read)|next|also|first(?!-)|second|looks?|looking|see|read\w{0,3}|discuss\w{0,3}"
    r"|consider\w{0,3}|known|thinking|thought|wonder\w{0,3}|talk\w{0,3}|speak\w{0,3}|ask\w{0,3}|it would"
    r"|of which|half|quarter|third|twice|double|times(?! [\d.]+ (?:gives|is|equals|makes|=)))(?![^\W\d_])",
    re.IGNORECASE,
)
# "He moved away from Paris": the option is no more than where something began, or what it is compared with
SET_APART = re.compile(
    r"(?<![^\W\d_])(?:(?<!comes )(?<!come )(?<!came )(?<!made )(?<!derived )(?<!obtained )from"
    r"|until|during|per)(?: (?:the|an?|its|their|his|her))?\s?$",
    re.IGNORECASE,
)
BEGINS_TO_CONCLUDE = re.compile(
    r"\W{0,6}(?:so|thus|therefore|hence|in (?:conclusion|summary|short|total)|overall|finally|consequently"
    r"|as a result|that means|this means|donc|ainsi|also|daher|somit|folglich|entonces|por (?:lo )?tanto|portanto"
    r"|logo|quindi|dunque|следовательно|значит|поэтому|итак|所以|因此|故|综上|よって|したがって|따라서|그러므로)(?![^\W\d_])",
    re.IGNORECASE,
)
OPTION_AND_REST = re.compile(
    rf"(?P<before>[^\U00013000-\U000130ff]*)(?P<option>{ANY_OPTION})(?P<behind>[^\U00013000-\U000130ff]*)"
)
EARLIER_MENTION = re.compile(rf"{ANY_OPTION}(?=.*{ANY_OPTION})", re.DOTALL)
# "… comes from the pancreas and not from the liver, which only stores it"
AND_NOT_OTHERS = re.compile(
    rf"(?:[,;]\s?(?:and |but )?|\s(?:and|but) |\s(?=rather than|instead of))(?:not|rather than|instead of|unlike"
    rf"|nicht|et non|y no|e não|e non)\s"
    rf"[^\U00013000-\U000130ff]{{0,30}}{REJECTED_OPTION}[^\U00013000-\U000130ff]{{0,160}}$",
    re.IGNORECASE,
)
# "If you broke your leg, you'd head to the hospital": no supposition about the options
SCENE = re.compile(
    r"\W{0,4}if (?:you|someone|somebody|a person|people)(?:['’](?:re|ve))? (?!choose|pick|select|assume|suppose"
    r"|go with|think|answer|read)"
    r"[^\W\d_][^\U00013000-\U00013100]{2,200}?, (?=(?:so |then )?(?:you|they|he|she|we)(?![^\W\d_]))",
    re.IGNORECASE,
)
UNSPACED_WORDS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{4}")


def resting_option(text: str, finder: MentionFinder) -> int | None:
    """The option on which a text rests; ``None`` if it rests on none.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    statements = told("\n".join(without_offers(text)) or text, finder)
    if not 1 <= len(statements) <= MOST_STATEMENTS or any(unsettles(one) for one in statements):
        return None
    read = [(one, with_rejected(one.text)) for one in statements]
    while read and REJECTED_OPTION in read[-1][1] and not re.search(ANY_OPTION, read[-1][1]):
        read.pop()  # "Neither A nor C does."
    naming = [(one, said) for one, said in read if re.search(ANY_OPTION, said)]
    if not naming or naming[-1][0] is not read[-1][0]:
        return None
    last, said = naming[-1]
    is_alone = all(options_in(words) == options_in(said) for _, words in naming)
    if (
        len(options_in(said)) != 1
        or not (is_alone or BEGINS_TO_CONCLUDE.match(said))
        or not _affirms(last, said, finder)
    ):
        return None
    (option,) = options_in(said)
    return option if finder.names_text(text, option) else None


def _affirms(last: Told, said: str, finder: MentionFinder) -> bool:
    """Whether the last statement leads to one option, and neither denies, doubts nor cites it."""
    said = SCENE.sub("", EARLIER_MENTION.sub("it", AND_NOT_OTHERS.sub("", said)))
    found = OPTION_AND_REST.fullmatch(said)
    if found is None or REJECTED_OPTION in said or last.is_title or len(found["behind"]) > MOST_BEHIND:
        return False
    before = found["before"]
    is_sentence = before.strip() and finder.words_of(index_of(found["option"])) > FEWEST_WORDS_BEFORE  # "She should …"
    if len(before.split()) < FEWEST_WORDS_BEFORE and not is_sentence and UNSPACED_WORDS.search(before) is None:
        return False
    return not (ABOUT_QUESTION.search(said) or SET_APART.search(before) or is_doubtful(said))
