"""What the published checkers of IFEval, IFBench and IFTrain decide where that differs from the descriptions.

Only for figures that must compare with published ones. Each function has the name of a check, and the table sets it
beside that check. It rewards something that the description does not require, or misses something that it does. These
functions see the text as it is. Sentences are split and languages identified as everywhere here, not by nltk and
langdetect.
"""

from __future__ import annotations

import contextlib
import json
import re
import string
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

from grpo_rewards.completion.linear_patterns import encodable
from grpo_rewards.constraints.checks.counts import PERSONAL_PRONOUNS
from grpo_rewards.constraints.checks.layout import PARAGRAPH_DIVIDER, POSTSCRIPTS
from grpo_rewards.constraints.checks.markup import CONSTRAINED, DEPTH_OF_BRACKETS, TEMPLATE
from grpo_rewards.constraints.reading.languages import LANGUAGES, letters_in, likeliest
from grpo_rewards.constraints.reading.sentences import pieces
from grpo_rewards.constraints.reading.words import tokens

MEETS = {"less than": int.__lt__, "at least": int.__ge__}
ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
PAIRS = {"()", "[]", "{}"}
MOST_HITS = 20_000  # that are counted; no instruction requires more
POSSESSIVE = re.compile(r"([*+?])\+")
TWO_STARRED = re.compile(r"\*\*[^\n*]*+\*\*")
STARRED = re.compile(r"\*[^\n*]*+\*")
WORD_OR_MARK = re.compile(r"\w+(?:[-'’./&]\w+)*+|[^\w\s]")
LOWER_FIRST = re.compile(r"[a-z][a-z]*+(?![A-Z])")


