"""Tells which options a clause rejects, and which clauses leave open, hedge or take back what was said of one.

Look here if a rejected option is taken for the chosen one ("not B but A", "B is tempting", "排除B"), or the reverse.
"""

from __future__ import annotations

import re
from functools import lru_cache

from grpo_rewards.answers.finding.prose.stances import gives_up, takes_back
from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION

__all__ = [
    "ANY_MARK",
    "begins_with_doubt",
    "hedges_choice",
    "leaves_no_choice",
    "reconsiders",
    "with_rejected",
    "without_reasons",
]

# Several options that are rejected together: "A, B and D".
GROUP = (
    rf"{ANY_OPTION}[)\].]?(?:\s?(?:[,;/&、，]\s?)?(?:(?:and|or|nor|und|oder|noch|et|ou|ni|y|o|e|и|和|或|与"
    rf"|及)\s?)?\(?{ANY_OPTION}\)?){{0,25}}"
)
LIGHT_WORDS = (
    r"(?:\s|[:,]|(?<![^\W\d_])(?:the|both|either|for|option|options|choice|choices|answer|answers|to|be|is|it|with"
    r"|that"
    r"|as|out|die|der|das|la|le|les|el|los|l['’]|antwort|option|réponse|respuesta|opción|even|necessarily|really|actually"
    r"|from|in|of|by|at|on|simply|just|namely|definitely|certainly|likely|possibly|all|statement|statements)(?![^\W\d_])|选项|选|選|答案|是"
    r"|了"
    r"|掉){0,8}"
)
REJECTING_BEFORE = re.compile(
    r"(?:(?<![^\W\d_])(?:not(?! only)|never|neither|nor|isn['’]t|wasn['’]t|aren['’]t|can['’]t be|cannot be|can not be"
    r"|couldn['’]t be|could not be|rather than|instead of|as opposed to|unlike|except(?: for)?|anything but"
    r"|everything but|all but|but not|and not|any but|nothing but|other than|different from|differs? from|apart from"
    r"|over|than|hardly|scarcely|barely|unlikely to be|against|besides|aside from|without|won['’]t be"
    r"|eliminat(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?|discard(?:s|ed|ing)?"
    r"|dismiss(?:es|ed|ing)?|disregard(?:s|ed|ing)?|ignor(?:e|es|ed|ing)|cross(?:es|ed|ing)? (?:out|off)"
    r"|remov(?:e|es|ed|ing)|avoid(?:s|ed|ing)?|drop(?:ped"
    r"|ping)?"
    r"|confus(?:e|ed|ing) (?:it |this )?with|mistak(?:e|en) for|throw(?:ing)? out|toss(?:ing)? out|skip(?:ping)?"
    r"|(?:wrong|incorrect|false|worst|rejected|least \w{1,20}|distractor|trap|mistaken|bad|poor(?:est)?|tempting"
    r"|common"
    r"|eliminated|excluded|falsche|mauvaise|fausse|incorrecta|falsa|errada|sbagliata|unsuitable|inappropriate)"
    r"(?: (?:wrong |incorrect )?(?:answers?|options?|choices?|ones?|picks?|selections?|mistakes?|errors?|traps?"
    r"|distractors?|letters?|answer choices?|antwort|réponse|respuesta|opción|resposta|risposta))?"
    r"\s?(?:is|are|was|would be|to pick|ist|est|es|é|è|:|being|includes?)"
    r"|nicht|kein\w{0,2}|statt|anstatt|außer|pas|non|sauf|ni|plutôt que|au lieu d[eu]|no es|en lugar de|en vez de"
    r"|excepto|não|nem|niet|не|кроме|inte|ikke|nie|değil|không phải|bukan)(?![^\W\d_])"
    r"|排除|不能选|不应选|不选|不選|不是|并非|並非|而非|不可能是|除了|错误(?:的)?(?:答案|选项)?(?:是|为|：)|误选"
    r"|避免)"
    rf"{LIGHT_WORDS}({GROUP})",
    re.IGNORECASE,
)
VERB = (
    r"(?:\s?(?:is|are|was|were|be|being|seems?|looks?|sounds?|appears?|would be|must be|can be|could be|has been"
    r"|have been"
    r"|gets?|both|all|also|can|must|should be|might (?:seem|look|sound|be)|may (?:seem|look|sound|be)|may"
    r"|might)(?=[\s:])){0,4}"
)
ADVERBS = (
    r"(?:\s(?:\w{2,20}ly|also|all|both|too|quite|very|a|an|the|just|both|far|much|out|no|more|most|another|one"
    r"|clearly)){0,4}"
)
JUDGED_WRONG = (
    r"(?:not\b(?! only|\s\(?[\U00013000-\U00013100])|n['’]t\b|never\b|wrong|incorrect|false\b|invalid|out\b"
    r"|impossible|ruled|eliminated|excluded"
    r"|rejected|discarded|irrelevant|mistake|debunked|refuted|disprove[dn]|distractor|trap\b|error\b|misconception|tempting|unlikely|inconsistent"
    r"|implausible|unsuitable|inappropriate|inaccurate|untrue|unrelated|unsupported|contradict|mistaken|attractive"
    r"|longer\b|common\b|worse\b|weak|plausible (?:but|at first)|small\b|large\b|broad\b|narrow\b|extreme\b"
    r"|opposite\b"
    r"|off\b|nonsense|close but|partially|partly|incomplete|bad\b|falsch|nicht|faux\b|fausse\b|pas\b|incorrect[oa]"
    r"|fals[oa]\b|errad[oa]|sbagliat[oa]|неверн|неправильн|yanlış|salah|sai\b|fout\b|fel\b|forkert)"
)
REJECTED_BY_MARK = re.compile(
    rf"^[\s|*-]{{0,6}}[✗✘❌🚫❎]\s{{0,3}}{GROUP}"
    rf"|^\W{{0,4}}{ANY_OPTION}(?=[^\U00013000-\U00013100✓✔✅☑]{{0,200}}[✗✘❌❎][\s.*]{{0,4}}$)"
)
REJECTING_BEHIND = re.compile(
    rf"({GROUP})(?=(?:\s?\([^()]{{0,120}}\))?(?:"
    rf"{VERB}{ADVERBS}\s{{0,2}}{JUDGED_WRONG}"
    r"|(?:\s(?:both|all|clearly|also|simply|obviously))?\s(?:does|do|did|can|could|would|will|should|has|have|is"
    r"|are|was|were)"
    r"(?:\s?n['’]t|\snot)\b|\s(?:cannot|can['’]t|won['’]t|don['’]t|doesn['’]t|isn['’]t|aren['’]t)\b"
    r"|(?:\s(?:both|all|clearly|also))?\s(?:fails?|contradicts?|ignores?|violates?|lacks?|misses|conflicts?|confuses?"
    r"|misstates?|misrepresents?|neglects?|forgets?|overlooks?|overstates?|goes too far|go too far|passt nicht"
    r"|stimmt nicht"
    r"|no (?:es|son|puede)|n['’]est|não|non (?:è|può)|не|ne)(?!\w)"
    r"|\s?[✗✘❌🚫❎×]"
    r"|\s?[:–—=(-]\s?(?:wrong|incorrect|false|no\b|not\b(?!\s\(?[\U00013000-\U00013100])|rejected|eliminated"
    r"|invalid|out\b|impossible|错|不)"
    r"|(?:[两二三四]?个?(?:项|选项)|都|均|也|是|显然|明显|的说法|说法|答案)?(?:均|都|也|是)?(?:错|不正确|不对|不符"
    r"|不合|不是|不能"
    r"|不可|不成立|有误|排除|不选|不满足|并不|间违|間違|誤|不適|ではな|ではあり|じゃな)"
    r"|(?:는|은|가|이)?\s?(?:아니|틀|오답)"
    r"))",
    re.IGNORECASE,
)
SEPARATED_BY_BOTH = re.compile(rf"({ANY_OPTION})(?=\s(?:nor)\s)", re.IGNORECASE)
# "D is out, so is C and so is B"
SO_IS = re.compile(
    rf"({REJECTED_OPTION}[^\U00013000-\U000130ff]{{0,80}}?(?<![^\W\d_])so (?:is|are|does|do|was|were"
    rf"|has) ){ANY_OPTION}(?=\W{{0,3}}(?:$|,|and so))",
    re.IGNORECASE,
)
REASON_AT_START = re.compile(
    r"^\W{0,4}(?:and )?(?:because|since|as(?! (?:long|far|soon) as)|given that|considering|due to|based on"
    r"|seeing (?:as|that)|while|although"
    r"|though|even though"
    r"|whereas|given|weil|da|comme|puisque|porque|como|ya que|因为|由于|虽然|尽管)(?![^\W\d_])[^,，]{0,400}[,，]",
    re.IGNORECASE,
)
REASON_BEHIND = re.compile(
    r"[,，;:(—–-]{0,2}\s?(?:(?<![^\W\d_])(?:because|since|given that|due to|as(?= (?:it|the|this|that|they|all|only"
    r"|we|shown|stated|described|both|none|each|[\U00013100])(?![^\W\d_]))|weil|denn"
    r"|(?<=[,;:(—–-] )(?:da|car|pois)|(?<=[\U00013000-\U00013100] )(?:da|car|pois)|parce que"
    r"|puisque|porque|ya que|perché|poiché|потому что|так как|ведь)(?![^\W\d_])|因为|由于|理由)(.{0,2000})$",
    re.IGNORECASE | re.DOTALL,
)
BEGINS_IN_DOUBT = re.compile(
    r"^\W{0,4}(?:(?:and|but) )?(?:or|maybe|perhaps|possibly|alternatively|could (?:also )?be|might (?:also )?be"
    r"|it (?:could|might|may)|either|oder|ou bien|o bien|或者?|也可能|也许)(?![^\W\d_])",
    re.IGNORECASE,
)
HEDGED_CHOICE = re.compile(
    rf"{ANY_OPTION}[^\U00013100]{{0,40}}?(?<![^\W\d_])(?:or|oder|maybe|perhaps|possibly|alternatively|not sure"
    rf"|unsure|uncertain|if and only if"
    r"|only if|unless|if|provided|might|could be|either|depending|depends|both(?! (?:conditions|criteria"
    r"|requirements|constraints|equations|sides|parts|clues|facts|texts))|equally|as well as|together with"
    r"|along with|too are|also(?= (?:correct|right|possible|works|fits)))(?![^\W\d_])"
    rf"|{ANY_OPTION}\s?(?:或|还是|和|与|都)|{ANY_OPTION}\s?\?",
    re.IGNORECASE,
)
NO_CHOICE = re.compile(
    r"^\W{0,4}(?:(?:so|thus|but|unfortunately|actually),? )?(?:none of (?:the|these|them)(?: \w{1,20}){0,3} (?:is"
    r"|are|seems?|fits?|works?|match(?:es)?|apply|applies)"
    r"|no(?:ne)? (?:option|choice|answer)s? (?:is|are|fits?|works?|match(?:es)?|can be)"
    r"|(?:both|all|several|multiple|many|two|three|any)(?: (?:of )?(?:the|these|them))?(?: (?:options|choices"
    r"|answers))? (?:are|seem|look|could be|can be) (?:\w{1,12}ly )?(?:correct|right|possible|plausible|valid"
    r"|acceptable|fine|true|wrong|incorrect))"
    r"|(?:can['’]t|cannot|could not|couldn['’]t|unable to) (?:decide|choose|pick|determine|say|tell|answer)"
    r"|(?<!\w)any of (?:them|these|the (?:options|choices)) (?:could|might|may|can)|以上都不|都不正确|无法(?:确定"
    r"|选择|判断)|没有正确",
    re.IGNORECASE,
)
CHOICE_TAKEN_BACK = re.compile(
    r"^\W{0,4}(?:(?:but|and|yet|although|though|oh|ah|oops|well|um|no),? ){0,2}(?:(?:that|this|it"
    r"|which)(?: answer| choice| option| one"
    r"| claim| view| belief| statement)?(?:['’]s| is| was| would be| would| will| cannot| can['’]t| turns out to be"
    r"| must be| seems)"
    r"(?: \w{1,12}){0,3}? (?:out(?! of \w{2,12} (?:number|box))|eliminated|excluded|off topic|beside the point"
    r"|wrong|incorrect|false|mistaken|mistake|error|trap|untrue|invalid|impossible|absurd"
    r"|contradiction|not(?! only)|contradict\w{0,4}|fail\w{0,3}|nonsense|right\?)"
    r"|(?:i|we) (?:would |will |have to |must )?(?:disagree|doubt it|doubt that|don['’]t think so|take (?:it"
    r"|that) back|was wrong|were wrong|am wrong|misread|misspoke|mistyped|miscounted|made|meant)"
    r"|(?:(?:that|this|it|which) )?(?:contradicts|fails|does not (?:fit|work|hold|match)|doesn['’]t (?:fit|work"
    r"|hold|match)|leads? to [^.]{0,40}contradiction|is not the case)"
    r"|(?:it|this|that) (?:cannot|can['’]t) be|(?:that|this|it) is what [^.]{1,60}"
    r" (?:wants?|think|believe|say)(?: (?:you|us|me))?(?: to \w{1,15})?"
    r"|(?:just )?(?:kidding|joking)|rejected|eliminated|ruled out|discarded|excluded|scratch that|never ?mind"
    r"|strike that|no[,.!—…]|no$|nope|nah|wrong|incorrect"
    r"|false|not(?:[.!]|$)|not (?:really|quite|so|true|right|correct)|correction|erratum|edit:|oops|my (?:bad"
    r"|mistake)|sorry|apologies|i apologi[sz]e"
    r"|(?:但|可)?(?:这|那|此)?(?:是|显然|其实)?(?:错|不对|不正确|误)|不[,，]|(?:das|dies) (?:ist"
    r"|wäre) (?:aber )?falsch|nein|(?:mais )?c['’]est (?:faux|une erreur)|(?:pero )?(?:eso|esto) es (?:falso"
    r"|incorrecto|un error))",
    re.IGNORECASE,
)
IN_MIDDLE = re.compile(
    r"(?<=[\U00013000-\U000130ff])(?:\.{2,4}|…|\s?[,;—–-])\s?(?:no|wait|oops|sorry|i mean|er|um|hmm|actually"
    r"|correction|scratch that|make that|rather|not really|or rather)(?![^\W\d_])[\s,.:—-]{0,4}",
    re.IGNORECASE,
)
ANY_MARK = f"[{ANY_OPTION[1:-1]}{REJECTED_OPTION}]"
ENDS_TAKING_BACK = re.compile(
    r"(?<=[,.!:—])|\s?(?:$|[.,;:!?—–)…-]|(?:and|so|but|because|since|as|the|it|here|though|again|for"
    r"|what)(?![^\W\d_])|[\u3000-\u9fff])",
    re.IGNORECASE,
)
RECONSIDERS = re.compile(
    r"(?:^|[.,;:—–!…→] ?|\b(?:but|no|oh|oops),? )\W{0,3}(?:wait|hmm+|hm|hold on|actually|on (?:second|further|closer"
    r"|reflection)\b[^.,]{0,20}|let me (?:\w{1,12} )?(?:re\w{3,12}|double[- ]?check|check|think|verify|try|start"
    r"|correct|look)"
    r"|i (?:should|need to|must|have to|will) (?:re\w{3,12}|double[- ]?check|correct|change|revise)"
    r"|changed (?:it |this |my answer )?to(?= [\U00013000-\U000130ff])|i (?:have )?changed? my mind|changing my"
    r"|upon (?:reflection|review|closer|further|re\w{3,12})"
    r"|thinking (?:again|about it)|looking (?:again|closer)|after (?:re\w{3,12}|checking|double)|revis(?:ed|ing)"
    r"|corrected|等等|等一下|不对|重新|更正|纠正|moment mal|attendez?|espera|подождите)(?![^\W\d_])",
    re.IGNORECASE,
)


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def with_rejected(clause: str) -> str:
    """The clause with a mark of its own in place of each option that it rejects."""
    text = REJECTING_BEHIND.sub(REJECTED_OPTION, REJECTED_BY_MARK.sub(REJECTED_OPTION, clause))
    text = REJECTING_BEFORE.sub(lambda found: found.group()[: found.start(1) - found.start()] + REJECTED_OPTION, text)
    text = SEPARATED_BY_BOTH.sub(REJECTED_OPTION, text)
    for _ in range(text.count(" so ") if REJECTED_OPTION in text else 0):
        text = SO_IS.sub(rf"\1{REJECTED_OPTION}", text)
    return text


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def without_reasons(clause: str) -> str:
    """The clause without the reason that it gives at its start or its end: "because A is wrong"."""
    return REASON_BEHIND.sub("", REASON_AT_START.sub("", clause, count=1), count=1)


def hedges_choice(clause: str) -> bool:
    """Whether a clause names an option and leaves open whether it is the right one: "B, or maybe"."""
    return HEDGED_CHOICE.search(clause) is not None


def begins_with_doubt(text: str) -> bool:
    """Whether a statement takes the certainty from the one before it: "Or maybe C."."""
    return BEGINS_IN_DOUBT.match(text) is not None


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def leaves_no_choice(text: str) -> bool:
    """Whether a statement says that no option, or more than one, is right, or gives up."""
    return NO_CHOICE.search(text) is not None or gives_up(text)


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def reconsiders(text: str) -> int:
    """The index behind the words that take back or doubt what was chosen before; 0 if there are none."""
    back = CHOICE_TAKEN_BACK.match(text)
    if back is not None and ENDS_TAKING_BACK.match(text, back.end()) is None:
        back = None  # "It is not B.", "It would be wrong to choose B."
    ends = [found.end() for found in (back, RECONSIDERS.search(text), *IN_MIDDLE.finditer(text)) if found]
    return max([takes_back(text) if not re.search(ANY_MARK, text) else 0, *ends])
