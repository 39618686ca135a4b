"""Reads which option a text chooses."""

from __future__ import annotations

import re
from typing import NamedTuple

from grpo_rewards.answers.multiple_choice.options import Options, plain_choice, with_own_text
from grpo_rewards.answers.multiple_choice.places import Choice, _json_answer, _marked

from grpo_rewards.extraction.options import Mention, OptionFinder, finder, plain

from grpo_rewards.extraction.reader import read as follow


def find_choice(response: str, options: Options) -> Choice:
    finds = finder(tuple(options.texts) if options.texts is not None else None, tuple(options.labels))
    said, behind = _marked(response)
    if said is not None and said.strip():
        got = _content(said, options, finds)
        if got is None or len(got) != 1:
            if got:
                return Choice(None, "several_choices", said)
            if options.texts is not None and len(plain_choice(said)) <= 1:
                return Choice(None, "no_choice", said)
            got = read(behind or response.replace(said, "", 1), finds)
        else:
            later = read(behind, finds) if behind.strip(" \n.$*") else None
            if later and later != got:
                return Choice(None, "several_choices", said)
        return _choice(got, said)
    if said is not None:
        return Choice(None, "no_choice")
    alone = _content(response, options, finds) if len(response) < 400 and "\n" not in response.strip() else None
    if alone is not None and len(alone) == 1:
        return _choice(alone, response)
    return _choice(read(response, finds), response)


def _choice(keys, text) -> Choice:
    if not keys:
        return Choice(None, "no_choice", text[-100:])
    return Choice(next(iter(keys)), "", text[-100:]) if len(keys) == 1 else Choice(None, "several_choices", text[-100:])


def _content(said: str, options: Options, finds: OptionFinder):
    """The options that a text names and nothing else; ``None`` if it says anything besides."""
    text = plain(plain_choice(said)).strip(" .!。")
    bare = LEAD_NOUN.sub("", text).strip("()[]{}.: （）")
    lettered = frozenset([finds.letters[bare]]) if bare in finds.letters else frozenset()
    folded = " ".join(text.casefold().split())
    same = frozenset(index for index, one in enumerate(options.folded) if one == folded)
    if not same and not lettered and len(said) <= 80 and re.search(r"\d|\\\w", said) and finds.letters.get(bare[:1]) is None:
        named = options.of_text(said)
        same = frozenset() if named is None else frozenset([named])
    if lettered or same:
        return lettered | same
    led = LEAD_NOUN.match(text)
    mentions = finds.mentions(text[led.end() :], is_led=True)
    rest = re.sub(r"\b(?:and|or|option|choice|answer|both)\b", "", _without(text[led.end() :], mentions), flags=re.IGNORECASE)
    if mentions and not re.search(r"\w", rest):
        return frozenset().union(*(one.keys for one in mentions))
    return None


LEAD_NOUN = re.compile(r"(?:(?:the\s)?(?:correct\s|final\s)?(?:option|choice|answer|letter|选项)\s?(?:is\s|:)?\s*)?", re.IGNORECASE)


def _without(text: str, mentions) -> str:
    rest, at = "", 0
    for one in mentions:
        rest += text[at : one.start]
        at = max(at, one.end)
    return rest + text[at:]


class Read(NamedTuple):
    act: str
    keys: frozenset


LABELLED = re.compile(r"\W{0,4}(?:(?:option|choice|answer)\s)?(\w{1,4})(?:\s?[).:）．、]|\s[—–-]\s|\s?$|,?\s(?:because|since|as)\b)", re.IGNORECASE)


def _labelled_lines(text: str, finds: OptionFinder) -> list[frozenset]:
    """For each line with words the options that it names if it begins with one or is nothing but one; else none."""
    lines = [re.sub(r"[*_#>`]", "", line).strip() for line in text.split("\n")]
    named = []
    for line in [line for line in lines if re.search(r"\w", line)]:
        found = LABELLED.match(line)
        keys = frozenset().union(*(one.keys for one in finds.mentions(line, is_led=True)), frozenset())
        is_label = found is not None and found.group(1) in finds.letters
        is_alone = _content(line, finds.options, finds) is not None if len(line) < 200 else False
        named.append(keys if is_label or is_alone else frozenset())
    return named


def read(text: str, finds: OptionFinder):
    text = plain(text)
    got = _read(text, finds)
    if got is None:
        named = _labelled_lines(text, finds)
        if sum(map(bool, named)) == 1 and (named[0] or named[-1]):
            return named[0] or named[-1]
    return got


def _read(text: str, finds: OptionFinder):
    return follow(text[-6000:], finds.mentions).announced
