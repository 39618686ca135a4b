"""Finds the one option in bold to which a completion leads: "this is known as **B) osmosis**".

Look here if an option in bold is not chosen, or one that the text only speaks of is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION, MentionFinder, index_of
from grpo_rewards.answers.multiple_choice.rejecting import with_rejected
from grpo_rewards.answers.multiple_choice.unannounced.ends import LIST_LINE, is_last, leaves_doubt, without_offers

__all__ = ["emphasised_option"]

ADVISED_AGAINST = re.compile(
    r"contraindicat|(?<![^\W\d_])(?:avoid|exceptions?|mistakes?|error|trap(?:ped)?|strike|struck|weakest|worst"
    r"|confus\w{1,3}|eliminat\w{1,3}|rule[ds]? out|cross(?:ed)? (?:out|off))(?![^\W\d_])",
    re.IGNORECASE,
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


def emphasised_option(text: str, finder: MentionFinder) -> int | None:
    """The one option in bold to which the running text leads last: "this is known as **B) osmosis**".

    Args:
        text: the completion.
        finder: finds the options.
    """
    said = without_offers(text)
    lines = [line for line in said if not LIST_LINE.match(line)]
    found = [one for line in lines for one in _emphases(line, finder)]
    if not found or len({one.mark for one in found}) != 1 or found[-1].line != said[-1]:
        return None
    line, before, span, mark = found[-1]
    sentence = f"{before}{span.group()}"
    whole = with_rejected(finder.masked(sentence.replace("*", "")))
    if (
        len(re.findall(ANY_OPTION, whole)) != 1
        or REJECTED_OPTION in whole
        or ADVISED_AGAINST.search(sentence)
        or leaves_doubt(whole)
        or "?" in sentence
        or not is_last(line[span.end() :])
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
