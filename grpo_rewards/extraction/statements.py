"""Reads what each clause of a sentence does with the candidates in it: announce, assert, deny, leave open, take back.

Look here if a clause is understood wrongly: ``cues.toml`` has the phrases, ``tracker`` what comes of them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from grpo_rewards.extraction.cues import ANNOUNCEMENT, compiled, opening
from grpo_rewards.extraction.sentences import CODE_BLOCK, Clause, Sentence, clauses, lowered, sentences, without_run_on
from grpo_rewards.extraction.tracker import NO_KEYS, Keys, Statement, Tracker

__all__ = ["JOINING", "Candidate", "Candidates", "follow", "is_filler", "joined", "keys_of", "rest_of", "statements"]


class Candidate(NamedTuple):
    """A possible answer in a text, and its keys, of which it has several if it names different answers."""

    start: int
    end: int
    keys: Keys
    by: str = ""


class Candidates:
    """What may be an answer: a subclass finds numbers and formulas, or the options of a question."""

    concludes = False
    """Whether "so", "that leaves" and the like announce a candidate; else they assert it."""

    def find(self, text: str, is_led: bool) -> Sequence[Candidate]:
        """The candidates in a clause; ``is_led``: an announcement stands before it."""
        return ()

    def stated(self, content: str) -> Keys:
        """What an announcement announces whose content does not begin with a candidate."""
        return NO_KEYS

    def asserted(self, clause: str) -> Keys:
        """What a clause gives that announces nothing."""
        return NO_KEYS


READ_CHARACTERS = 6_000  # at the end of a text, in which its answer is looked for
NAMES = ("name", "bare")  # groups of an announcement
WHICH = re.compile(r"(?:which|that|this|but that)\b")
PARTLY_RIGHT = re.compile(r"\s(?:in|about|that|when|for|only|to)\b")
DISPLAYED = re.compile(r"\\\[[ \t]{0,8}\n[ \t]{0,8}([^\n]{1,200})\n[ \t]{0,8}\\\]")  # a formula on lines of its own
WORD_BEHIND = re.compile(r"\s[^\W\d_]{2}")  # behind a verdict: "The nucleus holds the genome" calls nothing right
LONGEST_ITEM = 80  # characters
OPENING = 40  # characters at the start of a clause, in which somebody is cited for the clauses behind it
WORDS_IN_REMARK = re.compile(r"[^\W\d_]{2}|=")  # in a remark, which is no formula
BARE_DENIALS = "no nope not nein non нет 不".split()
HIDDEN = "\x00"
REACH = 12  # characters around the outcome of an equation in which it may be denied or hedged
DENIED_RIGHT = 10  # characters behind "right" in which it may be denied
VERDICT_MARK = re.compile(r"[\s)\]\"'”’$]*[:：–—-]")  # before a verdict
BEHIND = 40  # characters behind a candidate in which it may be denied
MARKS_LEADING = r"[\s\"'“”‘’«»*:：,，=→⇒>≈—–()（\[{「【\]$.-]"
OTHER_LABEL = r"[^\W\d_][)）.]\s"  # a label of another script before the text of an option: "В) Марс"
FILLER = rf"{MARKS_LEADING}*(?:(?:<filler>|{OTHER_LABEL}){MARKS_LEADING}*){{0,5}}"
OTHER_KIND = r"(?:<other_kind>|\w's)\s(?:\w{1,20}\s)?$"  # before an announcement: "the first guess is"
# What may stand between two candidates that are joined: "A or B", "A, B".
JOINING = r"[\s\"'“”()\[\],/&|+、，;$]*(?:(?:<join>|\(?[a-z0-9]\))[\s\"'“”(\[]*){0,3}[\s\"'“”(\[$]*"
REMARK = re.compile(r"(?<!\\)\([^()\\]{3,80}\)|（[^（）]{2,80}）")
CLOSING_MARKS = " \t)]）」】\"'”’»*$—–-:.,，、("
NO_WORD = re.compile(r"[^\w\\√]*")
OR_AT_END = r"<alternative>\W+(?:\w+\W+)?\Z"  # before an announcement behind another one


def follow(text: str, candidates: Candidates) -> Tracker:
    """What stands at the end of a text.

    It is read from the line before its last announcement; only if nothing stands then, as a whole. Another question
    behind an announced answer, and what follows it, is not read.
    """
    text = CODE_BLOCK.sub("\n", text[-2 * READ_CHARACTERS :])
    text = DISPLAYED.sub(lambda found: rf"\[ {found[1]} \]", text)
    text = unicodedata.normalize("NFC", text)  # the table has letters with their accents
    first = without_run_on(text)
    if first != text and (read := _last(first, candidates)).announced:
        return read
    return _last(text, candidates)


def _last(text: str, candidates: Candidates) -> Tracker:
    """What stands at the end of a text, read from its last announcement if that is enough."""
    text = text[-READ_CHARACTERS:]
    if (start := _before_last_announcement(text)) and (read := _read(text[start:], candidates)).announced:
        return read
    return _read(text, candidates)


def _before_last_announcement(text: str) -> int:
    """Where the line before the one with the last announcement begins; 0 if there is none."""
    at = 0
    for found in compiled("<name>").finditer(lowered(text)):
        at = found.start()
    line = text.rfind("\n", 0, at) + 1
    return text.rfind("\n", 0, len(text[:line].rstrip())) + 1


def _read(text: str, candidates: Candidates) -> Tracker:
    tracker = Tracker()
    listed = False  # whether the sentence before is an item of a list
    for number, sentence in enumerate(sentences(text)):
        item = is_item(sentence, candidates)
        for one in statements(sentence, candidates, tracker.awaits, tracker.is_correcting, bool(tracker.asserted)):
            is_further = listed and item and one.act == "assert"
            tracker.fold(one._replace(act="join") if is_further else one, number)
        listed = item
    return tracker


def statements(
    sentence: Sentence, candidates: Candidates, awaited: bool, correcting: bool, answered: bool = False
) -> Iterator[Statement]:
    """What the clauses of a sentence do.

    Args:
        sentence: the sentence.
        candidates: what may be an answer.
        awaited: whether an answer was announced that has not come yet.
        correcting: whether something was taken back that has not been replaced yet.
        answered: whether something stands.
    """
    if sentence.kind == "question":
        yield from _question(sentence.text, candidates)
        return
    if compiled("<name>").fullmatch(lowered(sentence.text).strip(CLOSING_MARKS + "#")):
        yield Statement("await")  # a heading
        return
    denied = supposed = is_condition = cited = announced = asserted = leading = False
    previous = NO_KEYS  # what the clause before mentions
    last = ""  # the act of the clause before
    is_aside = sentence.text.startswith(("(", "（"))
    parts = [*_clauses(_without_remarks(sentence.text, candidates), candidates)]
    for clause, behind in zip_longest(parts, parts[1:]):
        text = clause.text
        if lowered(text).strip(" .,!") in BARE_DENIALS and not _only(text, candidates):
            yield Statement("retract")
            correcting = True
            continue
        if found := opening("retract").search(lowered(text)):
            yield Statement("retract")
            correcting, announced, text = True, False, text[found.end() :]
        if NO_WORD.fullmatch(text) or (last and compiled("<rounding>").match(lowered(text))):
            continue  # "12√2, about 17"
        low = lowered(text)
        if clause.link == "if" or (clause.link != "so" and compiled("<suppose>").search(low)):
            if announced:
                yield Statement("retract")  # "The answer is 5 if …"
            elif asserted:
                yield Statement("void")  # "It is 5; otherwise it is 6"
            supposed, is_condition = True, clause.link == "if" or compiled("<if>").match(low) is not None
            continue
        if clause.link in ("so", "but"):
            supposed = cited = False
        if cited or (compiled("<cite>").search(low[:OPENING]) and not candidates.find(text, False)):
            cited = True  # "According to my friend, the answer is B."
            continue
        act, is_contrast = "announce" if awaited else "", denied and clause.link == "but"  # "not A but B"
        reading = _Reading(text, low, clause.link, candidates, previous, last, act, is_contrast, correcting, answered)
        made = reading.statement()
        is_reasoned = (
            behind is not None
            and behind.link == "because"
            and candidates.concludes
            and not (announced or denied)
            and not _only(behind.text, candidates)
        )
        is_result = is_reasoned or (leading and clause.link == "comma")
        if made.act == "assert" and is_result and (keys := _only(text, candidates)):
            made = Statement("conclude", keys)  # "Hence, B", "That points to Rome, option B", "Rome, because …"
        leading = not made.keys and reading.act == "conclude" and candidates.concludes
        mentioned = candidates.find(text, False)
        previous = keys_of(mentioned)
        last = made.act if made.keys and mentioned and NO_WORD.fullmatch(text, mentioned[-1].end) else ""
        if supposed and not (is_condition and made.act == "assert" and reading.follows()):
            continue
        denied = made.act == "deny"
        announced = announced or made.act in ("announce", "conclude")
        if made.act == "assert":
            if is_aside or (clause.link == "because" and asserted):
                continue  # "(Others say 12.)", "x = 3 because 2x = 6"
            asserted = asserted or bool(made.keys)
        awaited = made.act == "await"
        yield made


def _clauses(text: str, candidates: Candidates) -> Iterator[Clause]:
    """The clauses of a sentence; one that is only an option belongs to the option behind it: "A, B and C are out"."""
    if not candidates.concludes:
        yield from clauses(text)
        return
    listed: Clause | None = None  # options whose clause is still to come
    for one in clauses(text, [(one.start, one.end) for one in candidates.find(text, True)]):
        found = candidates.find(one.text, True)
        is_next = one.link == "comma" and found and compiled(JOINING).fullmatch(lowered(one.text[: found[0].start]))
        whole = Clause(f"{listed.text}, {one.text}", listed.link) if listed and is_next else one
        if listed and not is_next:
            yield listed
        listed = whole if found and NO_WORD.fullmatch(rest_of(one.text, found)) else None
        if not listed:
            yield whole
    if listed:
        yield listed


def _only(text: str, candidates: Candidates) -> Keys:
    """The keys of a clause that is nothing but a candidate: "Rome, because …"."""
    found = candidates.find(text, True)
    return keys_of(found) if found and NO_WORD.fullmatch(rest_of(text, found)) else NO_KEYS


def is_item(sentence: Sentence, candidates: Candidates) -> bool:
    """Whether a sentence is nothing but a candidate, or one behind a word or two: "Alice: 16"; a total is none."""
    if len(sentence.text) > LONGEST_ITEM or "=" in sentence.text or compiled("<total>").search(lowered(sentence.text)):
        return False
    found = candidates.find(sentence.text, True)
    rest = re.findall(r"\w+", rest_of(sentence.text, found))
    return bool(found) and found[0].by != "outcome" and (not rest or (len(rest) < 3 and ":" in sentence.text))


def _question(text: str, candidates: Candidates) -> Iterator[Statement]:
    low = lowered(text)
    keys = keys_of(candidates.find(text, False))
    if keys and compiled("<hedge>|<alternative>").search(low):
        yield Statement("doubt", keys)
    elif opening("retract").search(low):
        yield Statement("retract")
    elif not compiled("<offer>").search(low):
        yield Statement("void")


def _without_remarks(text: str, candidates: Candidates) -> str:
    """A sentence without remarks in brackets that name no option and deny or doubt nothing."""

    def kept(remark: re.Match[str]) -> str:
        is_cue = compiled("<deny>|<hedge>|<alternative>").search(lowered(remark.group()))
        names_option = candidates.concludes and candidates.find(remark.group(), False)
        return remark.group() if is_cue or names_option or not WORDS_IN_REMARK.search(remark.group()) else " "

    return REMARK.sub(kept, text)


@dataclass
class _Reading:
    """What is looked at in one clause: the announcement, the candidates behind it, and the words around these."""

    text: str
    low: str
    link: str
    candidates: Candidates
    previous: Keys
    last: str
    act: str
    is_contrast: bool
    correcting: bool
    answered: bool

    start = 0  # where the announcement ends
    is_maybe = False  # "perhaps the answer is"
    is_of_another = False  # "the first guess is"

    def __post_init__(self) -> None:
        for found in compiled(ANNOUNCEMENT).finditer(self.low):
            if self._is_lead(found):
                # "the answer is 2 or the answer is 3"
                is_one_of_two = self.start and compiled(OR_AT_END).search(self.low[self.start : found.start()])
                self.start, self.act = found.end(), "announce" if found.lastgroup in NAMES else "conclude"
                hedge = compiled("<hedge>").search(self.low[: found.start()])
                is_hedged = hedge is not None and is_filler(self.low[hedge.end() : found.start()])
                self.is_maybe = is_hedged or bool(is_one_of_two)
        self.continues = self.is_contrast or self.link == "so"
        self.content = self.text[self.start :]
        self.found = list(self.candidates.find(self.content, bool(self.act) or self.continues))
        for one in self.found:  # what an option says is no cue: "B. cannot be determined"
            start, end = self.start + one.start, self.start + one.end
            self.low = self.low[:start] + HIDDEN * (end - start) + self.low[end:]
        self.before = keys_of(self.candidates.find(self.text[: self.start], False)) if self.start else NO_KEYS
        if self.found:
            self.keys, self.first = keys_of(self.found), self.found[0]
            self.is_outcome, self.at = self.first.by == "outcome", self.start + self.first.start
            self.leads = is_filler(self.low[self.start : self.at])
            self.group, self.end = joined(self.content, self.found)
            self.behind = self.low[self.start + self.end :]
            self.verdict = self.behind.lstrip(CLOSING_MARKS)

    def _is_lead(self, found: re.Match[str]) -> bool:
        """Whether what is announced stands behind an announcement: not of "the wrong answer is", "B is the answer."."""
        start, end = found.span()
        if found.lastgroup in NAMES:
            if compiled(OTHER_KIND).search(self.low, max(start - 30, 0), start):
                self.is_of_another = True
                return False
            if compiled("<deny>").search(found.group()):
                return False  # "the option to avoid is"
        elif not self.candidates.concludes:
            return False
        if found.lastgroup == "bare":
            behind = self.candidates.find(self.text[end : end + BEHIND], True)
            return bool(behind) and is_filler(self.low[end : end + behind[0].start])
        return not (NO_WORD.fullmatch(self.low, end) and self.candidates.find(self.text[:start], False))

    def statement(self) -> Statement:
        """What the clause does."""
        if compiled("<none_exists>").search(self.low) and self.act != "announce":
            return Statement("void")
        if not self.found:
            return Statement("refuse") if compiled("<refuse>").search(self.low) else self._without_candidates()
        if self.last and not self.act and self._is_further():
            return Statement(self.last if self.last in ("deny", "doubt", "mention") else "join", self.keys)
        if (self.act or not self.is_outcome) and compiled("<cite>").search(self.low):
            return Statement("mention", self.keys)
        denied = self._denied()
        if denied is None and self.act != "announce" and compiled("<refuse>").search(self.low):
            return Statement("refuse")
        return denied or self._announced() or self._judged() or self._open()

    def follows(self) -> bool:
        """Whether what a clause asserts behind a condition is computed, or said without "would"."""
        if self.candidates.concludes or not self.found:
            return False
        return self.found[-1].by == "outcome" or compiled("<unreal>").search(self.low) is None

    def _without_candidates(self) -> Statement:
        if self.previous and self.link == "comma" and WHICH.match(self.low) and compiled("<deny>").search(self.low):
            return Statement("deny", self.previous)  # "B, which is wrong"
        if self.last == "assert" and self.link == "comma" and compiled("<right>").match(self.low):
            return Statement("announce", self.previous)  # "option B, Rome, is the right one"
        is_cut = len(self.low.split()) < 3 or compiled("<deny>").search(self.low)
        if compiled("<alternative>").match(self.low) and is_cut:
            return Statement("retract")  # "or maybe not"
        if not self.act:
            return Statement("void" if self._is_plan() else "mention")
        if NO_WORD.fullmatch(self.content):
            return Statement("mention") if self.before or self.act == "conclude" else Statement("await")
        stated = self.candidates.stated(self.content) if self.act == "announce" else NO_KEYS
        is_sure = compiled("<hedge>|<alternative>|<cite>").search(self.low, self.start) is None
        return Statement("announce", stated) if stated and is_sure else Statement("mention")

    def _is_plan(self) -> bool:
        return bool(compiled("<plan>").search(self.low) or opening("next").match(self.low))

    def _is_further(self) -> bool:
        """Whether the clause is nothing but another candidate: "The answer is A, B"."""
        return (
            self.link in ("comma", "")
            and not any(one.by == "outcome" for one in self.found)
            and NO_WORD.fullmatch(rest_of(self.content, self.found)) is not None
        )

    def _denied(self) -> Statement | None:
        denial = compiled("<deny>").search(self.low)
        reach = REACH if self.is_outcome else READ_CHARACTERS
        is_before = denial is not None and 0 <= self.at - denial.start() <= reach
        if self.link in ("not", "instead_of") or (is_before and not (self.act and self.before and self.leads)):
            return Statement("deny", self.keys | self.before)
        return None

    def _announced(self) -> Statement | None:
        if self.act != "announce" and not self.candidates.concludes:
            return None
        if not (self.act or self.continues) or not self.leads:
            stated = self.candidates.stated(self.content) if self.act == "announce" else NO_KEYS
            return Statement("announce", stated) if stated and not self._is_hedged(self.low[self.start :]) else None
        if self._is_denied_behind():
            return Statement("deny", self.keys)
        if self.act != "announce" and compiled("<verb>").match(self.verdict):
            return None  # "therefore B is …"
        if self.is_contrast and not self.act and not NO_WORD.fullmatch(self.content, self.end):
            return None  # "A is out, but B has its faults, too"
        if self.is_maybe or compiled("<alternative>").fullmatch(self.behind.strip(" ,")):
            return Statement("doubt", self.keys)  # "B or, less likely, C"
        group = self.group | self.keys if self._is_hedged(self.behind) else self.group
        return Statement("announce" if self.act == "announce" else "conclude", group)

    def _judged(self) -> Statement | None:
        """What a clause does that says of its candidates whether they are right."""
        if self._is_denied_behind():
            return Statement("deny", self.keys)
        if self._is_hedged(self.behind):
            return Statement("doubt", self.keys)
        if self._is_right():
            return Statement("announce", self.group)
        fits = compiled("<fits>").match(self.verdict) if self.candidates.concludes else None
        return Statement("conclude", self.group) if fits and not self._is_prose(fits) else None

    def _open(self) -> Statement:
        """What a clause does that announces nothing."""
        if self.correcting and len(self.keys) == 1 and self.candidates.concludes:
            return Statement("conclude", self.keys)
        if compiled("<unlikely>").search(self.low) and self.found[-1].by != "outcome":
            return Statement("mention")
        if self.answered and compiled("<check>").search(self.low):
            return Statement("mention", self.keys)
        if self._is_plan() and not self.is_outcome:
            return Statement("void")
        return Statement("assert", NO_KEYS if self.is_of_another else self.candidates.asserted(self.text))

    def _is_right(self) -> bool:
        """Whether a candidate is called right: "B is correct", "B – correct"; not "B सही नहीं", "A is right about"."""
        right = compiled("<right>").match(self.verdict)
        if right is None and self.candidates.concludes and VERDICT_MARK.match(self.behind):
            right = compiled("<verdict>").match(self.verdict)
        if right is None or PARTLY_RIGHT.match(self.verdict, right.end()) or self._is_prose(right):
            return False
        return compiled("<deny>").search(self.verdict, right.end(), right.end() + DENIED_RIGHT) is None

    def _is_prose(self, verdict: re.Match[str]) -> bool:
        """Whether a verdict on an option's text is only the verb of a sentence: "Rome is right next to the sea"."""
        phrase = verdict.group()
        is_verdict = NO_WORD.fullmatch(phrase) or compiled("<option_noun>").search(phrase)
        is_free = self.candidates.concludes and self.first.by != "letter" and not (self.act or self.continues)
        return is_free and not is_verdict and WORD_BEHIND.match(self.verdict, verdict.end()) is not None

    def _is_hedged(self, behind: str) -> bool:
        """Whether words before the candidate or behind it leave it open; an equation may speak of what could be."""
        cues, reach = ("<hedge>", REACH) if self.is_outcome else ("<hedge>|<alternative>", len(self.low))
        around = self.low[max(self.at - reach, 0) : self.at], behind[:reach]
        return any(map(compiled(cues).search, around))

    def _is_denied_behind(self) -> bool:
        denial = compiled("<deny>").search(self.behind[: REACH if self.is_outcome else BEHIND])
        if denial is None or self._is_right():
            return False
        at = self.end + denial.end()  # "12, not 13" denies 13
        return not any(at <= one.start <= at + REACH for one in self.found)


def is_filler(before: str) -> bool:
    """Whether a text has only words that may stand between an announcement and its answer."""
    return compiled(FILLER).fullmatch(before) is not None


def joined(content: str, found: Sequence[Candidate]) -> tuple[Keys, int]:
    """The keys of the first candidate and of those that are joined to it, "A or B", and where they end."""
    low, (_, end, keys, _) = lowered(content), found[0]
    for one in found[1:]:
        if not compiled(JOINING).fullmatch(low, end, one.start):
            break
        keys, end = keys | one.keys, one.end
    return keys, end


def rest_of(text: str, found: Sequence[Candidate]) -> str:
    """A text without its candidates and the words that join or name them."""
    rest, at = "", 0
    for one in found:
        rest, at = rest + text[at : one.start] + " ", max(at, one.end)
    low = lowered(rest + text[at:])
    return compiled("<filler>").sub(" ", compiled("<join>").sub(" ", low))


def keys_of(found: Sequence[Candidate]) -> Keys:
    """The keys of all candidates."""
    return NO_KEYS.union(*(one.keys for one in found))
