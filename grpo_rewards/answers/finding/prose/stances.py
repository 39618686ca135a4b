"""Tells what a clause does with its numbers: asserts, denies, doubts or takes them back.

Look here if a number is taken that the text does not give as its answer, or is not taken although it does. The words
are those of English, with the commonest of a few other languages.
"""

from __future__ import annotations

import re
from functools import lru_cache

from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES, has_stem, stems

__all__ = [
    "cites_somebody",
    "confirms",
    "denies_number",
    "doubts",
    "gives_up",
    "hedges",
    "hedges_before",
    "is_citation",
    "takes_back",
]

NEGATED = (
    r"\b(?:was|were) going to\b|\babout to (?:say|write|answer|put)\b|\bwould be (?:silly|foolish|absurd|rash"
    r"|premature|hasty"
    r"|wrong|a mistake|naive) to\b|\b(?:almost|nearly) (?:said|wrote|answered|picked|chose|got)\b|\b(?:upper"
    r"|lower) (?:bound|limit|estimate)s?\b|"
    r"\bnot\b(?! only)|n['’]t\b|\bcannot\b|\bnever\b|\bneither\b|\bnor\b|\bnone\b|\bno longer\b"
    r"|\b(?:wrong|incorrect|incorrectly|false|falsely|invalid|impossible|erroneous|untrue)\b|\bmistak\w{1,5}\b"
    r"|\b(?:an|in) error\b"
    r"|\bfails\b|\bforg[eo]t\w{0,5}\b|\boverlook\w{0,3}\b|\bnaive(?:ly)?\b|\btempt\w{1,5}\b|\bmis(?:read|count"
    r"|calculat)\w{0,5}\b"
    r"|\brul(?:e|ed|es|ing) out\b|\beliminated?\b|\b(?:rejected|discarded)\b|\bcontradict\w{0,5}\b"
    r"|\bdisregard\w{0,3}\b"
    r"|\b(?:trap|pitfall|misconception|distractor|confus\w{1,4})\b|\bexcluded\b|\bunlikely\b|\b(?:is|are|was|be"
    r"|seems?|looks?) (?:far |much |way |still )?too (?:small|big|large|low|high|few|many|much|little|long"
    r"|short)\b|\b(?:extraneous|spurious|inadmissible|inconsistent)\b|\b(?:we|i) (?:can |must |should )?(?:reject"
    r"|discard|exclude|eliminate|rule out)\b|\bdoubt\w{0,3}\b|\bhardly\b"
    r"|^\W{0,4}(?:nobody|no one)\b"
    r"|\b(?:some|someone|somebody|nobody|no one|people|students?|many|others?|(?:one|you|they) (?:might|may"
    r"|could|would|often"
    r"|sometimes|easily)) (?:(?:might|may|could|would|will|often|sometimes|easily) ){0,2}"
    r"(?:say|get|give|pick|choose|write|think|thought|claim|believe|answer|answered|guess|guessed|expect|assume"
    r"|conclude)s?\b|\b(?:one|you|they) (?:thinks?|thought|claims?|believes?|guess(?:es)?|expects?)\b"
    r"|\bi (?:first |initially |originally |previously |wrongly )\w+|\bused to\b|\bi (?:thought|assumed|expected"
    r"|hoped|figured)\b|\b(?:old|earlier|previous|initial|original|first) "
    r"(?:answer|result|attempt|guess|estimate|thought)\b"
    r"|\bn['’]est\b|\bne (?:sont|peut|vaut|fait)\b|\bpas\b|\bfaux\b|\bfausse\b|\bnicht\b|\bkein\w{0,2}\b"
    r"|\bfalsch\w{0,2}\b"
    r"|\bno (?:es|son|era|puede|hay|vale)\b|\bincorrect[oa]s?\b|\bfals[oa]s?\b|\bnon (?:è|sono)\b|\bnão\b"
    r"|\bniet\b|\bнe\b|\bне\b|\binte\b|\bikke\b"
    r"|\b(?:looks?|seems?|appears?|sounds?) (?:right|correct|plausible|reasonable|natural|tempting)\b.{0,12}\bbut\b"
    r"|[✗✘❌🚫]|\b(?:ignore|disregard|forget)\b|不(?!到|足|少于|多于|超过|小于|大于|同|等式|变|断|仅)|并非|没有|错|誤|ではな|ではあり|じゃな|아니|아닙"
    r"|नहीं|ليس"
)
DENIAL = re.compile(NEGATED, re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:either|maybe|perhaps|possibly|might|alternatively|unsure|uncertain|unclear|depends|depending"
    r"|conceivably|anywhere)\b"
    r"|\bcan(?:not|'t) (?:be sure|say for sure)|\bnot (?:sure|certain)\b|\b(?<!there )(?:could|can|may) (?:also |even "
    r"|well |just |still )?(?:be|equal)\b"
    r"|\bpossible answer\b|(?:^\W{0,4}|\b(?:the|some|other|all) )possible (?:answers?|values?|solutions?|results?"
    r"|candidates?|options?)\s?(?:[:：]|are\b|include)|\b(?:is|are|be|seems?) possible\b|\bcandidates?\b"
    r"|\b(?:rough|ballpark|wild) (?:guess|estimate)\b|\b(?:just|only) (?:a |my )?guess(?:ing)?\b|\bor (?:rather"
    r"|maybe|perhaps|even)\b"
    r"|\bcomes to mind\b|\banyone['’]s guess\b|\bshot in the dark\b|\bgut feeling\b|\boff the top of\b"
    r"|\bpeut-être\b|\bsoit\b|\bvielleicht\b|\bkönnte\w{0,2}\b|\bmöglicherweise\b|\bquiz[áa]s?\b|\btal vez\b"
    r"|\bpodría\w{0,1}\b|\bpuede que\b"
    r"|\bforse\b|\btalvez\b|可能|也许|或许|大概是|不确定|かもしれ|おそらく|아마|возможно|может быть"
)
MAY = re.compile(r"(?<![A-Za-z])may(?![A-Za-z])")
# What is denied of the things that are counted, and not of their number: "84 - 63 = 21 melons were not ready".
OF_THINGS = re.compile(
    r"\b(?:none|nothing) (?:(?:is|are|being) )?(?:left|remaining|remains?)\b|"
    r"\b(?:that|which|who) (?:is|are|was|were|do|does|did|have|has|had)(?: not|n['’]t) \w{2,20}"
    r"|(?<== )[$0-9.,]{1,20} (?:[a-z]{2,20} ){1,3}(?:were|are|did|do|have|had)(?: not|n['’]t) \w{2,20}"
)
GIVE_OR_TAKE = re.compile(
    r"\s{0,4}(?:plus or minus|(?:±|\\pm)(?=\s)|give or take|at (?:least|most)|or (?:more|less)|range|uncertain"
    r"|(?:in )?base\b|mod|binary|hex|octal"
    r"|times|squared|dozens?|(?:in )?(?:thousand|million|hundred|billion)s?\b)",
    re.IGNORECASE,
)
DOUBT_ABOUT_ANSWER = re.compile(
    r"\s{0,4}(?:(?:or|and|but) )?(?:maybe|perhaps|possibly|alternatively|or\b|(?:it|this|that"
    r"|the answer) (?:could|might|may))",
    re.IGNORECASE,
)
GIVING_UP = re.compile(
    r"(?:^\W{0,4}|\b(?:i|we|you|one|it|he|she|they|but|and|so|unfortunately|sorry),? )(?:am |is |are )?(?:do not"
    r"|don['’]t|did not|didn['’]t|cannot|can['’]t|can not|could not|couldn['’]t|not able to|won['’]t) (?:\w+ ){0,2}?"
    r"(?:know|solve|determine|finish|help|answer|complete|compute|tell|find|figure|say|calculate|work|decide"
    r"|assist|provide|give|"
    r"continue|recall|remember|see how|understand|read|comply)\b"
    r"|\bcan(?:not|['’]t) be (?:determined|solved|found|computed|answered|calculated|known|read|decided"
    r"|established|inferred)\b"
    r"|\bunable to\b|\bgiv(?:e|ing) up\b|\b(?:ran|run|running) out of\b|\b(?:need|needs|require|requires|lack"
    r"|lacks|without|requiring) (?:more|further|additional|other|the missing) (?:data|info|information|details"
    r"|context|time|facts)\b"
    r"|\b(?:not enough|insufficient|too little|missing|incomplete) (?:data|info|information|details|context)\b"
    r"|\bno (?:final )?(?:answer|idea|clue|way to)\b"
    r"|\b(?:undetermined|indeterminate|unsolvable|unanswerable|is unknown|unresolved|(?:is|are"
    r"|remains?) still (?:open|unclear|unknown)|remains? to be seen)\b|\bimpossible to\b"
    r"|\bi['’]?m (?:stuck|lost)\b|\bi am (?:stuck|lost)\b"
    r"|\b(?:leave|leaving) (?:it|this) (?:here|open|there)\b|\b(?:error code|timed? ?out|aborted|truncated"
    r"|in progress|to be continued)\b"
    r"|\b(?:je|on|nous) ne (?:peux|peut|pouvons|parviens)\b|\bich kann\b.{0,60}\bnicht (?:lösen|beantworten|bestimmen"
    r"|berechnen|sagen)\b|\blässt sich (?:so |leider )?nicht\b|\bno (?:puedo|podemos|es posible|logro)\b|\bnon (?:posso"
    r"|possiamo|è possibile)\b|\bnão (?:posso|consigo|é possível)\b|\bsin más datos\b|\bfaltan datos\b"
    r"|\bje ne sais\b|\bimpossible de\b|\bweiß (?:es |ich )?nicht\b|\bno (?:lo )?sé\b|\bno se puede\b"
    r"|\bnon (?:lo )?so\b|\bnão sei\b|\bне знаю\b"
    r"|\btoo hard\b|\bget back to you\b|不知道|无法|不清楚|不会做|没法|信息不足|分かりません|わかりません|모르",
    re.IGNORECASE,
)
TAKING_BACK = re.compile(
    r"^\W{0,4}sorry,? (?=[-$0-9])|[,;—–-] ?(?:no|sorry|er|nay|wait|oops|i mean|make that)(?:,? (?:wait|no|sorry"
    r"|rather|i mean|make that))?,? (?=[-$0-9])|"
    r"\bscratch that\b|\b(?:ignore|disregard|forget) (?:that|this|it)\b|\boops\b|\bwhoops\b|(?:^"
    r"|[.,;:—] ?)\s{0,3}(?:correction|erratum|edit)\b"
    r"|\b(?:it|this|that|which) (?:contains|has|includes|is based on|rests on|relies on|is) (?:an?|the"
    r"|some) (?:\w{1,12} )?(?:error"
    r"|mistake|slip|typo|misprint|flaw)\b"
    r"|^\W{0,4}(?:it|this|that|which) (?:ignores|misses|omits|leaves out|neglects|double[- ]counts|overlooks|forgets"
    r"|counts (?:\w{1,12} ){1,3}twice)\b"
    r"|^\W{0,4}no(?=[,!—]|\.(?! ?[0-9])|$| wait)"
    r"|\b(?:i|we)(?: have|['’]ve|['’]m| am|['’]re| are| was)? (?:wrong|mistaken|misread|miscounted|miscalculated"
    r"|forgot|overlooked)\b(?: (?:it|this|that|the \w{1,20}))?(?: as \S{1,20})?"
    r"|\b(?:made|spot|see|found|is|was|there['’]s) (?:a|an|my|the|some)(?: \w+)? (?:mistake|error|slip)\b"
    r"|\b(?:that|this|it|which|(?:my|the|this|that) (?:answer|result|calculation|value|number|total|above"
    r"|previous|earlier|last)(?: \w+)?)(?:['’]s| is| was| are| must be| seems| looks)"
    r"(?: \w+)?? (?:wrong|incorrect|false|mistaken|invalid|impossible|a mistake|an error|not (?:right|correct"
    r"|quite right|true|it|possible|valid))\b(?! that\b| to\b| if\b| whether\b)"
    r"|\b(?:that|this|it|which|answer)(?: is|['’]s| was| does|)(?:n['’]t| not) (?:right|correct|quite right|true"
    r"|valid|work|fit|add up|check out|hold|make sense|match)\b"
    r"|\b(?:that|this|it) (?:can['’]t|cannot|couldn['’]t) be (?:right|correct|true|it)\b|\b(?:does(?:n['’]t| not)"
    r"|it) fails?\b"
    r"|(?:这|那|上面|刚才)?(?:是错的|不对|错了|算错了|有误)"
    r"|(?:c['’]est|ce n['’]est pas) (?:faux|correct|juste|exact|ça)|\bnon,? (?:pardon|désolée?|attend\w{1,3})\b"
    r"|\b(?:je me suis|mi sono) (?:tromp|sbagliat)\w{1,2}\b"
    r"|\bdas (?:ist|war) (?:leider |doch )?(?:falsch|nicht richtig)"
    r"|\b(?:das|es) stimmt (?:so |ja |leider )?nicht\b|\bich habe mich (?:verrechnet|geirrt|vertan)\b"
    r"|\beso (?:es|está) (?:incorrecto|mal)|\beso no es (?:correcto|cierto)\b|\bme equivoqué\b|\bno,? (?:perdón|espera"
    r"|disculpa|lo siento)\b|\b(?:errei|me enganei)\b|\bnão,? (?:desculpe|espera)\b",
    re.IGNORECASE,
)
DOUBTING = re.compile(
    r"(?:^|[.,;:—!] ?|\bbut )\s{0,3}(?:wait|hmm+|hm|hold on|actually|on second thoughts?|let me (?:re-?(?:check"
    r"|think|consider|do|compute|calculate|read|examine|visit|evaluate)|reconsider|try again|start over"
    r"|rethink)\w{0,4})\b"
    r"|等等|等一下|重新(?:计算|检查|考虑)",
    re.IGNORECASE,
)
CONFIRMING = re.compile(
    r"^\W{0,4}(?:yes|yep|yeah|ok|okay|correct|right|good|great|confirmed|perfect|exactly|indeed)\b"
    r"|\b(?:that|this|it|which|everything|all|answer|result)(?:['’]s| is| was)? (?:\w+ )?(?:correct|right|matches"
    r"|match|checks out|check out|works|fine|holds|confirmed|consistent|verified)\b|对的|正确|没错",
    re.IGNORECASE,
)
SAYS = (
    r"(?:says?|said|claim(?:s|ed)|believe[sd]|insist(?:s|ed)|argue[sd]|replie[sd]|guess(?:es|ed)|boast(?:s|ed)|swears?"
    r"|(?:expects|thinks?|thought)(?! of)"
    r"|shout(?:s|ed)|crie[sd]|exclaim(?:s|ed)|whisper(?:s|ed)|mutter(?:s|ed)|yell(?:s|ed))"
)
CITING = re.compile(
    r"(?<!\w)(?!(?:I|i|we|We|it|It|that|this|which|who|[Tt]here|So|Then|And)\b)(?:[A-Z][a-z]{1,20}|[Hh]e|[Ss]he"
    r"|[Tt]hey|\w{2,20} (?:friend|brother"
    r"|sister|mother|father|teacher|classmate|colleague|neighbou?r|student|pupil|book|textbook|key|model|calculator))"
    rf" (?:has |had |once |still |always |now )?{SAYS}(?!['’]?[^\W\d_])(?! (?:of|goodbye|hello)\b)"
    rf"|[\"”»,] {SAYS} (?!I\b|we\b)\w"
    r"|\b(?:[Aa]|[Oo]ne|[Tt]he|[Aa]nother) (?:student|pupil|classmate|friend|colleague|reader|child) (?:has "
    r"|had )?(?:wrote|written|answered"
    r"|got|obtained|found|computed|calculated)(?= (?:that|[\"“'$]|\w ?=|[0-9][0-9.]{0,12}(?:[,;]|\.?$)))"
    r"|\b(?:[Ss]omebody|[Ss]omeone|[Oo]thers|[Aa]nother \w{1,12}|ChatGPT|GPT\S{0,4}|Claude|Gemini|(?:previous"
    r"|earlier|other|last|old) (?:assistant|model"
    r"|reply|solution|solver|user|student|attempt|person)) (?:has |had )?(?:answered|gave|got|wrote|obtained"
    r"|found|put)\b"
)
CITED_BEFORE = re.compile(rf"\W{{0,3}}{SAYS} (?:[A-Z]|the |my |his |her )")
REFUSING = re.compile(
    r"\b(?:refuse|decline|rather not|prefer not|skip(?:ping)? this|pass on this|no comment)\b|\b(?:favou?rite"
    r"|lucky|random) number",
    re.IGNORECASE,
)
DENIAL_STEMS = stems(DENIAL)
HEDGE_STEMS = stems(HEDGE, MAY)
GIVING_UP_STEMS = stems(GIVING_UP, REFUSING)
CITING_STEMS = stems(CITING)
TAKING_BACK_STEMS = stems(TAKING_BACK)
DOUBTING_STEMS = stems(DOUBTING)


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def denies_number(text: str) -> bool:
    """Whether a clause says what the answer is not, or what somebody may wrongly take for it."""
    return has_stem(text, DENIAL_STEMS) and DENIAL.search(OF_THINGS.sub(" ", text)) is not None


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def cites_somebody(text: str) -> bool:
    """Whether a sentence tells what somebody else says, and does not say it itself: "Peter claims that it is 75."."""
    return has_stem(text, CITING_STEMS) and CITING.search(text) is not None