@lru_cache(maxsize=512)
def _unescaped(keyword: str, edge: str = "") -> Any:
    """The keyword as an expression on RE2, or as it is spelled where it is no expression."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    # RE2 has no possessive quantifiers, which is how Python reads "C++"; without them it finds the same here.
    keyword = encodable(keyword)
    for expression in (keyword, POSSESSIVE.sub(r"\1", keyword)):
        with contextlib.suppress(re2.error):
            return re2.compile(f"{edge}(?:{expression}){edge}", options)
    return re2.compile(f"{edge}{re2.escape(keyword)}{edge}", options)


def _hits(text: str, keyword: str, edge: str = "") -> int:
    return sum(1 for _ in islice(_unescaped(keyword, edge).finditer(encodable(text)), MOST_HITS))


def existence(text: str, keywords: tuple[str, ...]) -> bool:
    """A keyword is an expression, and found inside words."""
    safe = encodable(text)
    return all(_unescaped(word).search(safe) for word in keywords)


def frequency(text: str, keyword: str, frequency: int, relation: str) -> bool:
    """A keyword is an expression, and counted inside words."""
    return bool(MEETS[relation](_hits(text, keyword), frequency))


def forbidden(text: str, forbidden_words: tuple[str, ...]) -> bool:
    """A word is an expression between two word boundaries."""
    return not any(_hits(text, word, r"\b") for word in forbidden_words)


def once(text: str, keyword: str) -> bool:
    """A required keyword must not occur twice."""
    return _hits(text, keyword) == 1


def without_word(text: str, keyword: str) -> bool:
    """A word beside a punctuation mark is not seen."""
    return f" {keyword} " not in text


def multiple(text: str, **keywords: str) -> bool:
    """Keywords are counted inside words."""
    low = text.lower()
    return all(
        low.count(word.lower()) == times for word, times in zip(keywords.values(), (1, 2, 3, 5, 7), strict=False)
    )


def unique_words(text: str, N: int) -> bool:
    """Punctuation alone is a word."""
    return len({word.strip(string.punctuation) for word in text.lower().split()}) >= N


def conjunctions(text: str, small_n: int) -> bool:
    """ "And" and "and," are two."""
    wanted = ("and", "but", "for", "nor", "or", "so", "yet")
    return len({word for word in text.split() if word.strip(string.punctuation).lower() in wanted}) >= small_n


def pronouns(text: str, N: int) -> bool:
    """Only personal pronouns count."""
    return sum(word in PERSONAL_PRONOUNS for word in re.findall(r"\w+", text.lower())) >= N


def numbers(text: str, N: int) -> bool:
    """ "10-20" is one number."""
    return len(re.findall(r"\d+", text.translate(ASCII_PUNCTUATION))) == N


def _ends(text: str) -> list[int]:
    ended = pieces(text)
    return [sum(one.endswith(mark) for one in ended) for mark in ".?!"]


def two_to_one(text: str) -> bool:
    """No statement and no question are two to one."""
    statements, questions, _ = _ends(text)
    return statements == 2 * questions


def balance(text: str) -> bool:
    """A text without any mark is balanced."""
    return len(set(_ends(text))) == 1


def response_language(text: str, language: str) -> bool:
    """A text without letters is in any language."""
    return not letters_in(text) or likeliest(text, LANGUAGES) == language


def capital_english(text: str) -> bool:
    """The language is identified from the whole text."""
    return text.isupper() and response_language(text, "en")


def lowercase_english(text: str) -> bool:
    """The language is identified from the whole text."""
    return text.islower() and response_language(text, "en")


def divided(text: str, num_paragraphs: int) -> bool:
    """Bold italics are two dividers."""
    parts = [bool(one.strip()) for one in PARAGRAPH_DIVIDER.split(text)]
    return all(parts[1:-1]) and sum(parts) == num_paragraphs


def first_word_of_paragraph(text: str, num_paragraphs: int, nth_paragraph: int, first_word: str) -> bool:
    """Empty paragraphs are counted when the wanted one is looked for, and a colon belongs to the word."""
    parts = text.split("\n\n")
    if sum(bool(one.strip()) for one in parts) != num_paragraphs or nth_paragraph > num_paragraphs:
        return False
    words = parts[nth_paragraph - 1].split()
    return bool(words) and re.split("[.,?!'\"]", words[0].lstrip("'").lstrip('"').lower())[0] == first_word.lower()


def bullets(text: str, num_bullets: int) -> bool:
    """A negative number, a rule and a line in italics are bullet points."""
    rows = [line.lstrip() for line in text.split("\n")]
    return sum(row[:1] == "-" or (row[:1] == "*" and row[1:2] not in ("*", "")) for row in rows) == num_bullets


def highlights(text: str, num_highlights: int) -> bool:
    """A bold italic part is two, and two bullets on one line are one."""
    spans = [*STARRED.findall(text), *TWO_STARRED.findall(text)]
    return sum(bool(one.strip("*").strip()) for one in spans) >= num_highlights


def sections(text: str, section_spliter: str, num_sections: int) -> bool:
    """The marker is an expression, and found inside words."""
    return _hits(text, rf"(?-i:{section_spliter}\s?\d+)") >= num_sections


def postscript(text: str, postscript_marker: str) -> bool:
    """A postscript may stand anywhere, even first."""
    marker = postscript_marker.lower()
    return _hits(text.lower(), POSTSCRIPTS.get(marker, marker)) > 0


def json_format(text: str) -> bool:
    """NaN and Infinity are JSON."""
    inside = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        inside = inside.removeprefix(fence)
    try:
        json.loads(inside.removesuffix("```"))
    except (ValueError, RecursionError):
        return False
    return True


def constrained(text: str) -> bool:
    """Several of the answers are an answer."""
    return any(one in text for one in CONSTRAINED)


def quotation(text: str) -> bool:
    """Two quotations are one."""
    inside = text.strip()
    return len(inside) > 1 and inside[0] == inside[-1] == '"'


def end_phrase(text: str, end_phrase: str) -> bool:
    """The phrase may be the end of a longer word."""
    return text.strip().strip('"').lower().endswith(end_phrase.lower())


def repeated_first(text: str, prompt_to_repeat: str) -> bool:
    """The last word of the request may go on."""
    return text.strip().lower().startswith(prompt_to_repeat.lower())


def no_comma(text: str) -> bool:
    """Only the ASCII comma is one."""
    return "," not in text


def no_dot(text: str) -> bool:
    """Only the ASCII dot is one."""
    return "." not in text


def no_exclamation(text: str) -> bool:
    """Only the ASCII exclamation mark is one."""
    return "!" not in text


def alliteration(text: str) -> bool:
    """All words beside one with the same letter are counted, not the longest run."""
    counts = []
    for piece in pieces(text):
        first = [word[0] for word in (one.lstrip(string.punctuation) for one in piece.lower().split()) if word]
        same = [False, *(one == after for one, after in pairwise(first)), False]
        counts.append(sum(before or after for before, after in pairwise(same)))
    return all(one < after for one, after in pairwise(counts))


def nested_brackets(text: str) -> bool:
    """The first of five brackets that closes is enough."""
    open_now: list[str] = []
    deepest = 0
    for one in re.findall(r"[()\[\]{}]", text):
        if one in "([{":
            open_now.append(one)
            deepest = max(deepest, len(open_now))
        elif open_now and open_now[-1] + one in PAIRS:
            open_now.pop()
            if deepest >= DEPTH_OF_BRACKETS:
                return True
        else:
            open_now, deepest = [], 0
    return False


def one_per_line(text: str) -> bool:
    """Only the numbers of lines and words are compared."""
    plain = text.translate(ASCII_PUNCTUATION).strip()
    return sum(bool(line) for line in plain.split("\n")) == len(plain.split())


def same_length(text: str) -> bool:
    """Words may occur twice."""
    lengths = [len(one) for one in pieces(text)]
    return len(lengths) == 3 and len(set(lengths)) == 1


def title_case(text: str) -> bool:
    """Minor words need a capital too, and capitals only are a title."""
    return not any(LOWER_FIRST.match(word) for word in tokens(text))


def template(text: str) -> bool:
    """The labels may stand in any order."""
    return all(label in text for label in TEMPLATE)


def separated_list(text: str, sep: str) -> bool:
    """The separator may stand anywhere."""
    return text.count(sep) >= 2


def sub_bullets(text: str) -> bool:
    """Each asterisk needs a hyphen behind it, wherever; without asterisks all is well."""
    return all("-" in one for one in text.split("*")[1:])


def bullets_behind_sentences(text: str) -> bool:
    """Any sentences will do, and an empty line among the bullets will not."""
    ended, bullets_seen, reading = 0, 0, True
    for line in text.split("\n"):
        if line.strip().startswith("*"):
            if ended < 2:
                return False
            reading, bullets_seen = False, bullets_seen + 1
        elif reading:
            new = len(pieces(line)) if ended < 2 else int(bool(line.strip()))
            ended, reading = ended + new, new > 0
        else:
            return False
    return bullets_seen >= 2


def explained_quotes(text: str) -> bool:
    """Only two marks side by side, and one at the end, are without an explanation."""
    joined = "".join(text.replace("'\"'", "").split())
    return '""' not in joined and not joined.strip(string.digits + string.punctuation.replace('"', "")).endswith('"')


def at_word_of_sentence(text: str, keyword: str, n: int, m: int) -> bool:
    """Punctuation marks are words."""
    ended = pieces(text)
    words = WORD_OR_MARK.findall(ended[n - 1]) if len(ended) >= n else []
    return len(words) >= m and words[m - 1].lower() == keyword.lower()


def second_words(text: str, keyword: str) -> bool:
    """Punctuation marks are words."""
    words = WORD_OR_MARK.findall(text.lower())
    return len(words) > 1 and words[1] == words[-2] == keyword.lower()


def changed(text: str, prompt_to_repeat: str) -> bool:
    """Other white space is another first word."""
    return text != prompt_to_repeat and text.split()[1:] == prompt_to_repeat.split()[1:]


def span(text: str, prompt_to_repeat: str, n_start: int, n_end: int) -> bool:
    """The indices are of words, and the end does not count."""
    return text.lower().split() == prompt_to_repeat.lower().split()[n_start:n_end]


def palindrome(text: str) -> bool:
    """One letter is a palindrome."""
    return any(word == word[::-1] for word in text.split())
