"""Finds where a text names options, and writes one character in place of each, so that wording can be read around it.

Look here if an option's text is not seen as the option, or one that is named twice counts as two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grpo_rewards.answers.multiple_choice.mentions.letters import (
    ENDS_NAME,
    ENDS_NUMBER,
    LAST_OPTION,
    LETTERS_ONLY,
    LETTERS_OR_NUMBERS,
    NOUN,
    NUMBERS,
    STARTS_NAME,
    STARTS_NUMBER,
    around_letter,
)
from grpo_rewards.answers.multiple_choice.mentions.marks import ANY_OPTION, FIRST_MARK
from grpo_rewards.answers.multiple_choice.options import OPTION_LETTERS, PLAIN_LETTERS_AND_DIGITS, Options
from grpo_rewards.answers.multiple_choice.spelling import (
    plain_formula,
    undecorated,
    with_latin_letters,
    with_plain_numbers,
)
from grpo_rewards.completion.text import unwrapped, visible

__all__ = ["MentionFinder"]

ARTICLES_OF_OPTIONS = ("a", "an", "the")  # "the answer is nucleus" of "The nucleus"
ARTICLES_ABROAD = ("der", "die", "das", "den", "dem", "le", "la", "les", "el", "los", "las", "il")
MOST_OPTIONS = 256
PRIVATE = re.compile("[\U00013000-\U000131ff]")
LATEX_SPACE = re.compile(r"\\(?:[()\[\]]|[,;:! ]|q?quad\b|left\b|right\b)|~")
BEHIND_NOUN = re.compile(rf"(?<![^\W\d_])(?i:(?:the )?{NOUN})[(\[（]?({ANY_OPTION})")
# "E. coli", of which no option speaks
BINOMIAL = re.compile(
    r"(?<![A-Za-z])[A-Z]\. ((?:coli|aureus|pylori|difficile|elegans|albicans|subtilis|cerevisiae|botulinum|tetani"
    r"|perfringens|falciparum|vivax|anthracis|melanogaster|thaliana|pneumoniae|cholerae|monocytogenes|jejuni|sapiens"
    r"|burgdorferi|pallidum|gonorrhoeae|meningitidis|tuberculosis|gondii|pombe|typhi|erectus|rex)(?![^\W_]))"
)
# a name behind its initial, where nothing else is said
INITIAL = re.compile(
    r"(?<![A-Za-z])[A-Z]\. (?!(?:Because|Since|Yes|No|Correct|Right|Done|Thanks|Cheers|Final|Explanation|Reason|True"
    r"|False|Good|Great|Easy|Obviously|Clearly|Definitely|Hope|Sorry|Wait|Actually|Correction|Nope|Wrong|Hmm|Also)\b)"
    r"([A-Z][a-z]{1,20})(?=[.!]?\s*$)"
)
# "The boiling of water is option B": with its noun, an option is named as such, whatever the subject
IS_NOUN = re.compile(
    rf"(?:(?<= is)|(?<= are)|(?<= was)) (?i:(?:the )?(?:option|choice|letter|alternative"
    rf"|statement)(?: number)?)\s#?[(\[]?({ANY_OPTION})"
)
# "Air is mostly nitrogen (B)."
NAMED_BEHIND_TEXT = re.compile(
    rf"(?<=[^\W\d_]|:)(?<!\bfrom)(?<!\bthan)(?<!\bunlike)(?<!\bversus) ({ANY_OPTION}),? \(?\1\)?(?=[.!]?\s*$)"
)
# "It overturned Plessy (A)."
SAYS_MORE_OF_CHOICE = re.compile(
    r"\W{0,4}(?:it|he|she|they|this|that) "
    r"(?!is |are |was |were |must |can |has to |would |means |equals |becomes |gives )[a-z]{3}",
    re.IGNORECASE,
)
# "The ruling of 1954 was D. Brown v. Board": with its label and its text
NAMED_BY_BOTH = re.compile(
    rf"(?:(?<= is)|(?<= are)|(?<= was)|(?<= were)) ({ANY_OPTION})[.):]{{1,2}}\s\1(?=[.!]?\s*$|[.!]\s)"
)
# "1/2 is option E", where the option says 1/2
TEXT_IS_LABEL = re.compile(rf"({ANY_OPTION}) (?:is|was|corresponds to|matches|equals) \1(?=[.!]?\s*$|[.!]\s)")
LABEL_OF_TEXT = re.compile(r"(?<![^\W_])\(?([A-Za-z])[.):]{1,2}\s(?=(\S.{0,300}))")
BEGINS_TO_SAY = re.compile(r"\s[a-zà-ÿ]{2}")
LEAD_OF_LABEL = 12  # characters before a label that may announce it
LEADS_TO_LABEL = re.compile(r"(?:(?<![^\W\d_])(?:is|ist|est|es|é|è|er|är)|[:：是])\W{0,3}$", re.IGNORECASE)
# One option that is named twice, "B. Rome" or "Rome (option B)", is one mention.
SAME_TWICE = re.compile(rf"({ANY_OPTION})(?:[\s.)\]:,;=—–\"'“”*$({{}}\[-]|\\[()]|\b(?:the|type)(?!\w)){{0,6}}\1")
WRAPPED = re.compile(rf"(?:[\"'“”‘’`$«「『\[({{【《（]|\\[(\[]){{1,6}}\s?({ANY_OPTION})")
WRAPPED_BEHIND = re.compile(rf"({ANY_OPTION})(?:\\[)\]]|[)\]）]{{0,2}}[\"'“”‘’`$»」』}}】》]{{1,6}}[)\]）]{{0,2}})")


class MentionFinder:
    """Finds the options of one question in texts."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._by_name: dict[str, int | None] = {}
        self.has_numbers = any(label.isdigit() and label.isascii() for label in options.labels)
        self._may_be_circled = not re.search("[①-⑳]", " ".join([*options.labels, *options.folded]))
        bracketed = [f"({one})" for one in (*options.labels, *options.folded)]
        self._has_own_letters = any(with_latin_letters(one) != one for one in bracketed)
        self._words = frozenset(re.findall(r"[^\W\d_]+", " ".join(options.folded)))
        abroad = sum(one.startswith(tuple(f"{article} " for article in ARTICLES_ABROAD)) for one in options.folded)
        self._articles = ARTICLES_OF_OPTIONS + (ARTICLES_ABROAD if abroad > 1 else ())  # one "die out" has none
        names = "|".join(self._names())
        self._named = re.compile(names) if names else None
        # "option 3", also if 3 is the text of another one
        labels = "|".join(
            re.escape(label) for label in options.labels[:MOST_OPTIONS] if len(label) > 1 or label.isdigit()
        )
        self._labelled = (
            re.compile(rf"(?<![A-Za-z])(?i:option|choice)\s#?\(?({labels})(?![\w%]|[.,]\d)") if labels else None
        )

    def _names(self) -> Iterable[str]:
        """Patterns for the labels and the texts of the options, longest first."""
        texts = [(text, index, False) for index, text in enumerate(self._options.folded[:MOST_OPTIONS])]
        labels = [(label, index, True) for index, label in enumerate(self._options.labels[:MOST_OPTIONS])]
        texts += [(plain_formula(text), index, False) for text, index, _ in texts if re.search(r"[\\^]", text)]
        for name, index, is_label in sorted(texts + labels, key=lambda one: -len(one[0])):
            words = name.split()
            if not words or (len(name) == 1 and self._is_letter(name)):
                continue  # letters are looked for with more care
            words = self._without_article(words)
            key = " ".join(words).casefold()
            if self._by_name.get(key, index) != index:
                self._by_name[key] = None  # the label of one option is the text of another
                continue
            self._by_name.setdefault(key, index)
            written = r"\s+".join(map(re.escape, words))
            written = rf"(?:(?:{'|'.join(self._articles)})\s+)?{written}" if len(key) > 1 else written
            case = "" if len(name) == 1 else "?i:"
            written = written.upper() if len(name) == 1 and not is_label else written
            starts = STARTS_NUMBER if name[0].isdecimal() else STARTS_NAME
            ends = ENDS_NUMBER if name[-1].isdecimal() else ENDS_NAME
            if len(name) == 1 and is_label:
                starts, ends = around_letter(name) or (starts, ends)
            yield rf"{starts}({case}{written}){ends}" if case else rf"{starts}{written}{ends}"

    def _without_article(self, words: list[str]) -> list[str]:
        return words[1:] if len(words) > 1 and words[0] in self._articles else words

    def names_text(self, text: str, index: int) -> bool:
        """Whether a text names this option by its text, and not only by its label or letter."""
        said = " ".join(
            undecorated(unwrapped(visible(text)))
            .translate(PLAIN_LETTERS_AND_DIGITS)
            .casefold()
            .replace("$", "")
            .split()
        )
        words = self._without_article(self._options.folded[index].split() if self._options.texts else [])
        name = " ".join(words).replace("$", "")
        return bool(name) and (name in said or plain_formula(name) in said)

    def words_of(self, index: int) -> int:
        """How many words the text of an option has; 0 where the texts are not known."""
        return len(self._options.folded[index].split()) if self._options.texts else 0

    def labelled_with_text(self, line: str) -> list[int]:
        """The options that a line names by label and text, one beside the other: "B. Madrid", "C) Lyon"."""
        return [
            index
            for found in LABEL_OF_TEXT.finditer(unwrapped(visible(line)).replace("*", ""))
            if (index := self._at_letter(found.group(1))) is not None and self._begins_with(found.group(2), index)
        ]

    def _begins_with(self, text: str, index: int) -> bool:
        named = self._named.match(text) if self._named is not None else None
        return named is not None and self._mark_of_name(named) == chr(FIRST_MARK + index)

    def masked(self, line: str) -> str:
        """A line in which every mention of an option is one character, whose index ``index_of`` gives."""
        text = undecorated(unwrapped(visible(PRIVATE.sub("", line)))).translate(PLAIN_LETTERS_AND_DIGITS)
        if self._options.texts is not None:
            text = with_plain_numbers(text, everywhere=self.has_numbers) if self._may_be_circled else text
        text = text if self._has_own_letters else with_latin_letters(text)
        text = self._without_initials(text)
        text = LATEX_SPACE.sub(" ", text) if "\\" in text or "~" in text else text
        text = text if self._labelled is None else self._labelled.sub(self._mark_of_label, text)
        text = text if self._named is None else self._named.sub(self._mark_of_name, text)
        text = (LETTERS_ONLY if self._options.labels else LETTERS_OR_NUMBERS).sub(self._mark, text)
        if not re.search(ANY_OPTION, text):
            return text
        text = TEXT_IS_LABEL.sub(r"namely \1", text)
        text = NAMED_BY_BOTH.sub(r" namely \1", NAMED_BEHIND_TEXT.sub(_named_behind, text))
        text = BEHIND_NOUN.sub(r"\1", IS_NOUN.sub(r" namely \1", text))
        for _ in range(2):
            text = SAME_TWICE.sub(_once, WRAPPED_BEHIND.sub(r"\1", WRAPPED.sub(r" \1", text)))
        return text

    def _without_initials(self, text: str) -> str:
        """A text without the initials of names: "The answer is B. Smith." where no option speaks of a Smith."""

        def without(found: re.Match[str]) -> str:
            return found.group() if found.group(1).casefold() in self._words else found.group(1)

        text = BINOMIAL.sub(without, text)
        return text if self._options.texts is None else INITIAL.sub(without, text)

    def _mark_of_label(self, found: re.Match[str]) -> str:
        mark = chr(FIRST_MARK + self._options.labels.index(found.group(1)))
        return f"namely {mark}" if found.string.endswith((" is ", " are ", " was "), 0, found.start()) else mark

    def _mark_of_name(self, found: re.Match[str]) -> str:
        words = self._without_article(found.group().casefold().split())
        index = self._by_name.get(" ".join(words))
        return found.group() if index is None else chr(FIRST_MARK + index)

    def _mark(self, found: re.Match[str]) -> str:
        index = self._index(found)
        return found.group() if index is None or index >= MOST_OPTIONS else chr(FIRST_MARK + index)

    def _index(self, found: re.Match[str]) -> int | None:
        groups = {name: value for name, value in found.groupdict().items() if value}
        for name in ("number", "ordinal", "abroad", "digit", "chinese"):
            if name in groups:
                written = groups[name].casefold()
                if written in LAST_OPTION:
                    return self._options.size - 1 if self._options.texts is not None else None
                return self._at(NUMBERS[written] - 1, written) if written in NUMBERS else None
        if "closing" in groups:  # "the answer is c)", but not "f(x, c)"
            before = found.string[: found.start()]
            return self._at_letter(groups["closing"]) if before.count("(") <= before.count(")") else None
        for (
            name
        ) in "named upper bracketed closed subject first next said labelled other further listed guessed".split():
            if name in groups:
                return self._at_letter(groups[name])
        return None

    def _is_letter(self, name: str) -> bool:
        """Whether a label or text of one character is an option's letter."""
        return name.isascii() and name.isalpha() and self._options.of_letter(name) is not None

    def _at_letter(self, letter: str) -> int | None:
        """The index of the option with this letter, unless it is the label or text of another one."""
        index = self._options.of_letter(letter)
        named = [*self._options.labels, *self._options.folded]
        at = [
            place % max(self._options.size, 1) for place, one in enumerate(named) if one.casefold() == letter.casefold()
        ]
        return index if index is not None and all(one == index for one in at) else None

    def _at(self, index: int, written: str = "") -> int | None:
        """The index, if there is such an option and no other one is written like its number."""
        same = self._by_name.get(written, index)
        return index if 0 <= index < min(self._options.size, len(OPTION_LETTERS)) and same == index else None


def _named_behind(found: re.Match[str]) -> str:
    sentence = re.split(r"[.!?]\s", found.string[: found.start()])[-1]
    return f" {found.group(1)}" if SAYS_MORE_OF_CHOICE.match(sentence) else f" namely {found.group(1)}"


def _once(found: re.Match[str]) -> str:
    """One mention for two of the same option, unless the second begins what is said of it: "c): Cervantes wrote"."""
    behind = BEGINS_TO_SAY.match(found.string, found.end()) is not None
    announced = (
        re.search("[.—–)-]", found.group()) is not None
        and LEADS_TO_LABEL.search(found.string[max(found.start() - LEAD_OF_LABEL, 0) : found.start()]) is not None
    )
    begins = behind and (":" in found.group() or announced)
    return f"{found.group(1)}{'.' if announced else ':'} {found.group(1)}" if begins else found.group(1)
