"""How must each word of the text be?"""

import re
from collections import Counter
from itertools import pairwise

from grpo_rewards.constraints.finding import Finding, counted, each, found
from grpo_rewards.constraints.reading.texts import lines
from grpo_rewards.constraints.reading.words import bare_words, edge_stripped, is_prime, unaccented, without_punctuation

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
CLUSTER = re.compile("[bcdfghjklmnpqrstvwxyz]{2}")
VOWELS = "aeiou"
# Words that a title may leave small, except as its first or last: articles, conjunctions and prepositions.
MINOR_WORDS = frozenset(
    "a an the and but or nor for so yet as at by in of off on per to up via if from into like near onto over past than "
    "with upon about after down out vs".split()
)
TITLE_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*+")


def alphabet(text: str) -> Finding:
    """Each word begins with the letter after that of the word before; after z comes a."""
    words = bare_words(text)
    first = [ALPHABET.find(word[0]) for word in words]
    if not words or min(first) < 0:
        return Finding(False, "a word does not begin with a letter from a to z")
    wrong = next((at for at, (one, after) in enumerate(pairwise(first), 1) if after != (one + 1) % 26), None)
    return found(wrong is None, "in the order of the alphabet", f"{words[wrong or 0][:40]!r} breaks the order")


def three_vowels(text: str) -> Finding:
    """One paragraph, with at most three different vowels in its words."""
    letters = unaccented("".join(set(text.lower())))
    used = [vowel for vowel in VOWELS if vowel in letters]
    if "\n" in text.strip():
        return Finding(False, "more than one paragraph")
    return Finding(len(used) <= 3, f"the vowels {' '.join(used)}, wanted at most three")


def consonant_clusters(text: str) -> Finding:
    """Each word has two consonants side by side."""
    return each(
        edge_stripped(text),
        lambda word: CLUSTER.search(unaccented(word)),
        "each word has two consonants side by side",
        "has not",
    )


def palindromes(text: str, wanted: int, letters: int) -> Finding:
    """At least so many words of so many letters or more are palindromes."""
    count = sum(len(word) >= letters and word == word[::-1] for word in bare_words(text))
    return counted(count, "at least", wanted, f"palindromes of {letters} letters or more")


def prime_lengths(text: str) -> Finding:
    """The number of letters in each word is prime."""
    return each(
        bare_words(text), lambda word: is_prime(len(word)), "all lengths are prime", "has no prime number of letters"
    )


def repeats(text: str, small_n: int) -> Finding:
    """No word occurs more often than that."""
    word, times = (Counter(bare_words(text)).most_common(1) or [("", 0)])[0]
    return Finding(times <= small_n, f"{word[:40]!r} {times} times, wanted at most {small_n}")


def no_same_letter(text: str) -> Finding:
    """No two words in a row begin with the same letter."""
    return each(
        pairwise(bare_words(text)),
        lambda pair: pair[0][0] != pair[1][0],
        "neighbours begin differently",
        "begin with the same letter",
    )


def no_consecutive_letters(text: str) -> Finding:
    """No word begins with the letter of the alphabet after that of the word before."""
    return each(
        pairwise(bare_words(text)),
        lambda pair: ord(pair[1][0]) - ord(pair[0][0]) != 1,
        "no neighbours begin with consecutive letters",
        "do",
    )


def paragraph_ends_as_it_starts(text: str) -> Finding:
    """Each line ends with the word that it begins with."""
    words = [edge_stripped(line) for line in lines(text)]
    ends = [(line[0], line[-1]) for line in words if line]
    return each(
        ends, lambda pair: pair[0] == pair[1], "each paragraph ends with its first word", "begin and end a paragraph"
    )


def one_per_line(text: str) -> Finding:
    """Each line has one word."""
    counts = [len(without_punctuation(line).split()) for line in lines(text)]
    wrong = next((at for at, count in enumerate(counts, 1) if count > 1), None)
    return found(wrong is None and any(counts), "one word on each line", f"line {wrong} has more than one word")


def square_brackets(text: str) -> Finding:
    """Each word is in square brackets."""
    return each(
        text.split(),
        lambda word: word.startswith("[") and word.rstrip(".,!?;:").endswith("]"),
        "each word is in brackets",
        "is not",
    )


def bigrams_wrapped(text: str) -> Finding:
    """Each two words are in double angular brackets; of an odd number, the last may stand alone in them."""
    words = text.split()
    pairs = list(zip(words[::2], words[1::2], strict=False))
    followed = all(one.startswith("<<") and after.rstrip(".,!?;:").endswith(">>") for one, after in pairs)
    return found(followed and bool(pairs), "each two words are in brackets", "two words are not in brackets")


def title_case(text: str) -> Finding:
    """Each major word begins with a capital; articles, conjunctions and prepositions inside need not."""
    wrong: list[str] = []
    capitals = 0
    for line in dict.fromkeys(lines(text)):
        words = TITLE_WORD.findall(line)
        capitals += sum(len(word) > 1 and not word.isupper() for word in words)
        wrong += [
            word
            for at, word in enumerate(words)
            if word[0].islower() and (at in (0, len(words) - 1) or word.lower() not in MINOR_WORDS)
        ]
    if not capitals and len(text.split()) > 1:
        return Finding(False, "all in capitals")
    return found(not wrong, "each major word begins with a capital", f"{wrong[:1]} does not")
