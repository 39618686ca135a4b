"""Recognises the words that announce a final answer: "the answer is", ``A:``, "Die Antwort lautet", ``"answer":``.

Look here if an announced answer is not seen, or if words about an answer ("this answer is clear") are taken for one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES

__all__ = ["Announcement", "announcement", "is_announcing_title", "is_text_answer"]


class Announcement(NamedTuple):
    """Where an answer is announced.

    Attributes:
        before: the words before the announcement.
        content: what is announced, ``""`` if it comes with the next statement.
        is_final: whether the announcement says "final".
        is_open: whether it leaves the answer open: "the answer could be".
        is_partial: whether it is about a part of the task only.
        decimal_comma: whether it is in a language that writes a decimal comma.
    """

    before: str
    content: str
    is_final: bool = False
    is_open: bool = False
    is_partial: bool = False
    decimal_comma: bool = False


QUOTES = r"[\"'“”*\s\x1c]{0,4}"
ENGLISH = (
    rf"(?<![A-Za-z])(?:(?P<final>final)[\s_]?)?(?:answers?|ans(?=\s?[.:=])|(?:(?<=final )|(?<=^)"
    rf"|(?<=^\x1c))(?:result|solution)|(?:(?<=\bcorrect )|(?<=\bdesired )|(?<=\bright )|(?<=\brequired )"
    rf"|(?<=\brequested )|(?<=\bsought )|(?<=\bbest ))(?:option|choice|value|number|result|amount|quantity"
    rf"|letter|statement|alternative))(?P<asked>{QUOTES}"
    r"(?:\s?(?:[0-9]{1,2}|\(?[a-d]\))(?=\s?[\x1c:=]))?(?:\s(?:to|of|for|in|from|that|required|requested|we|you"
    r"|here|now|then|therefore|thus)\b[^.:=?!\n]{0,80}?)?)"
    rf"{QUOTES}(?:\b(?P<copula>is|are|was|equals?|becomes|comes (?:out )?to|works out to|turns out to be"
    rf"|(?P<open>(?:could|might|may|can)(?: (?:also|then|well))? be)|(?:should|must|would|will|has to"
    rf"|ought to)(?: \w{{1,12}})? be"
    rf"|(?P<denied>(?:is|was)n['’]t|can['’]t be|cannot be|could not be|won['’]t be))\b|['’]s\b|[:：=→]"
    rf"|\.(?=\s?[0-9])){QUOTES}:?"
)
LETTER = r"(?:^|(?<=\n))\s{0,8}\x1c?A\x1c?:"
FOREIGN_NOUN = (
    r"(?:r[ée]ponse|résultat final|antwort|(?:end)?ergebnis|lösung|respuesta|resultado final|resposta"
    r"|risposta|antwoord|ответ|odpowiedź|svar(?:et)?|cevap)"
)
FOREIGN = (
    rf"(?<![^\W\d_])(?P<foreign>{FOREIGN_NOUN})(?P<quality>(?:\s(?:finale?|correcte?|correct[ao]|exacte|richtige"
    rf"|richtig|à la question|auf die frage|a la pregunta|definitiva|final))?){QUOTES}"
    rf"(?:\b(?:est|ist|lautet|beträgt|wäre|es|é|è|is|är|er|равен|to)\b|\b(?P<french_denied>n['’]est pas)\b"
    rf"|[:：=—])\s?:?(?:\s?(?:la |l['’]|die |der |das )?(?:r[ée]ponse|option|lettre|antwort|buchstabe|opción|letra"
    rf"|lettera|risposta|opzione|opção)\s(?=[A-J]\b))?"
)
CHINESE = (
    r"(?:最终|最后|正确)?(?:答案|答え|正解|答(?=\s?[:：])|解答)(?:应该|应当|应|就|便)?\s?(?:(?:不(?P<chinese_denied>)(?=是|为))?(?:是|为|為"
    r"|等于)|[:：=]|は、?)\s?[:：]?|(?:(?<=^)|(?<=[故应该]))选择?\s?[:：]?\s?(?=[A-J](?![A-Za-z]))|(?:결과|정답|답)\s?[은는:：]"
    r"|(?:الجواب|الإجابة)\s?(?:هو|هي|:)|उत्तर\s?(?:है|:|=)"
)
HINT = re.compile(
    r"[Aa][Nn][Ss]|[Oo]ption|[Cc]hoice|[Ll]etter|[Nn]umber|[Qq]uantity|[Ss]tatement|[Aa]lternative|[Rr]esult"
    r"|[Ff]inal|FINAL|[A-Z]esult|RESULT|[A-Z]olution|[Tt]otal|[Vv]alue|[Aa]mount|[Oo]utput"
    r"|[Rr]espuesta|[Rr]esposta|[Rr]isposta"
    r"|[Aa]ntwo|[Rr]ep|[Ee]rgeb|[Ll]sung|[Rr]esultado|[Ss]var|[Cc]evap|A\s?:"
)
ANNOUNCES = re.compile(f"{ENGLISH}|{FOREIGN}|{CHINESE}|{LETTER}", re.IGNORECASE)
REVERSED = re.compile(
    r"\b(?P<verb>(?:is|are|must be|should be|would be)(?P<negation>n['’]t| not)?|may be|might be"
    r"|could be)\s(?:\w+ly |indeed |therefore |thus |hence |then )?(?:the|our|my|your)"
    r" (?:\w+ ){0,2}?(?:answer|(?<=correct )(?:option|choice|one|value|number|result)|(?<=right )(?:option"
    r"|choice|one|value|number|result))\b(?! (?:to|for|of) (?:part|the first))",
    re.IGNORECASE,
)
# Words before "answer" that make it another one than the answer to the task.
CHOSEN = re.compile(
    r"(?:\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Aa]lternative)\s"
    r"|^[\s\x1c,]{0,4})\(?(?P<option>[A-J])\)?[\s\x1c]{1,3}(?:is|must be|has to be)"
    r" (?:therefore |thus |indeed |clearly )?(?:the )?(?:correct|right|best)(?: (?:one|answer|option"
    r"|choice))?(?=[\s\x1c]{0,2}(?:[.,;!]|$))"
    r"|\b(?:I|we)(?: will|['’]ll| would|['’]d)? (?:choose|pick|select|go with|opt for) (?:option |choice |answer )?"
    r"\(?(?P<picked>[A-J])\)?(?=[\s\x1c.!]{0,3}$)"
)
OF_ANOTHER_KIND = re.compile(
    r"(?:\b(?:wrong|incorrect|possible|plausible|common|mistaken|false|tempting|other|another|alternative"
    r"|previous|first|initial|naive|intermediate"
    r"|partial|(?:verify|check|confirm|test|see|whether|that if|suppose)(?: that| if| whether)? (?:the|our|my)"
    r"|his|her|their|expected|bad|guessed|candidate|typical|no|any|an|sample|example|falsche|mauvaise|incorrecta"
    r"|posible|possibles?)|['’]s)\s(?:final |one )?$",
    re.IGNORECASE,
)
LOOKS_BACK = re.compile(
    r"\b(?:this|that|these|those|such|which|your|hope (?:this|the|my)|above)\s(?:final |one )?$", re.IGNORECASE
)
PARTIAL = re.compile(
    r"\b(?:parts?|first|second|sub|step|half|question [0-9]|case|other|another|\([a-d]\))\b", re.IGNORECASE
)
TITLE = re.compile(
    rf"\W{{0,6}}(?:(?:the|my|our|your) )?(?:(?:final|correct|short) )?(?:answers?|result"
    rf"|solution(?= ?[:：]$))\W{{0,4}}|\W{{0,6}}(?:{FOREIGN_NOUN}|最终答案|答案|答え)(?: finale?)?\W{{0,4}}",
    re.IGNORECASE,
)
LONGEST_TITLE = 60
TELLS_ABOUT = re.compile(
    r"[\s\x1c:]{0,4}(?:(?:now|therefore|thus|then|also|indeed|quite|very|really|more|so|not|still"
    r"|exactly) ){0,2}(?:correct|right|wrong|incorrect|clear|helpful|obvious|as follows|below|above|found"
    r"|obtained|given|"
    r"shown|derived|calculated|computed|simple|straightforward|easy|consistent|reasonable|verified|complete|final"
    r"|required|expected|known|unknown|in the|the same|what|that which|supposed|close)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def announcement(text: str) -> Announcement | None:
    """The last announcement of an answer in a clause; ``None`` if there is none.

    >>> announcement("Therefore, the final answer is 7.").content
    '7.'
    """
    if (chosen := CHOSEN.search(text)) is not None:
        return Announcement(text[: chosen.start()], chosen.group("option") or chosen.group("picked"))
    if text.isascii() and HINT.search(text) is None:
        return None
    back = REVERSED.search(text)
    if back is not None:
        verb = back.group("verb")
        content = f"not {text[: back.start()]}" if back.group("negation") else text[: back.start()]
        return Announcement("", content, is_open=verb.startswith(("may", "might", "could")))
    found = None
    for found in ANNOUNCES.finditer(text):  # noqa: B007  # the last one is wanted
        pass
    if found is None:
        return None
    before, content = text[: found.start()], text[found.end() :]
    denied = found.group("denied") or found.group("french_denied") or found.group("chinese_denied") is not None
    asked = found.group("asked") or ""
    return Announcement(
        before=before,
        content=f"not {content}" if denied else content,
        is_final="final" in found.group().casefold() or "最终" in found.group(),
        is_open=found.group("open") is not None,
        is_partial=PARTIAL.search(asked) is not None,
        decimal_comma=found.group("foreign") is not None,
    )


def is_of_another_kind(before: str) -> bool:
    """Whether the words before "answer" make it another one than the answer to the task: "a common wrong"."""
    return OF_ANOTHER_KIND.search(before) is not None


def is_announcing_title(text: str) -> bool:
    """Whether a line only says that the answer comes next: "Final Answer"."""
    return len(text) <= LONGEST_TITLE and TITLE.fullmatch(text) is not None


def is_text_answer(said: Announcement) -> bool:
    """Whether announced words may be the answer themselves, and do not only tell about it: "the answer is clear"."""
    return TELLS_ABOUT.match(said.content) is None and LOOKS_BACK.search(said.before) is None
