"""Finds the option that answers, where a text speaks of others too: called by what was asked, at the end or the start.

"Lithium has 0.5 g/cm³ and gold 19.3. Gold is by far the densest of the four." chooses gold, and so does "B. Gold has
the highest density." Look here if such a text is not heard, or if one that goes through the options, and does not come
to an end, is.
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
from grpo_rewards.answers.multiple_choice.polarity import calls_wrong
from grpo_rewards.answers.multiple_choice.rejecting import with_rejected
from grpo_rewards.answers.multiple_choice.sentences import told
from grpo_rewards.answers.multiple_choice.singling import without_description
from grpo_rewards.answers.multiple_choice.unannounced.ends import (
    MOST_STATEMENTS,
    SET_ASIDE,
    is_doubtful,
    unsettles,
    without_offers,
)
from grpo_rewards.answers.multiple_choice.views import is_not_own_view

__all__ = ["closing_option", "leading_option", "opening_option"]

STOPS = (".", "!", "。", ")")
# "Gold is by far the densest of the four", "Denmark is the country that joined in 1973"
IS_WHAT_WAS_ASKED = re.compile(
    rf"\W{{0,4}}(?:(?:so|thus|therefore|hence|overall|clearly),?\s)?({ANY_OPTION})\s(?:is|was|are|were)\s"
    r"(?:(?:by far|clearly|therefore|thus|indeed|hence|easily|obviously)\s){0,2}the\s(?:(?:single|only|one)\s)?"
    r"(?:(?:most|least|[a-z]{2,15}est)\s[^.!?\U00013000-\U00013100]{0,60}?(?:of|among|in|out of)\s"
    r"(?:the (?:four|five|three|two|list|group|lot|options|choices|given|six|ten)|all|these|them|those)"
    r"|(?:[a-z]{2,20}\s){1,3}(?:that|which|who|whose|where|when)\s)[^?\U00013000-\U00013100]{0,160}",
    re.IGNORECASE,
)
# "The only gas giant on the list is Jupiter", "the largest is the Pacific Ocean"
WHAT_WAS_ASKED_IS = re.compile(
    r"\W{0,4}(?:(?:so|thus|therefore|hence|overall|clearly),?\s)?the\s(?:only|single|sole|most [a-z]{3,20}"
    r"|[a-z]{2,15}est)"
    rf"(?![^\W\d_])[^.:;?!,\U00013000-\U00013100]{{0,80}}?\s(?:is|are|was|were)\s(?:(?:therefore|thus|then|clearly|the|an?)\s){{0,2}}"
    rf"({ANY_OPTION})(?:\s[A-Z]?[a-z]{{2,12}}){{0,2}}[\s.!)\"'”]{{0,4}}",
    re.IGNORECASE,
)
# "It is the Zellatmung": what was spoken of, and not another thing, is the option
IS_THE_OPTION_MEANT = re.compile(
    r"\W{0,4}(?:[^.:;?!,\U00013000-\U00013100]{1,60},\s)?(?:(?:so|thus|therefore|hence|also|daher|donc|quindi|entonces|portanto),?\s)?(?:(?:it|this|that|he|she"
    r"|they|these|those)(?:['’]s|\s(?:is|was|are|were|must be|has to be|describes|refers to|points to|means))"
    r"|(?:es|dabei) handelt (?:es )?sich (?:also |hier |somit |dabei |folglich ){0,2}um|(?:das|dies|es) ist"
    r"|il s['’]agit(?: donc| bien| ici)? (?:de|du|des)|c['’]est(?: donc| bien)?|se trata(?: pues)? de(?:l)?|trata-se"
    r"(?: portanto)? d[aeo]|si tratta(?: quindi)? (?:di|del|della|dell['’])|это|речь идёт о|chodzi o|het gaat om"
    r"|det är|det handlar om|bu)\s?(?:(?:therefore|thus|clearly|indeed|called|known as|the|an?|der|die|das|den|le|la"
    r"|les|l['’]|el|los|las|il|lo|o|os|as|de|het|namely|process of|concept of)\s?){0,3}"
    rf"({ANY_OPTION})[\s.!)\"'”]{{0,4}}",
    re.IGNORECASE,
)
# "The speed of the stone is 20 m/s.", in a line of its own, or behind "but"
RESULT_IN_WORDS = re.compile(
    r"[^.:;?!\U00013000-\U00013100]{6,160}?\s(?:is|are|was|were|equals?|becomes?|will be|must be|ist|sind|war"
    r"|beträgt|est"
    r"|sont|était|es|son|era|é|são|è|sono|jest|to|är|er|adalah|là)\s(?!(?:like|near|unlike|about|under|over|above|below|close)\s)"
    rf"(?:[^\W\d_]{{1,14}}\s)?({ANY_OPTION})[\s.!)\"'”$]{{0,4}}",
    re.IGNORECASE,
)

BUT = re.compile(
    r"[,;，،—–]\s?(?<![^\W\d_])(?:but|aber|sondern|mais|pero|però|ma|mas|но|але|ale|lecz|maar|men|ama|fakat|nhưng|tetapi|لكن|ولكن|但是?"
    r"|しかし)\s?",
    re.IGNORECASE,
)
SAYS_HOW_GOOD = re.compile(
    r"(?<![^\W\d_])(?:too|would|could|close|second|third|ranks?|comes|almost|next)(?![^\W\d_])", re.IGNORECASE
)
BY_ITS_PLACE = re.compile(r"(?<![^\W\d_])(?:option|choice)(?![^\W\d_])", re.IGNORECASE)


def closing_option(text: str, finder: MentionFinder) -> int | None:
    """The option which the last statement calls what was asked for; ``None`` if it calls none so.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    lines = without_offers(text)
    statements = told("\n".join(lines), finder)
    if not 1 <= len(statements) <= MOST_STATEMENTS or not lines[-1].rstrip(" *").endswith(STOPS):
        return None
    *before, last = statements
    passed = (one.is_row or (one.is_question and one is statements[0]) for one in before)
    if any(unsettles(one) for one, is_passed in zip(before, passed, strict=True) if not is_passed) or unsettles(last):
        return None
    option = _identified(last.text, is_line=last.is_first and bool(before))
    contrast = [*BUT.finditer(last.text)]
    if option is None and contrast:
        option = _identified(last.text[contrast[-1].end() :])
    if option is None or any(_identified(one.text) not in (None, option) for one in before):
        return None
    return option if finder.names_text(lines[-1], option) or BY_ITS_PLACE.search(lines[-1]) else None


