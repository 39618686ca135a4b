"""Finds the one option that a completion states, where nothing announces it: by what it says last, or in bold.

A text that answers a question and speaks of one option alone, by what that option says, has answered with it, in
whatever words: "Since it's pouring outside, you'd grab an umbrella." It counts where the last statement leads to it and
nothing is denied, doubted or supposed. Letters need words that choose: "Vitamin C is important" chooses nothing.

Look here if "The distance is √2." is not seen to be the option "√2", "→ **18 %**" not to be "18%", or "this is known
as **B) osmosis**" not to choose B; or if a text that only speaks of an option is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.asides import is_closing
from grpo_rewards.answers.finding.prose.stances import cites_somebody, gives_up, hedges, takes_back
from grpo_rewards.answers.multiple_choice.mentions import (
    ANY_OPTION,
    REJECTED_OPTION,
    MentionFinder,
    index_of,
    options_in,
)
from grpo_rewards.answers.multiple_choice.options import Options
from grpo_rewards.answers.multiple_choice.polarity import denies
from grpo_rewards.answers.multiple_choice.rejecting import (
    begins_with_doubt,
    is_not_own_view,
    leaves_no_choice,
    reconsiders,
    with_rejected,
)
from grpo_rewards.answers.multiple_choice.sentences import Told, told

__all__ = ["emphasised_option", "last_value", "resting_option", "stated_option", "unsettles", "without_offers"]

LONGEST_STATED = 400  # characters of a completion that may state a value and nothing else
STATING = re.compile(
    r"[^?\U00013000-\U00013100]{1,300}?(?:(?<![^\W\d_])(?:is|are|was|were|equals?|becomes?|gives?|called|named"
    r"|means|has"
    r"|have|had|costs?|pays?|paid|weighs?|takes?|took|earns?|needs?|gets?|contains?|sells?|sold|travels?|runs?|ran"
    r"|(?:arrives|leaves|starts|ends|begins|finishes|opens|closes|occurs|happens) (?:at|in|on)|ist"
    rf"|est|es|é|è|jest|är|er|adalah|là|είναι|это|равн[оаы]|هو|هي)(?![^\W\d_])|[:=])[^,;:?\U00013000-\U00013100]{{0,30}}?({ANY_OPTION})"
    r"(?:\s(?!or\b|and\b|nor\b)[a-z]{1,12}){0,3}[\s\"'”’*$)]{0,3}[.!。]?\s*"
)
OF_READER_OR_PLAN = re.compile(
    r"(?<![^\W\d_])(?:i|me|my|you|your|let|we|options?|choices?|next|first|also|like|about|compare|similar|known"
    r"|given|both|half|question|interesting|close|nearly|approximately|contraindicated)(?![^\W\d_])",
    re.IGNORECASE,
)
LIST_LINE = re.compile(r"\s{0,12}(?:[-+•◦‣|>#]|\*\s|\d{1,2}[.)]\s|\(?[A-Za-z][.)]\s)")
OFFER = re.compile(
    r"\W{0,4}(?:(?:would|do|shall|should|want|need|can|may|ready|interested|any)(?![^\W\d_]).{0,200}\?\W{0,4}$"
    r"|let me know|happy to|feel free|hope (?:this|that)|good luck|i can also|just ask|if you)",
    re.IGNORECASE,
)
# the last line as a result is shown: in bold, behind an arrow, or as a formula
SHOWN_RESULT = re.compile(
    r"\s{0,8}(?:(?:→|⇒|➡|➜|=>|->|∴|✅|👉)\ufe0f?\s?(?P<behind_arrow>\S.{0,150})|(?P<label>[^*\n]{0,80}?)\*\*(?P<bold>[^*\n]{1,150})"
    r"\*\*\s?(?P<value>[^*\s]?[^*\n]{0,60}?)|\$\$?(?P<formula>[^$\n]{1,150})\$\$?|\\\[(?P<displayed>[^\n]{1,150})\\\])[.!。\s]{0,4}"
)
VALUE_STARTS = re.compile(r"(?<!\d)[:：]|[:：]\s|[=≈]|(?<![^\W\d_])(?:is|are|equals|ist|est|es|é|è)(?![^\W\d_])")
NO_RESULT = re.compile(
    r"(?<![^\W\d_])(?:given|known|initial(?:ly)?|first|start\w{0,3}|old|original|before|earlier|previous"
    r"|estimate[ds]?|assum\w{1,6}"
    r"|example|hint|note|tip|mistakes?|common|exceptions?|avoid|contra\w{1,15}|next|step|recall|reminder|if|versus|vs|max\w{0,6}"
    r"|min\w{0,6}|both|each|all|sum of|double|twice|half|per|at (?:least|most)|intermediate|partial|subtotal|false"
    r"|wrong"
    r"|not)(?![^\W\d_])|[≠<>≤≥?]",
    re.IGNORECASE,
)
ADVISED_AGAINST = re.compile(
    r"contraindicat|(?<![^\W\d_])(?:avoid|exceptions?|mistakes?|error|trap)(?![^\W\d_])", re.IGNORECASE
)
BOLD_SPAN = re.compile(r"\*\*(?P<bold>[^*\n]{1,200})\*\*(?P<behind>[^.!?。\n]{0,300}[.!?。]?)(?=\s|$)")
LONGEST_LEAD = 300  # characters of a sentence before what is in bold
LEADS_TO_OPTION = re.compile(
    r"(?<=\w )(?:is|are|was|were|as|called|named|termed|describes|illustrates|represents|exemplifies|shows|means"
    r"|ist|est|es|é|è|(?:example|instance|case|illustration|type|kind|form) of)"
    r"(?:\s(?:the|an?|option|choice|answer|likely|most|best|clearly|definitely|therefore)){0,3}\s?$",
    re.IGNORECASE,
)
IDENTIFIED = re.compile(
    r"[^.\n]{0,60}?(?<![^\W\d_])(?:is|remains|was|has been|would be|should be|must be) the (?!\w{1,20} to )",
    re.IGNORECASE,
)
MOST_STATEMENTS = 60
FEWEST_WORDS_BEFORE = 3  # before the option; fewer state something of it, or name it alone
MOST_BEHIND = 80  # characters behind the option, which may say where or when
ABOUT_QUESTION = re.compile(
    r"(?<![^\W\d_])(?:options?|(?<!best )(?<!right )(?<!correct )(?<!of )choices?|compare|comparing|versus|vs|similar"
    r"|both|close|nearly|approximately|or so|contraindicated|avoid\w{0,3}|harm\w{0,3}|except\w{0,5}|opposite|reverse"
    r"|question|interesting|mistakes?|errors?|traps?|(?:is|are|was|were|am) given|begins?|starts?|initial\w{0,2}"
    r"|example|instead|than|against|without|before|after|opposed|unlike|only if|when|while|whereas|although|though"
    r"|despite|want\w{0,2}|every\w{3}|most(?! of (?:the|its|this|our) )"
    r"|many|people|cites?|mentions?|mentioned|remembers?|refutes?"
    r"|away|let (?:me|us)|let['’]s (?:look"
    r"|consider|start|try|see|move|compare)|(?:i|we) (?:see|know|look|start|have|are|can|could|may|might|will"
    r"|mentioned|discussed|said|read)|next|also|first(?!-)|second|looks?|looking|see|read\w{0,3}|discuss\w{0,3}"
    r"|consider\w{0,3}|known|thinking|thought|wonder\w{0,3}|talk\w{0,3}|speak\w{0,3}|ask\w{0,3}|it would"
    r"|of which|half|quarter|third|twice|double|times)(?![^\W\d_])",
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
UNSPACED_WORDS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{4}")


def stated_option(text: str, finder: MentionFinder) -> int | None:
    """The option whose text ends what a completion of a sentence or two states; ``None`` if there is none.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    if len(text) > LONGEST_STATED:
        return None
    statements = list(told(text, finder))
    if not 1 <= len(statements) <= 2 or statements[-1].is_row or statements[-1].is_title:
        return None
    whole = with_rejected(" ".join(one.text for one in statements))
    last = STATING.fullmatch(with_rejected(statements[-1].text))
    if last is None or REJECTED_OPTION in whole or len(re.findall(ANY_OPTION, whole)) > 1:
        return None
    doubtful = (is_not_own_view, hedges, cites_somebody, leaves_no_choice, takes_back)
    if OF_READER_OR_PLAN.search(whole.replace(" in question", "")) or any(
        doubts(one.text) for one in statements for doubts in doubtful
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
    if shown is None or (len(lines) > 1 and SHOWN_RESULT.fullmatch(lines[-2]) is not None and shown.group("bold")):
        return None  # one of several results
    said = "".join(part for part in shown.groups() if part).replace("*", "").strip()
    starts = [0, *(found.end() for found in VALUE_STARTS.finditer(said))]
    label, value = said[: starts[-1]], said[starts[-1] :].strip(" .!$")
    if not value or NO_RESULT.search(said) or is_not_own_view(label) or hedges(said) or cites_somebody(said):
        return None
    if "=" not in label and re.search(ANY_OPTION, finder.masked(label)):
        return None
    return options.of_text(value) if _says_more(value) else None


def emphasised_option(text: str, finder: MentionFinder) -> int | None:
    """The one option in bold to which the running text leads last: "this is known as **B) osmosis**".

    Args:
        text: the completion.
        finder: finds the options.
    """
    lines = [line for line in without_offers(text) if not LIST_LINE.match(line)]
    found = [one for line in lines for one in _emphases(line, finder)]
    if not found or len({one.mark for one in found}) != 1 or found[-1].line != without_offers(text)[-1]:
        return None
    line, before, span, mark = found[-1]
    sentence = f"{before}{span.group()}"
    whole = with_rejected(finder.masked(sentence.replace("*", "")))
    doubtful = (is_not_own_view, hedges, cites_somebody, leaves_no_choice, takes_back)
    if (
        len(re.findall(ANY_OPTION, whole)) != 1
        or REJECTED_OPTION in whole
        or ADVISED_AGAINST.search(sentence)
        or any(doubts(whole) for doubts in doubtful)
        or "?" in sentence
        or not _is_last(line[span.end() :])
    ):
        return None
    behind = span.group("behind").strip(" .!*。")
    if LEADS_TO_OPTION.search(before) and not behind:
        return index_of(mark)
    is_subject = not before.strip() and (IDENTIFIED.match(behind) or len(lines) == 1)
    return index_of(mark) if is_subject else None


class Emphasis(NamedTuple):
    """An option in bold: its line, the words of its sentence before it, the match from it on, and its mark."""

    line: str
    before: str
    span: re.Match[str]
    mark: str


def _emphases(line: str, finder: MentionFinder) -> Iterator[Emphasis]:
    """The spans in bold that name an option and say nothing else."""
    for span in BOLD_SPAN.finditer(line):
        masked = finder.masked(span.group("bold")).strip(" .:,)(]")
        if re.fullmatch(ANY_OPTION, masked):
            lead = line[max(span.start() - LONGEST_LEAD, 0) : span.start()]
            yield Emphasis(line, re.split(r"[.!?。*]", lead)[-1], span, masked)


def without_offers(text: str) -> list[str]:
    """The lines of a text that say something, without what is offered at its end."""
    lines = [line for line in text.split("\n") if line.strip()]
    while lines and (OFFER.match(lines[-1]) or is_closing(lines[-1].strip())):
        lines.pop()
    return lines


def _is_last(rest: str) -> bool:
    """Whether nothing but offers follows."""
    return not rest.strip(" *.!") or OFFER.match(rest) is not None or is_closing(rest.strip())


def _says_more(value: str) -> bool:
    return len(value) > 1 or value.isdecimal()


def resting_option(text: str, finder: MentionFinder) -> int | None:
    """The option on which a text rests; ``None`` if it rests on none.

    Args:
        text: the completion.
        finder: finds the options, whose texts are known.
    """
    statements = list(told("\n".join(without_offers(text)) or text, finder))
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
    if not (is_alone or BEGINS_TO_CONCLUDE.match(said)) or not _affirms(last, said):
        return None
    (option,) = options_in(said)
    return option if finder.names_text(text, option) else None


def unsettles(one: Told) -> bool:
    """Whether a statement asks, or takes back or doubts what was said, so that no choice rests on it."""
    doubtful = (begins_with_doubt, leaves_no_choice, gives_up, takes_back, reconsiders)
    return one.is_question or one.is_row or any(doubts(one.text) for doubts in doubtful)


def _affirms(last: Told, said: str) -> bool:
    """Whether the last statement leads to one option, and neither denies, doubts nor cites it."""
    found = OPTION_AND_REST.fullmatch(said)
    if found is None or REJECTED_OPTION in said or last.is_title or len(found["behind"]) > MOST_BEHIND:
        return False
    before = found["before"]
    if len(before.split()) < FEWEST_WORDS_BEFORE and UNSPACED_WORDS.search(before) is None:
        return False
    doubtful = (is_not_own_view, hedges, cites_somebody, denies)
    speaks_about = ABOUT_QUESTION.search(said) or SET_APART.search(before)
    return not speaks_about and not any(doubts(said) for doubts in doubtful)
