"""The options of a question, and where a text mentions them: by letter or label, by text, by both, by place.

Look here if a gold is ``bad_answer``, if an option's value is not recognised in a box, or if a mention is missed.
"""

import numbers
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from grpo_rewards.answers.comparing.equality import GradingOptions
from grpo_rewards.answers.comparing.steps import compare
from grpo_rewards.answers.golds import gold_text
from grpo_rewards.completion.text import unwrapped, visible
from grpo_rewards.extraction.cues import compiled
from grpo_rewards.extraction.sentences import lowered
from grpo_rewards.extraction.statements import JOINING, Candidate, Candidates
from grpo_rewards.extraction.tracker import NO_KEYS, Keys

__all__ = [
    "OptionMentions",
    "Options",
    "choice_of_gold",
    "mentions_of",
    "plain_choice",
    "plain_text",
    "usual_labels",
    "with_own_text",
]

OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTION_GRADING = GradingOptions(unevaluated=True)  # an option may be written as a sum
# The flag "a" (ASCII) keeps the Kelvin sign from matching [a-z] when case is ignored.
GOLD_LETTER = re.compile(r"(?ai:(?:(?:option|choice|answer)\s*:?\s*)?[(\[]?([a-z])[)\].:]*)")
GOLD_LETTER_WITH_TEXT = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Za-z])[)\].:]*[\s–—:-]+(\S.*)", re.DOTALL)
DIGITS_FROM = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50)  # Arabic, Persian, Hindi, Bengali, Thai
PLAIN_LETTERS_AND_DIGITS = {0xFF01 + place: 0x21 + place for place in range(94)} | {
    start + digit: 0x30 + digit for start in DIGITS_FROM for digit in range(10)
}


# How options are labelled other than by Latin letters, in the order of the options.
SERIES = (
    "1 2 3 4 5 6 7 8 9 10", "I II III IV V VI VII VIII IX X", "А Б В Г Д Е", "Α Β Γ Δ Ε", "א ב ג ד ה", "أ ب ج د ه",
    "الف ب ج د", "क ख ग घ ङ", "अ ब स द", "ক খ গ ঘ ঙ", "ก ข ค ง จ", "가 나 다 라 마", "ㄱ ㄴ ㄷ ㄹ ㅁ", "ア イ ウ エ オ",
    "あ い う え お", "甲 乙 丙 丁 戊", "① ② ③ ④ ⑤",
)  # fmt: skip


class Options:
    """The options of a question.

    Attributes:
        texts: what the options say; ``None`` if it is not known.
        labels: how the options are called, if not by letters: ``["1", "2", "3"]``; else ``[]``.
        size: how many there may be.
    """

    def __init__(self, texts: Sequence[str] | None, labels: Sequence[str] = ()) -> None:
        self.texts = None if texts is None else list(texts)
        self.labels = list(labels)
        self.size = len(OPTION_LETTERS) if texts is None else len(texts)

    @cached_property
    def folded(self) -> list[str]:
        """The texts of the options as they are compared: without mark-up, in small letters."""
        return [_folded(one) for one in self.texts or ()]

    def of_text(self, text: str) -> int | None:
        """The index of the option with this text or value; ``None`` if there is none, or more than one."""
        if self.texts is None:
            return None
        plain = _folded(text)
        same = [index for index, one in enumerate(self.folded) if one == plain]
        is_letter = len(plain) == 1 and plain.isalpha() and self.of_letter(plain) is not None
        # The letter of an option says nothing of another one's value, and has a say beside a text.
        if not same and not is_letter and GOLD_LETTER_WITH_TEXT.fullmatch(plain_choice(text)) is None:
            same = [
                index for index, one in enumerate(self.texts) if compare(text, one, OPTION_GRADING).outcome == "correct"
            ]
        return same[0] if len(same) == 1 else None

    def of_letter(self, letter: str) -> int | None:
        """The index of the option with this letter; ``None`` if there are not so many."""
        index = OPTION_LETTERS.find(letter.upper()) if letter.isascii() else -1
        return index if 0 <= index < self.size else None


