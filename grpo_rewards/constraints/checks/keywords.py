"""Which words must occur, how often, and where, and which must not?"""

from collections.abc import Mapping

from grpo_rewards.constraints.finding import Finding, counted, found
from grpo_rewards.constraints.reading.sentences import sentences
from grpo_rewards.constraints.reading.texts import composed, count_phrase, holds_phrase, paragraphs
from grpo_rewards.constraints.reading.words import edge_stripped, tokens

LONGEST_FIRST_WORD = 1_000  # characters
OPENING_MARKS = "\"'“‘«("
AFTER_WORD = ".,?!;:'\"’”»)—–…"


def existence(text: str, keywords: tuple[str, ...]) -> Finding:
    """All keywords occur as whole words."""
    missing = [word for word in keywords if not holds_phrase(text, word)]
    return found(not missing, "all keywords are there", f"without {', '.join(map(repr, missing))}")


def frequency(text: str, keyword: str, frequency: int, relation: str) -> Finding:
    """A keyword occurs less than, at least or exactly so often."""
    count = count_phrase(text, keyword, disguised=relation == "less than")
    return counted(count, relation, frequency, f"times {keyword!r}")


def forbidden(text: str, forbidden_words: tuple[str, ...]) -> Finding:
    """None of the words occurs as a whole word."""
    used = [word for word in forbidden_words if holds_phrase(text, word, disguised=True)]
    return found(not used, "none of the words is there", f"with {', '.join(map(repr, used))}")


def without_word(text: str, keyword: str) -> Finding:
    """One word does not occur as a whole word."""
    return forbidden(text, (keyword,))


def multiple(text: str, keyword1: str, keyword2: str, keyword3: str, keyword4: str, keyword5: str) -> Finding:
    """The keywords occur once, twice, three, five and seven times, in their order."""
    return _each_so_often(text, {keyword1: 1, keyword2: 2, keyword3: 3, keyword4: 5, keyword5: 7})


def once_and_twice(text: str, keyword1: str, keyword2: str) -> Finding:
    """One keyword occurs once, the other twice."""
    return _each_so_often(text, {keyword1: 1, keyword2: 2})


def _each_so_often(text: str, times: Mapping[str, int]) -> Finding:
    wrong = [
        f"{word!r} {count} times, wanted {wanted}"
        for word, wanted in times.items()
        if (count := count_phrase(text, word)) != wanted
    ]
    return found(not wrong, "each as often as wanted", "; ".join(wrong))


def in_sentence(text: str, word: str, N: int) -> Finding:
    """The N-th sentence has the word."""
    all_of_them = sentences(text)
    if len(all_of_them) < N:
        return Finding(False, f"only {len(all_of_them)} sentences, wanted {word!r} in sentence {N}")
    return found(holds_phrase(all_of_them[N - 1], word), f"{word!r} is there", f"sentence {N} is without {word!r}")


def at_word_of_sentence(text: str, keyword: str, n: int, m: int) -> Finding:
    """The m-th word of the n-th sentence is the keyword."""
    all_of_them = sentences(text)
    words = tokens(all_of_them[n - 1]) if len(all_of_them) >= n else []
    there = words[m - 1] if len(words) >= m else None
    followed = there is not None and _is_word(there, keyword)
    return found(followed, f"{keyword!r} is there", f"word {m} of sentence {n} is {there!r}, wanted {keyword!r}")


def second_words(text: str, keyword: str) -> Finding:
    """The second word and the last but one are the keyword."""
    words = tokens(text)
    there = (words[1], words[-2]) if len(words) > 1 else ("", "")
    followed = all(_is_word(one, keyword) for one in there)
    return found(followed, f"both are {keyword!r}", f"they are {there[0][:40]!r} and {there[1][:40]!r}")


def first_word_of_paragraph(text: str, num_paragraphs: int, nth_paragraph: int, first_word: str) -> Finding:
    """There are so many paragraphs, parted by empty lines, and one of them begins with a word."""
    parts = paragraphs(text)
    if len(parts) != num_paragraphs or nth_paragraph > num_paragraphs:
        return Finding(False, f"{len(parts)} paragraphs, wanted {num_paragraphs}")
    return first_word_of_text(parts[nth_paragraph - 1], first_word)


def first_word_of_text(text: str, first_word: str) -> Finding:
    """The text begins with a word; quotes before it and punctuation behind it do not matter."""
    first = text.split(maxsplit=1)[0][:LONGEST_FIRST_WORD].lower().lstrip(OPENING_MARKS)
    end = next((at for at, one in enumerate(first) if one in AFTER_WORD), len(first))
    ways = (first, first[:end], first.rstrip(AFTER_WORD), composed(first[:end]))
    return found(
        first_word.lower() in ways,
        f"it begins with {first_word!r}",
        f"it begins with {first[:40]!r}, wanted {first_word!r}",
    )


def first_word_of_sentences(text: str, first_word: str) -> Finding:
    """Each sentence begins with a word."""
    return _each_sentence(text, first_word, 0)


def last_word_of_sentences(text: str, last_word: str) -> Finding:
    """Each sentence ends with a word."""
    return _each_sentence(text, last_word, -1)


def last_word_of_text(text: str, last_word: str) -> Finding:
    """The text ends with a word, punctuation behind it aside."""
    words = edge_stripped(text[-10_000:])
    return found(words[-1:] == [last_word.lower()], f"it ends with {last_word!r}", f"it ends with {words[-1:]}")


def same_start_and_end(text: str) -> Finding:
    """The text begins and ends with the same word, with nothing behind it, not even punctuation."""
    words = tokens(text)
    is_same = len(words) > 1 and words[0].lower() == words[-1].lower()
    return found(
        is_same and text.rstrip().endswith(words[-1]),
        "both words are the same, and nothing follows",
        "the words differ, or punctuation follows",
    )


def _each_sentence(text: str, word: str, at: int) -> Finding:
    all_of_them = sentences(text)
    for number, sentence in enumerate(all_of_them, 1):
        words = edge_stripped(sentence)
        if not words or not _is_word(words[at], word):
            return Finding(False, f"sentence {number} has {words[at] if words else ''!r} there, wanted {word!r}")
    return Finding(bool(all_of_them), f"each sentence has {word!r} there")


def _is_word(there: str, wanted: str) -> bool:
    """Whether a word is the wanted one, with or without an ending behind an apostrophe."""
    return wanted.lower() in (there.lower(), *edge_stripped(there))
