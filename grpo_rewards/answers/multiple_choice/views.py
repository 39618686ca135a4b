"""Tells whether what stands before a choice is one's own view: "many think it is B", "if it were gas, B" are not.

Look here if a supposed, doubted or cited choice is paid ("At first glance, the answer is B"), or one's own choice is
taken for somebody else's, or for denied, because of words that bear on something else.
"""

from __future__ import annotations

import re

__all__ = [
    "denies_the_rest",
    "is_conditional",
    "is_not_own_view",
    "is_of_many_others",
    "is_supposed_or_cited_abroad",
    "is_told_abroad",
    "within_reach",
]

# "my classmate's answer", "his pick"
SOMEBODYS = (
    r"(?<![^\W\d_])(?:(?!(?:let|here|what|that|it|there|today|question|problem|puzzle|quiz|passage|exercise|text|item"
    r"|task|test|exam|table|figure|one|this|everything)['’])[^\W\d_]{2,20}['’]s|his|her|their|whose) "
    r"(?:\w{1,12} ){0,2}(?:answer|choice|pick|guess|vote|option|selection|solution|view|opinion|suggestion|key"
    r"|proposal|conclusion)(?![^\W\d_])"
)
NOT_OWN_VIEW = re.compile(
    r"(?<![^\W\d_])(?:if|suppos(?:e|es|ing|ed(?:ly)?)|assum(?:e|es|ing|ed)|assumption|pretend|imagine"
    r"|hypothetically|unless"
    r"|whether|let['’]?s (?:say|assume|suppose|try|test|check|consider|see)|let us (?:say|assume|suppose|try"
    r"|consider)"
    r"|consider(?:ing)?|in case|were to|had (?:the|it)|would have been|might|may|maybe|perhaps|possibly|conceivably"
    r"|allegedly"
    r"|apparently|wrongly|mistakenly|incorrectly|falsely|erroneously|naively|tempt\w{0,4}|mislead\w{0,3}|misled"
    r"|fool\w{0,3}"
    r"|(?:people|students?|pupils?|test[- ]takers?|candidates?|readers?|solvers?|they|he|she|someone|somebody|others?"
    r"|many|some|nobody|no one|everyone|everybody|anyone|teacher|friend|author|professor|colleague|textbook|book"
    r"|user|expert|model|person|child|critic|one|most(?: of \w{2,12})?)(?:\s[^\s,.;:]{1,20}){0,4}?\s(?:thinks?"
    r"|thought|believes?|believed"
    r"|says?|said"
    r"|claims?|claimed|argues?|argued|chooses?|chose|picks?|picked|selects?|selected|answers?|answered|assumes?"
    r"|assumed"
    r"|guess(?:es)?|guessed|would|will|might|may|could|can|expects?|insists?|suggests?|wrote|writes|falls? for"
    r"|go for)"
    r"|(?<!\bi )(?<!\bwe )(?:argues|argued|contends?|asserts|asserted|insists|maintains|believes|believed|thinks"
    r"|alleged|proposes|proposed|reckons|guesses|guessed|answered|picked|chose|voted|replied|responded)"
    r"|wants? (?:you|us|me|people|students) to|trick\w{0,3}|expected to|supposed to|nothing|nowhere|lures?|invites?"
    r"|(?:little"
    r"|few) (?:supports?|points?|suggests?|speaks?|would)|argues against"
    r"|you (?:suggest|said|say|claim|propos|think|thought|mention|wrote)\w{0,3}|auf den ersten blick|zunächst"
    r"|à première vue"
    r"|au premier abord|a primera vista|al principio|à primeira vista|a prima vista|all['’]inizio|кажется|казалось"
    r"|на первый взгляд"
    r"|op het eerste gezicht|vid första anblick|na pierwszy rzut oka|ilk bakışta|sekilas|thoạt (?:nhìn|đầu)"
    r"|according to (?:my|your|his|her|their|some|most|many|the (?:teacher|tutor|friend|professor|student|forum"
    r"|internet|key))"
    r"|in the (?:form|style|manner|following)|for example|such as|please (?:reply|respond)|your (?:reply|response)"
    r"|claim(?:s|ed)|said|says|alleges?|easy to|natural to|absurd|instance|at first (?:sight|glance|blush)|not true"
    r"|rumou?rs?"
    r"|doubt\w{0,3}|deny|denies|denied|refuse\w{0,2}|wonder\w{0,3}|ask(?:s|ed|ing)?|question(?:able)?(?= (?:is|asks"
    r"|says))|to see|to check|to verify|verify|check|test"
    r"|not|never|no|none|neither|nor|cannot|hardly|unlikely|wrong|incorrect|false|fake|mistaken|invalid|worst|least"
    r"|distractor|trap|decoy|mistakes?|errors?|pitfalls?|misconceptions?|myth|almost|nearly|other|another"
    r"|alternative|second[- ]best|runner[- ]up|previous|earlier|initial"
    r"|initially|first (?:guess|thought|instinct|impression|choice|answer)"
    r"|originally|previously|formerly|at first|first i|i first|used to|thought|would be (?:wrong|a mistake)|either"
    r"|one of|among|between|candidate|possible|potential|partial|sample|example|e\.g|format|instructions?|prompt"
    r"|template"
    r"|pretty sure it|can be|could be|could|unsure|uncertain|depends?|contrary|opposed|unlike|except"
    r"|wenn|falls|angenommen|vielleicht|könnte|möglicherweise|viele|manche|nicht|kein\w{0,2}|falsch\w{0,2}|si"
    r"|supposons|peut-être|pourrait"
    r"|beaucoup|certains|mauvaise|fausse|pas|supongamos|quizás?|tal vez|podría|muchos|algunos|incorrecta|falsa|no"
    r"|talvez|poderia|muitos"
    r"|errada|não|se|forse|potrebbe|molti|sbagliata|non|если|может|возможно|многие|неправильный|неверный|не"
    r"|niet|inte|ikke|değil|không|bukan|tidak|δεν|ليس|ليست|غير|لا|نیست|नहीं|নয়|so far|for now|for the moment"
    r"|tentatively"
    r"|provisionally|(?:friend|teacher|tutor|classmate|colleague|author|expert|he|she|they|everyone|everybody)"
    r" (?:is|are|was|were) (?:\w{1,12} )?(?:sure|certain|convinced)"
    r"|noto)(?![^\W\d_])"
    r"|[\"'](?:rejected|eliminated|excluded|wrong\w{0,10}|distractors?)[\"']\s?:"
    rf"|{SOMEBODYS}"
    r"|n['’´]t(?![^\W\d_])|(?:[他她你们]|小\w|老师|朋友|同桌|某人|别人)的(?:答案|选择|看法)|如果|假设|假如|假定|若|倘若|有人|很多|许多|有些|一些|同学|学生|大家"
    r"|误"
    r"|可能"
    r"|也许|或许"
    r"|大概|不|没|错|是否|难道|题目|乍一看|乍看|表面上看|初看|看似|第一眼|起初|一开始|原本|本来|一見|最初は|처음에는|もし|かもしれ|多くの|間違|만약|아마|틀린|많은",
    re.IGNORECASE,
)
CONDITIONAL = re.compile(
    r"(?<![^\W\d_])(?:if|suppos(?:e|es|ing)|assum(?:e|es|ing)|unless|wenn|falls|angenommen|supposons|supongamos|если"
    r"|had (?:the|it|we|they|he|she|this|that)|were (?:the|it|we|they)|допустим|предположим|положим|załóżmy"
    r"|przypuśćmy|supponiamo|suponhamos|varsayalım|misalkan|giả sử|as long as|provided that|in the event that"
    r"|on (?:the )?condition|under the (?:hypothesis|assumption)|à supposer|gdyby|jeśli|jeżeli|jika|nếu|eğer"
    r"|en el supuesto)"
    r"(?![^\W\d_])|如果|假设|假如|假定|若|倘若|要是|もし|なければ|ならば|만약|다면|라면",
    re.IGNORECASE,
)
AT_COMMA = re.compile(r"[,，:：—–]\s?")
CONTINUES = re.compile(
    r"\s?(?:that|which|dass|que|qu['’]|che|что|że|dat|att|at|rằng|bahwa|ki)(?![^\W\d_])", re.IGNORECASE
)
# an announcement, before which a comma ends what was said
STARTS_ANEW = re.compile(
    r"\s?(?:(?:and|so|but|therefore|thus|hence|still|yet|then)\s)?(?:(?:the|my|our)\s(?:\w{2,15}\s){0,3}?(?:answer|option|choice|pick"
    r"|selection)(?![^\W\d_])|i\s(?:choose|pick|select|go with|would|will)(?![^\W\d_])|i['’](?:d|ll) (?:choose|pick|go)"
    r"|(?:die|meine) (?:richtige |korrekte )?(?:antwort|lösung)|(?:la|ma) (?:bonne )?réponse|(?:la|mi) (?:respuesta"
    r"|opción)"
    r"|(?:a|minha) (?:resposta|opção|alternativa)|la (?:risposta|soluzione)|(?:правильный |верный |мой )?ответ"
    r"|(?:benim )?cevabım"
    r"|jawaban|đáp án|(?:poprawna |moja )?odpowied|rätt svar|mitt svar|het (?:juiste )?antwoord"
    r"|(?:本题|此题|该题|最终|因此|所以|故|综上)?(?:的)?(?:正确|正確|答案|应选|选|應選|正解|答え|解答))",
    re.IGNORECASE,
)
SAID_BEFORE = re.compile(
    r"(?:认为|說|说|觉得|以为|声称|主张|回答|写道|と言|と思|という)\S{0,2}$"
    r"|(?<![^\W\d_])(?:says?|said|thinks?|thought|believes?|believed|claims?|claimed|argues?|argued|insists?|writes?|wrote|answers?"
    r"|answered|sagt|sagen|meint|meinen|glauben|dit|disent|pense(?:nt)?|dicen?|creen?|piensan?|diz|dizem|dicono?|pensano"
    r"|говорят|говорит|считают|думают|diyor|mówi|mówią)\s?$|^\W{0,3}(?:according to|in the (?:view|opinion) of"
    r"|if you ask|laut|selon"
    r"|d['’]après|según|segundo|secondo|согласно|göre|według|volgens|enligt)(?![^\W\d_])",
    re.IGNORECASE,
)
# a denial that does not end with the comma behind it
DENIES_ALL = re.compile(
    r"\W{0,3}(?:there is no (?:way|chance|reason)|(?:it is|it['’]s|it would be) (?:false|wrong|untrue|not true"
    r"|impossible|a mistake)|under no"
    r"|in no|no evidence|i can(?:not|['’]t)|es ist falsch|es stimmt nicht|il est faux|es falso|é falso|没有证据|并不能"
    r"|不能说)(?![^\W\d_])",
    re.IGNORECASE,
)
# verbs of somebody else: "mein Lehrer meint, die Antwort ist", "mi profesor dice que la respuesta es"
SAYS_ABROAD = (
    r"(?<![^\W\d_])(?<!je )(?<!jag )(?<!tôi )(?<!saya )(?:sagt|sagen|meint|meinen|glaubt|behauptet|dit|disent|croit"
    r"|affirme|prétend"
    r"|dice|dicen|cree|creen|piensan?|afirman?|diz|dizem|acha|acham|dicono|pensano|crede|mówi|twierdzi|uważa|zegt|denkt|beweert"
    r"|säger|tror|siger|diyor|söylüyor|bilang|mengatakan|nói|يقول|تقول|कहते|कहता)(?![^\W\d_])"
)
OTHERS_SAY = re.compile(rf"{SAYS_ABROAD}|(?<!可以)(?<!来)说(?=(?:正确)?答案)", re.IGNORECASE)
OTHERS_SAY_AT_END = re.compile(rf"{SAYS_ABROAD}\s?$", re.IGNORECASE)
WORDS_OF_ASIDE = 5  # of a phrase before a comma that bears on what follows: "at first glance,"
# without accents, as folded
CONDITION_ABROAD = re.compile(
    r"(?<![^\W\d_])(?:if|unless|when|suppose|assuming|wenn|falls|angenommen|si|se|caso|если|якщо|допустим|предположим|положим|припустимо|zalozmy|załozmy|przypuscmy|supposons|admettons|supongamos"
    r"|supongase|supponiamo|ammettiamo|suponhamos|digamos|gesetzt|stel|anta|antag|varsayalim|diyelim|misalkan|andaikan"
    r"|gia su|فرضا|لنفترض|جدلا|jesli|gdyby|als|indien"
    r"|om|hvis|eger|neu|jika|kalau|αν|اذا|لو|اكر)(?![^\W\d_])|अगर|यदि|যদি|ถ้า|หาก|如果|假如|假设|若|もし|なら|만약|라면|다면"
)
# what others think or say, which a reason would not mention, without accents
OF_OTHERS_ABROAD = re.compile(
    r"(?<![^\W\d_])(?:viele|manche|einige|man (?:konnte|mochte)|laut|sagt|sagen|meint|meinen|glaubt|behauptet|much[oa]s"
    r"|algun[oa]s|segun|dicen?|creen?|piensan?|afirman?|opinan?|beaucoup|certain(?:e?s)|selon|dit|disent|pensent|croit"
    r"|affirme|pretend|muit[oa]s|alguns|segundo|diz|dizem|acham?|molti|alcuni|secondo|dicono|dice|pensano?|crede"
    r"|мног\w{1,3}|некотор\w{1,3}|согласно|говор\w{1,3}|счита\w{1,3}|думаю?т|утвержда\w{1,3}|wiele|wielu|niektor\w{1,3}|wedlug"
    r"|mowi|twierdzi|uwaza|veel|velen|sommigen?|volgens|zegt|denken|beweert|manga|vissa|enligt|sager|tror|pastar|bircok"
    r"|cogu|bazi|gore|diyor|soyluyor|iddia|dusun\w{1,6}|nhieu|theo|noi|nghi|cho rang|banyak|menurut|mengatakan|mengira"
    r"|كثير\w{0,3}|الكثير\w{0,3}|بعض|حسب|يقول\w{0,2}|يعتقد\w{0,2}|يظن|بسياري|برخي|طبق|багато|деяк\w{1,2}|каже|вважа\w{1,3}"
    r"|πολλοι|μερικοι|λενε|λεει|πιστευ\w{1,5})(?![^\W\d_])|कई|कुछ|अनुसार|कहत|मानत|অনেক|মতে|বলে|หลาย|บางคน|ตาม|บอกว่า|คิดว่า"
    r"|很多|有人|许多|有些|认为|以为|多くの|によると|と言|と思|많은|따르면|생각"
)
MANY_OTHERS = re.compile(
    r"(?<![^\W\d_])(?:många|vissa|flera|de flesta|mange|nogle|veel|velen|sommigen|wielu|niektórzy|banyak|beberapa"
    r"|nhiều|một số|çoğu"
    r"|bazı|muchos|algunos|beaucoup|certains|muitos|alguns|molti|alcuni|viele|manche|einige|многие|некоторые)(?![^\W\d_])",
    re.IGNORECASE,
)
DENIES_ELSEWHERE = re.compile(
    r"(?<![^\W\d_])(?:not|never|no|none|neither|nor|cannot|nicht|kein\w{0,2}|pas|non|não|не|niet|geen|inte|ikke|nie|değil|không"
    r"|bukan|tidak|wrong|incorrect|false|other|falsch\w{0,2}|incorrecta?|fausse|errada)(?![^\W\d_])|n['’´]t(?![^\W\d_])|不|没|错",
    re.IGNORECASE,
)
OWN_WORDS = re.compile(  # words from that list that say nothing against what one says oneself
    r"(?:不是|并非|並非|不选|排除)\U00013100|\bif (?:i|we) (?:had|have|must|were forced|am forced) (?:to )?(?:guess"
    r"|choose|pick|answer|commit|decide|say|bet)\b(?: (?:to|on|for|one|something|an answer)){0,2}|\b(?:no"
    r"|without(?: a| any)?) doubt\b"
    r"|\bnot? (?:only(?!\s*$)|surprisingly)\b"
    r"|\bconsider(?:ing)? (?:all|everything|the|these|this|that|each)\b|\b(?:all|everything) (?:things )?considered\b"
    r"|\bcheck(?:ing|ed)? (?:each|all|the|every|my)\b|\bas (?:i|we) said\b|\bfor some\b|\bin most\b"
    r"|\b(?:the|this|that)(?: \w{1,15}){1,2} one\b"
    r"|\b(?:is|are|was|as) (?:an?|the|one) (?:\w{1,20} ){0,2}(?:example|instance) of\b"
    r"|\bin other words\b|\bwith (?:maybe |about |roughly |perhaps |around |say )?(?:[5-9]\d|100) ?% (?:confidence"
    r"|certainty|sure)\b|\bP\([^()]{1,30}\)|\balmost (?:all|every|always|entirely|certainly|exclusively)\b"
    r"|\bmost (?:likely|probably)\b|\bassuming (?:standard|normal|ideal|usual|the usual)\b"
    r"|\bamong (?:the|these|all|those|them)\b|\bof (?:the|these|all|those)(?: \w{1,12})? (?:possible |other "
    r"|answer )?(?:options|choices|answers|candidates|alternatives)\b"
    r"|\bbetween (?:the|these|them)\b|\bno (?:further|other|need|more)\b|\bfrom (?:the|all|most) other\b"
    r"|\b(?:from|among|unlike|than) other [a-z]{3}|\bthe others?\b"
    r"|\bthe question (?:asks|is|says)\b|\bin question\b|\b(?:to|for|of) (?:the|this|your"
    r"|that) (?:\w{1,15} )?question\b|\bout of many\b"
    r"|\b(?:not|never|no|non|não|nicht|pas)(?: es| é| è| ist)?(?: la| el| a| o| die)? [\U00013100][,;]?(?: but)?"
    r"|\bbetween [\U00013000-\U00013100] and [\U00013000-\U00013100]"
    r"|[\U00013100]",
    re.IGNORECASE,
)