def usual_labels(answer: Any) -> list[str]:
    """The labels among which a gold stands whose options are not known; ``[]`` if it is a Latin letter, or no label.

    >>> usual_labels("(ウ)")[:3], usual_labels("IV")[:4], usual_labels("B")
    (['ア', 'イ', 'ウ'], ['I', 'II', 'III', 'IV'], [])
    """
    label = plain_choice(answer).strip("()[].: （）") if isinstance(answer, str) else ""
    is_latin = len(label) == 1 and label.isascii() and label.isalpha()
    return next((one.split() for one in SERIES if not is_latin and label in one.split()), [])


def choice_of_gold(answer: Any, options: Options) -> int | None:
    """The index of the right option; ``None`` if the answer names none.

    An answer is a label, a letter (also as ``(B)`` or ``B.``), an index from 0 as an int, or the text of an option.

    >>> two = Options(["yes", "no"])
    >>> choice_of_gold("(B)", Options(None)), choice_of_gold(1, two), choice_of_gold("no", two)
    (1, 1, 1)
    """
    is_number = isinstance(answer, numbers.Number) and not isinstance(answer, bool)
    label = gold_text(answer) if is_number else str(answer)  # Python refuses to write out an int of thousands of digits
    if options.texts is None and label is not None:
        label = plain_choice(label).strip("()[].: （）")
    if label in options.labels:
        return options.labels.index(label)
    if is_number and isinstance(answer, numbers.Integral):
        return int(answer) if 0 <= int(answer) < options.size else None
    text = gold_text(answer)
    if text is None:
        return None
    by_text = options.of_text(text)
    is_letter = len(text) == 1 and text.isupper() and text not in (options.texts or ())
    if by_text is not None and not is_letter:  # "A" is the first option, also where another one says "a"
        return by_text
    return with_own_text(plain_choice(text), options)


def plain_choice(text: str) -> str:
    """A text without mark-up and quotation marks around it, with plain letters and digits."""
    plain = unwrapped(visible(text)).translate(PLAIN_LETTERS_AND_DIGITS)
    return plain.strip(" \t\r\n*$_`\"'.,;").removeprefix("\\(").removesuffix("\\)").strip()


def with_own_text(text: str, options: Options) -> int | None:
    """The option of ``B``, ``(B)`` or ``B. Rome``; ``None`` if the letter and the text name different options."""
    alone = GOLD_LETTER.fullmatch(text)
    if alone is not None:
        return options.of_letter(alone[1])
    both = GOLD_LETTER_WITH_TEXT.fullmatch(text)
    if both is None or (options.texts is None and text[1:2].isspace()):
        return None  # "A plant"
    index, named = options.of_letter(both[1]), options.of_text(both[2])
    return index if options.texts is None or named == index else None


def _folded(text: Any) -> str:
    return " ".join(plain_choice(str(text)).casefold().split())


