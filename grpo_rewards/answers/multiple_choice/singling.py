"""Finds the one option that a clause singles out, whatever its other words: "Only B …", "B is the only one that …".

Look here if "only" does not choose, or chooses what it rejects; or if a remark behind a choice hides it ("B for sure").
"""

from __future__ import annotations

import re

from grpo_rewards.answers.multiple_choice.announcing import THE_OPTION
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, index_of

__all__ = ["singled_out", "without_description", "without_remark"]

# "Only B meets both conditions", whatever these are
ONLY_ONE = re.compile(
    rf"(?<!not )(?<!if )(?<![^\W\d_])(?:only|just|solely)\s{THE_OPTION}({ANY_OPTION})[)\]]?(?=\s(?:\w{{1,20}}ly\s)?"
    r"(?:is|has|can|does|could|would|gives?|\w{2,20}[^\Ws]s)(?![^\W\d_]))[^\U00013000-\U000130ff]{1,300}$"
    rf"|({ANY_OPTION})[)\]]?\s(?:is|was|remains)\s(?:\w{{2,15}}ly\s)?(?:the|our)\s(?:only|sole|single|one)\s"
    r"(?:\w{1,20}\s){1,2}(?:that|which|who|to|with|left|remaining|in|of|for|consistent|supported|matching|satisfying"
    r"|meeting|whose|where)(?![^\W\d_])[^\U00013000-\U000130ff]{0,300}$"
    rf"|(?:c['’]est|it (?:is|was)|è|é|es|fue|foi)\s({ANY_OPTION}),?\s(?:qui|that|which|who|che|quien|quem|la que"
    rf"|el que)\s"
    r"[^\U00013000-\U000130ff]{1,200}$"
    rf"|({ANY_OPTION})[)\]]?\s(?:är den enda|är det enda|er den eneste|is de enige|is het enige"
    rf"|jest jedyn\w{{1,3}}|adalah satu-satunya"
    r"|là \S{1,12} duy nhất|является единственн\w{2,3}"
    r"|[—–-] единственн\w{2,3})(?![^\W\d_])[^\U00013000-\U000130ff]{0,200}$"
    rf"|({ANY_OPTION})[)\]]?\s(?:es la única|es el único|est la seule|est le seul|ist die einzige|é a única"
    rf"|è l['’]unica)"
    r"(?![^\W\d_])[^\U00013000-\U000130ff]{0,200}$"
    rf"|(?:this|that|which|it)(?:['’]s| is| was)(?: \w+)? what ({ANY_OPTION})[)\]]? (?:says|states|claims|describes"
    rf"|expresses"
    r"|asserts|means)\W{0,3}$"
    rf"|({ANY_OPTION})[)\]]?\s(?:most\s)?(?:correctly|accurately|properly|rightly|best)\s\w{{2,15}}s(?![^\W\d_])"
    r"[^\U00013000-\U000130ff]{0,300}$",
    re.IGNORECASE,
)
# "Doubling the speed quadruples it: option C", "Wien liegt in Österreich, also D", "Mars has two moons (C)"
AT_END = re.compile(
    rf"(?:(?:[^\s\U00013000-\U00013100]{{1,40}}\s{{1,2}}){{3,60}}?[^\s\U00013000-\U00013100]{{1,40}}?\s?(?:[:：–—]|,\s(?:also"
    rf"|folglich|mithin|dunque|luego|logo|alltså|altså)\s)\s?({ANY_OPTION})"
    rf"|[^\U00013000-\U00013100]{{0,200}}({ANY_OPTION})[^\U00013000-\U00013100]{{1,200}}\s\2\))[\s.!。)\"'”]{{0,4}}"
)
# "By exclusion, D is the culprit"
BY_ELIMINATION = re.compile(
    rf"\W{{0,4}}(?:so,?\s)?(?:(?:by|through|via)\s(?:a |the )?(?:simple )?(?:process of )?(?:elimination|exclusion)"
    rf"|par élimination"
    rf"|por (?:descarte|eliminación|exclusão|eliminação)|per esclusione|im ausschlussverfahren|методом исключения"
    rf"|排除法)[,:，]?\s?"
    rf"(?:it (?:is|must be)\s)?(?:then\s)?(?:the\s)?({ANY_OPTION})(?=\s(?:is|are|was|were|must be|has to be"
    rf"|remains)(?!\s(?:gone|out|next|also|to go|eliminat|struck|ruled|exclud|remov|cross|one of|discard"
    rf"|wrong))(?![^\W\d_]))[^\U00013000-\U00013100]{{0,160}}$",
    re.IGNORECASE,
)
DESCRIBES_A_THING = re.compile(
    r"(?<=[^\W\d_])\s(?:that|which|who|whose|som|qui|que|che)\s(?![^.;,]{0,200}(?:wrong|incorrect|false|fail|correct|right|true|support"
    r"|option|answer|people|student|think|thought|say|said|believ|claim|most|many|consider|if\s|might|could|may\s))"
    r"[^.;,\U00013000-\U00013100]{1,200}",
    re.IGNORECASE,
)
SPEAKING_OF_OPTIONS = re.compile(
    r"(?<![^\W\d_])(?:options?|choices?|next|compare|comparing|versus|vs|step|case|part|figure|table|graph|group|team"
    r"|list|following|look|see|now|eliminat\w{1,3}|remain\w{0,3} to|left to|letters?|start\w{0,3}|begin\w{0,4}"
    r"|analy\w{1,4}|evaluat\w{1,3}|discuss\w{0,3}|read\w{0,3})(?![^\W\d_])",
    re.IGNORECASE,
)
FAILING = re.compile(
    r"(?<![^\W\d_])(?:(?:fail|lack|ignore|miss|contradict|violate|conflict|break|overlook)\w{0,3}|beside the point"
    r"|irrelevant|off topic"
    r"|odd|unread|out)(?![^\W\d_])",
    re.IGNORECASE,
)
# what is said behind a choice, and adds nothing to it
STRESSING = re.compile(
    r"[，,；;]\s?(?:其余|其他|其它)(?:选项|各项|三项|的)?(?:都|均|皆)?(?:是)?(?:错|不)[^，,。]{0,6}[。.]?$"
    r"|(?:[\s,–—-]{1,3}(?:no contest"
    r"|for me"
    r"|i (?:think|guess|believe|reckon)|for (?:sure|certain)|perfectly|exactly|precisely|nicely"
    r"|completely|without question"
    r"|beyond (?:doubt|question|any doubt)|mate|folks|guys|lol|imo|imho|tbh|btw|hands down|no doubt"
    r"|without (?:a )?doubt"
    r"|dude|bro|i['’]d say|all the way|100 ?%|period|my friend|as expected|on this one|for this one|seguro|sin duda"
    r"|sans (?:aucun )?doute|ganz klar|sicher|senza dubbio|sem dúvida|без сомнения)){1,3}(?=[\s.!)\"'”]{0,4}$)"
    r"|\s(?:imo|imho|lol|tbh)(?=,\s)",
    re.IGNORECASE,
)


def singled_out(clause: str) -> int | None:
    """The index of the only option that meets what a clause asks for; ``None`` if it singles out none."""
    ending = AT_END.fullmatch(clause)
    if ending is not None:
        spoken = SPEAKING_OF_OPTIONS.search(clause) or FAILING.search(clause)
        return None if spoken else index_of(ending.group(1) or ending.group(2))
    only = BY_ELIMINATION.match(clause) or ONLY_ONE.search(clause)
    if only is None or FAILING.search(only.group()):
        return None
    return index_of(next(filter(None, only.groups())))


def without_description(clause: str) -> str:
    """A clause without what describes a thing and judges no option: "the only metal **that does not rust**"."""
    return DESCRIBES_A_THING.sub("", clause)


def without_remark(clause: str) -> str:
    """A clause without the words at its end that only stress it: "for sure", "mate"."""
    return STRESSING.sub("", clause)
