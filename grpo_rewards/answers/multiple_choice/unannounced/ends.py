"""Where a text ends that answers a question, and what in it keeps any choice from resting on it."""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.asides import is_closing
from grpo_rewards.answers.finding.prose.stances import cites_somebody, gives_up, hedges, takes_back
from grpo_rewards.answers.multiple_choice.polarity import denies
from grpo_rewards.answers.multiple_choice.rejecting import begins_with_doubt, leaves_no_choice, reconsiders
from grpo_rewards.answers.multiple_choice.sentences import Told
from grpo_rewards.answers.multiple_choice.views import is_not_own_view

__all__ = [
    "LIST_LINE",
    "MOST_STATEMENTS",
    "SET_ASIDE",
    "is_doubtful",
    "is_last",
    "leaves_doubt",
    "unsettles",
    "without_offers",
]

LIST_LINE = re.compile(r"\s{0,12}(?:[-+•◦‣|>#]|\*\s|\d{1,2}[.)]\s|\(?[A-Za-z][.)]\s)")
OFFER = re.compile(
    r"\W{0,4}(?:(?:would|do|shall|should|want|need|can|may|ready|interested|any)(?![^\W\d_]).{0,200}\?\W{0,4}$"
    r"|let me know|happy to|feel free|hope (?:this|that)|good luck|i can also|just ask|if you)",
    re.IGNORECASE,
)
MOST_STATEMENTS = 60
# "Jupiter is the planet that was eliminated", "the only planet missing from my notes"
SET_ASIDE = re.compile(
    r"(?<![^\W\d_])(?:eliminat\w{0,3}|rul(?:e|ed|ing) out|cross(?:ed)? (?:out|off)|exclud\w{0,3}|reject\w{0,3}"
    r"|discard\w{0,3}"
    r"|dismiss\w{0,3}|missing|f[ae]ll(?:s|en)? for|confus\w{0,3}|mistaken|mentioned|listed|everyone|everybody"
    r"|people|students|i|me|my"
    r"|comes (?:before|after)|according to)(?![^\W\d_])",
    re.IGNORECASE,
)


def without_offers(text: str) -> list[str]:
    """The lines of a text that say something, without what is offered at its end."""
    lines = [line for line in text.split("\n") if line.strip()]
    while lines and (OFFER.match(lines[-1]) or is_closing(lines[-1].strip())):
        lines.pop()
    return lines


def is_last(rest: str) -> bool:
    """Whether nothing but offers follows."""
    return not rest.strip(" *.!") or OFFER.match(rest) is not None or is_closing(rest.strip())


def is_doubtful(said: str) -> bool:
    """Whether words deny, doubt or cite what they say of an option."""
    return any(doubts(said) for doubts in (is_not_own_view, hedges, cites_somebody, denies))


def leaves_doubt(statement: str) -> bool:
    """Whether a statement doubts or cites what it says, takes it back, or says that no option is right."""
    doubtful = (is_not_own_view, hedges, cites_somebody, leaves_no_choice, takes_back)
    return any(doubts(statement) for doubts in doubtful)


def unsettles(one: Told) -> bool:
    """Whether a statement asks, or takes back or doubts what was said, so that no choice rests on it."""
    doubtful = (begins_with_doubt, leaves_no_choice, gives_up, takes_back, reconsiders)
    return one.is_question or one.is_row or any(doubts(one.text) for doubts in doubtful)
