"""Finds the option whose value a completion states: "The distance is √2.", "→ **18 %**".

Look here if "The distance is √2." is not seen to be the option "√2", or "→ **18 %**" not to be "18%".
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.stances import cites_somebody, hedges
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION, MentionFinder, index_of
from grpo_rewards.answers.multiple_choice.options import Options
from grpo_rewards.answers.multiple_choice.polarity import calls_wrong
from grpo_rewards.answers.multiple_choice.rejecting import with_rejected
from grpo_rewards.answers.multiple_choice.sentences import told
from grpo_rewards.answers.multiple_choice.unannounced.ends import LIST_LINE, SET_ASIDE, leaves_doubt, without_offers
from grpo_rewards.answers.multiple_choice.views import is_not_own_view

__all__ = ["last_value", "stated_option"]

LONGEST_STATED = 400  # characters of a completion that may state a value and nothing else
STATING = re.compile(
    r"[^?\U00013000-\U00013100]{1,300}?(?:(?<![^\W\d_])(?:is|are|was|were|equals?|becomes?|gives?|called|named"
    r"|means|has"
    r"|have|had|costs?|pays?|paid|weighs?|takes?|took|earns?|needs?|gets?|contains?|sells?|sold|travels?|runs?|ran"
    r"|(?:arrives|leaves|starts|ends|begins|finishes|opens|closes|occurs|happens) (?:at|in|on)|ist"
    rf"|est|es|é|è|jest|är|er|adalah|là|είναι|это|равн[оаы]|هو|هي)(?![^\W\d_])|[:=])[^,;:?\U00013000-\U00013100]{{0,30}}?({ANY_OPTION})"
    r"(?:\s(?!or\b|and\b|nor\b)[a-z]{1,12}){0,3}[\s\"'”’*$)]{0,3}[.!。]?\s*"
)
FULL_NAME = re.compile(rf"(?:[A-Z][^\W\d_]{{2,20}}\s){{1,3}}({ANY_OPTION})[.!]?\s*")  # "James Clerk Maxwell"
OF_READER_OR_PLAN = re.compile(
    r"(?<![^\W\d_])(?:i|me|my|you|your|let|we|options?|choices?|next|first|also|step|before|without|original(?:ly)?|initial(?:ly)?|bound|remaining|tested|rejected|eliminated|allergic|already|other|like|about|compare|similar|known"
    r"|given|both|half|question|interesting|close|nearly|approximately|contraindicated)(?![^\W\d_])",
    re.IGNORECASE,
)
# the last line as a result is shown: in bold, behind an arrow, or as a formula
SHOWN_RESULT = re.compile(
    r"\s{0,8}(?:(?P<equation>[A-Za-z]\w{0,10}\s?=\s?[^=*\n]{1,40})|(?:→|⇒|➡|➜|=>|->|∴|✅|👉)\ufe0f?\s?(?P<behind_arrow>\S.{0,150})|(?P<label>[^*\n]{0,80}?)\*\*(?P<bold>[^*\n]{1,150})"
    r"\*\*\s?(?P<value>[^*\s]?[^*\n]{0,60}?)|\$\$?(?P<formula>[^$\n]{1,150})\$\$?|\\\[(?P<displayed>[^\n]{1,150})\\\])[.!。\s]{0,4}"
)
VALUE_STARTS = re.compile(r"(?<!\d)[:：]|[:：]\s|[=≈]|(?<![^\W\d_])(?:is|are|equals|ist|est|es|é|è)(?![^\W\d_])")
NO_RESULT = re.compile(
    r"(?<![^\W\d_])(?:given|known|initial(?:ly)?|first|start\w{0,3}|old|original|before|earlier|previous"
    r"|estimate[ds]?|assum\w{1,6}"
    r"|example|hint|note|tip|mistakes?|common|exceptions?|avoid|contra\w{1,15}|next|step|recall|reminder|if|versus|vs|max\w{0,6}"
    r"|min\w{0,6}|both|each|all|sum of|double|twice|half|per|at (?:least|most)|intermediate|partial|subtotal|false"
    r"|rejected"
    r"|eliminated|remaining|bound|tested"
    r"|wrong"
    r"|not)(?![^\W\d_])|[≠<>≤≥?]",
    re.IGNORECASE,
)


def stated_option(text: str, finder: MentionFinder) -> int | None:
    """The option whose text ends what a completion of a sentence or two states; ``None`` if there is none.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    if len(text) > LONGEST_STATED:
        return None
    statements = told(text, finder)
    if not 1 <= len(statements) <= 2 or statements[-1].is_row or statements[-1].is_title:
        return None
    whole = with_rejected(" ".join(one.text for one in statements))
    said = with_rejected(statements[-1].text)
    last = FULL_NAME.fullmatch(said) if len(statements) == 1 else None
    last = STATING.fullmatch(said) if last is None else last
    if last is None or REJECTED_OPTION in whole or len(re.findall(ANY_OPTION, whole)) > 1:
        return None
    if (
        SET_ASIDE.search(whole)
        or OF_READER_OR_PLAN.search(whole.replace(" in question", ""))
        or any(leaves_doubt(one.text) or calls_wrong(one.text) for one in statements)
    ):
        return None
    option = index_of(last.group(1))
    return option if finder.names_text(text, option) else None


def last_value(text: str, options: Options, finder: MentionFinder) -> int | None:
    """The option whose value the last line shows as a result: in bold, behind an arrow, or as a formula.

    Args:
        text: the completion.
        options: the options, whose texts are known.
        finder: finds the options.
    """
    lines = without_offers(text)
    if not lines or (len(lines) > 1 and LIST_LINE.match(lines[-1]) and LIST_LINE.match(lines[-2])):
        return None
    shown = SHOWN_RESULT.fullmatch(lines[-1])
    before = SHOWN_RESULT.fullmatch(lines[-2]) if len(lines) > 1 else None
    if shown is None or (before is not None and not before.group("equation") and shown.group("bold")):
        return None  # one of several results
    said = "".join(part for part in shown.groups() if part).replace("*", "").strip()
    starts = [0, *(found.end() for found in VALUE_STARTS.finditer(said))]
    label, value = said[: starts[-1]], said[starts[-1] :].strip(" .!$")
    if not value or NO_RESULT.search(said) or is_not_own_view(label) or hedges(said) or cites_somebody(said):
        return None
    if "=" not in label and re.search(ANY_OPTION, finder.masked(label)):
        return None
    return options.of_text(value) if _says_more(value) else None


def _says_more(value: str) -> bool:
    return len(value) > 1 or value.isdecimal()