def is_citation(text: str) -> bool:
    """Whether a sentence tells who said the one before it: ``"It is 9!" shouted Leo.``"""
    return CITED_BEFORE.match(text) is not None


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def hedges(text: str) -> bool:
    """Whether a clause leaves open whether what it says is so."""
    return has_stem(text, HEDGE_STEMS) and (HEDGE.search(text.lower()) is not None or MAY.search(text) is not None)


def hedges_before(text: str) -> bool:
    """Whether a clause takes the certainty from what was said before it: "Or maybe 16."."""
    return DOUBT_ABOUT_ANSWER.match(text) is not None or GIVE_OR_TAKE.match(text) is not None


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def gives_up(text: str) -> bool:
    """Whether a clause says that there is no answer."""
    return has_stem(text, GIVING_UP_STEMS) and (GIVING_UP.search(text) is not None or REFUSING.search(text) is not None)


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def takes_back(text: str) -> int:
    """The index behind the words that take back what was said before, such as "that's wrong"; 0 if there are none."""
    return (
        max((found.end() for found in TAKING_BACK.finditer(text)), default=0)
        if has_stem(text, TAKING_BACK_STEMS)
        else 0
    )


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def doubts(text: str) -> int:
    """The index behind the words that begin to doubt what was said before, such as "Wait"; 0 if there are none."""
    found = DOUBTING.search(text) if has_stem(text, DOUBTING_STEMS) else None
    return found.end() if found else 0


def confirms(text: str) -> bool:
    """Whether a clause says that what was said before is right."""
    return CONFIRMING.search(text) is not None
