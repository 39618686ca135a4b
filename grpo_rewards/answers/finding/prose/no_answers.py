"""Recognises what is no answer at all, or says that there is none: notices, "there is no solution", "as if!".

Look here if a phone number or an error message is taken for an answer, or if an answer survives after which the text
says that there is none, or that another one is as good.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.number_spellings import digits_of
from grpo_rewards.answers.finding.prose.stems import has_stem, stems

__all__ = ["asks_back", "finds_none", "is_mocking", "is_notice", "leaves_no_answer"]

# What speaks of the text, the machine or the reader, and not of the task.
NOTICE = re.compile(
    r"©|\(c\) ?[12][0-9]{3}|\bcopyright\b|\ball rights reserved\b|\b(?:last|page|first) (?:updated|modified|edited"
    r"|published)\b|^\W{0,4}(?:posted|published|updated|edited|asked|answered|written)"
    r" (?:on|at|by|in|[0-9]{1,3} \w+ ago)"
    r"|\btraceback\b|^\W{0,4}file [\"'][^\"']{1,80}[\"'], line\b|^\W{0,4}(?:warning|fatal|errno)\b[^.]{0,40}:"
    r"|\b(?:stack ?trace|segmentation fault|core dumped|exit(?:ed with)? (?:code|status)|rate limit|quota"
    r"|too many requests|http [1-5][0-9]{2}|internal server)\b"
    r"|\b(?:try|retry|come back|check back|call back|ask) (?:again |back )?(?:later|in|after|within) "
    r"(?:about )?[0-9]{1,6} (?:seconds?|secs?|minutes?|mins?|hours?|days?)\b"
    r"|\bplease wait\b|^\W{0,4}retry\b"
    r"|(?:^\W{0,4}|\b(?:please|emergenc\w{1,3}|help|questions?|can|or|to|should|must),? (?:also |always |just "
    r"|first )?)(?:call|dial|phone|ring|text|fax)(?: us| me| them)?(?: at| on)? \+?\(?[0-9]{3}[0-9 ()-]{0,14}"
    r"(?=[.,;!]|$| (?:for|if|to|now|immediately|or)\b)"
    r"|\b(?:tel|telephone|phone|fax|hotline|helpline|mobile)(?: numbers?)?(?: is)?\s?[.:]?\s?\+?\(?[0-9]{2}"
    r"|\b(?:ways?|interpretations?|readings?|meanings?) (?:to|of|in which to) (?:read|interpret|understand|parse)"
    r"|\b(?:can|could) be (?:read|interpreted|understood) in\b|\bsent from my\b"
    r"|\b(?:sign up|log in|subscribe|click|download the app|terms of service|privacy policy)\b",
    re.IGNORECASE,
)
PROGRAM_FAILS = re.compile(r"\W{0,4}[A-Za-z.]{0,40}(?:Error|Exception): ")
ASKING_BACK = re.compile(
    r"\b(?:clarify|rephrase|specify|elaborate|could you (?:\w+ )?(?:tell|provide|give|share|send|check|repeat)"
    r"|can you (?:\w+ )?(?:provide|share|send|repeat)|(?:do|did) you mean|what do you mean)\b",
    re.IGNORECASE,
)
MOCKING = re.compile(
    r"(?:^|[,;:.!—–-] ?)\W{0,3}(?:as if(?=\s?[!.…]|$)|yeah,? (?:right|sure)(?=\s?[!.…]|$)|no way(?=\s?[!.…]|$)"
    r"|(?:not|fat) a? ?chance\b|dream on\b|in your dreams\b|good luck with that\b|when pigs fly\b|my foot(?=\W|$)"
    r"|(?:what )?nonsense\b|rubbish\b|(?:how )?ridiculous(?=\s?[!.]|$)|what a joke\b|you wish(?=\s?[!.]|$))"
    r"|^\W{0,4}(?:nobody|no one|who) (?:in their right mind|would(?:n['’]t)? (?:ever )?(?:sell|buy|pay|believe))\b",
    re.IGNORECASE,
)
# "There are no equally likely outcomes" and "Each of the 6 outcomes is equally likely" are mathematics.
AS_GOOD = re.compile(
    r"\bjust as (?:likely|plausible|possible|probable|good|right|valid)\b|\bequally (?:plausible|good|convincing)\b"
    r"|^\W{0,4}(?:and |but |honestly,? )?both (?:\w{1,12} ){0,2}?(?:looks?|seems?|appears?|sounds?|feels?"
    r"|(?:are|is) (?:plausible|possible|fine|defensible|reasonable|okay|ok))\b"
    r"|\b(?:does|do|did)(?: not|n['’]t) (?:say|specify|state|tell|mention|clarify|indicate|make (?:it )?clear)"
    r"(?: us| me)? (?:which|whether)\b"
    r"|\b(?:which|whether)\b[^.,;]{0,60}\b(?:is|was)(?: not|n['’]t) (?:said|stated|specified|given|clear|known)\b"
    r"|\b(?:hard|impossible|difficult) to (?:say|tell|decide|know) which\b|\b(?:toss|flip) (?:a coin|-?up)\b"
    r"|\btoss-?up\b|\bcoin (?:flip|toss)\b|\btake your pick\b|\bcould go either way\b|\bpick (?:either|whichever)\b"
    r"|\b(?:cannot|can['’]t|can not|could(?: not|n['’]t)) (?:decide|choose|tell) (?:between|which)\b"
    r"|\b(?:do not|don['’]t) know which\b|\bnot sure which\b",
    re.IGNORECASE,
)
# Nothing may follow that narrows it: "There is no solution with x > 5" leaves the others.
FINDS_NONE = re.compile(
    r"\W{0,4}(?:(?:so|thus|therefore|hence|then|but|and|consequently|in conclusion|overall|it follows that"
    r"|we conclude that|this means(?: that)?|unfortunately),? ){0,2}"
    r"(?:there (?:is|are|exists?|can be) (?:actually |really |in fact |therefore |thus )?"
    r"|(?:(?:the|this|our) (?:equation|system|inequality|problem|task|puzzle)|it) (?:actually |really |therefore "
    r"|thus )?has )"
    r"(?P<none>no (?:(?:real|valid|integer|rational|possible|positive|admissible|consistent|unique) )?"
    r"(?:solutions?|roots?|such (?:\w{1,20} )?(?:[a-z]{3,20}|[a-z])|answers?|values? that (?:works?|fits?)))"
    r"(?: (?:at all|(?:to|for|of) (?:this|the|that) (?:equation|system|inequality|problem|task|puzzle)))?"
    r"[\s\x1c.!$]{0,4}"
    r"|\W{0,4}(?:(?:so|thus|therefore|hence|but),? )(?:the (?:answer|value|result|number)|it|this|x|\$x\$) "
    r"(?:cannot|can ?not|can['’]t|could not) be (?:determined|found|computed|known)[\s\x1c.!$]{0,4}"
    r"|\W{0,4}no such (?:\w{1,20} )?\$?\w{1,20}\$? (?:exists?|is possible)[\s\x1c.!$]{0,4}",
    re.IGNORECASE,
)
# "Alice has 12 points and Bob has 9, so Alice wins.": it is asked who, and the numbers are the reasons.
NAMES_SOMEBODY = re.compile(
    r"\W{0,4}(?:[A-Z][^\W\d_]{1,20}|(?:he|she|[Tt]he(?: [^\W\d_]{2,20}){1,2})) (?:wins?|won|loses?|lost|leads?|is ahead"
    r"|is (?:the )?(?:winner|loser|\w{2,10}er|\w{2,10}est)|(?:comes|finishes|came|finished) (?:first|last)"
    r"|(?:has|had|earns?|scores?|gets?|makes?|pays?|needs?) (?:the )?(?:more|fewer|less|most|least|fewest))"
    r"(?: (?:one|player|team|runner|of the two))?[\s\x1c.!]{0,4}"
)
NOTICE_STEMS = stems(NOTICE)
AS_GOOD_STEMS = stems(AS_GOOD)


def is_notice(text: str) -> bool:
    """Whether a sentence speaks of the text or the machine and not of the task: "© 2023", "Try again in 10 minutes"."""
    is_known = has_stem(text, NOTICE_STEMS) and NOTICE.search(text) is not None
    return is_known or PROGRAM_FAILS.match(text) is not None


def asks_back(text: str) -> bool:
    """Whether a question asks the reader for what is missing: "Could you clarify the question?"."""
    return ASKING_BACK.search(text) is not None


def is_mocking(text: str) -> bool:
    """Whether a sentence means the contrary of what it says: "90, as if!"."""
    return MOCKING.search(text) is not None


def leaves_no_answer(text: str, standing: tuple[str, str] | None) -> bool:
    """Whether after a clause what was said before is no answer: "Both look fine", "So there is no solution".

    Args:
        text: the clause.
        standing: (source, answer) that stands before it. If it is 0 or words, "no solution" agrees with it.
    """
    if has_stem(text, AS_GOOD_STEMS) and AS_GOOD.search(text) is not None:
        return True
    if standing is not None and standing[0] == "last_number" and NAMES_SOMEBODY.fullmatch(text):
        return True
    agrees = standing is not None and not digits_of(standing[1]).strip("0")
    return not agrees and finds_none(text) is not None


def finds_none(text: str) -> str | None:
    """What a clause says that there is none of: ``no solution`` of "So there is no solution."; ``None`` if nothing.

    The text is ``""`` if the clause only says that the answer cannot be found.
    """
    found = FINDS_NONE.fullmatch(text) if "no" in text or "No" in text or "can" in text else None
    return None if found is None else found.group("none") or ""
