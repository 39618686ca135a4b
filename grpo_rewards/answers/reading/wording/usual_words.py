"""Says alike what problems without a usual answer are answered with: "no solution", "DNE", "infinitely many".

Look here if two wordings of such an answer are not seen as the same.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes

__all__ = ["usual_words", "without_article"]

# Each line: the usual wording, then others, in small letters and without spaces.
_WORDINGS = """
nosolution nosolutions therearenosolutions thereisnosolution therearenosolution nosolutionexists nosolutionsexist
  noanswer 无解 方程无解 没有解 不等式无解
norealsolution norealsolutions therearenorealsolutions thereisnorealsolution norealroots therearenorealroots norealroot
  thereisnorealroot
doesnotexist dne notexist doesntexist itdoesnotexist thelimitdoesnotexist limitdoesnotexist nosuchlimit 不存在
infinitelymany infinitelymanysolutions infinitesolutions therearinfinitelymany thereareinfinitelymany
  thereareinfinitelymanysolutions infinitenumberofsolutions aninfinitenumberofsolutions 无数个 无穷多个
diverges divergent itdiverges itisdivergent isdivergent
converges convergent itconverges itisconvergent isconvergent
undefined notdefined itisundefined isundefined
"""
LEADING = re.compile(
    r"\A(?:(?:it|this|that|the (?:answer|statement|result|claim|day|shape)) (?:is|was) )?(?:(?:an?|the) )?",
    re.IGNORECASE,
)


# The same of words without markup. A capital A may be the letter of a choice; a sentence is for who reads sentences.
ARTICLE = re.compile("(?:(?:[Ii]t|[Tt]h(?:is|at)) is(?: (?:an?|the))?|an?|An|[Tt]he)")
LONGEST_LEAD = 8  # nodes


def _table(wordings: str) -> dict[str, str]:
    lines = wordings.strip().replace("\n  ", " ").split("\n")
    return {other: line.split()[0] for line in lines for other in line.split()}


USUAL_WORDINGS = _table(_WORDINGS)


def usual_words(spelled: str) -> str:
    """The usual wording of an answer in words; the words themselves if none is known."""
    return USUAL_WORDINGS.get(spelled.casefold(), spelled)


def without_article(nodes: Nodes) -> Nodes:
    """Words without what leads to them: ``a rhombus`` is a rhombus, "It is a Thursday" says Thursday."""
    if nodes[0].kind == "text":
        text = LEADING.sub("", nodes[0].text, count=1).strip()
        return [nodes[0]._replace(text=text), *nodes[1:]] if text and text != nodes[0].text else nodes
    lead, rest = "", nodes  # of words without markup, of which a and it is are letters
    for at, node in enumerate(nodes[:LONGEST_LEAD]):
        lead += f" {node.text}" if lead and (node.apart or node.kind == "word") else node.text
        behind = nodes[at + 1 :]
        if ARTICLE.fullmatch(lead) and all(one.kind in WORD_KINDS for one in behind):
            rest = behind or rest
    return rest