PLAIN_LETTERS = {0x2212: "-"} | {
    start + place: 65 + place for start in (0x24B6, 0x24D0, 0x1F150, 0xFF21) for place in range(26)
}
LATEX_LETTER = re.compile(r"\$\s?(\(?[A-Za-z]\)?\.?)\s?\$|\\\(\s?(\(?[A-Za-z]\)?)\s?\\\)|\[\[([A-Za-z])\]\]")
WORD = re.compile(r"-?(?:\d[\d.,]*\d|\d)|\\?[A-Za-z]+|[^\W\d_]+|[^\w\s]")
MARKED = re.compile(r"\s?[)\]}）】]|[.:](?=\s|$)|[：、．]")
ARTICLE = re.compile(r"\s[a-z]")
NUMERAL_BEHIND = re.compile(r"\sonly\b|\sand\sI{2,3}\b")  # behind I, which is a numeral then: "(D) I and II only"
OPENS = re.compile(r"[(\[{（【:：]\s?[\"'“‘(\[{（【]{0,2}$")
# What stands before an option that something is said to be: "The capital is Rome", "v = 20 m/s".
EQUATING = r"(?:(?<!\w)(?:<link>)|=)\s?(?:(?:<filler>)\s)?[\s\"'“”‘’«»「$(]*$"
SUBJECT = "<verb>|<join>|<because>|<but>|<instead_of>"  # behind a name, and no article: "A is", "A and"
NOUN_BEFORE = r"(?:<option_noun>)\s?[\"'“‘(\[{（【*]{0,2}$"  # "option" and the like before a letter
FORMULA_SIGNS = frozenset("+*/^×·÷−-")
ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
OPTION_BY_PLACE = re.compile(
    rf"\b(?:the\s)?({'|'.join(ORDINAL_WORDS)}|last|final)\s(?:option|choice|one|alternative|statement)\b"
    r"|\b(?:option|choice)\s(?:no\.?\s|number\s)?([0-9]{1,2})(?![.\d])|(?<!\d)([0-9])번",
    re.IGNORECASE,
)
APPOSITION = re.compile(
    r"[\s\"'“”()\[\],:.—–=→-]{0,6}(?:(?:which is|that is|i\.e\.|namely|option|choice|answer|letter)\s[(\"'\[]{0,2})?"
)
ALL_OR_NONE = re.compile(r"[\s().:,—–-]{0,4}(?:none|all|both|neither) of (?:the|these|those|them)(?: \w{1,12})?")
ALONE_WORDS = frozenset(("yes", "no", "true", "false"))  # as options; in a sentence they mean something else