def opening_option(text: str, finder: MentionFinder) -> int | None:
    """The option which the first statement calls what was asked for, where what follows denies the others.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    statements = told("\n".join(without_offers(text)), finder)
    if not 2 <= len(statements) <= MOST_STATEMENTS or any(unsettles(one) for one in statements):
        return None
    option = _identified(statements[0].text)
    others = [with_rejected(one.text) for one in statements[1:] if options_in(one.text) - {option}]
    if option is None or not all(is_not_own_view(one) or not options_in(one) for one in others):
        return None
    return option if others and finder.names_text(text, option) else None


def _identified(statement: str, is_line: bool = True) -> int | None:
    """The option that a statement calls what was asked for, unless it denies, doubts or cites that."""
    said = with_rejected(statement)
    if calls_wrong(statement):
        return None
    forms = (IS_WHAT_WAS_ASKED, WHAT_WAS_ASKED_IS, IS_THE_OPTION_MEANT, *([RESULT_IN_WORDS] if is_line else []))
    for form in forms:
        found = form.fullmatch(said)
        if (
            found is not None
            and not SET_ASIDE.search(said)
            and REJECTED_OPTION not in said
            and len(options_in(said)) == 1
        ):
            return None if is_doubtful(without_description(said)) else index_of(found.group(1))
    return None


def leading_option(text: str, finder: MentionFinder) -> int | None:
    """The option with whose label and text a text begins, to say more of it: "B. Madrid has been the capital since …".

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    begun = [option for line in text.split("\n") for option in finder.labelled_with_text(line)]
    statements = told(text, finder)
    if len(begun) != 1 or not text.rstrip().endswith(STOPS) or any(unsettles(one) for one in statements):
        return None
    names_others = any(options_in(one.text) - set(begun) for one in statements)
    if not names_others and (len(statements) > 1 or SAYS_HOW_GOOD.search(text)):
        return None  # "B. Jupiter is far too cold." may begin a tour of the options
    first = with_rejected(statements[0].text) if statements else ""
    is_said = re.match(ANY_OPTION, first) is not None and not is_doubtful(first)
    return begun[0] if is_said and index_of(first[0]) == begun[0] else None