def is_not_own_view(words: str) -> bool:
    """Whether words around a choice deny, suppose, doubt or cite it, so that the text itself does not choose."""
    return NOT_OWN_VIEW.search(OWN_WORDS.sub(" ", words)) is not None


def denies_the_rest(words: str) -> bool:
    """Whether words begin with a denial that no comma ends: "It is false, however plausible it may sound, …"."""
    return DENIES_ALL.match(words) is not None


def is_supposed_or_cited_abroad(folded: str) -> bool:
    """Whether words without accents and in small letters suppose something, or speak of what others say or think."""
    return CONDITION_ABROAD.search(folded) is not None or OF_OTHERS_ABROAD.search(folded) is not None


def is_of_many_others(words: str) -> bool:
    """Whether words before a verb name many others, in a language other than English: "många väljer"."""
    return MANY_OTHERS.search(words) is not None


def is_told_abroad(words: str) -> bool:
    """Whether words before a choice tell, in a language other than English, what somebody else says it is."""
    *earlier, last = AT_COMMA.split(words)
    return OTHERS_SAY.search(last) is not None or bool(earlier and OTHERS_SAY_AT_END.search(earlier[-1]))


def is_conditional(words: str) -> bool:
    """Whether words before a choice make it depend on a condition."""
    return CONDITIONAL.search(OWN_WORDS.sub(" ", words)) is not None


def within_reach(words: str) -> str:
    """Words before a choice without what does not bear on it: denials up to the last comma are of something else.

    "It asks for what is not true, so my choice is" denies nothing, but "It is not true, that the answer is" does.
    """
    ended = re.split("[;；]", words)[-1]
    words = words if CONTINUES.match(ended) else ended
    *earlier, last = AT_COMMA.split(words)
    if not earlier or denies_the_rest(words) or CONTINUES.match(last):
        return words
    before = ", ".join(earlier)
    bears = len(earlier[-1].split()) <= WORDS_OF_ASIDE or SAID_BEFORE.search(earlier[-1]) or is_conditional(before)
    if STARTS_ANEW.match(last) and not bears:
        return last
    return f"{DENIES_ELSEWHERE.sub(' ', before)}, {last}"