class OptionMentions(Candidates):
    """Finds the mentions of the options of one question in a text."""

    concludes = True

    def __init__(self, options: Options) -> None:
        self.options = options
        names = options.labels or list(OPTION_LETTERS[: options.size])
        self.letters = {name: index for index, name in enumerate(names)}
        if not options.labels:
            self.letters |= {name.lower(): index for name, index in list(self.letters.items())}
        every = "|".join(re.escape(name) for name in sorted(self.letters, key=len, reverse=True))
        self._letter = re.compile(
            rf"(?<![A-Za-zÀ-ɏ0-9])(?<![\\'’$=+^*/-])(?<!\d\.)(?:{every})"
            r"(?![A-Za-zÀ-ɏ0-9]|['’](?!s\b)\w|[-^_=+*/]\w|\s?[=+^*<>/]\s?\w|\.[a-z]\.)"
            if names[0].isascii()
            else f"(?:{every})"
        )
        self._texts: dict[str, list[tuple[list[str], int]]] = {}  # by their first word, the longest first
        for index, text in sorted(enumerate(options.texts or ()), key=lambda one: -len(one[1])):
            words = [word.casefold() for word in WORD.findall(plain_choice(text))]
            if words and not (len(words) == 1 and words[0].upper() in self.letters):
                self._texts.setdefault(words[0], []).append((words, index))

    def find(self, text: str, is_led: bool) -> list[Candidate]:
        """The mentions in a clause; ``is_led``: whether an announcement stands before it."""
        every = [*self._by_letter(text, is_led), *self._by_place(text), *self._by_text(text, is_led)]
        found: list[Candidate] = []
        for one in sorted(every, key=lambda one: (one.start, -one.end)):
            last = found[-1] if found else Candidate(0, 0, NO_KEYS)
            if one.start < last.end:
                continue
            if found and last.by != one.by and APPOSITION.fullmatch(text, last.end, one.start):
                found[-1] = Candidate(last.start, one.end, last.keys | one.keys, "both")
            else:
                found.append(one)
        return found

    def asserted(self, clause: str) -> Keys:
        """The option that a clause names by its letter and its text: "The capital is Rome (B)"."""
        found = self.find(clause, False)
        if len(found) != 1 or len(found[0].keys) != 1:
            return NO_KEYS
        start, _, keys, by = found[0]
        is_equated = by == "both" or (by == "text" and compiled(EQUATING).search(lowered(clause[:start])) is not None)
        return keys if is_equated else NO_KEYS

    def _by_letter(self, text: str, is_led: bool) -> list[Candidate]:
        found: list[Candidate] = []
        low = lowered(text)
        for match in self._letter.finditer(text):
            name, (start, end) = match.group(), match.span()
            opens = OPENS.search(text, max(start - 6, 0), start)
            noun = compiled(NOUN_BEFORE).search(low[max(start - 20, 0) : start])
            is_next = found and compiled(JOINING).fullmatch(low, found[-1].end, start)
            is_named = opens or noun or (is_led and (is_next or not text[:start].strip(" \"'“‘«:*-—")))
            marked = MARKED.match(text, end)
            is_word = name in ("A", "a", "I") and ARTICLE.match(text, end) and not compiled(SUBJECT).match(low, end + 1)
            if is_word and (name == "I" or not (noun or opens)):
                continue
            is_plain = name.isupper() if name.isascii() and name.isalpha() else not name.isascii()
            is_pronoun = name == "I" and not marked and text[end:].strip()
            is_numeral = (
                is_next and name == "I" and text[found[-1].end : start].isspace() and NUMERAL_BEHIND.match(text, end)
            )
            if is_numeral or (not is_named and (is_pronoun or not is_plain)):
                continue
            end = marked.end() if marked else end
            all_or_none = ALL_OR_NONE.match(low, end)
            end = all_or_none.end() if all_or_none else end
            found.append(Candidate(start, end, frozenset([self.letters[name]]), "letter"))
        return found

    def _by_place(self, text: str) -> list[Candidate]:
        """Options by their place: "the third option", "the last one"."""
        found = []
        for match in OPTION_BY_PLACE.finditer(text) if not self.options.labels else ():
            word, number = (match[1] or "").lower(), match[2] or match[3]
            is_last = word in ("last", "final")
            index = int(number) - 1 if number else self.options.size - 1 if is_last else ORDINAL_WORDS.index(word)
            if 0 <= index < self.options.size and not (is_last and self.options.texts is None):
                found.append(Candidate(*match.span(), frozenset([index]), "letter"))
        return found

    def _by_text(self, text: str, is_led: bool) -> list[Candidate]:
        if not self._texts:
            return []
        words = [(match.group().casefold(), *match.span()) for match in WORD.finditer(text)]
        found, at = [], 0
        while at < len(words):
            size, keys = self._option_at(words, at, is_led)
            if size:
                found.append(Candidate(words[at][1], words[at + size - 1][2], keys, "text"))
            at += size or 1
        return found

    def _option_at(self, words: Sequence[tuple[str, int, int]], at: int, is_led: bool) -> tuple[int, Keys]:
        """How many words the longest option's text has that begins with this word, and the options that have it."""
        first = words[at][0]
        for wanted, _ in self._texts.get(first, ()):
            size = len(wanted)
            behind = words[at + size][0] if at + size < len(words) else ""
            if [word for word, _, _ in words[at : at + size]] != wanted:
                continue
            joins = at > 1 and words[at - 1][0] in FORMULA_SIGNS and words[at - 2][0][-1].isdigit()
            is_part = first[-1].isdigit() and (joins or behind in FORMULA_SIGNS | {"="})
            if is_part or (size == 1 and first in ALONE_WORDS and behind.isalpha() and not is_led):
                continue
            return size, frozenset(index for other, index in self._texts[first] if other == wanted)
        return 0, NO_KEYS


@lru_cache(maxsize=256)
def mentions_of(texts: tuple[str, ...] | None, labels: tuple[str, ...]) -> OptionMentions:
    """The finder of one question, of which a batch has many completions."""
    return OptionMentions(Options(texts, labels))


def plain_text(text: str) -> str:
    """A text without LaTeX around its words and letters, with plain letters in place of those in circles."""
    return LATEX_LETTER.sub(lambda found: next(filter(None, found.groups())), unwrapped(text).translate(PLAIN_LETTERS))
