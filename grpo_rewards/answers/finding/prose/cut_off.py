"""Tells whether a text or a sentence stops in its middle: "So we multiply 12 by", "which gives 2 × 330 =".

Look here if a text that ran out of tokens is paid for a number on its way, or a complete one is taken for cut off.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.quantities import quantities
from grpo_rewards.answers.finding.prose.statements import Statement

__all__ = ["breaks_off", "is_cut_off", "leaves_work", "stops_at_operation"]

# What cannot be the last word of a sentence: it needs another word or number behind it.
NEEDS_MORE = re.compile(
    r"(?:(?<!\w)(?:by|and|the|of|to|is|are|was|were|be|plus|minus|with|an?|or|nor|for|from|than|that|which|who"
    r"|whose|we|i|he|they|into|equals|gives|makes|leaves|gets?|yields|if|when|because|since|as|but|while|his|her|their"
    r"|its|our|my|your|this|these|those|every|another|between|both|either|has|have|had|will|would|can|could|must"
    r"|should|need|needs|where|therefore|thus|hence|und|der|die|das|ist|et|le|la|les|est|de|y|el|es)"
    # "12 each" and "12 or so" are complete
    r"|(?<!\w)(?<![0-9%]\s)(?<!\bor\s)(?:times|per|at|on|in|so|then|each|remaining|other|more|less|fewer|about"
    r"|approximately"
    r"|exactly|only|also|not|next)"
    r"|[=+*×·÷^(\[{:&≈<>-]|[^)\]\w\s]/|\w\s?/|\\(?:times|cdot|div|frac|approx|left))[\s\x1c$]*$",
    re.IGNORECASE,
)
END_MARK = re.compile(r"[.!?。！？…✓✔✅☑■□∎)\]|}>`~*\x1c\"”’'»:;，]\s*$")
SENTENCE_ENDS = re.compile(r"[^\d\s][.!。]\W{0,3}$|[0-9]\.\W{0,3}$")
NAMES_ANOTHER = re.compile(
    r"[^.;]{0,60}, (?:(?:and |but |so |while )?(?:the|its|his|her|their|a) [^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2}"
    r"|(?:and|but|while|whereas) (?!that\b|this\b|we are done)[^\W\d_].{1,80})"
)
LEADS_ON = re.compile(
    r"\W{0,4}(?:now|next|then|first|second|finally|so|also|similarly|likewise|for|after|before)\b", re.IGNORECASE
)
FEWEST_WORDS = 4  # of a sentence without end mark and number that counts as cut off; "Easy peasy" does not
# A step that is only announced, so that what was said before was not the end: "Next we have to add the two numbers."
LEAVES_WORK = re.compile(
    r"^\W{0,4}(?:(?:and|but|so) )?(?:(?:now|next|then|finally|afterwards|after that|from here|lastly"
    r"|second(?:ly)?)\b,? "
    r".{0,40}?\b(?:have to|need to|must|will|['’]ll|let['’]s|let us|should|can|compute|calculate|add|subtract"
    r"|multiply|divide|find|determine)\b|(?:it|this|that|what) (?:only |still )?(?:remains|is left) (?:is |only )?to\b"
    r"|(?:we|i) (?:still|now|therefore|then|thus|also) (?:have|need) to\b|all that(?:['’]s| is| remains)"
    r"(?: is)?(?: left)?(?: is)? to\b|let(?:['’]s| us| me) (?:now |next |then )?(?:compute|calculate|add|subtract"
    r"|multiply|divide|find|determine|work out|turn to|consider|look at|think|try|work|start|begin|read"
    r"|break|analy[sz]e|figure)\b)",
    re.IGNORECASE,
)
TURNS_TO = re.compile(
    r"\b(?:we|i|let us|let['’]s) (?:now |then |next )?(?:turn|come|move on|go on|proceed) to\b", re.IGNORECASE
)


# "The answer is 3 times": said of an answer, "times" counts nothing, and the sentence has no end mark.
OPERATION_ENDS = re.compile(
    r"[0-9]\S{0,3} (?:times|plus|minus|divided|multiplied|raised|more|less|over|per|modulo|mod)[\s\x1c]{0,4}$",
    re.IGNORECASE,
)


def stops_at_operation(content: str) -> bool:
    """Whether what is announced as the answer ends with an operation that needs another number: "3 times"."""
    return OPERATION_ENDS.search(content[-40:]) is not None


def breaks_off(text: str) -> bool:
    """Whether a sentence stops in its middle: "So we multiply 12 by"."""
    return NEEDS_MORE.search(text[-40:]) is not None


def leaves_work(statement: Statement) -> bool:
    """Whether a statement only announces a step: "Next we have to add the two numbers."."""
    return (
        LEAVES_WORK.match(statement.text) or TURNS_TO.search(statement.text)
    ) is not None and "=" not in statement.text


def is_cut_off(last: Statement, before: Statement | None) -> bool:
    """Whether a text whose last statement is given stops in the middle of it.

    A sentence without an end mark is complete if it gives a number or is short; and so is one on a line of its own, for
    many texts have no end marks at all.
    """
    text = last.text.strip()
    if breaks_off(text):
        return True
    if text.endswith(",") and (len(text.split()) >= FEWEST_WORDS or LEADS_ON.match(text)):
        return True
    if END_MARK.search(text) or last.kind not in ("sentence", "item") or not text[-1:].isalpha():
        return False
    clause = next((one for one in reversed(last.clauses) if one.text.strip()), None)
    if found := quantities(text):
        opens = clause is not None and clause.link in ("so", "but", "if") and len(clause.text.split()) > 1
        opens = opens and clause is not None and not quantities(clause.text)
        return opens or NAMES_ANOTHER.fullmatch(text[found[-1].end :]) is not None
    is_running = before is not None and SENTENCE_ENDS.search(before.text) is not None
    return len(text.split()) >= FEWEST_WORDS and (is_running or LEADS_ON.match(text) is not None)
