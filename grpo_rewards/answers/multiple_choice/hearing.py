"""Hears a text statement by statement, and keeps the choice that stands at its end.

Look here if a choice survives that is taken back later, or if one of several is paid.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.stances import cites_somebody
from grpo_rewards.answers.multiple_choice.announcing import announces_next
from grpo_rewards.answers.multiple_choice.choosing import Chosen, chosen_in
from grpo_rewards.answers.multiple_choice.mentions import (
    ANY_OPTION,
    REJECTED_OPTION,
    MentionFinder,
    index_of,
    options_in,
    unmasked,
)
from grpo_rewards.answers.multiple_choice.polarity import calls_wrong, concluded, judged
from grpo_rewards.answers.multiple_choice.rejecting import (
    ANY_MARK,
    begins_with_doubt,
    leaves_no_choice,
    reconsiders,
    with_rejected,
    without_reasons,
)
from grpo_rewards.answers.multiple_choice.sentences import Told, clauses_of, told
from grpo_rewards.answers.multiple_choice.views import is_not_own_view

__all__ = ["ChoiceHearing"]

RANK = {"alone": 0, "asserted": 1, "announced": 2}
EXPLAINING = re.compile(
    r"\W{0,4}(?:explanation|reason(?:ing|s)?|why|because|rationale|justification|analysis|note|details|here is why"
    r"|here['’]s why|discussion|提示|解析|解释|分析|理由|erklärung|begründung|explication|explicación"
    r"|解説)(?![^\W\d_])",
    re.IGNORECASE,
)
AGREES = re.compile(
    r"\W{0,4}(?:yes|yep|yeah|correct|right|indeed|exactly|it is|ja|oui|sí|是的?|对)(?![^\W\d_])", re.IGNORECASE
)
# what may be said behind "B is right, but …" and leaves it right
BESIDES = re.compile(
    r"[\U00013100]|(?<![^\W\d_])(?:others?|rest|remaining|none|neither|not)(?![^\W\d_])|n['’]t\b", re.IGNORECASE
)
# "A is true but irrelevant: it doesn't address the question"
IRRELEVANT = re.compile(
    r"\W{0,4}(?:(?:it|that|this|is|['’]s|completely|quite|entirely|totally|simply)\s){0,3}(?:irrelevant"
    r"|off[- ]topic|incomplete|misleading"
    r"|beside the point|(?:not|n['’]t) (?:relevant|what|an answer|the answer|answer|address|enough|to the point)"
    r"|(?:does not|doesn['’]t|do not|don['’]t|did not|didn['’]t|fails to) (?:answer|address|explain|respond))",
    re.IGNORECASE,
)
# "Which of these is correct? B is."
WHICH = re.compile(r"(?<![^\W\d_])(?:which|what|who)(?![^\W\d_])[^\U00013000-\U000130ff]{0,300}$", re.IGNORECASE)
IT_IS = re.compile(rf"\W{{0,4}}({ANY_OPTION})[)\]]? (?:is|does|did|was|has|can|would|will)\W{{0,3}}", re.IGNORECASE)
LEADING_NO = re.compile(r"^\W{0,4}(?:no|nope|nein|non)[,.!—\s]{1,4}", re.IGNORECASE)
# "Had the question asked for Italy, …"
UNREAL = re.compile(r"\W{0,4}(?:had|were|should (?:the|it|we|you)|wäre|hätte|sollte)(?![^\W\d_])", re.IGNORECASE)
# "X was taken in the laboratory of Franklin, so she is the correct answer"
ITS_THE_ANSWER = re.compile(
    r"\W{0,4}(?:and\s|so\s|therefore,?\s|thus,?\s){0,2}(?:(?:it|he|she|that|this|they|which|these|those)(?:['’]s"
    r"|\s(?:is|are|was|must be|has to be))(?:\s(?:clearly|definitely|therefore|thus|indeed|surely|then))?"
    r"\s(?:the|my|our|your)\s(?:(?:correct|right|best|only|final|single|most \w{2,15})\s){0,3}(?:answer|choice|option)"
    r"(?=\W{0,4}$|,|\s(?:here|rather|instead|because|since|to (?:this|the)|for (?:this|the)|we|i)(?![^\W\d_]))"
    r"|(?:it|he|she|that|this|they|which)(?:['’]s|\s(?:is|are|was|must be))\s(?:the\s(?:\w{2,20}\s){1,2}"
    r"(?:being |we are |we're )?"
    r"(?:asked (?:about|for)|in question|looking for|needed here)|what (?:the question asks(?: for)?|(?:is"
    r"|was)(?: being)? asked"
    r"(?: for| about)?|we (?:want|need|are looking for)))(?=\W{0,4}$|,)"
    r"|(?:das|dies) ist (?:also |somit |daher )?(?:die|meine) (?:richtige |korrekte )?(?:antwort|lösung)"
    r"|c['’]est (?:donc )?la (?:bonne réponse|réponse(?: correcte)?)|(?:eso|esa|ese|esta|este) es (?:pues )?la"
    r" (?:respuesta|opción)(?: correcta)?"
    r"|(?:isso|essa|esse|esta|este) é (?:portanto )?a (?:resposta|opção)(?: correta| certa)?"
    r"|(?:questa|questo) è (?:quindi )?la (?:risposta|soluzione)(?: corretta| giusta)?|这就?是(?:正确)?答案)",
    re.IGNORECASE,
)
# "I can't give medical advice, but the expected answer is C"
HOWEVER = re.compile(r"[,;—–]\s?(?:but|however|still|yet|aber|mais|pero|ma|mas|но|但)(?![^\W\d_])", re.IGNORECASE)
BEHIND_CITED = re.compile(r"[;；]|,\s(?:but|however|yet)\s")
QUOTE = re.compile("[\"“”«»「」]|(?<![^\\W_])['‘]")
AND_NOT = re.compile(r"\W{0,3}(?:and\s)?(?:not|nicht|no|non|pas|não)\s.*", re.IGNORECASE | re.DOTALL)
BARE_CORRECTION = re.compile(
    rf"\W{{0,4}}(?:(?:it|that|this|so|answer|rather|is|['’]s|must|should|be|the|option|choice|i mean|make that"
    rf"|actually|no|to|correct|choose|pick|go with|say|with|das|es|ist|c['’]est|est|应该?是?|选|是|改为"
    rf"|改选)[\s,:]{{0,2}}){{0,6}}({ANY_OPTION})\W{{0,6}}$",
    re.IGNORECASE,
)


class ChoiceHearing:
    """What has been chosen so far.

    Attributes:
        chosen: the choice that stands; ``None`` if none does.
        is_several: whether different options were chosen side by side.
        words: the statement that chose.
    """

    def __init__(self) -> None:
        self.chosen: Chosen | None = None
        self.is_several = False
        self.words = ""
        self._doubted: Chosen | None = None
        self._is_correcting = False
        self._awaits = False
        self._asked: Chosen | None = None
        self._asked_of_option = False
        self._is_explaining = False
        self._which = False
        self._named: int | None = None  # the only option of the clause before
        self._listed: int | None = None  # the option of which the last line spoke that began with one

    def hear(self, text: str, finder: MentionFinder) -> None:
        """Takes in a text."""
        before = None
        for statement in told(text, finder):
            if statement != before:  # what is said again at once says nothing new
                self._hear(statement)
            before = statement

    def _hear(self, statement: Told) -> None:
        text = statement.text
        if statement.is_question:
            self._hear_question(text)
            return
        asked, self._asked = self._asked, None
        asked_of_option, self._asked_of_option = self._asked_of_option, False
        which, self._which = self._which, False
        if which and (it_is := IT_IS.fullmatch(text)):
            self._choose(Chosen(frozenset({index_of(it_is.group(1))}), "asserted"), statement)
            return
        if asked is not None and AGREES.match(text) and not re.search(ANY_OPTION, text):
            self._choose(asked._replace(strength="asserted"), statement)
            return
        if announces_next(text):
            self._awaits = True
            return
        if EXPLAINING.match(text) and self.chosen is not None:
            self._is_explaining = True
        if begins_with_doubt(text) and self.chosen is not None:
            self._void()
            return
        if not asked_of_option and (behind := reconsiders(with_rejected(text))):
            self._reconsider()
            text = LEADING_NO.sub("", with_rejected(text)[behind:])
        if leaves_no_choice(text):
            self._void()
            text = text[however.end() :] if (however := HOWEVER.search(text)) else ""
            if not text or leaves_no_choice(text):
                return
        if cites_somebody(text):  # "Your friend says C, but is mistaken; the correct option is B"
            text = "" if QUOTE.search(text) else BEHIND_CITED.split(text)[-1]
        if not cites_somebody(text) and not UNREAL.match(text):
            self._hear_clauses(text, statement)

    def _hear_question(self, text: str) -> None:
        named = options_in(with_rejected(text))
        if begins_with_doubt(text):
            self._void()
        self._asked_of_option = re.search(ANY_OPTION, text) is not None
        self._asked = Chosen(frozenset(named), "asserted") if len(named) == 1 else None
        self._awaits = False
        self._which = WHICH.search(text) is not None and not is_not_own_view(text)

    def _hear_clauses(self, text: str, statement: Told) -> None:
        awaits, self._awaits = self._awaits, False
        if not re.search(ANY_MARK, text):
            self._hear_without_options(text, statement)
            return
        if calls_wrong(statement.text):
            return  # "the only one that fails is B"
        asserts = chooses = False
        listed, self._listed = self._listed, _listed_in(text) if statement.is_first else self._listed
        for clause, joined in clauses_of(with_rejected(text)):
            if joined and (behind := reconsiders(clause)):
                self._reconsider()
                clause = clause[behind:]
            said = None
            if re.search(ANY_MARK, clause):
                self._named = _named_in(clause)
                said = chosen_in(without_reasons(clause), joined == "so")
            else:
                chooses = self._hear_reference(clause, joined, statement) or chooses
            if said is None and self._is_correcting and (bare := BARE_CORRECTION.match(clause)):
                said = Chosen(frozenset(options_in(bare.group(1))), "announced")
            if said is not None and (awaits or self._is_correcting) and said.strength == "alone":
                said = said._replace(strength="announced" if awaits else "asserted")
            if (
                said is not None
                and said.strength == "alone"
                and (statement.is_row or statement.is_listed or _is_next(listed, self._listed))
            ):
                continue  # of a table or a list of all options
            if (
                said is None
                and asserts
                and joined == "but"
                and (IRRELEVANT.match(clause) or not BESIDES.search(clause))
            ):
                self._void()  # "B is true but irrelevant"
            asserts = said is not None and said.strength == "asserted"
            if said is not None:
                self._listed = self._listed if _is_next(listed, self._listed) else None
                chooses = True
                self._choose(said, statement)
        if chooses or cites_somebody(statement.text):
            return
        judgement = judged(statement.text) or concluded(statement.text)
        if judgement is not None:
            said = Chosen(frozenset({judgement.option}), "announced" if judgement.is_announced else "asserted")
            self._choose(said, statement)

    def _hear_without_options(self, text: str, statement: Told) -> None:
        """Takes in a statement that names no option: it may take a choice back, or be about the option named last."""
        self._listed = None if statement.is_first else self._listed
        for clause, joined in clauses_of(text):
            if joined and reconsiders(clause):
                self._reconsider()
            self._hear_reference(clause, joined, statement)
            self._named = None

    def _hear_reference(self, clause: str, joined: str, statement: Told) -> bool:
        """Takes in that the option named last is the answer: "so she is the correct answer"."""
        said = ITS_THE_ANSWER.match(clause) if self._named is not None and joined != "but" else None
        if said is None or self._named is None or is_not_own_view(AND_NOT.sub("", clause[said.end() :])):
            return False
        self._choose(Chosen(frozenset({self._named}), "announced"), statement)
        return True

    def _choose(self, said: Chosen, statement: Told) -> None:
        """Takes in a choice. Another one replaces it only if it is firmer, or if it was taken back."""
        before = self.chosen
        if not said.options:
            self._void()
            return
        if len(said.options) > 1:
            if before is None or said.strength != "alone" or RANK[before.strength] == 0:
                self._set(said, statement, is_several=True)
        elif before is None or self._is_correcting or said.is_final:
            self._set(said, statement)
        elif before.options == said.options and not self.is_several:
            self._set(said if RANK[said.strength] > RANK[before.strength] else before, statement)
        elif RANK[said.strength] > RANK[before.strength] and before.strength != "announced":
            self._set(said, statement)
        elif (
            said.strength == "alone"
            and (statement.is_followed or self._is_explaining)
            and before.strength == "announced"
        ):
            return  # "A. Paris is in France.", which explains
        else:
            self._set(before, statement, is_several=True)

    def _set(self, said: Chosen, statement: Told, is_several: bool = False) -> None:
        self.chosen, self.is_several, self.words = said, is_several, unmasked(statement.text)
        self._is_correcting, self._doubted = False, None

    def _reconsider(self) -> None:
        self._doubted, self.chosen, self.is_several = self.chosen, None, False
        self._is_correcting = True

    def _void(self) -> None:
        self.chosen = self._doubted = None
        self.is_several = self._awaits = self._is_correcting = False


def _listed_in(text: str) -> int | None:
    """The option with which a statement begins."""
    found = re.match(ANY_OPTION, text)
    return None if found is None else index_of(found.group())


def _named_in(clause: str) -> int | None:
    """The only option that a clause names, unless it denies, doubts or cites what it says of it."""
    named = options_in(clause)
    is_said = len(named) == 1 and REJECTED_OPTION not in clause and not is_not_own_view(clause)
    return named.pop() if is_said else None


def _is_next(listed: int | None, option: int | None) -> bool:
    """Whether an option stands behind the one of the line before it, of which that line only spoke."""
    return listed is not None and option == listed + 1
