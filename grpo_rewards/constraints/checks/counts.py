"""How many words, letters, numbers, names, conjunctions, placeholders are there?"""

import re

from grpo_rewards.constraints.finding import Finding, counted, found
from grpo_rewards.constraints.reading.sentences import sentences
from grpo_rewards.constraints.reading.words import bare_words, counted_words, edge_stripped, tokens

COORDINATING = frozenset("and but for nor or so yet".split())
PERSON_NAMES = frozenset(
    "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin "
    "Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria "
    "Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan "
    "Stella Jonathan".split()
)
PERSONAL_PRONOUNS = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves".split()
)
PRONOUNS = PERSONAL_PRONOUNS | frozenset(
    "this that these those who whom whose which what whoever whomever whatever whichever anybody anyone anything "
    "everybody everyone everything nobody nothing somebody someone something each either neither both all some any "
    "none".split()
)
# The function words of English, and what is left of contractions when an apostrophe parts words.
STOP_WORDS = PERSONAL_PRONOUNS | frozenset(
    "this that these those who whom which what am is are was were be been being have has had having do does did "
    "doing a an the and but if or because as until while of at by for with about against between into through "
    "during before after above below to from up down in out on off over under again further then once here there "
    "when where why how all any both each few more most other some such no nor not only own same so than too very "
    "can will just should now don s t d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn "
    "mustn needn shan shouldn wasn weren won wouldn".split()
)
# Digits with the points and commas, colons and slashes between them: decimals, thousands, times, fractions, dates.
NUMBER = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)|\d{1,3}(?:,\d{3})++(?!\d)(?:\.\d++)?|\d++(?:[.:/]\d++)*+")
JAPANESE = re.compile("[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uff66-\uff9f]")
LOWERCASE_WORD = re.compile(r"\b[a-z]+\b")
INTERROBANG = re.compile(r"\?!|!\?|‽")
PLACEHOLDER = re.compile(r"\[[^\[\]\n]*+\]")  # of brackets in brackets the inner ones, so that the search is linear
STANDARD_MARKS = ".,!?;:"


def number_words(text: str, num_words: int, relation: str) -> Finding:
    """The text has fewer or at least so many words, by runs of letters and digits."""
    return counted(len(counted_words(text)), relation, num_words, "words")


def word_range(text: str, min_words: int, max_words: int) -> Finding:
    """The number of words is in a range, the ends of which count."""
    count = len(counted_words(text))
    return Finding(min_words <= count <= max_words, f"{count} words, wanted {min_words} to {max_words}")


def unique_words(text: str, N: int) -> Finding:
    """At least so many different words."""
    return counted(len(set(edge_stripped(text))), "at least", N, "different words")


def number_sentences(text: str, num_sentences: int, relation: str) -> Finding:
    """Fewer or at least so many sentences."""
    return counted(len(sentences(text)), relation, num_sentences, "sentences")


def one_letter(text: str, letter: str, let_frequency: int, let_relation: str) -> Finding:
    """One letter occurs less than or at least so often, whatever its case."""
    return counted(text.lower().count(letter), let_relation, let_frequency, f"times {letter!r}")


def letters(text: str, N: int, relation: str) -> Finding:
    """Fewer or at least so many letters."""
    return counted(sum(map(str.isalpha, text)), relation, N, "letters")


def capital_words(text: str, capital_frequency: int, capital_relation: str) -> Finding:
    """Fewer or at least so many words all in capitals; "I" is one, "123" is none."""
    return counted(sum(map(str.isupper, tokens(text))), capital_relation, capital_frequency, "words in capitals")


def lowercase_words(text: str, N: int) -> Finding:
    """At most so many words in lower case."""
    return counted(len(LOWERCASE_WORD.findall(text)), "at most", N, "words in lower case")


def stop_words(text: str, percentage: float) -> Finding:
    """Function words are at most so many percent of all words."""
    words = counted_words(text.lower())
    share = 100 * sum(word in STOP_WORDS for word in words) / len(words) if words else 100.0
    return Finding(bool(words) and share <= percentage, f"{share:.1f} % stop words, wanted at most {percentage:g} %")


def conjunctions(text: str, small_n: int) -> Finding:
    """At least so many different ones of and, but, for, nor, or, so, yet."""
    return counted(len(COORDINATING & set(edge_stripped(text))), "at least", small_n, "different conjunctions")


def person_names(text: str, N: int) -> Finding:
    """At least so many different ones of the fifty names that the instruction lists."""
    return counted(len(PERSON_NAMES & set(counted_words(text))), "at least", N, "different names")


def pronouns(text: str, N: int) -> Finding:
    """At least so many pronouns: personal, possessive, reflexive, demonstrative, interrogative, indefinite."""
    return counted(sum(word in PRONOUNS for word in counted_words(text.lower())), "at least", N, "pronouns")


def numbers(text: str, N: int) -> Finding:
    """Exactly so many numbers in digits. "3.14", "1,000", "12:30" and a date are one each, "10-20" is two."""
    return counted(len(NUMBER.findall(text)), "exactly", N, "numbers")


def japanese_words(text: str, N: int) -> Finding:
    """Each N-th word is written in Japanese; numbers may stand there too."""
    words = text.split()
    for at in range(N - 1, len(words), N):
        bare = "".join(bare_words(words[at]))
        if bare and not bare.isdigit() and JAPANESE.search(bare) is None:
            return Finding(False, f"word {at + 1}, {words[at][:40]!r}, is not Japanese")
    return Finding(True, f"each of the {len(words) // N} words to be in Japanese is")


def placeholders(text: str, num_placeholders: int) -> Finding:
    """At least so many placeholders in square brackets, each on one line."""
    return counted(len(PLACEHOLDER.findall(text)), "at least", num_placeholders, "placeholders")


def punctuation(text: str) -> Finding:
    """Each of . , ! ? ; : and an interrobang occur; the interrobang's marks do not count twice."""
    rest = INTERROBANG.sub("", text, count=1)
    missing = [mark for mark in STANDARD_MARKS if mark not in rest]
    if len(rest) == len(text):
        missing.append("?!")
    return found(not missing, "all marks are there", f"without {' '.join(missing)}")
