"""Finds where a text mentions the options of a question: by letter or label, by text, or by both."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.multiple_choice.options import OPTION_LETTERS, Options, plain_choice
from grpo_rewards.completion.text import unwrapped

__all__ = ["Mention", "OptionFinder", "finder"]

CIRCLED = {ord("Ⓐ") + i: ord("A") + i for i in range(26)} | {ord("ⓐ") + i: ord("a") + i for i in range(26)} | {
    0x1F150 + i: ord("A") + i for i in range(26)} | {0xFF21 + i: ord("A") + i for i in range(26)}
WORD = re.compile(r"-?(?:\d[\d.,]*\d|\d)|\\?[A-Za-z]+|[^\W\d_]+|[^\w\s]")
NAMING = re.compile(
    r"(?:option|choice|letter|alternative|statement|answer|antwort|réponse|opción|opção|opzione|alternativa|letra|lettera|lettre|"
    r"buchstabe|proposition|вариант|ответ|选项|选|項|보기|الخيار|विकल्प|şık|seçenek|odpowiedź|alternativet|đáp án|[(\[{（【]|是|为|：|:)\s?[\"'“‘(\[{（【]{0,2}$",
    re.IGNORECASE,
)
BEHIND_LETTER = re.compile(r"\s?[)\]}）】.:、．]|\s?[—–-]\s|[’']s\s|$|[,;!?，。]")
ARTICLE = re.compile(r"\s[a-z]")
VERB = re.compile(r"\s(?:is|was|are|and|or|but|because|since|as|must|has|seems|looks|fits|matches|wins|works|holds|it|does|would|will|can|could|may|might|rather|over|not|instead|to)\b")


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINAL = re.compile(
    rf"\b(?:the\s)?({'|'.join(ORDINALS)}|last|final)\s(?:option|choice|one|alternative|statement)\b|\b(?:option|choice)\s(?:no\.?\s|number\s)?(?=([0-9]{{1,2}}))\2(?![.\d])",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """An option in a text: which, where, and whether by its letter, its text or both."""

    start: int
    end: int
    keys: frozenset[int]
    by: str


class OptionFinder:
    """Finds the options of one question."""

    def __init__(self, options: Options) -> None:
        self.options = options
        names = options.labels or list(OPTION_LETTERS[: options.size])
        self.letters = {name: index for index, name in enumerate(names)}
        if not options.labels:
            self.letters |= {name.lower(): index for name, index in list(self.letters.items())}
        ordered = sorted(self.letters, key=len, reverse=True)
        self.letter = re.compile(
            r"(?<![A-Za-zÀ-ɏ0-9])(?<![\\'’$=+^*/-])(?<!\d\.)(?:" + "|".join(map(re.escape, ordered)) + r")(?![A-Za-zÀ-ɏ0-9]|['’](?!s\b)\w|[-^_=+*/]\w|\s?[=+^*<>/]\s?\w)"
            if names[0].isascii()
            else "(?:" + "|".join(map(re.escape, ordered)) + ")"
        )
        self.index: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        for index, text in enumerate(options.texts or ()):
            words = tuple(_words(plain_choice(text)))
            if words and not (len(words) == 1 and words[0].upper() in self.letters):
                self.index.setdefault(words[0], []).append((words, index))
        for entries in self.index.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def mentions(self, text: str, is_led: bool = False) -> list[Mention]:
        """The mentions in a clause; ``is_led``: whether it begins behind an announcement."""
        found = [*self._by_letter(text, is_led), *self._by_order(text), *self._by_text(text, is_led)]
        found.sort(key=lambda one: (one.start, -one.end))
        merged: list[Mention] = []
        for one in found:
            if merged and one.start < merged[-1].end:
                continue
            last = merged[-1] if merged else None
            if last is not None and last.by != one.by and _is_apposition(text[last.end : one.start]):
                merged[-1] = Mention(last.start, one.end, last.keys | one.keys, "both")
            else:
                merged.append(one)
        return merged

    def _by_letter(self, text: str, is_led: bool) -> list[Mention]:
        found = []
        for match in self.letter.finditer(text):
            before, behind = text[: match.start()], text[match.end() :]
            is_named = NAMING.search(before) is not None or (is_led and not before.strip(" \"'“‘«:*-—"))
            name = match.group()
            is_marked = re.match(r"\s?[)\]}）】]|[.:](?=\s|$)", behind) is not None
            if not is_named:
                if name.islower() and name.isascii() and not (is_marked and before.endswith(("(", "["))):
                    continue
                if name == "I" and not re.match(r"[.)\]]|\s*$", behind):
                    continue
                if name == "A" and ARTICLE.match(behind) and not VERB.match(behind):
                    continue
                if name.isdigit() and not (is_marked and before.endswith(("(", "["))):
                    continue
            elif name in ("A", "a") and ARTICLE.match(behind) and not VERB.match(behind) and not re.search(r"(?:option|choice|letter|[(\[])\s?$", before, re.I):
                continue
            end = match.end() + (re.match(r"\s?[)\]}）】.:、．]?", behind).end() if is_marked else 0)
            found.append(Mention(match.start(), end, frozenset([self.letters[name]]), "letter"))
        return found

    def _by_order(self, text: str) -> list[Mention]:
        """Options by their place: "the third option", "the last one"."""
        found = []
        for match in ORDINAL.finditer(text):
            name = (match.group(1) or match.group(2)).lower()
            index = self.options.size - 1 if name in ("last", "final") else ORDINALS.index(name) if name in ORDINALS else int(name) - 1
            if (self.options.texts is not None or name not in ("last", "final")) and 0 <= index < self.options.size and not self.options.labels:
                found.append(Mention(match.start(), match.end(), frozenset([index]), "letter"))
        return found

    def _by_text(self, text: str, is_led: bool) -> list[Mention]:
        if not self.index:
            return []
        words = [(match.group().casefold(), match.start(), match.end()) for match in WORD.finditer(text)]
        found, at = [], 0
        while at < len(words):
            for wanted, index in self.index.get(words[at][0], ()):
                if tuple(word for word, _, _ in words[at : at + len(wanted)]) == wanted and not _is_part(words, at, len(wanted)) and not (
                    len(wanted) == 1 and wanted[0] in ("yes", "no", "true", "false") and at + 1 < len(words) and words[at + 1][0].isalpha() and not is_led
                ):
                    same = frozenset(i for w, i in self.index[words[at][0]] if w == wanted)
                    found.append(Mention(words[at][1], words[at + len(wanted) - 1][2], same, "text"))
                    at += len(wanted) - 1
                    break
            at += 1
        return found


def _is_part(words: list[tuple[str, int, int]], at: int, size: int) -> bool:
    """Whether words that are a number are only a part of a formula."""
    first = words[at][0]
    if not any(map(str.isdigit, first)):
        return False
    before = words[at - 1][0] if at else ""
    behind = words[at + size][0] if at + size < len(words) else ""
    return before in tuple("+*/^×·÷−-") or behind in tuple("+*/^×·÷−=")


def _words(text: str) -> list[str]:
    return [match.group().casefold() for match in WORD.finditer(text)]


def _is_apposition(between: str) -> bool:
    return re.fullmatch(r"[\s\"'“”()\[\],:.—–=→-]{0,6}(?:(?:which is|that is|i\.e\.|namely|option|choice|answer|letter)\s[(\"'\[]{0,2})?", between) is not None


@lru_cache(maxsize=256)
def finder(texts: tuple[str, ...] | None, labels: tuple[str, ...]) -> OptionFinder:
    return OptionFinder(Options(texts, labels))


MATHS = re.compile(r"\$\s?(\(?[A-Za-z]\)?\.?)\s?\$|\\\(\s?(\(?[A-Za-z]\)?)\s?\\\)|\[\[([A-Za-z])\]\]")


def plain(text: str) -> str:
    """A text without LaTeX around its words and letters."""
    return MATHS.sub(lambda found: next(filter(None, found.groups())), unwrapped(text).translate(CIRCLED))
