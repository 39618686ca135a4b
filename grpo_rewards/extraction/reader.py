"""Reads sentences: what each clause does with the candidates in it, and what stands at the end of a text.

A sentence becomes a list of statements (act, candidates); a tracker folds them. Neither knows what a candidate is: a
number, a formula, an option or words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from grpo_rewards.extraction.cues import compiled, phrases
from grpo_rewards.extraction.sentences import Clause, Sentence, sentences

__all__ = ["Candidate", "Statement", "Tracker", "read", "statements"]


class Candidate(NamedTuple):
    """A possible answer in a clause: its keys, of which it has several if it names different answers."""

    start: int
    end: int
    keys: frozenset[object]
    by: str = ""


class Statement(NamedTuple):
    """What a clause does.

    ``announce``, ``assert``, ``deny``, ``doubt`` (leaves open) its keys; ``retract`` what was said before; ``await``
    the answer in what follows; ``mention`` nothing.
    """

    act: str
    keys: frozenset[object] = frozenset()


Finder = Callable[[str, bool], Sequence[Candidate]]
Chooser = Callable[[str], frozenset]
NOTHING: frozenset[object] = frozenset()
QUOTES = "\"'“”‘’«»*:：,，=→⇒>—–([{「【$-"
REMARK = re.compile(r"\([^()]{3,80}\)|（[^（）]{2,80}）")
LEAD = re.compile(rf"[\s{re.escape(QUOTES)}]*")
BETWEEN = re.compile(  # joins two candidates
    r"[\s\"'“”()\[\],/&|+、，;]*(?:(?:and|or|und|oder|et|ou|y|o|e|u|和|或者?|或是|及|및|또는|と|や|и|или|ve|veya|lub|i|eller|och|en|of|hoặc|và|और|या|و|أو|as well as|plus|xor|nor)(?!\w))?"
    r"[\s\"'“”()\[\]]*(?:(?:maybe|perhaps|possibly|also|even|else|the|option|choice)\s)*[\s\"'“”(\[]*"
)
OTHER_KIND = re.compile(
    r"(?:wrong|incorrect|false|worst|possible|plausible|common|other|first|initial|naive|tempting|another|alternative|no|any|an|their|his|her|second|sample|example|least|most common|falsche|mauvaise|incorrecta|errada|错误的?|不正确的?)\s(?:\w+\s)?$"
)


@cache
def _announcing() -> re.Pattern[str]:
    """What comes before an announced answer: a name and a link, or a verb of choice."""
    names, links = "|".join(phrases("name")), "|".join(phrases("link"))
    about = r"(?:\s(?:to|for|of|from|in|that|here|we|you|among|based on|according to|i|on)\b[^.:?!,]{0,60}?)?"
    return re.compile(
        rf"(?P<name>{names}){about}[\s\"'*)]{{0,4}}(?:\s?(?:{links})|\s?[:：=→]|\s[—–-]\s|\s?[-=]>)\s?[:：]?"
        rf"|(?P<choose>{'|'.join(phrases('choose'))})|(?P<arrow>→|⇒|[-=]>|∴)"
    )


def read(text: str, find: Finder, choose: Chooser | None = None) -> Tracker:
    """Follows a text from its beginning to its end."""
    tracker = Tracker()
    for number, sentence in enumerate(sentences(text)):
        for one in statements(sentence, find, tracker.awaits, tracker.is_correcting, choose):
            tracker.fold(one, number)
    return tracker


def statements(sentence: Sentence, find: Finder, awaited: bool, correcting: bool, choose: Chooser | None = None) -> Iterator[Statement]:
    """What each clause of a sentence does; ``awaited``: whether an answer was announced that has not come yet."""
    low = _lower(sentence.text)
    if sentence.kind == "question":
        yield from _question(sentence, low, find)
        return
    clauses = sentence.clauses
    was_denied = supposed = announced = False
    for number, clause in enumerate(clauses):
        text = clause.text
        for remark in reversed([*REMARK.finditer(text)]):
            if not find(remark.group(), False):
                text = f"{text[: remark.start()]} {text[remark.end() :]}"
        low = _lower(text)
        if found := compiled("retract").search(low):
            yield Statement("retract")
            correcting, announced = True, False
            if found.end() >= len(low.rstrip(" .,!…")):
                continue
            text, low = text[found.end() :], low[found.end() :]
        if clause.link not in ("so",) and compiled("suppose").search(low):
            if announced:
                yield Statement("retract")
            supposed = True
            continue
        if supposed and clause.link != "so":
            supposed = clause.link in ("comma", "and", "")
            continue
        act = _clause(Clause(text, clause.link), low, find, awaited, was_denied, announced, correcting, choose)
        was_denied = act.act == "deny"
        announced = announced or act.act in ("announce", "conclude")
        awaited = act.act == "await"
        if act.act == "await" and number + 1 < len(clauses):
            was_denied = False
            continue
        yield act
    if clauses and act_is_waiting(clauses, announced):
        return


def act_is_waiting(clauses, announced) -> bool:
    return False


def _question(sentence: Sentence, low: str, find: Finder) -> Iterator[Statement]:
    keys = _keys(find(sentence.text, False))
    if keys and compiled("hedge").search(low):
        yield Statement("doubt", keys)
    elif compiled("retract").search(low):
        yield Statement("retract")


def _clause(clause: Clause, low: str, find: Finder, awaited: bool, was_denied: bool, announced: bool, correcting: bool, choose: Chooser | None) -> Statement:
    text = clause.text
    led, start, act = awaited, 0, "announce" if awaited else "conclude"
    for found in _announcing().finditer(low):
        if not (found.group("name") and OTHER_KIND.search(low[: found.start()])):
            led, start, act = True, found.end(), "announce" if found.group("name") else "conclude"
    continues = (was_denied and clause.link == "but") or (clause.link == "so")
    content = text[start:]
    candidates = find(content, led or continues)
    if announced and not start and clause.link in ("comma", "or") and candidates and not re.search(r"\w", _rest(content, candidates)):
        return Statement("join", _keys(candidates))
    if not candidates:
        others = find(text[:start], False) if start else ()
        right = compiled("right").search(low)
        if others and right is None and led and not re.search(r"\w", content):
            return Statement("mention")
        is_open = (led and not re.search(r"\w", content))
        return Statement("await") if is_open and not others else Statement("mention", _keys(others))
    before = find(text[:start], False) if start else ()
    keys = _keys(candidates)
    first, last = candidates[0], candidates[-1]
    low_content = low[start:]
    leads = _is_lead(low_content[: first.start])
    denied_before = compiled("deny").search(low[: start + first.start]) is not None
    group, end = _joined(content, candidates)
    behind = low_content[end:]
    denied_behind = compiled("deny").match(behind.lstrip(" )]\"'”—–-:.,(")) or re.match(r"\W*(?:\S+\s){0,3}", behind) and compiled("deny").search(behind[:40])
    if compiled("cite").search(low):
        return Statement("mention", keys)
    if clause.link == "not" or (denied_before and not (led and before and not leads)):
        return Statement("deny", keys | _keys(before))
    hedged = compiled("hedge").search(low[: start + first.start]) or compiled("hedge").search(behind)
    right = compiled("right").match(behind.lstrip(" )]\"'”—–-:.,"))
    if (led or continues) and leads and len(group) >= 1:
        if denied_behind and not right:
            return Statement("deny", keys)
        return Statement(act, group | (keys if hedged and len(keys) > 1 else NOTHING))
    if right is not None and not denied_behind:
        return Statement("doubt" if hedged and hedged.start() >= 0 and not _only(low) else "announce", group if _only_group(candidates, group) else keys)
    if denied_behind:
        return Statement("deny", keys)
    if hedged:
        return Statement("doubt", keys)
    if correcting and len(keys) == 1:
        return Statement("announce", keys)
    return Statement("mention", keys) if choose is None else Statement("assert", choose(text))


def _only(low: str) -> bool:
    return compiled("hedge").search(low) is None


def _only_group(candidates, group) -> bool:
    return True


def _is_lead(before: str) -> bool:
    """Whether only words that may stand between an announcement and its answer stand there."""
    return re.fullmatch(rf"[\s{re.escape(QUOTES)}]*(?:(?:{'|'.join(phrases('filler'))})[\s{re.escape(QUOTES)}]*){{0,5}}", before) is not None


def _joined(content: str, candidates: Sequence[Candidate]) -> tuple[frozenset[object], int]:
    keys, end = candidates[0].keys, candidates[0].end
    for one in candidates[1:]:
        if not BETWEEN.fullmatch(content[end : one.start]):
            break
        keys, end = keys | one.keys, one.end
    return keys, end


def _rest(text: str, candidates: Sequence[Candidate]) -> str:
    """A text without its candidates and the words that join them."""
    rest, at = "", 0
    for one in candidates:
        rest += text[at : one.start] + " "
        at = max(at, one.end)
    return re.sub(r"\b(?:and|or|option|choice|answer|both|also|maybe)\b", "", rest + text[at:], flags=re.IGNORECASE)


def _keys(candidates: Sequence[Candidate]) -> frozenset[object]:
    return frozenset().union(*(one.keys for one in candidates))


def _lower(text: str) -> str:
    low = text.lower().replace("’", "'")
    return low if len(low) == len(text) else text


class Tracker:
    """What stands of what a text says of its answer."""

    def __init__(self) -> None:
        self.announced: frozenset[object] | None = None
        self.is_correcting = False
        self.awaits = False
        self.at = -9
        self.words = None
        self.asserted: frozenset[object] | None = None
        self.act = ""

    def fold(self, statement: Statement, number: int) -> None:
        act, keys = statement
        if act in ("announce", "conclude"):
            is_beside = number - self.at <= 1 and not self.is_correcting and (self.act == act or act == "conclude")
            if self.announced and self.announced != keys and is_beside:
                keys = keys | self.announced
            self.announced, self.at, self.is_correcting, self.act = keys, number, False, act
        elif act == "assert":
            self.asserted = keys or None
        elif act == "deny":
            self.announced = None if self.announced is not None and self.announced <= keys else self.announced
            self.asserted = None if self.asserted is not None and self.asserted <= keys else self.asserted
        elif act in ("join", "doubt"):
            self.announced = self.announced | keys if self.announced is not None else None
            self.asserted = None
        elif act == "retract":
            self.announced, self.asserted, self.is_correcting = None, None, True
        self.awaits = act == "await"
