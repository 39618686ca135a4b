"""Finds the option that a text chooses.

Look here if a place is believed although the sentence behind it says otherwise; ``options`` finds the mentions, and
``statements`` reads the sentences.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.extraction.cues import compiled
from grpo_rewards.extraction.options import (
    GOLD_LETTER_WITH_TEXT,
    OptionMentions,
    Options,
    mentions_of,
    plain_choice,
    plain_text,
    with_own_text,
)
from grpo_rewards.extraction.places import last_place
from grpo_rewards.extraction.sentences import CODE_BLOCK, QUESTION_MARKS, SENTENCE_ENDED, lowered, sentences
from grpo_rewards.extraction.statements import CLOSING_MARKS, follow, keys_of, rest_of
from grpo_rewards.extraction.tracker import NO_KEYS, Keys

__all__ = ["Choice", "find_choice"]


class Choice(NamedTuple):
    """What a text chooses.

    Attributes:
        option: the index of the chosen option, or ``None``.
        reason: why there is none: ``no_choice`` or ``several_choices``.
        text: the words that name the option.
    """

    option: int | None
    reason: str = ""
    text: str | None = None


LONGEST_PLACE = 2_000  # characters of a box or tag
LONGEST_LONE_OPTION = 400  # characters of a text that is an option and nothing else
LONGEST_TEXT = 100  # characters of a text's end that are shown as the prediction
LABELLED_LINE = re.compile(
    r"\W{0,4}(?:(?:option|choice|answer)\s)?(\w{1,4})(?:\s?[).:）．、]|\s[—–-]\s|\s?$|,?\s(?:because|since|as)\b)",
    re.IGNORECASE,
)


TWO_LETTERS = re.compile(r"\W*[A-Za-z]\W+(?:or\W+)?[A-Za-z]\W*")


def find_choice(text: str, options: Options) -> Choice:
    """The option that a text chooses: a completion without its reasoning.

    In this order: the last box, the last ``<answer>``, a JSON key (what follows it may not name another option); the
    text that is nothing but an option; what it announces or concludes last and does not take back, deny, doubt,
    suppose or cite; the only line that begins with a label, if it is the first or last.
    """
    mentions = mentions_of(tuple(options.texts) if options.texts is not None else None, tuple(options.labels))
    place = last_place(text)
    if place is None:
        is_short = len(text) < LONGEST_LONE_OPTION and "\n" not in text.strip()
        alone = (is_short and _alone(text, mentions, by_value=False)) or NO_KEYS
        named = alone if len(alone) == 1 else _prose(text, mentions)
        return _choice(named or (is_short and _alone(text, mentions)) or NO_KEYS, text)
    inside = place.text
    if not inside.strip() or len(inside) > LONGEST_PLACE:
        return Choice(None, "no_choice", inside[:LONGEST_PLACE])
    chosen = _alone(inside, mentions)
    if chosen is None:
        chosen = _prose(inside, mentions)
        if not chosen and (options.texts is None or len(plain_choice(inside)) > 1):  # a value, its letter in the text
            chosen = _prose(place.behind if place.behind.strip() else text.replace(inside, "", 1), mentions)
    elif len(chosen) == 1 and place.behind.strip(" \t\n.$*!。"):
        chosen |= _prose(place.behind, mentions)
    return _choice(chosen, inside)


def _choice(keys: Keys, text: str) -> Choice:
    shown = text.strip()[-LONGEST_TEXT:]
    if len(keys) == 1:
        return Choice(next(iter(keys)), text=shown)
    return Choice(None, "several_choices" if keys else "no_choice", shown)


def _alone(text: str, mentions: OptionMentions, by_value: bool = True) -> Keys | None:
    """The options that a text names that says nothing besides, also by their value; ``None`` if it says more."""
    low = lowered(text)
    if text.rstrip().endswith(QUESTION_MARKS) or compiled("<refuse>|<hedge>|<retract>").search(low):
        return None
    options = mentions.options
    plain = plain_text(plain_choice(text)).strip(" .!。")
    bare = plain.strip("()[]{}.: （）")
    letter = mentions.letters.get(bare)
    if letter is None and options.labels and plain[:1].isupper():  # called 1, 2, 3, and yet chosen by their letters
        letter = with_own_text(plain_choice(text), options)
        mixed = GOLD_LETTER_WITH_TEXT.fullmatch(plain)
        if mixed and letter is None:  # "A. Rome" of other labels, whose letter and text differ
            both = {options.of_letter(mixed[1]), options.of_text(mixed[2])} - {None}
            return frozenset(both) if len(both) > 1 else None
    folded = " ".join(plain.casefold().split())
    same: set[int | None] = {index for index, one in enumerate(options.folded) if one == folded}
    if letter is None and by_value and not same and re.search(r"\d|\\\w", text) and bare[:1] not in mentions.letters:
        same = {options.of_text(text)}
    if named := frozenset({letter, *same}) - {None}:
        return named
    found = mentions.find(plain, True)
    keys = keys_of(found)
    is_open = len(keys) == 1 and compiled("<alternative>").search(lowered(plain[found[0].end :])) is not None
    return keys if keys and not is_open and not re.search(r"\w", rest_of(plain, found)) else None


def _prose(text: str, mentions: OptionMentions) -> Keys:
    """The options that stand at the end of a text."""
    text = plain_text(text)
    tracker = follow(text, mentions)
    if tracker.announced or tracker.refused or tracker.is_correcting:
        return tracker.announced or NO_KEYS
    prose = CODE_BLOCK.sub("\n", text)[-LONGEST_PLACE:]
    lone = _lone_at_end(prose, mentions) or _labelled_line(prose, mentions)
    if not lone and tracker.asserted and tracker.asserted == _at_the_end(prose, mentions):
        lone = tracker.asserted
    return NO_KEYS if lone & tracker.denied else lone


def _at_the_end(text: str, mentions: OptionMentions) -> Keys:
    """The option that the last sentence ends in, if the text names no other one, or none other by letter and text."""
    every = [(one, mentions.find(one.text, False)) for one in sentences(text)]
    named = [one for one in every if one[1]]
    if not named:
        return NO_KEYS
    sentence, found = named[-1]
    behind = lowered(sentence.text[found[-1].end :]).lstrip(CLOSING_MARKS)
    keys, is_both = keys_of(found), found[-1].by == "both"
    goes_on = behind and not (is_both and compiled("<because>").match(behind))
    if goes_on or sentence.kind != "text" or not SENTENCE_ENDED.search(sentence.text):
        return NO_KEYS
    if is_both:
        is_only = keys_of([one for _, some in every for one in some if one.by == "both"]) == keys
    else:
        is_only = sentence is every[-1][0] and all(keys_of(some) <= keys for _, some in every)
    return keys if is_only else NO_KEYS


def _lone_at_end(text: str, mentions: OptionMentions) -> Keys:
    """The option that is a text's last sentence, if no other sentence is nothing but an option: "… So: B."."""
    alone = [
        (len(one.text) < LONGEST_LONE_OPTION and _alone(one.text, mentions, by_value=False)) or NO_KEYS
        for one in sentences(text)
    ]
    return alone[-1] if sum(map(bool, alone)) == 1 else NO_KEYS


def _labelled_line(text: str, mentions: OptionMentions) -> Keys:
    """The option of the only line that begins with a label or is nothing but an option, if it is the first or last."""
    named = []
    for line in re.sub(r"[*_#>`]", "", text).split("\n"):
        if TWO_LETTERS.fullmatch(line):
            return NO_KEYS
        if not re.search(r"\w", line):
            continue
        label = LABELLED_LINE.match(line)
        is_named = (label and label[1] in mentions.letters) or (
            len(line) < 200 and _alone(line, mentions, by_value=False)
        )
        found = mentions.find(line.strip(), True)
        is_about = found and compiled("<verb>").match(lowered(line.strip()[found[0].end :]).lstrip())
        named.append(keys_of(found) if is_named and not is_about else NO_KEYS)
    if sum(map(bool, named)) != 1:
        return NO_KEYS
    return named[0] or named[-1]
