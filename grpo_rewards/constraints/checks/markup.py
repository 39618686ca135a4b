"""Brackets, quotation marks, JSON, titles and templates."""

import json
import re
import string
import unicodedata
from typing import Any

from grpo_rewards.constraints.finding import Finding, found
from grpo_rewards.constraints.reading.texts import straight_quotes

CONSTRAINED = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
JSON_FENCE = re.compile(r"```(?:json|Json|JSON)?")
DEPTH_OF_BRACKETS, DEPTH_OF_QUOTES = 5, 3
INNERMOST_BRACKETS = re.compile(r"\([^()\[\]{}]*+\)|\[[^()\[\]{}]*+\]|\{[^()\[\]{}]*+\}")
TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")
APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
# Not possessive: before Python 3.11.5, a possessive group with a choice in it matches nothing here.
ITALIC_ELEMENT = re.compile(r"<(i|em)>([^<]*(?:<(?!/?\1>)[^<]*)*)</\1>", re.IGNORECASE)
BY_LETTERS = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
# What is a comma in some script, or can only be taken for one: by Unicode's names and its table of confusables. A
# comma below a letter stays where no letter with one exists. The same for full stops and exclamation marks.
COMMAS = ",‚،、，﹐﹑､︐︑՝߸᠂᠈⸲⸴⸵⹁⹉⹌꓾꘍꛵𑑍𑑚𖺗፣¸؍ꓹ͵ˏ˛\u0326"
DOTS = ".．。｡․﹒…‥։۔܁܂።᙮᠃᠉⳹⳾⸼꓿꘎꛳︒ꓸꓺꓻ𝅭𐩐𖫵𖺘𛲟"
EXCLAMATIONS = "!！﹗︕ǃ‼⁈⁉❗❕❢❣՜߹႟᥄⹓꩷𞥞ⵑꜝ"
# What is a decimal point or a digit between digits of its script, and looks like a mark elsewhere.
COMMA_BY_PLACE = re.compile("(?<![\u0660-\u0669\u06f0-\u06f9])\u066b|\u066b(?![\u0660-\u0669\u06f0-\u06f9])")
DOT_BY_PLACE = re.compile("(?<=[A-Za-z0-9)])[\u0660\u06f0]")


def title(text: str) -> Finding:
    """A title in double angular brackets, on one line."""
    for line in text.split("\n"):
        start, end = line.find("<<"), line.rfind(">>")
        if 0 <= start < end - 2 and line[start : end + 2].lstrip("<").rstrip(">").strip():
            return Finding(True, "there is a title")
    return Finding(False, "no title in <<…>>")


def json_format(text: str) -> Finding:
    """The whole text is JSON, perhaps in a fenced block."""
    inside = text.strip()
    fence = JSON_FENCE.match(inside)
    inside = inside[fence.end() :] if fence else inside
    try:
        json.loads(inside.removesuffix("```"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return Finding(False, f"no JSON: {error!s:.80}")
    return Finding(True, "it is JSON")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def constrained(text: str) -> Finding:
    """The text holds one of the three answers, and not another one."""
    given = [one for one in CONSTRAINED if one in text]
    return found(len(given) == 1, f"it says {given[:1]}", f"{len(given)} of the three answers")


def one_option(text: str, options: str) -> Finding:
    """The text is one of the options and nothing else; letters with a bracket must be written as they are."""
    ways = (r"/",) if "/" in options else (r"\bor\b", r",\s*or\b|,|\bor\b")
    choices = [one.strip() for way in ways for one in re.split(way, options) if one.strip()]
    given = text.strip()
    if BY_LETTERS.match(options) is None:
        given, choices = _bare(given), [_bare(one) for one in choices]
    return found(bool(given) and given in choices, "it is one of the options", f"it is none of {options!r:.80}")


def _bare(text: str) -> str:
    return text.strip(string.punctuation + string.whitespace).lower()


def quotation(text: str) -> Finding:
    """The whole text is in one pair of double quotation marks."""
    inside = text.strip()
    if not (len(inside) > 1 and inside[0] == inside[-1] == '"'):
        return Finding(False, "it does not begin and end with a double quotation mark")
    inside = inside[1:-1]
    first, last = inside.find('"'), inside.rfind('"')
    # '"A" and "B"': the first pair closes before the end
    closes_early = 0 < first < last and not inside[first - 1].isspace() and inside[last - 1].isspace()
    return found(not closes_early, "it is in quotation marks", "several parts of it are in quotation marks")


def end_phrase(text: str, end_phrase: str) -> Finding:
    """The text ends with a phrase, at the start of a word; quotation marks behind it do not matter."""
    ended, phrase = text.strip().strip('"”“').lower(), end_phrase.lower()
    before = ended[: -len(phrase)][-1:]
    is_word = not (before.isalnum() and phrase[0].isalnum())
    return found(ended.endswith(phrase) and is_word, "it ends with the phrase", f"it ends with {ended[-40:]!r}")


def without_marks(text: str, *, marks: str, by_place: re.Pattern[str] | None = None) -> Finding:
    """None of the marks, nothing that looks like one, and no character that is made of one, such as ⒈."""
    used = [one for one in marks if one in text]
    if not text.isascii():
        used += [one for one in set(text).difference(used) if marks[0] in unicodedata.normalize("NFKC", one)]
        used += by_place.findall(text)[:1] if by_place else []
    return found(not used, "it has none", f"with {' '.join(used)}")


def nested_brackets(text: str) -> Finding:
    """Round, square or curly brackets, each closed by its own kind, are nested five deep."""
    for _ in range(DEPTH_OF_BRACKETS - 1):
        text = INNERMOST_BRACKETS.sub("", text)
    is_deep = INNERMOST_BRACKETS.search(text) is not None
    return found(is_deep, f"{DEPTH_OF_BRACKETS} deep", f"not nested {DEPTH_OF_BRACKETS} deep")


def nested_quotes(text: str) -> Finding:
    """Double and single quotation marks are nested three deep in turn; apostrophes in words do not count."""
    open_now: list[str] = []
    reached = 0
    for one in re.findall("[\"']", APOSTROPHE.sub("", straight_quotes(text))):
        if open_now and one == open_now[-1]:
            open_now.pop()
            if reached - len(open_now) >= DEPTH_OF_QUOTES:
                return Finding(True, f"{reached} deep")
        else:
            open_now.append(one)
            reached = max(reached, len(open_now))
    return Finding(False, f"not nested {DEPTH_OF_QUOTES} deep")


def explained_quotes(text: str) -> Finding:
    """Behind each quotation comes a word that is not quoted."""
    parts = straight_quotes(text).split('"')
    bare = [number for number, part in enumerate(parts[2::2], 1) if not any(map(str.isalnum, part))]
    return found(not bare, "each quotation is followed by words", f"quotation {bare[:1]} is not")


def template(text: str) -> Finding:
    """The three labels of the template, in their order, each with something behind it."""
    pieces, rest = [], text
    for label in TEMPLATE:
        piece, is_there, rest = rest.partition(label)
        if not is_there:
            return Finding(False, f"{label!r} is missing, or not in its place")
        pieces.append(piece)
    return found(all(map(str.strip, [*pieces[1:], rest])), "as the template", "nothing behind a label")


def thesis(text: str) -> Finding:
    """A statement in HTML's italics, with text behind it."""
    for found_here in ITALIC_ELEMENT.finditer(text):
        if found_here.group(2).strip() and text[found_here.end() :].strip():
            return Finding(True, "a statement in italics, with text behind it")
    return Finding(False, "no statement in <i>…</i> with text behind it")
