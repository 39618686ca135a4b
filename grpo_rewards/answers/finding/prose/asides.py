"""Tells which clauses only lead to an answer or stand beside it: checks, plans, suppositions, the task repeated.

Look here if a number of the task, of a plan or of a check is taken for the answer.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.finding.prose.stems import has_stem, stems

__all__ = [
    "asks_for_a_value",
    "asks_indirectly",
    "asks_whether_right",
    "checks",
    "concludes",
    "is_closing",
    "is_given",
    "is_labelled",
    "is_total",
    "plans",
    "supposes",
    "tells_of_answer",
]
CHECKING = re.compile(
    r"^\W{0,4}(?:(?:to|as a|quick|sanity|double|and|now|first|also|next|finally|please),? )?(?:check|checking"
    r"|verify|verifying|verification|verified|proof|indeed|double[- ]?check(?:ing)?|sanity check|probe|n\.?b"
    r"|p\.?p?\.?s|note|notes|remark|recall|remember|reminder|see|"
    r"for reference|source|sources|as (?:figure|table|shown|seen|a (?:check|note|reminder|side))|by the way"
    r"|side note|fun fact|tip|explanation|reasoning|rationale|justification|why|details|working|"
    r"this (?:makes sense|is because|follows|checks|matches|agrees|is consistent|confirms|assumes|took|used|takes"
    r"|uses)|for comparison|vérification|überprüfung|comprobación|verificación|验证|检验|检查|注)\b"
    r"|^\W{0,4}(?:we|one|you|i|this) can (?:also |easily |quickly |now )?(?:be )?(?:verif(?:y|ied)"
    r"|check(?:ed)?|confirm(?:ed)?)\b"
    r"|\b(?:match(?:es)?|agrees? with|equals|satisf(?:y|ies)) the (?:right|left|original|given|other|statement"
    r"|condition)\b"
    r"|^\W{0,4}(?:\w{1,15} ){0,2}(?:confidence|time (?:taken|used|needed to answer)|word count|tokens"
    r"|difficulty|rating|method"
    r"|formula|version|seed|page)(?: used)?:"
    r"|\blet(?:['’]s| us| me) (?:\w+ )?(?:double[- ]?check|verify|check|confirm|test|substitute|plug)\b"
    r"|\b(?:plugging|substituting|putting) .{0,40}(?:back|in)\b"
    r"|^\W{0,4}(?:验证|检验|检查|注意|注：)",
    re.IGNORECASE,
)
CONCLUDING = re.compile(
    r"^\W{0,4}(?:so|thus|therefore|hence|in total|altogether|finally|in conclusion|in the end|overall|to conclude"
    r"|in summary|all in all|consequently|ultimately|the (?:total|final)|donc|also|por lo tanto"
    r"|所以|因此|故|总共|一共)\b",
    re.IGNORECASE,
)
SUPPOSING = re.compile(
    r"^\W{0,4}(?:(?:and|but|now|first|next|then|step \w+:?),? )?(?:assum(?:e|ing|es)|suppos(?:e|ing)|let(?:['’]s"
    r"| us| me)?\b|say\b|guess(?:ing)?\b|try(?:ing)?\b|consider|imagine|what if|pretend|"
    r"for (?:example|instance)|for \$?[a-z]\$? ?=|(?:take|replace|change|ignore|retry|connection|download\w{0,3}"
    r"|plug|substitute|test|insert|set|choose|pick)(?!:)|e\.g|whether"
    r"|if|given|known|question|problem|task|exercise|prompt|input|example"
    r"|hint|goal|"
    r"we (?:are (?:asked|given|told|looking)|know)\b|there (?:is|are) (?:several|many|two|three) (?:ways|steps"
    r"|methods)|"
    r"soit|supposons|(?:on|nous) (?:sait|savons|suppose)|sachant|angenommen|(?:nehmen wir|wir nehmen) an|gegeben"
    r"|(?:es )?sei(?:en)?\b|wir wissen|man weiß|supongamos|(?:se sabe|sabemos|dado)s? que|sean?\b|sappiamo|sia\b"
    r"|sabe-se|假设|设|若|如果|已知|题目|问题|求)"
    r"|^\W{0,4}(?:option|candidate|possibility|guess|choice|case|scenario|alternative|attempt|try"
    r"|trial)s? ?(?:\w{1,3}|one|two|three)\s?[:.)]"
    r"|\b(?:the|this|our|a) (?:question|problem|puzzle|task|exercise|prompt|statement|text|riddle|story) (?:gives"
    r"|says|states|mentions|tells|provides|asks|has|contains|involves|is about|specifies)\b"
    r"|\b(?:tokens?|loading|limit reached|syntax error|progress|copyright|©|language model|my (?:limit|knowledge"
    r"|training|budget|cutoff)|as an exercise|to the reader"
    r"|(?:is|are|as|was) given|(?:is|was) (?:all|the only thing|what) (?:i|we)|we only\b|you (?:asked|said"
    r"|mentioned|wrote|told|gave|stated)|according to|i (?:was|am) (?:told|given)|i (?:stopped|tried|quit|gave)"
    r"|in the (?:question|problem|image|picture|text|statement|prompt))\b"
    r"|\bthe user (?:wants|asks|asked|is|has|gave|gives|says|said|needs|mentions|provided)\b"
    r"|^\W{0,4}give me\b|\btime limit\b|\basked about\b|\bmy [0-9]{1,4} (?:attempts|tries|minutes|tokens)\b"
    r"|(?<!in )\bquestions? (?:here )?(?:is|was)\b|\blooking for\b(?! (?:is|was)\b)"
    r"|\b(?:whether|hypothetically|let(?:['’]s| us) (?:say|assume|suppose|guess|try|check))\b|检查.{0,20}是否|是否",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"\b(?:how (?:many|much|long|far|old|tall|big|fast|often|large|high|wide|deep|heavy|big)|what|which|find|when"
    r"|where|who|whose|combien|quel\w{0,3}|wie ?viele?|was|welche\w?|cu[áa]nt[oa]s?|cu[áa]l\w{0,2}|qu[ée]"
    r"|quant[oiae])\b|多少|几|什么|何|いくつ|몇",
    re.IGNORECASE,
)
# "We want to know how far it gets.", which is the task once more, as a question is.
ASKING_INDIRECTLY = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|(?:want|need|like|have)s? to (?:know|find|determine|calculate|see)|wonder\w{0,3}"
    r"|questions? (?:is|was)"
    r"|(?:find|figure|work) out|determine|interested in|looking for)\b.{0,30}?"
    r"\b(?:how (?:many|much|long|far|old|fast|big|large|often|high|tall|wide|heavy)|what|which|why|when|where|who)\b"
    # "We need to find the time it takes.", which is nothing that was found
    r"|\b(?:need|want|have|wish|try|trying|remains|is left)s? to (?:find|determine|calculate|compute"
    r"|work out)\b(?! that)"
    r"|\b(?:gesucht|zu (?:berechnen|bestimmen|ermitteln) (?:ist|sind)|wir suchen|(?:on|nous) (?:cherch\w{1,4}"
    r"|voulons|devons|veut|doit)|il faut (?:trouver|calculer|déterminer)|(?:queremos|hay que|debemos|tenemos que"
    r"|necesitamos|debe|buscamos) (?:hallar|calcular|encontrar|saber|determinar)|se (?:pide|busca|quiere)|si (?:cerca"
    r"|chiede)|vogliamo|queremos|precisamos)\b|要求出|求出?的是",
    re.IGNORECASE,
)
ASKING_WHETHER = re.compile(
    r"\b(?:fit|fits|work|works|right|correct|valid|true|make sense|check|satisf\w+|hold|match)\b", re.IGNORECASE
)
PLANNING = re.compile(
    r"^\W{0,4}(?:(?:and|so|now|first|next|then),? )?(?:(?:we|i|you|one)(?: can| could| should| must| then"
    r"| just| need to| have to| want to| will|['’]ll)?(?: now| first| then| just| only| also)? )?(?:find|solve"
    r"|calculate|compute"
    r"|determine|evaluate|multiply|divide|add|subtract|simplify|use|take|count|convert|apply|look|start|check"
    r"|consider|figure"
    r"|work out|split|break|combine|square|know|try|begin|rechne|calcule)\b",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"\blet me know\b|\bfeel free\b|\b(?:i )?hope (?:this|that|it)\b|\bwould you like\b|\bdo you (?:want|need"
    r"|have)\b|\bif you(?:['’]d| have| need| want| would| like)\b|\bi (?:can|could) also\b"
    r"|\b(?:any|other|more) questions\b|\bhappy to help\b|\bis there anything\b|\bgood luck\b|\bthank|\bshall i\b"
    r"|\bcan i help\b",
    re.IGNORECASE,
)
TOTAL = re.compile(
    r"\b(?:totals?|sum|answer|result|altogether|together|in all|combined|overall|difference|profit|remaining"
    r"|left|average"
    r"|final|output|solution"
    r"|gesamt|summe|somme)\b|总|共",
    re.IGNORECASE,
)
OUTCOME = re.compile(
    r"\b(?:to (?:get|obtain|give|reach)|and (?:get|obtain)|giving|gives|gets?|obtain|yields?"
    r"|equals)\b",
    re.IGNORECASE,
)
GIVEN = re.compile(
    r"(?<!\\)\b(?:has|have|had|there (?:are|is|were|was)|(?:start|begin)(?:s|ning|ing)?|started|began|contains?"
    r"|consists?|owns?|owned|originally|initially|at first|bought|was given|were given)\b",
    re.IGNORECASE,
)
# "A day has 86,400 seconds." tells of all days, "A shop has 18 apples." of one shop in a task.
OF_A_KIND = re.compile(
    r"\W{0,4}(?:the (?:equation|inequality|system|function|curve|parabola|hyperbola|ellipse|polynomial|matrix"
    r"|graph|sequence|expression"
    r"|quadratic|set|group)|(?:an?|one|every|each) (?:regular |right |full |leap |standard )?(?:second|minute"
    r"|hour|day|week|month|year"
    r"|decade|century|mile|foot|yard|inch|ki?lo\w{0,7}|met(?:er|re)|litre|liter|dozen|gross|cube|square|circle|triangle"
    r"|rectangle|sphere|\w{3,8}gon|\w{3,8}hedron|prism|pyramid|set|matrix|polynomial|graph|number))\b",
    re.IGNORECASE,
)
OF_A_RESULT = re.compile(
    r"\b(?:so|left|remain\w{0,3}|now|total|altogether|in all|still|then|therefore|thus|hence|together|finally"
    r"|ends? up|in the end|combined|overall|each|must|will|would|means|find|conclude|follows|get|obtain|possible|ways"
    r"|arrangements|combinations|permutations|(?:has|have|had) (?:to|area|perimeter|volume|length|value"
    r"|measure|order|degree))\b|=",
    re.IGNORECASE,
)
# "The answer divides 24"; but "24 as my answer" and "the answer 24" give one.
TELLS_OF_ANSWER = re.compile(
    r"(?<!as my )(?<!as the )(?<!as our )(?<!for my )\banswer\b(?!\W{0,3}[0-9])", re.IGNORECASE
)
LABELLED_VALUE = re.compile(r"\W{0,4}(?:[^\W\d_]{1,20}\s?){1,3}:(?=\s[^\x1c])")
ASKING_STEMS = stems(ASKING_INDIRECTLY)
CHECKING_STEMS = stems(CHECKING)
SUPPOSING_STEMS = stems(SUPPOSING)
CLOSING_STEMS = stems(CLOSING)


def checks(text: str) -> bool:
    """Whether a clause checks or remarks on an answer that was given before."""
    return has_stem(text, CHECKING_STEMS) and CHECKING.search(text) is not None


def concludes(text: str) -> bool:
    """Whether a clause begins with "so" or the like."""
    return CONCLUDING.match(text) is not None


def supposes(text: str) -> bool:
    """Whether a clause only supposes or plans something, or repeats what is given."""
    return has_stem(text, SUPPOSING_STEMS) and SUPPOSING.search(text) is not None


def is_total(text: str) -> bool:
    """Whether a line such as "Total: 56" names the outcome of those before it."""
    return TOTAL.search(text) is not None


def is_given(text: str) -> bool:
    """Whether a clause tells what there is, as tasks do, and has no sign of a result: "A class has 30 pupils"."""
    return GIVEN.search(text) is not None and OF_A_RESULT.search(text) is None and OF_A_KIND.match(text) is None


def plans(text: str) -> bool:
    """Whether a clause only tells what to calculate, unless it holds the outcome too: "Multiply 9 by 2."."""
    return PLANNING.match(text) is not None and OUTCOME.search(text) is None


def asks_for_a_value(text: str) -> bool:
    """Whether a question asks how many or which, and so repeats the task."""
    return ASKING.search(text) is not None


def asks_indirectly(text: str) -> bool:
    """Whether a clause repeats what is asked for: "We want to know how far it gets."."""
    return has_stem(text, ASKING_STEMS) and ASKING_INDIRECTLY.search(text) is not None


def asks_whether_right(text: str) -> bool:
    """Whether a question asks if something is right, so that "No." denies it."""
    return ASKING_WHETHER.search(text) is not None


def is_closing(text: str) -> bool:
    """Whether a clause only speaks to the reader: "Let me know if …"."""
    return has_stem(text, CLOSING_STEMS) and CLOSING.search(text) is not None


def is_labelled(text: str) -> bool:
    """Whether a line names a value: "Bed: 150"."""
    return LABELLED_VALUE.match(text) is not None


def tells_of_answer(text: str) -> bool:
    """Whether a clause tells something about the answer without giving it: "The answer divides 24."."""
    return TELLS_OF_ANSWER.search(text) is not None
