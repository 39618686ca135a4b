"""How is the text laid out in paragraphs, sections, lines and lists?"""

import re
from collections import Counter
from itertools import pairwise

from grpo_rewards.constraints.finding import Finding, counted, found
from grpo_rewards.constraints.reading.sentences import ends_with, sentences
from grpo_rewards.constraints.reading.texts import lines, paragraphs

PARAGRAPH_DIVIDER = re.compile(r"\*\*\*")
# ***word*** is bold and italic, and no two dividers.
BOLD_ITALIC = re.compile(r"(?<![^\s(\"'])\*\*\*(?=[^\s*])[^*\n]{1,300}(?<=[^\s*])\*\*\*(?!\*)")
RESPONSE_DIVIDER = "******"
RULE = re.compile(r"(?:\*[ \t]*){3,}+|(?:-[ \t]*){3,}+")
# No second sign may follow, nor a number behind the hyphen or italics behind the star.
BULLET_POINT = re.compile(r"-(?!-|[.,]?\d)|\*(?!\*|[^\s*][^*\n]*\*)")
HIGHLIGHT = re.compile(r"(\*{1,3}+)([^*\n]++)\1")
BULLET_BEFORE = re.compile(r"^[ \t]*\*[ \t]")
POSTSCRIPTS = {"p.s.": r"p\.\s?s\.", "p.p.s": r"p\.\s?p\.\s?s", "p.p.s.": r"p\.\s?p\.\s?s"}


def divided(text: str, num_paragraphs: int) -> Finding:
    """So many paragraphs, parted by ``***``; one at the edge parts nothing, and none between may be blank."""
    parts = [one.strip() for one in PARAGRAPH_DIVIDER.split(BOLD_ITALIC.sub("emphasis", text))]
    if "" in parts[1:-1]:
        return Finding(False, "a paragraph between two dividers is blank")
    return counted(sum(map(bool, parts)), "exactly", num_paragraphs, "paragraphs")


def two_paragraphs(text: str) -> Finding:
    """Two paragraphs, parted by an empty line."""
    return counted(len(paragraphs(text)), "exactly", 2, "paragraphs")


def two_responses(text: str) -> Finding:
    """Two different texts, parted by six asterisks."""
    parts = [one.strip() for one in text.split(RESPONSE_DIVIDER)]
    if "" in parts[1:-1]:
        return Finding(False, "a response between two dividers is blank")
    given = [one for one in parts if one]
    followed = len(given) == 2 and given[0] != given[1]
    return found(followed, "two different responses", f"{len(given)} responses, {len(set(given))} of them different")


def sections(text: str, section_spliter: str, num_sections: int) -> Finding:
    """At least so many sections, each marked by a word and a number."""
    # the marker comes first and the look at its left end last, because a literal beginning is searched for fastest
    exact = re.escape(section_spliter)
    marked = re.findall(rf"{exact}(?<!\w{exact})\s?\d+", text)
    return counted(len(marked), "at least", num_sections, f"sections marked {section_spliter!r}")


def bullets(text: str, num_bullets: int) -> Finding:
    """Exactly so many bullet points that begin with ``*`` or ``-``; a negative number, a rule, emphasis are none."""
    count = sum(often for line, often in Counter(text.split("\n")).items() if _is_bullet(line))
    return counted(count, "exactly", num_bullets, "bullet points")


def _is_bullet(line: str) -> bool:
    line = line.strip()
    return BULLET_POINT.match(line) is not None and RULE.fullmatch(line) is None


def highlights(text: str, num_highlights: int) -> Finding:
    """At least so many parts in ``*…*``, ``**…**`` or ``***…***``, each on one line and not blank."""
    count = sum(often * _spans(line) for line, often in Counter(text.split("\n")).items() if "*" in line)
    return counted(count, "at least", num_highlights, "highlighted sections")


def _spans(line: str) -> int:
    """How many highlighted parts a line has; a star before a space may be a bullet or open one of them."""
    ways = {line, BULLET_BEFORE.sub("", line)}
    return max(sum(bool(inside.strip()) for _, inside in HIGHLIGHT.findall(way)) for way in ways)


def postscript(text: str, postscript_marker: str) -> Finding:
    """A postscript begins with the marker, and nothing but it follows: in the last paragraph, or in several.

    One of several paragraphs begins a paragraph, and is shorter than what stands before it.
    """
    marker, text = postscript_marker.lower(), text.lower()
    exact = POSTSCRIPTS.get(marker)
    literal = re.escape(marker)
    pattern = rf"(?<![^\W\d_]){exact}" if exact else rf"{literal}(?<![^\W\d_]{literal})"
    parts = paragraphs(text)
    if re.search(pattern, parts[-1]) is not None:
        return Finding(True, "the text ends with a postscript")
    begins = re.compile(rf"[\s*_#>(]{{0,9}}{pattern}")
    first = next((at for at, part in enumerate(parts) if begins.match(part) is not None), 0)
    if sum(map(len, parts[first:])) < sum(map(len, parts[:first])):
        return Finding(True, "the text ends with a postscript of several paragraphs")
    return Finding(False, "a text follows" if re.search(pattern, text) else f"without {postscript_marker!r}")


def indented(text: str) -> Finding:
    """Each line is indented more than the one before."""
    widths = [len(line) - len(line.lstrip()) for line in lines(text)]
    return Finding(
        all(one < after for one, after in pairwise(widths)), f"lines are indented by {widths[:20]}, wanted to grow"
    )


def separated_list(text: str, sep: str) -> Finding:
    """At least two items, each behind the separator: at the start of a line, or with white space on both sides."""
    mark = re.escape(sep)
    count = len(re.findall(rf"^[ \t]*{mark}|{mark}(?=\s)(?<=\s{mark})", text, re.MULTILINE))
    return counted(count, "at least", 2, f"items behind {sep!r}")


def sub_bullets(text: str) -> Finding:
    """There are bullets ``*``, and behind each, before the next, a bullet ``-``."""
    marks = [line.lstrip()[0] for line in lines(text) if line.lstrip()[0] == "-" or _is_star(line)]
    stars = [at for at, mark in enumerate(marks) if mark == "*"]
    followed = bool(stars) and all(marks[at + 1 : at + 2] == ["-"] for at in stars)
    return found(followed, f"{len(stars)} bullets with one below each", "no bullets, or one without a bullet below it")


def _is_star(line: str) -> bool:
    return line.lstrip().startswith("*") and _is_bullet(line)


def bullets_behind_sentences(text: str) -> Finding:
    """At least two sentences that end in a full stop, then at least two bullets ``*``, and nothing else."""
    kinds = [_is_star(line) for line in lines(text)]
    first = kinds.index(True) if True in kinds else len(kinds)
    before = "\n".join(lines(text)[:first])
    statements = sum(ends_with(one, ".") for one in sentences(before))
    followed = statements >= 2 and len(kinds) - first >= 2 and all(kinds[first:])
    return Finding(followed, f"{statements} sentences, then {sum(kinds)} bullets, wanted two of each in this order")


def no_whitespace(text: str) -> Finding:
    """No white space anywhere."""
    at = next((number for number, one in enumerate(text) if one.isspace()), None)
    return found(at is None, "no white space", f"white space at character {at}")
