"""The wording that announces a choice: "the answer is", "die richtige Antwort lautet", "故选", "I'd go with".

Look here if an announced option is not seen, in any language.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION
from grpo_rewards.answers.multiple_choice.views import is_of_many_others

__all__ = ["QUOTED", "SURELY", "THE_OPTION", "announced_at", "announces_next", "last_match"]

QUOTED = r"[\"'“”‘’`$\s]{0,3}"
SURELY = (
    r"(?:[\s,:]{0,2}(?<![^\W\d_])(?:clearly|obviously|definitely|most likely|likely|most probably|probably"
    r"|therefore|thus|then|hence|indeed|simply"
    r"|certainly|surely|actually|still|now|in fact|of course|undoubtedly|evidently|undeniably|exactly|precisely"
    r"|just|really|again|always|namely|def|defo|prob|prolly|totally|surely"
    r"|unambiguously|unquestionably|ultimately|finally|logically|accordingly|consequently|instead|however|i think"
    r"|i believe|in my opinion"
    r"|without (?:a )?doubt|as follows|that|it is|it['’]s|donc|also|eindeutig|daher|clairement|claramente|sicher"
    r"|wohl)(?![^\W\d_])[\s,:]{0,2}){0,3}"
)
THE_OPTION = (
    r"(?:\s?(?<![^\W\d_])(?:the|as|option|choice|letter|answer|statement|number|type|group|la|le|les|l['’]|die|der"
    r"|das|el|il|lo|o|a|os|as|de|het|den|réponse|option|lettre"
    r"|antwort|buchstabe|lösung|opción|opcion|letra|respuesta|alternativa|opção|resposta|risposta|lettera|opzione"
    r"|antwoord|optie|inciso|literal|apartado|ข้อ|вариант|буква|пункт|под буквой|svar|alternativ|odpowiedź"
    r"|seçeneği?|şıkkı?|opsi|pilihan|huruf|phương án|đáp án|câu)(?![^\W\d_])|选项|選項|選択肢|第|보기){0,3}\s?"
)
INSTEAD = (
    rf"(?:(?:nicht |not |no |pas )?{REJECTED_OPTION}\s?[,;]?\s?(?:but(?: rather)?|rather|instead|sondern|mais|sino"
    rf"|ma|mas|а|e sim|而是|，而是|，是)?\s?)?"
)
IS_THE_OPTION = (
    r"(?:\s?(?:is|was|are|(?:would|must|should|has to|ought to|will|can only"
    r"|can)(?: therefore| thus| then| hence| surely| now| only| clearly)? be|comes out (?:to be"
    r"|as)|turns out to be|works out to be|comes to|remains|becomes|equals|being|looks like|seems to be"
    r"|appears to be|has got to be|got to be|gotta be|can(?:not|['’]t)? but be"
    r"|est|ist|lautet|wäre|es|é|è|is|är|er|to|adalah|ialah|là|sería|serait|sarebbe|seria)(?![^\W\d_])"
    r"|['’]s(?![^\W\d_])|\s?[:：=—–→-]{1,2}|\s?->)"
)
# "the answer", "my final choice", "the correct option to this question"
NOUN_OF_CHOICE = (
    r"(?<![^\W\d_])(?:answers?|ans|sol|judge?ment|determination|finding|solution|conclusion|verdict|result|response"
    r"|reply|final|(?:correct|right|best"
    r"|proper|appropriate|suitable|accurate|true|credited|intended|keyed|expected|final|my|our|selected|chosen"
    r"|desired|required|most \w{2,20}) "
    r"(?:answer |multiple[- ]choice )?(?:options?|choices?|selection|pick|letter|one|statement|alternative|item"
    r"|response|label|description|completion|match|term|explanation|continuation"
    r"|ending|reading|conclusion)"
    r"|(?:i|we) (?:choose|chose|pick|picked|select|selected)|choice|option|(?:one|statement|sentence|claim"
    r"|alternative|inference|interpretation|description"
    r"|explanation|item)(?= (?:that|which|you|we|i|supported|consistent|best|most))|selection|pick"
    r"|vote|guess|correct|winner|(?:safest|best|strongest) bet|key(?= is)|label|category|class|mine|diagnosis"
    r"|outcome|exception|odd (?:one|man) out|output|classification|prediction|sentiment"
    r"|decision|selected option|chosen option)(?![^\W\d_])"
)
TO_QUESTION = (
    r"(?:,?\s(?:then|therefore|thus|of course|however|though|instead|nevertheless|still|i think|i believe|in my view"
    r"|in short)(?:,"
    r"|(?=\s)))?(?:\s?[\"'”’)*]{1,2})?(?:\s?\([^()\n\U00013000-\U00013100]{1,30}\))?(?:\s(?:to|of|for|from|in|among"
    r"|that|which|here|i|we|you|would|by|on|letter|option|choice|consistent|compatible|supported|based|according|out|at"
    r"|,)(?![^\W\d_])[^.:;?!\n\U00013000-\U00013100]{0,80}?)?"
)
ENGLISH_ANSWER = re.compile(
    rf"{NOUN_OF_CHOICE}{TO_QUESTION}{QUOTED}{IS_THE_OPTION}\s?:?{SURELY}{INSTEAD}{SURELY}{THE_OPTION}{QUOTED}(?={ANY_OPTION})",
    re.IGNORECASE,
)
FOREIGN_ANSWER = re.compile(
    r"(?<![^\W\d_])(?:r[ée]ponse|antwort|lösung|ergebnis|respuesta|resposta|gabarito|risposta|antwoord|ответ"
    r"|вариант|відповідь|odpowied[źz]i?[ąa]?|wynik|svar(?:et)?|alternativet?|cevap|cevab\w{1,3}|yanıt|şık"
    r"|jawaban(?:nya)?|đáp án"
    r"|câu trả lời|lựa chọn"
    r"|opci[óo]n|alternativa|opção|opzione|richtig(?:e|er|es)?|korrekt(?:e)?|correcta?|correcto|corretta|corretto"
    r"|bonne|juste|giusta|esatta|верно|правильно|верный|правильный|solución|(?:الإجابة|الاجابة|الجواب|إجابة|उत्तर"
    r"|जवाब|คำตอบ|απάντηση|התשובה|תשובה|پاسخ|odpověď|odpoveď|odgovor|răspuns(?:ul)?|válasz|vastaus|(?:solution"
    r"|option)(?=\s(?:\w{1,12}\s)?est\s)))(?![^\W\d_])"
    rf"(?:\s(?:(?!\s?{IS_THE_OPTION})[^.:;?!,\n\U00013000-\U00013100]){{0,60}}?)?{QUOTED}"
    rf"(?:{IS_THE_OPTION}|\s(?:(?<=[ąźa] )to|jest|هي|هو"
    rf"|คือ|είναι|היא|הוא|je|este|on|là|adalah|är|er|es|dir|olan)|\s(?=\S{{0,12}}\s?[\U00013000-\U000130ff])"
    rf"|\s?равен|\s?является)?\s?:?{SURELY}{INSTEAD}{THE_OPTION}{QUOTED}(?={ANY_OPTION})",
    re.IGNORECASE,
)
ASIAN_ANSWER = re.compile(
    r"(?:(?:最终|最后|正确|正確|标准|本题|此题|我的|这道题的|该题|题目的|参考|のな|最も適切な|正しい"
    r"|適切な)?(?:的)?(?:(?:正しい|適切な|当てはまる|合う)(?:もの|の)(?=は)|答案|选项|選項|选择|選択肢|答え|正解|解答|回答|结论|結論|解答は"
    r"|答(?=[:：]))】?"
    r"|(?:正确"
    r"|最合适|最佳|符合题意|对|成立|恰当|合理)的?(?:一项|选项|答案|说法)?(?:应该|应|就)?是|정답|답(?:안)?|선택"
    r"|결론)(?:应该|应当|应|就|便|只能|显然|当然|はおそらく|은|는)?\s?"
    r"(?:选择|选|選|是|为|為|就是|即|[:：=]|は、?|が|은|는|:)?\s?(?:选项|選択肢|보기|第)?[:：]?\s?"
    rf"{INSTEAD}{QUOTED}(?={ANY_OPTION})"
    rf"|(?:คำตอบ|ข้อ)[^\s.:A-Za-z\U00013000-\U00013100]{{0,30}}?(?:คือ|ได้แก่|:)\s?(?:ข้อ"
    rf"|ตัวเลือก)?\s?{QUOTED}(?={ANY_OPTION})"
    rf"|(?:应|該|该|故|可|我|则|就|只能|因此|所以|还是|并|而|、|，|^|\s)?(?:应该|应当|会|要|们|就|只能|来)?(?:选择?"
    rf"|選択?|选出)(?:的是|了|项|选项|答案|为|定)?\s?[:：]?\s?{INSTEAD}{QUOTED}(?={ANY_OPTION})",
)
VERB_OF_CHOOSING = re.compile(
    r"(?:(?:^|(?<=[,;:—–.\s]))\W{0,4}(?:(?:so|thus|therefore|hence|then|ok(?:ay)?|well|and|overall|finally|yes|sure"
    r"|in the end|ultimately|now|please),?\s)?(?:(?<![^\W\d_])(?:i|we|you|one)(?:['’](?:d|ll|m|re|ve)|\s(?:would"
    r"|will|should|must|can|am|are|shall|have|do|might as well))?"
    r"(?:\s(?:therefore|thus|then|now|definitely|confidently|hereby|have|have to|to|going to|be|also|still|just"
    r"|only|finally|ultimately|need to|want to|inclined to|strongly|firmly|would|really)){0,3}|let['’]?s|let me"
    r"|let us|my (?:pick|vote) goes to|going|choosing|picking)?"
    r"\s?(?<![^\W\d_])(?:choos(?:e|ing)|chose|chosen|pick(?:ed|ing)?|select(?:ed|ing)?"
    r"|go(?:ing)?(?: ahead)? (?:with|for)|went with|opt(?:ed|ing)? for|vote for|settl(?:e|ed|ing) (?:on|for)"
    r"|answer(?:ed)?|mark(?:ed)?|put|circle|write(?: down)?|tick|bubble in|fill in|enter|shade|say|reckon|figure"
    r"|conclude|believe|think|guess|bet on|stick(?:ing)? (?:with|to)|stand by|stay with|lock(?:ing)? in|marcaría"
    r"|nominate|want|(?:am |are )?(?:confident|sure|certain) (?:in|of|about)|(?:are |am )?looking for"
    r"|lean(?:ing)? towards?"
    r"|recommend|submit|respond(?: with)?|favor|favour|infer|deduce|decide(?:d)? on|land(?:ed)? on|goes to"
    r"|conclude with|reply|confirm|wähle|nehme|sage|würde sagen|tippe auf|dirais|dirai|retiendrai?|retiendra"
    r"|retient|retiens|opterai|opterais|réponds|pense que c['’]est"
    r"|diría|digo|direi|dico|diria|marque|marca|elija|choisissez|wählen sie|selecione|selecciona|scegli|assinale"
    r"|entscheide mich (?:aber |jedoch |also |daher |dann |schließlich )?für|choisis|opte pour|prends|elijo|escojo"
    r"|selecciono|me quedo con|marco|escolho|opto por|scelgo|выбираю|выберем|выбираем|kies|väljer|velger|vælger"
    r"|seçiyorum|wybieram|zaznaczam|stawiam na|typuję|memilih|chọn|vou (?:de|com|na)|fico com|aposto em|voy con"
    r"|me voy (?:por|con)|apuesto por|me inclino por|elegiría|escogería|optaría por|pars sur|choisirais|coche"
    r"|vado con|opto per|отмечаю|остановлюсь на|склоняюсь к|ga voor|går på))"
    rf"(?:\s(?:that|is|the answer is|as my (?:final )?answer|it is|it['’]s|it would be|it must be|with"
    rf"|to be)){{0,3}}{SURELY}{THE_OPTION}[:]?\s?{QUOTED}(?={ANY_OPTION})",
    re.IGNORECASE,
)
NEXT_TO_COME = re.compile(
    r"\W{0,6}(?:(?:so|thus|therefore|hence|sure|ok(?:ay)?|here is|here['’]s)\W{1,3})?(?:(?:the|my|our"
    r"|your)\s)?(?:(?:final|correct|right|best|short|most \w{2,15})\s){0,2}(?:answer|option|choice|solution"
    r"|conclusion|selection|result|antwort|réponse|respuesta|resposta|risposta|ответ|答案|正确答案|最终答案|正解"
    r"|答え|정답)(?:\s(?:to|for) [^.:?!\n\U00013000-\U00013100]{0,80})?(?:\s?(?:is|ist|est|es|é|è|là|as follows"
    r"|[:：]|是|为"
    r"|は)){0,3}\W{0,6}",
    re.IGNORECASE,
)
OF_ONESELF = re.compile(
    r"(?<![^\W\d_])(?:i|we|me|us|my|our|let['’]?s|you|ich|wir|je|nous|yo|eu|io|я|мы|jag|vi|jeg|ik|wij|ja|ben|biz|saya|aku|tôi|ta|chúng|vậy|on|εγώ|to|therefore|then|thus"
    r"|so)(?![^\W\d_])",
    re.IGNORECASE,
)
ANNOUNCING_A_CHOICE = (ENGLISH_ANSWER, FOREIGN_ANSWER, ASIAN_ANSWER, VERB_OF_CHOOSING)


def announced_at(clause: str) -> re.Match[str] | None:
    """The last words in a clause that announce the option behind them; ``None`` if there are none."""
    for pattern in ANNOUNCING_A_CHOICE:
        found = last_match(pattern, clause)
        if found is not None and (pattern is not VERB_OF_CHOOSING or _is_by_oneself(clause, found)):
            return found
    return None


def _is_by_oneself(clause: str, found: re.Match[str]) -> bool:
    """Whether a verb of choosing is said of oneself or to the reader, and not of somebody else: "a solver picks B"."""
    before = clause[: found.start()].strip()
    is_parted = found.group().lstrip().startswith(tuple("—–:;"))
    if is_of_many_others(before[-40:]):
        return False
    return not before or before[-1] in ",:;—–.!" or is_parted or OF_ONESELF.search(clause[: found.end()]) is not None


def announces_next(text: str) -> bool:
    """Whether a statement says only that the answer comes next: "The correct answer is:"."""
    return NEXT_TO_COME.fullmatch(text) is not None


def last_match(pattern: re.Pattern[str], clause: str) -> re.Match[str] | None:
    """The last match of a pattern in a clause."""
    found = None
    for found in pattern.finditer(clause):  # noqa: B007 -- the last one is wanted
        pass
    return found
