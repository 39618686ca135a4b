"""How the letters and numbers of options are written, and what beside them says that they are none.

Look here if a letter is not seen as an option ("(b)", "Option 3"), or a word is ("A train", "I think", "20 °C").
"""

from __future__ import annotations

import re

__all__ = [
    "ENDS_NAME",
    "ENDS_NUMBER",
    "LAST_OPTION",
    "LETTERS_ONLY",
    "LETTERS_OR_NUMBERS",
    "NOUN",
    "NUMBERS",
    "STARTS_NAME",
    "STARTS_NUMBER",
    "around_letter",
]

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


def around_letter(letter: str) -> tuple[str, str] | None:
    """What stands around a letter that is no part of a word; ``None`` for scripts that are looked for otherwise."""
    block = next((block for block in LETTER_BLOCKS if re.match(f"[{block}]", letter)), None)
    if block is None:
        return None
    starts = rf"(?<![{block}A-Za-z0-9])"
    if "\uac00" in block:
        return starts, rf"(?:{BEHIND_KOREAN_LABEL}|(?![{block}A-Za-z0-9]))"
    return (f"(?:{starts}|{BEFORE_THAI_LABEL})" if "\u0e00" in block else starts), rf"(?![{block}A-Za-z0-9])"
