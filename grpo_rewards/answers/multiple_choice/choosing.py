"""Tells which option a clause chooses, and how firmly: "the answer is B", "I'd go with B", "so B", "B fits".

Look here if a choice is not understood, or not weighed well. Only wording that is known chooses an option.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from grpo_rewards.answers.multiple_choice.announcing import QUOTED, SURELY, THE_OPTION, announced_at, last_match
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, REJECTED_OPTION, index_of, options_in
from grpo_rewards.answers.multiple_choice.polarity import denies
from grpo_rewards.answers.multiple_choice.rejecting import hedges_choice
from grpo_rewards.answers.multiple_choice.singling import singled_out, without_description, without_remark
from grpo_rewards.answers.multiple_choice.views import is_conditional, is_not_own_view, is_told_abroad, within_reach

__all__ = ["Chosen", "chosen_in"]

Strength: TypeAlias = Literal["announced", "asserted", "alone"]


class Chosen(NamedTuple):
    """What a clause chooses.

    Attributes:
        options: the indices, more than one if it chooses several, none if it announces none of them.
        strength: ``announced`` ("the answer is B"), ``asserted`` ("B is right"), or ``alone`` (nothing but ``B``).
        is_final: whether it says that this is final.
    """

    options: frozenset[int]
    strength: Strength
    is_final: bool = False


JUDGED_RIGHT = re.compile(
    rf"({ANY_OPTION})[)\]]?(?:\s?\([^()\U00013000-\U00013100]{{0,120}}\))?(?:\s(?:alone|here|itself|thus|therefore"
    rf"|then|also|clearly|really))?(?:"
    rf"\s?(?:is|must be|has to be|should be|seems(?: to be)?|looks|appears(?: to be)?|remains|stands|está|estão"
    rf"|turns out to be|will be|ist|est|es|é|è|to|är|er)(?![^\W\d_]){SURELY}"
    r"\s?(?:(?:the|my|our|your|an?|la|die|der|das|le|el|il|de|het)\s)?(?:(?:only|one and only|single|strongest"
    r"|closest|soundest|clearest|safest|likeliest|simplest|intended|expected|remaining|plausible|viable|sensible"
    r"|reasonable|defensible|valid|better|definitely"
    r"|clearly|most|best|final|correct|right|obvious|logical|richtige|bonne|respuesta|opción|a|option"
    r"|choice)\s){0,3}"
    r"(?P<right>correct(?:a|e|o)?|corret[ao]|verdadeir[ao]|verdader[ao]|right|best|better|true|valid|accurate"
    r"|answer|one|option|choice|fit|match|candidate left"
    r"|what (?:we|i|you)(?:['’]d| would| should) (?:grab|use|need|choose|pick|wear|take|bring|want|expect)"
    r"|what (?:we|i) (?:want|need|are looking for)|what (?:is"
    r"|was) asked(?: for)?|what the question (?:asks(?: for)?|is (?:after|asking(?: for| about)?)|wants)"
    r"|left(?! as an? )|appropriate|acceptable|defensible|suitable|(?<=most )(?:plausible|reasonable|probable"
    r"|likely|possible)"
    r"|logical|credited|keyed|supported|confirmed|justified|warranted|preferred|winner|way to go|spot on"
    r"|sole survivor"
    r"|fitting|it|selection|pick|letter"
    r"|richtig|korrekt|antwort|juste|réponse|exacte|cierta|respuesta|corretta|certa|resposta|giusta|juist|rätt"
    r"|riktig|верно|правильный|correct answer)(?:\s(?:answers?|options?|choices?|one|statement|response|reply"
    r"|description"
    r"|conclusion|explanation|selection|antwort|réponse|respuesta|opción))?(?![^\W\d_])"
    r"|\s(?P<fits>it is|(?:therefore |clearly |best |also )?(?:fits|stays|prevails|holds up|nails it|hits the mark"
    r"|takes it|gets my vote|works|matches|holds|satisfies|wins"
    r"|applies|follows|makes (?:the most |perfect )?sense|stands|describes|explains|agrees"
    r"|remains(?! to be| an? )|survives"
    r"|meets"
    r"|checks out|richtig|korrekt|stimmt|passt|trifft zu|convient|(?:seçeneği |şıkkı )?doğru(?:dur)?|верен|верно"
    r"|является верным))(?![^\W\d_])"
    r"|[)\].:]?\s?(?P<ticked>[✓✔✅☑]|(?:correct|right|richtig|正确)(?=\s?[–—:-]\s)|[:–—=(-]\s?(?:correct|right|true|yes|richtig|vrai|正确|对)(?![^\W\d_]))"
    r"|\s?(?:选项|项|答案|的说法|说法|显然|才|一定)?(?:是|就是|为|都|也)?(?:唯一)?(?P<chinese>正确|对的|正解|符合|当选|入选"
    r"|无误"
    r"|属实"
    r"|成立|最合适|最佳|合适|答案|が正し|が正解|を選(?![^。]{0,12}(?:ない|ません|誤))|が適切|が最も(?:適|ふさわ|妥当|正し)|が最適|が妥当|が当てはま|がふさわし|が答え|です"
    r"|だ(?=[。\s]|$)|である"
    r"|となる"
    r"|[을를]\s?(?:고르|선택하|택하)\S{0,3}\s?(?:것이|게)\s?(?:맞|옳|적절|타당)"
    r"|[을를]\s?(?:선택(?:합니다|하겠습니다|한다|했습니다|할게요)|고르겠습니다|고릅니다|고를게요|택하겠습니다)|가 정답"
    r"|이 정답|번|가 맞|이 맞|입니다|이다|を選択)"
    r")",
    re.IGNORECASE,
)
# the options that a clause calls right, one by one: "A is right and C is right"
JUDGED_RIGHT_OPTION = re.compile(
    rf"({ANY_OPTION})(?=[)\]]?\s(?:is|are)(?:\s(?:also|too|the|clearly|equally|just as)){{0,2}}"
    r"\s(?:right|correct|true|valid|acceptable|fine|possible)(?![^\W\d_]))",
    re.IGNORECASE,
)
BOTH_RIGHT = re.compile(
    rf"(?<![^\W\d_])both\s(?:the\s)?({ANY_OPTION})\)?,?\s(?:and|&"
    rf"|plus)\s\(?({ANY_OPTION})[)\]]?\s(?:are|is|must be|seem)\s(?:\w{{1,12}}\s)?"
    r"(?:correct|right|true|valid|acceptable)(?![^\W\d_])",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"(?:(?<![^\W\d_])(?:(?:its(?= )|(?:it|this|that|which|these|those|value|result|one|we|so"
    r"|only)(?:['’]s|\s?(?:is|must be"
    r"|has to be|should be|means|gives|equals|would be|can only be|leaves|are|also is)))"
    r"|(?:leav(?:es|ing)|left with|leaves us with|remaining:?|remains|matches|matching|corresponds? to"
    r"|corresponding to|agrees with|given (?:by|in)|(?:listed|given|shown|found) (?:as|under|at)|equals"
    r"|equal to|i\.e\.|namely|that is|which is|ou seja|isto é|o sea|es decir|c['’]est[- ]à[- ]dire|soit"
    r"|ossia|cioè|das heißt|то есть"
    r"|found in|stated in|points? (?:us )?(?:to|towards?)|indicates?|supports?|consistent with|identifies"
    r"|(?:describe|classify|characteri[sz]e) (?:it|this|that|them) as"
    r"|(?:should|would|must|best) (?:continue|end|finish|conclude|be (?:completed|finished|continued)) (?:with|by)"
    r"|makes? (?:this|it)"
    r"(?= (?:an? |the )?[\U00013000-\U000130ff][\s.!]{0,3}$)|mak(?:es"
    r"|ing)(?=[^\U00013000-\U000130ff]{0,8}[\U00013000-\U000130ff]\W{0,3}(?:$|the|our|my|correct"
    r"|right|true|best|in total|in all|altogether|overall))|es ist|das ist"
    r"|c['’]est"
    r"|il s['’]agit(?: donc| bien)? de|es la|è la|é a|это)"
    r"|(?:gotta|got to|has to|have to|must|should|would|will|can only) be|(?:looks|seems) like"
    r"|(?:this|that|it)(?:['’]s| is| was) (?:an?|one|the) (?:\w{1,20} ){0,2}(?:example|instance|illustration|case) of"
    r"|what (?!if )[^,.;:\U00013000-\U00013100]{1,80}? (?:is|are)|(?:seems|appears) to be"
    r"|(?:we|i) (?:get|obtain|have|find|reach|arrive at|end up with|see)(?! an? )|(?:elimination|calculation"
    r"|this|that"
    r"|it) gives?(?: us)?|yields|leads (?:me |us )?to|(?:comes|boils) down to|ends? up (?:at|with)|(?:i"
    r"|we) got(?! an? )"
    rf")(?![^\W\d_]){SURELY}(?:\s?(?:only|just|us with|us|answer|with|by))?[,:]?{THE_OPTION}{QUOTED}"
    rf"|(?<![^\W\d_])only\s(?:the\s)?{THE_OPTION}|{REJECTED_OPTION}[)\]]?[，,]?\s?(?:but(?: rather)?|rather|sondern"
    rf"|mais(?: bien)?|sino|ma|mas|а|而是|应该?是|应为)\s?(?:it is |it['’]s )?{THE_OPTION}|(?:即|也就是|就是|对应"
    rf"|剩下|只有|仅有|只剩|属于)(?:的是|了)?(?:选项)?\s?)(?={ANY_OPTION})",
    re.IGNORECASE,
)
NO_DOUBT = re.compile(
    r"\bwith (?:maybe |about |roughly |perhaps |around |say )?(?:[5-9]\d|100) ?% (?:confidence|certainty)\b"
    r"|\bcan(?: only)? be\b|\bno (?:doubt|question)\b|\bwhat [\U00013000-\U000130ff] (?:says|claims)\b",
    re.IGNORECASE,
)  # "Only B can be deduced"
# "B matches the description": a question's own words may stand behind such a verb
MET = re.compile(
    r"(?<!describes)(?<!explains)(?<!follows)\s?(?:the|its|an?|that|what|with the|in the|to the"
    r"|for the)\s[^\U00013000-\U000130ff]{1,200}$",
    re.IGNORECASE,
)
# "A describes one case, B another"
OPTIONS_COMPARED = re.compile(rf"[,;] (?:(?:and|while|whereas) )?{ANY_OPTION} (?!is |are )[a-z]{{2,20}}(?![a-z])")
# behind "so": "the mass is 70 kg"
CONCLUDED = re.compile(
    rf"[^.:;?!\U00013000-\U00013100]{{1,80}}(?:(?<![^\W\d_])(?:is|are|was|equals?|becomes|gives|(?:are|am"
    rf"|is) (?:looking at"
    r"|dealing with|left with|talking about|after)|(?:is|are|was) (?:an?|one|the) (?:\w{1,20} ){0,2}(?:example"
    r"|instance"
    r"|illustration|case) of|illustrates|exemplifies|points? (?:us )?(?:to|towards?)|(?:leads?|takes|brings) us (?:to"
    r"|towards?)"
    rf"|lands? (?:us )?(?:on|at|in)|(?:leaves|gives|makes|yields|means) (?:an?|the) (?:\w{{1,20}} ){{1,3}}of"
    rf"|calls for|describes|matches|ist|est|es|é"
    rf"|è)(?![^\W\d_])|=|是|为){THE_OPTION}{QUOTED}(?={ANY_OPTION})",
    re.IGNORECASE,
)
ALONE_BEFORE = re.compile(
    r"\W{0,6}(?:(?<![^\W\d_])(?:(?:by|after|through|using)(?: the)?(?: process of)? elimination|without (?:a "
    r"|any )?doubt|obviously|so|thus|therefore"
    r"|hence|then|ok(?:ay)?|well|sure|yes|yep|yeah|right|finally|consequently|overall|in conclusion|to conclude"
    r"|to sum up|in summary|ultimately|answer|certainly|definitely|clearly|probably|most likely|likely|easy"
    r"|(?:tl;?)?dr|in sum|in brief|all told|all in all|to summari[sz]e|quite|undoubtedly|unquestionably|evidently"
    r"|beyond doubt|bottom line|in short|long story short|short (?:answer|version)|that['’]?s (?:right|correct|it)"
    r"|correct|exactly|bingo|indeed"
    r"|of course|got it|and|but|it is|it['’]s|q(?:uestion)?\.?\s?\d{1,3}|prolly|prob|probs|deffo|def|final|option"
    r"|choice|the|la|le|die|den|il"
    r"|el|letter|rather"
    r"|instead|i mean|make that|no"
    r"|wait|oops|sorry|correction|a[cC]tually|also|donc|daher|entonces|alors|quindi|antwort|i think|i believe"
    r"|i guess|i say|my answer|hmm+)(?![^\W\d_])\W{0,4}){0,5}",
    re.IGNORECASE,
)
TAIL_WORDS = (
    r"(?:imo|imho|lol|tbh|because|since|that|who|consistent|left|remaining|as|for|by|due|based|from|in|given|which|where|rather"
    r"|instead|here|then|too|with|i\.e|that is|according|of|on|at|to|after|following|using|it|this|the answer"
    r"|is(?= (?:the |most |clearly |indeed |also |therefore ){0,2}(?:correct|right|true|best|most|answer|valid|only"
    r"|appropriate)(?![^\W\d_]))"
    r"|the (?:(?:only|correct|right|best|remaining|single|sole|final|most \w{2,15}) ){0,3}(?:answers?|options?"
    r"|choices?|one"
    r"|candidate|possibility|statement|fit|match)|and [\U00013100]|not|[\U00013100]|correct|right|best"
    r"|again|better|indeed|therefore|thus|so|without|under|per|through|when|being|out|among|over|among|above"
    r"|below|please"
    r"|alone|all|both|every|each|these|our|also|only|ist|est|es|é|è|richtig|weil|denn|car|porque|perché|pois|und|et"
    r"|y|e|dir|olan|şıkkıdır"
    r"|seçeneğidir)"
)
TAIL = re.compile(
    rf"[\"'”’`$]{{0,3}}[)\]](?=[\s.,:;]|$)|[\s\"'“”’`$.!)\]*}}]{{0,6}}(?:$|[,;:(—–✓✔✅。！，、：；-]"
    rf"|[^\x00-\x7f\U00013000-\U000130ff]|\\|\.\s|(?<=\s){TAIL_WORDS}(?![^\W\d_]))",
    re.IGNORECASE,
)
BEHIND_LONE = re.compile(r"[\s\"'“”’`$.!)\]*}]{0,6}(?:$|[:—–✓✔✅。！,，-]\s?|\()")
# "C, by contrast, tilts only 28 degrees"
SUBJECT_WITH_ASIDE = re.compile(
    r"\s?,\s(?:has|have|would|cannot|did|does|was|were)\s|\s?,\s(?:(?:by|in) (?:contrast|comparison"
    r"|turn)|on the (?:other|one) hand|however|meanwhile|though|conversely"
    r"|likewise|similarly|instead|for (?:its|his|her) part|at (?:\w{1,12} ){1,3}|like (?:\w{1,12} ?){1,3}"
    r"|unlike (?:\w{1,12} ?){1,3}"
    r"|too|also|elle|lui|elles|eux|hingegen|dagegen|par contre|en revanche|en cambio|por sua vez|invece),\s[a-zà-ÿ]{2}",
    re.IGNORECASE,
)
SPOILT_TAIL = re.compile(
    r"(?<![^\W\d_])(?:at first|in (?:spirit|part|theory|principle|isolation)|on the surface|if|unless|only (?:if"
    r"|when|for|in|at|with|by|under)|(?:as|so) long as|except|until|different|another|(?:most |many "
    r"|some )(?:people|students|readers|others)|or|maybe|perhaps|possibly|might|could be|not sure|unsure|uncertain"
    r"|wrong"
    r"|incorrect|false|mistaken?|doubt\w{0,3}|impossible|contradict\w{0,5}|joking|kidding|guess|provided|depending"
    r"|assuming|were|wäre|would be|wenn|falls|si|oder|ou|ou bien|o|oppure|falsch|faux|fausse|или|если)(?![^\W\d_])"
    r"|(?<![^\W\d_])se\s(?:\S{1,12}\s){0,3}?\w{1,15}sse(?:m|ro)?(?![^\W\d_])|\?|如果|或|吗|错|不对|还没|尚未|不一致|不相符|不符"
    r"|妥当ではない|とは(?:考えられ|言え|思え|限ら)|かも|的(?:同学|学生|人|考生|理由|原因)",
    re.IGNORECASE,
)
ASIDE = re.compile(r"\([^()]{0,200}\)")
REJECTED_PART = re.compile(
    rf"[,;—–(]?\s?[^,;()\U00013000-\U000130ff]{{0,80}}{REJECTED_OPTION}[^,;()\U00013000-\U000130ff]{{0,120}}"
)
# "the answer is B" announced as the last of all
SAYS_FINAL = re.compile(
    r"(?<![^\W\d_])(?:final(?:ly|e)?|ultimately|in the end|in conclusion|overall|to conclude|corrected|revised"
    r"|endgültig\w?|definitiv\w?)(?![^\W\d_])|最终|最后|综上",
    re.IGNORECASE,
)
JOINT_OF_OPTIONS = re.compile(
    r"[\s\"'“”’`$.)\](\[*{}]{0,4}(?:[,;/&+|、，：:—–-]|\\text|(?<![^\W\d_])(?:and|or|plus|with|as|und|oder|et|ou|y"
    r"|e|o|и|или|also|both|maybe|perhaps|possibly|vs|even|nor|option|choice|the|to|either|then|i mean|alternatively"
    r"|too|well|together|along)(?![^\W\d_])|和|与|或|及|跟|还是|或者|와|과|또는|と|または|\s){0,10}[\s\"'“”’`$.)\](\[*{}]{0,4}",
    re.IGNORECASE,
)
# "A와 B이다": both
JOINED_BEFORE = re.compile(rf"({ANY_OPTION})\s?(?:와|과|및|と|および|和|与|、)\s?$")


@lru_cache(maxsize=256)  # a policy may write one line a thousand times
def chosen_in(clause: str, concludes: bool = False) -> Chosen | None:
    """What a clause chooses; ``None`` if it chooses nothing. Its rejected options are marked as such.

    Args:
        clause: the clause, its options masked.
        concludes: whether "so" or the like stands before it.
    """
    clause = without_remark(clause)
    if (both := BOTH_RIGHT.search(clause)) is not None and not is_not_own_view(clause[: both.start()]):
        return Chosen(frozenset(map(index_of, both.groups())), "asserted")
    found = announced_at(clause)
    if found is not None and found.group().lstrip()[:1] in "—–" and not is_conditional(clause[: found.start()]):
        return _weighed(
            clause[found.start() :], 0, found.end() - found.start(), "announced"
        )  # "… not Freud's — choose D"
    if found is not None:
        return _weighed(clause, found.start(), found.end(), "announced")
    own = without_description(REJECTED_PART.sub("", NO_DOUBT.sub(" ", clause)))
    single = singled_out(clause)
    if single is not None and not SPOILT_TAIL.search(own) and not is_not_own_view(own):
        return Chosen(frozenset({single}), "asserted")
    judged = last_match(JUDGED_RIGHT, clause)
    if judged is not None and len(every := options_in("".join(JUDGED_RIGHT_OPTION.findall(clause)))) > 1:
        return Chosen(frozenset(every), "asserted")
    if judged is not None and judged.group("right") in ("answer", "one", "choice", "option"):
        return _weighed(clause, judged.start(), judged.start(1), "announced", judged.end())
    if judged is not None and judged.group("fits") is not None and OPTIONS_COMPARED.search(clause, judged.end()):
        return None
    if judged is not None:
        met = judged.group("fits") is not None and MET.match(clause, judged.end()) is not None
        clause = clause[: judged.end()] if met and not SPOILT_TAIL.search(clause, judged.end()) else clause
        return _weighed(clause, judged.start(), judged.start(1), "asserted", judged.end())
    alone = _lone_start(clause)
    if alone is not None:
        return _alone(clause, alone)
    pointed = last_match(POINTING, clause) or (CONCLUDED.match(clause) if concludes else None)
    return None if pointed is None else _weighed(clause, pointed.start(), pointed.end(), "asserted")


def _lone_start(clause: str) -> int | None:
    """Where the options start in a clause that is nothing but an option, or several, and a remark; else ``None``."""
    lead = ALONE_BEFORE.match(clause)
    at = lead.end() if lead else 0
    while (
        at > 0
        and clause[at : at + 1]
        and not "\U00013000" <= clause[at] <= "\U000130ff"
        and "\U00013000" <= clause[at - 1] <= "\U000130ff"
    ):
        at -= 1
    if not re.match(ANY_OPTION, clause[at : at + 1]):
        return None
    end = _end_of_list(clause, at)
    return at if BEHIND_LONE.match(clause, end) and not SUBJECT_WITH_ASIDE.match(clause, end) else None


def _alone(clause: str, at: int) -> Chosen | None:
    """The choice of a clause that is nothing but an option, or several, from index ``at`` on."""
    tail = REJECTED_PART.sub("", clause[_end_of_list(clause, at) :])
    if hedges_choice(clause) and len(options_in(clause)) < 2:
        return Chosen(frozenset(), "alone")
    if SPOILT_TAIL.search(tail) and len(options_in(clause)) < 2:
        return None
    return Chosen(frozenset(options_in(clause)), "alone", SAYS_FINAL.search(clause) is not None)


def _end_of_list(clause: str, start: int) -> int:
    """The index behind the options that stand side by side from ``start`` on."""
    end = start + 1
    while (joint := JOINT_OF_OPTIONS.match(clause, end)) and re.match(
        ANY_OPTION, clause[joint.end() : joint.end() + 1]
    ):
        if ":" in joint.group() and clause[joint.end()] == clause[start]:
            break  # "B: Rome was not built in a day", where Rome is B
        end = joint.end() + 1
    return end


def _weighed(clause: str, start: int, at: int, strength: Strength, end: int | None = None) -> Chosen | None:
    """The choice at index ``at``, unless the words around it make it none.

    Args:
        start: where the words begin that choose.
        at: where the option stands.
        strength: how firm these words are.
        end: where they end, if that is behind the option.
    """
    before = clause[:at]
    if (
        is_conditional(before)
        or is_told_abroad(before)
        or is_not_own_view(within_reach(REJECTED_PART.sub("", before)))
        or denies(REJECTED_PART.sub("", before))
        or (end is not None and is_not_own_view(ASIDE.sub("", clause[at + 1 : end])))
    ):
        return None
    listed_to = _end_of_list(clause, at)
    tail = REJECTED_PART.sub("", clause[max(listed_to, end or 0) :])
    if (
        hedges_choice(clause[start:])
        or SPOILT_TAIL.search(tail)
        or not TAIL.match(f" {tail}" if tail[:1] == " " else tail)
    ):
        several = options_in(clause[start:])
        return (
            Chosen(frozenset(several), strength)
            if len(several) > 1
            else Chosen(frozenset(), strength)
            if hedges_choice(clause[start:])
            else None
        )
    options = {index_of(clause[at])} | options_in(clause[at:listed_to]) | options_in(tail)
    if end is not None and start < at:
        options |= options_in(clause[start:at])
    options |= options_in(joined.group(1)) if (joined := JOINED_BEFORE.search(before)) else set()
    is_final = SAYS_FINAL.search(clause[: at + 1]) is not None
    return Chosen(frozenset(options), strength, is_final)
