"""Hears a text statement by statement, and keeps the answer that stands: announced, asserted, doubted or taken back.

Look here if an answer survives that is taken back later, or if a check behind an answer replaces it.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from grpo_rewards.answers.finding.prose.announcements import (
    Announcement,
    announcement,
    is_announcing_title,
    is_of_another_kind,
)
from grpo_rewards.answers.finding.prose.asides import (
    asks_for_a_value,
    asks_indirectly,
    asks_whether_right,
    checks,
    concludes,
    is_closing,
    is_given,
    is_labelled,
    is_total,
    plans,
    supposes,
    tells_of_answer,
)
from grpo_rewards.answers.finding.prose.choosing import Choice, choose, is_circumstance, leading
from grpo_rewards.answers.finding.prose.contents import announced_answer, is_joined, is_reasoned
from grpo_rewards.answers.finding.prose.cut_off import breaks_off, stops_at_operation
from grpo_rewards.answers.finding.prose.no_answers import asks_back, is_mocking, is_notice, leaves_no_answer
from grpo_rewards.answers.finding.prose.number_spellings import digits_of, with_digits, writes_decimal_comma
from grpo_rewards.answers.finding.prose.quantities import quantities
from grpo_rewards.answers.finding.prose.stances import (
    cites_somebody,
    confirms,
    denies_number,
    doubts,
    gives_up,
    hedges,
    hedges_before,
    is_citation,
    takes_back,
)
from grpo_rewards.answers.finding.prose.statements import Clause, Statement

__all__ = ["Hearing", "Said"]

Said: TypeAlias = "tuple[str, str] | None"  # (source, answer)

CORRECTION_LEADS = re.compile(
    r"[\s,;:—–-]{0,4}(?:so |and |but )?(?:(?:it|that)(?:['’]s| is| should be| must be| was)|the (?:right"
    r"|correct) \w+ is)\b",
    re.IGNORECASE,
)
AFFIRMED = re.compile(r"\W{0,4}no\W{0,2}", re.IGNORECASE)
REJECTED = re.compile(r"\W{0,3}(?:wrong|incorrect|false|rejected|not)\b", re.IGNORECASE)
POINTS_BACK = re.compile(r"\W{0,4}(?:(?:and|so|thus|then),? )?(?:that|this|it|which)\W{0,4}", re.IGNORECASE)


class Hearing:
    """What has been said so far.

    Attributes:
        announced: (source, answer) that was announced as the answer and stands.
        asserted: (source, answer) that was only asserted last, and stands.
    """

    def __init__(self) -> None:
        self.announced: Said = None
        self.asserted: Said = None
        self._doubted: tuple[Said, Said] = (None, None)
        self._awaits: Announcement | None = None  # an answer was announced and comes next
        self._is_checking = False
        self._asked_whether_right = False
        self._is_correcting = False  # the sentence has taken something back
        self._announced_last = False  # the statement before announced an answer
        self._listed: list[str] = []  # the bare numbers of the list items or lines just before

    def hear(self, statement: Statement) -> None:
        """Takes in one statement."""
        text = statement.text
        if not text.strip(" \x1c*-—_.:|"):
            return
        announced_before, self._announced_last, self._is_correcting = self._announced_last, False, False
        asked, self._asked_whether_right = self._asked_whether_right, False
        if statement.is_question:
            self._hear_question(text)
        elif (is_closing(text) or is_notice(text)) and announcement(text) is None:
            return
        elif is_announcing_title(text):
            self._await(Announcement("", ""))
        elif statement.kind == "hashes":
            self._announce(Announcement("", text), "hashes", statement, announced_before)
        elif is_citation(text) or is_mocking(text) or (asked and AFFIRMED.fullmatch(text)):
            self._void()
        else:
            self._hear_clauses(statement, announced_before)

    def _hear_question(self, text: str) -> None:
        if is_closing(text):
            return
        self._asked_whether_right = asks_whether_right(text)
        self._awaits = None
        if asks_for_a_value(text) or asks_back(text):
            self.asserted = None  # what was said before is the task, repeated

    def _hear_clauses(self, statement: Statement, announced_before: bool) -> None:
        listed, self._listed = self._listed, []
        for index, clause in enumerate(statement.clauses):
            if cites_somebody(clause.text):
                continue
            if clause.link == "remark" or statement.kind == "remark":
                self._hear_remark(clause)
            elif clause.link == "if" or clause.link == "because":
                self._hear_condition(clause, index, statement.clauses[index - 1].text)
            elif clause.link == "not":
                self._deny(clause.text, beside_another=True)
            elif hedges_before(clause.text) and hedges(clause.text):
                self._void()
                break
            else:
                self._hear_clause(clause, statement, announced_before, listed)

    def _hear_remark(self, clause: Clause) -> None:
        said = announcement(clause.text)
        if said is not None and said.content.strip():
            self._announce(said, "phrase", Statement("remark", clause.text, [], False), False)
        elif clause.text.casefold().startswith("not "):
            self._deny(clause.text, beside_another=True)
        elif hedges_before(clause.text) or takes_back(clause.text) or REJECTED.match(clause.text):
            self._void()

    def _hear_condition(self, clause: Clause, index: int, before: str) -> None:
        """A condition behind an answer takes its certainty; a reason changes nothing, unless it denies."""
        if clause.link == "if" and index and self._announced_last and quantities(clause.text):
            self._void()
        elif clause.link == "if" and index and "would" in before and quantities(before):
            self.asserted = None  # "20 would be right if the jar were full"

    def _hear_clause(self, clause: Clause, statement: Statement, announced_before: bool, listed: list[str]) -> None:
        text = clause.text
        if leaves_no_answer(text, self.announced or self.asserted):
            self._void()
            return
        if behind := takes_back(text):
            self._void()
            text, self._is_correcting = text[behind:], True
        if behind := doubts(text):
            self._doubt()
            text, self._is_correcting = text[behind:], True
        elif confirms(text) and not self._is_correcting:
            self._confirm()
        said = announcement(text)
        if said is None and self._awaits is not None:
            said = self._awaits._replace(content=text)
        if said is None and clause.link == "so" and self._has_words_only and leading(text):
            said = Announcement("", text)  # "one half, i.e. 1/2"
        self._awaits = None
        if said is not None and not supposes(said.before) and self._is_meant(said):
            self._announce(said, "phrase", statement, announced_before)
        elif self._is_correcting and (found := CORRECTION_LEADS.match(text)):
            self._announce(Announcement("", text[found.end() :]), "phrase", statement, False)
        elif said is None or denies_number(text) or hedges(text):
            self._hear_assertion(clause._replace(text=text), statement, listed)

    def _is_meant(self, said: Announcement) -> bool:
        """Whether an announcement is one of the answer to the task."""
        return not (
            said.is_partial or denies_number(said.before) or hedges(said.before) or is_of_another_kind(said.before)
        )

    def _announce(self, said: Announcement, source: str, statement: Statement, announced_before: bool) -> None:
        """Takes in what is announced as the answer."""
        content = said.content.strip(" \t\r")
        if not content.strip(" \x1c.:*\"'"):
            self._await(said)
        elif POINTS_BACK.fullmatch(content):
            self.announced = ("phrase", self.asserted[1]) if self.asserted is not None else self.announced
        elif (breaks_off(content) or stops_at_operation(content)) and statement.text.endswith(content):
            self._void()
        elif denies_number(content) and quantities(content):
            self._deny(content)
            self._awaits = said._replace(content="")
        elif (answer := announced_answer(said, content, is_marked=source == "hashes")) != "":
            self._conclude(answer, source, said, announced_before)

    def _conclude(self, answer: str | None, source: str, said: Announcement, announced_before: bool) -> None:
        before = self.announced
        self._void()
        if answer is None:
            return
        if (
            announced_before
            and before is not None
            and source == "phrase"
            and not said.is_final
            and digits_of(before[1]) != digits_of(answer)
        ):
            answer = f"{before[1]}, {answer}"  # two answers side by side are a list
        self.announced = (source, answer)
        self._announced_last = True

    def _hear_assertion(self, clause: Clause, statement: Statement, listed: list[str]) -> None:
        """Takes in a clause that announces nothing."""
        text = clause.text
        found = quantities(text)
        if not found and (concludes(text) or clause.link == "so" or is_total(text) or len(text.split()) <= 2):
            text = with_digits(text)
            found = tuple(one for one in quantities(text) if not is_circumstance(text[: one.start]))
        if gives_up(text) or (found and tells_of_answer(text)):
            self.asserted = None
            return
        if (hedges_before(text) and (found or hedges(text))) or (found and hedges(text) and self._announced_last):
            self._void()
            return
        if asks_indirectly(text) and not found:
            self.asserted = None
        if not found or (statement.kind == "heading" and len(text.split()) > 3):
            self._is_checking = self._is_checking or (checks(text) and self._has_answer)
            return
        if checks(text) and (self._has_answer or not concludes(text)):
            self._is_checking = self._has_answer
            return
        if denies_number(text):
            self._deny(text)
            return
        if hedges(text):
            self.asserted = None
            return
        if breaks_off(statement.text):
            return
        follows = concludes(statement.text) or is_reasoned(statement)
        if not follows and is_given(text) and self.asserted is None:
            return
        if (
            supposes(text)
            or (asks_indirectly(text) and "=" not in text)
            or (self._is_checking and not (concludes(text) or clause.link == "so"))
        ):
            return
        self._assert(text, choose(text, writes_decimal_comma(statement.text)), clause, statement, listed)

    def _assert(self, text: str, choice: Choice, clause: Clause, statement: Statement, listed: list[str]) -> None:
        if choice.answer is None:
            self.asserted = None if choice.is_spoilt else self.asserted
            return
        is_plan = plans(text) and (choice.quantity is None or choice.quantity.kind != "equation")
        start, end = choice.quantity[:2] if choice.quantity else (0, len(text))
        # "The maximum is 48, and it is reached at x = 2."
        if is_plan or (self.asserted is not None and clause.link == "but" and is_circumstance(text[:start])):
            return
        tail = text[end:]
        if is_joined(tail):
            self.asserted = None
            return
        is_bare = not tail.strip(" \x1c.,;") and leading(text) == choice
        is_item = is_bare or (is_labelled(text) and not is_total(text))
        if is_item and clause.link == "" and "=" not in text:
            self._listed = [*listed, choice.answer] if choice.answer not in listed else listed
            choice = choice._replace(answer=", ".join(self._listed))
        self.asserted = ("last_number", str(choice.answer))
        self._is_checking = False

    @property
    def _has_words_only(self) -> bool:
        return self._announced_last and self.announced is not None and not any(map(str.isdigit, self.announced[1]))

    @property
    def _has_answer(self) -> bool:
        return self.announced is not None or self.asserted is not None

    def _await(self, said: Announcement) -> None:
        self._void()
        self._awaits = said

    def _void(self) -> None:
        self.announced = self.asserted = self._awaits = None
        self._doubted = (None, None)
        self._is_checking = False

    def _doubt(self) -> None:
        self._doubted, (self.announced, self.asserted) = (self.announced, self.asserted), (None, None)

    def _confirm(self) -> None:
        if self._doubted != (None, None) and self.announced is None:
            self.announced, self.asserted = self._doubted
        self._doubted = (None, None)

    def _deny(self, text: str, beside_another: bool = False) -> None:
        """Takes back what was announced if it is denied, and what was asserted unless only another one is denied."""
        denied = {digits_of(str(one.answer)) for one in quantities(text)}
        if self.asserted is not None and denied and (not beside_another or digits_of(self.asserted[1]) in denied):
            self.asserted = None
        if self.announced is not None and digits_of(self.announced[1]) in denied:
            self.announced = None
