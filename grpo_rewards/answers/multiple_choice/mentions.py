"""Finds where a text names options, and writes one character in place of each, so that wording can be read around it.

Look here if a letter is not seen as an option ("(b)", "Option 3"), or a word is ("A train", "I think", "20 °C").
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grpo_rewards.answers.multiple_choice.options import OPTION_LETTERS, PLAIN_LETTERS_AND_DIGITS, Options
from grpo_rewards.answers.multiple_choice.spelling import (
    plain_formula,
    undecorated,
    with_latin_letters,
    with_plain_numbers,
)
from grpo_rewards.completion.text import unwrapped, visible

__all__ = ["ANY_OPTION", "REJECTED_OPTION", "MentionFinder", "index_of", "options_in", "unmasked"]

ARTICLES_OF_OPTIONS = ("a", "an", "the")  # "the answer is nucleus" of "The nucleus"
ARTICLES_ABROAD = ("der", "die", "das", "den", "dem", "le", "la", "les", "el", "los", "las", "il")
FIRST_MARK = 0x13000  # hieroglyphs: letters, so that they count as words; those of a text are removed
ANY_OPTION = "[\U00013000-\U000130ff]"
REJECTED_OPTION = "\U00013100"
MOST_OPTIONS = 256
PRIVATE = re.compile("[\U00013000-\U000131ff]")
LETTER_BEFORE = r"(?<![A-Za-z0-9_À-ɏͰ-ϿЀ-ӿ°\\^])(?<![A-Za-z0-9][-‐–&'’])(?<!\d )(?<!° )"
LETTER_BEHIND = (
    r"(?![A-Za-z0-9_À-ɏͰ-ϿЀ-ӿ+#*^]|['’](?!(?:d[iıuü]r|t[iıuü]r)(?![^\W\d_]))(?=\w)|[-‐–](?=\w)|\.[A-Za-z]\.|&[A-Z]|\s?[=<>≤≥≠≈×·⋅]|\s[+*^]\s"
    r"|\s[−-]\s(?=[A-Z](?![A-Za-z]))|\s?\([a-z]\))"
)
# What may follow the word "A" or "I" if it is an option: "A is right", but not "A train" and not "I think".
VERB_BEHIND = (
    r"(?=\s+(?:is|was|are|were|because|since|or|and|as|but|rather|over|instead|it|fits?|fails?|should|must|cannot"
    r"|does|seems?|looks?|sounds?|not|makes?|works?|match(?:es)?|holds?|by|for|due|given|based|sino|sondern|then|here|also|too"
    r"|only|alone|ist|est|es|é|è|et|y|und|oder|ou|o|richtig|falsch|correct|incorrect|right|wrong|best|wins?"
    r"|satisfies|stands|remains|describes|states|says|would|will|could|can|may|might|has|had|who|which|than|nor"
    r"|korrekt|juste|correcta|correcto|certa|correta|corretta|giusta|rätt|riktig|stimmt|passt|zutrifft|bleibt|reste"
    r"|resta"
    r"|rimane|queda|sobra|fica|zostaje|pozostaje|blijft|kalır|kalıyor|jest|är|adalah|là|doğru|dan|en|och|og|ve|và|yang"
    r"|doesn['’]t|isn['’]t|can['’]t|wasn['’]t|won['’]t|vs\.?|versus|through|to|with|from|instead)\b)"
)
PRONOUN_BEHIND = (
    r"(?=\s+(?:is|because|since|or|and|as|but(?! I)|rather|over|it|fits|fails|seems|looks|works|matches|holds|due"
    r"|given"
    r"|based|here|only|alone|correct|incorrect|right|wrong|satisfies|ist|est|es|é|è|et|y|und|oder|ou|o|not|than|by"
    r"|doesn['’]t|isn['’]t|nor|too|as)\b)"
)
NOUN = (
    r"(?:(?<!would )(?<!will )(?<!['’]d )(?<!\bI )(?<!\bto )(?:answer[\s-]+)?(?:option|choice|letter|alternative"
    r"|answer|opción|opcion|opção|opzione|alternativa|letra"
    r"|lettera|lettre|réponse|respuesta|resposta|risposta|antwort|antwoord|buchstabe|вариант|ответ|statement|inciso"
    r"|literal|apartado|proposición|proposição|proposition|aussage|affirmation|afirmación|afirmativa|stelling|påstående"
    r"|seçenek|şık|opsi|pilihan)(?:\s+(?:number|no\.|nr\.))?(?:[\s#]{1,3}|(?=[(\[（])|(?-i:(?=[A-Z])))"
    r"|(?:选项|答案选项|選項|選択肢|第|보기|선택지)\s?)"
)
UPPER = (
    rf"{LETTER_BEFORE}(?P<upper>[B-HJ-Z]{LETTER_BEHIND}|A{LETTER_BEHIND}(?:(?!\s+[a-zà-ÿ])|{VERB_BEHIND})"
    rf"|I{LETTER_BEHIND}(?:(?!\s+[a-zà-ÿ])|{PRONOUN_BEHIND}))"
)
LOWER = (
    r"(?<![\w'’])\((?P<bracketed>[a-z])\)(?!\w)"
    r"|(?P<start>(?<=^)[\s\"'“*$(]{0,4}(?P<first>[a-z])(?:[)\]:]|[.](?!\w)|(?=[\s\"'”*$.,!]{0,4}$)))"
    r"|(?<=^)[\s\"'“*$(]{0,4}(?P<subject>[a-z])(?=\)? is (?:correct|right|the |true|my |best))"
    r"|(?<=[.!?] )(?P<next>[a-z])(?=[.)]?\s*$)"
    r"|(?:(?<=\bis )|(?<=\bits )|(?<=\bit['’]s ))(?P<said>[a-z])"
    r"(?=[\s\"'”)*.]{0,3}(?:$|[.,;](?!\w)|\s(?:because|since)\s))"
    r"|(?<=[:=>→] )(?P<labelled>[a-z])(?=[\s\"'”)*.]{0,3}(?:$|[.,;](?!\w)))"
    r"|(?:(?<=\bso )|(?<=\bthus )|(?<=\bhence )|(?<=\btherefore )|(?<=\bchoose )|(?<=\bpick ))(?P<closed>[a-z])\)"
    r"|(?<=\bor )(?P<other>[a-z])(?=\s*(?:$|[.,;/)\]](?!\w)))|(?<=\band )(?P<further>[a-z])(?=\s*(?:$"
    r"|[.,;/)\]](?!\w)))"
    r"|(?<=[/,;|&] )(?P<listed>[a-z])(?=\s*(?:$|[.,;/)\]](?!\w)))"
    r"|(?<=\bmaybe )(?P<guessed>[a-z])(?=\s*(?:$|[.,;/)\]](?!\w)))"
    r"|(?<=[^\W\d_] )(?P<closing>[b-j])\)(?=[\s.,:;!*]|$)"
)
NUMBER_NAMES = "one two three four five six seven eight nine ten".split()
ORDINALS_OF_OPTIONS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
ORDINALS_ABROAD = [
    "primera première erste prima primeira первый", "segunda deuxième zweite seconda segunda второй",
    "tercera troisième dritte terza terceira третий", "cuarta quatrième vierte quarta четвёртый четвертый",
    "quinta cinquième fünfte пятый",
]  # fmt: skip
LAST_OPTION = "last última dernière letzte ultima последний".split()
CHINESE_NUMBERS = "一二三四五六七八九十"
NUMBERS = {str(number): number for number in range(1, 100)} | {
    name: place + 1
    for names in (NUMBER_NAMES, ORDINALS_OF_OPTIONS, CHINESE_NUMBERS)
    for place, name in enumerate(names)
}
NUMBERS |= {name: place + 1 for place, names in enumerate(ORDINALS_ABROAD) for name in names.split()}
BY_NUMBER = (
    rf"(?i:(?<![A-Za-z])(?:option|choice|answer (?:option|choice)|alternative|opción|opção|opzione)"
    rf"(?:\s+(?:number|no\.))?[\s#]{{1,3}}\(?(?P<number>[0-9]{{1,2}}|{'|'.join(NUMBER_NAMES)})\)?(?![\w%]|[.,][0-9])"
    rf"|(?<![A-Za-z])(?:the )?(?P<ordinal>{'|'.join([*ORDINALS_OF_OPTIONS, 'last'])}) "
    rf"(?:option|choice|alternative|answer choice|statement)(?!\w)"
    rf"|(?<![^\W\d_])(?:(?:la|die|der|a) )?(?P<abroad>{'|'.join([*' '.join(ORDINALS_ABROAD).split(), *LAST_OPTION])})"
    rf"(?:, (?:{'|'.join(' '.join(ORDINALS_ABROAD).split())}))? (?:opción|alternativa|respuesta|réponse|option"
    rf"|proposition|antwort"
    rf"|antwortmöglichkeit|opzione|risposta|opção|resposta|вариант|ответ)(?!\w)"
    rf"|选项\s?(?P<digit>[0-9]{{1,2}})(?![0-9])|第(?P<chinese>[一二三四五六七八九十])(?:个(?:选项|答案)|项))"
)
STARTS_NUMBER = r"(?<![A-Za-z0-9À-ӿ])(?<![.,−-])(?<!\d[–—/])(?<!\d )"
ENDS_NUMBER = r"(?=번|号|番|项|項|が|です|입니다|이다|가\s|을\s|이\s|[.,:](?!\d)|(?![^\W_]|[.,:/–—-]\d|\s?%))"
STARTS_NAME, ENDS_NAME = r"(?<![A-Za-z0-9_À-ɏ])", r"(?![A-Za-z0-9_À-ɏ]|['’]\w)"
# Letters of scripts with vowel signs and joined words, each a part of a word beside another one of its block. In Thai,
# which has no spaces, a label stands behind the word for an item or an answer.
LETTER_BLOCKS = (
    "\u0370-\u03ff", "\u0400-\u052f", "\u0590-\u05ff", "\u0600-\u06ff\u0750-\u077f", "\u0900-\u097f", "\u0980-\u09ff",
    "\u0a00-\u0aff", "\u0b80-\u0dff", "\u0e00-\u0e7f", "\u3040-\u309f", "\u30a0-\u30ff",
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
)  # fmt: skip
BEFORE_THAI_LABEL = "(?<=ข้อ)|(?<=คือ)|(?<=ตอบ)|(?<=เลือก)"
# "나번", "라가 정답", but not "나는" (I) or the end of "맞습니다"
BEHIND_KOREAN_LABEL = (
    "(?=번|입니다|이다|이에요|예요|[가이] (?:정답|맞|옳|적절|답)|[를을] (?:선택|고르|고른|택)|[와과] "
    "|[은는] (?:틀|오답|맞|옳|정답))"
)
LATEX_SPACE = re.compile(r"\\(?:[()\[\]]|[,;:! ]|q?quad\b|left\b|right\b)|~")
SAYS_OF_ONESELF = (
    r"(?:can|could|will|would|am|have|had|do|did|think|believe|see|find|know|want|like|choose|chose|pick|picked|was"
    r"|might|should|must)(?![^\W\d_])"
)
LETTER_BY_NOUN = (
    rf"(?i:\b(?:the )?{NOUN}|(?<=[^A-Za-z]){NOUN})[(\[（]?(?P<named>(?!I\s+{SAYS_OF_ONESELF})[A-Za-z])[)\]）]?"
    r"(?![\w'’-])"
)
LETTERS_ONLY = re.compile(rf"{LETTER_BY_NOUN}|[(\[（]?{UPPER}|{LOWER}")
LETTERS_OR_NUMBERS = re.compile(rf"{BY_NUMBER}|{LETTER_BY_NOUN}|[(\[（]?{UPPER}|{LOWER}")
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
                starts, ends = _around_letter(name) or (starts, ends)
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


def _around_letter(letter: str) -> tuple[str, str] | None:
    """What stands around a letter that is no part of a word; ``None`` for scripts that are looked for otherwise."""
    block = next((block for block in LETTER_BLOCKS if re.match(f"[{block}]", letter)), None)
    if block is None:
        return None
    starts = rf"(?<![{block}A-Za-z0-9])"
    if "\uac00" in block:
        return starts, rf"(?:{BEHIND_KOREAN_LABEL}|(?![{block}A-Za-z0-9]))"
    return (f"(?:{starts}|{BEFORE_THAI_LABEL})" if "\u0e00" in block else starts), rf"(?![{block}A-Za-z0-9])"


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


def _shown_letter(found: re.Match[str]) -> str:
    index = ord(found.group()) - FIRST_MARK
    return OPTION_LETTERS[index] if index < len(OPTION_LETTERS) else str(index)


def unmasked(text: str) -> str:
    """A masked text with the letter of an option in place of each mark."""
    return re.sub(ANY_OPTION, _shown_letter, text)


def index_of(mark: str) -> int:
    """The index of the option for which a character stands."""
    return ord(mark) - FIRST_MARK


def options_in(text: str) -> set[int]:
    """The indices of the options that stand in a masked text, without rejected ones."""
    return {ord(one) - FIRST_MARK for one in text if "\U00013000" <= one <= "\U000130ff"}
