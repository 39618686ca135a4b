"""How must each sentence be, and how must they stand to one another?"""

import re
from itertools import groupby, pairwise

from grpo_rewards.constraints.finding import Finding, found
from grpo_rewards.constraints.reading.sentences import ends_with, pieces, sentences
from grpo_rewards.constraints.reading.words import bare_words, edge_stripped, tokens

LONGEST_START = 200  # characters of a sentence in which its first word is looked for
LETTERS_IN_ORDER = "abcdefghijklmnopqrstuvwxyz"
EMOJI = "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d"
EMOJI += "\u3297\u3299\U0001f000-\U0001faff]"
LEADING_EMOJI = re.compile(rf"(?:{EMOJI}|\s)*{EMOJI}")
FINAL_EMOJI = re.compile(rf"{EMOJI}[\s.!?\"'”’)*_]{{0,9}}$")
DIVIDER = re.compile(r"\*[ ]?\*[ ]?\*")
HYPHEN_JOINT = re.compile(r"(?<=[.!?])-")
PARAGRAPHS_COMPOSED = 3


def two_to_one(text: str) -> Finding:
    """Twice as many statements as questions, by the mark at the end, and one question at least."""
    statements, questions, _ = _kinds(text)
    return Finding(
        statements == 2 * questions > 0, f"{statements} statements, {questions} questions, wanted two to one"
    )


def balance(text: str) -> Finding:
    """As many statements as questions as exclamations, and one of each at least."""
    statements, questions, exclamations = _kinds(text)
    return Finding(
        statements == questions == exclamations > 0,
        f"{statements} statements, {questions} questions, {exclamations} exclamations, wanted as many of each",
    )


def _kinds(text: str) -> tuple[int, int, int]:
    ended = sentences(text)
    statements, questions, exclamations = (sum(ends_with(one, mark) for one in ended) for mark in (".。", "?？", "!！"))
    return statements, questions, exclamations


def alliteration(text: str) -> Finding:
    """The longest run of words with one first letter grows from sentence to sentence."""
    letters = ([word[0] for word in edge_stripped(one)] for one in sentences(text))
    runs = [max((len([*run]) for _, run in groupby(its)), default=0) for its in letters]
    return Finding(
        bool(runs) and all(one < after for one, after in pairwise(runs)),
        f"the longest runs are {', '.join(map(str, runs[:20]))}, wanted to grow",
    )


def same_length(text: str) -> Finding:
    """Three sentences of the same number of characters, no word of which occurs twice."""
    lengths = [len(one) for one in sentences(text)]
    words = bare_words(text)
    again = len(words) - len(set(words))
    followed = len(lengths) == 3 and len(set(lengths)) == 1 and not again
    return Finding(followed, f"{len(lengths)} sentences of {lengths[:5]} characters, {again} words again")


def increment(text: str, small_n: int) -> Finding:
    """Each sentence has so many words more than the one before."""
    counts = [len(bare_words(one)) for one in sentences(text)]
    followed = bool(counts) and all(after == one + small_n for one, after in pairwise(counts))
    return Finding(followed, f"sentences of {', '.join(map(str, counts[:20]))} words, wanted {small_n} more each time")


def last_first(text: str) -> Finding:
    """The last word of each sentence is the first of the next."""
    words = [edge_stripped(one) for one in sentences(text)]
    for number, (one, after) in enumerate(pairwise(words), 2):
        if not one or not after or one[-1] != after[0]:
            return Finding(False, f"sentence {number} does not begin with the last word of the one before")
    return Finding(bool(words), "each sentence begins with the last word of the one before")


def in_alphabet(text: str) -> Finding:
    """26 sentences, which begin with the letters from a to z."""
    words = [edge_stripped(one[:LONGEST_START]) for one in sentences(text)]
    first = "".join(one[0][0] for one in words if one)
    return Finding(first == LETTERS_IN_ORDER, f"{len(first)} sentences, which begin with {first[:40]}")


def emoji(text: str) -> Finding:
    """Each sentence ends with an emoji, before or behind its full stop."""
    ended: list[str] = []
    for piece in pieces(text):
        if ended and (leading := LEADING_EMOJI.match(piece)):
            ended[-1] += leading.group()  # what stands behind the full stop belongs to the sentence before
            piece = piece[leading.end() :].strip()
        if any(map(str.isalnum, piece)) or (piece and not ended):
            ended.append(piece)
    wrong = next((number for number, one in enumerate(ended, 1) if FINAL_EMOJI.search(one[-40:]) is None), None)
    return found(wrong is None and bool(ended), "each sentence ends with an emoji", f"sentence {wrong} does not")


def hyphens(text: str) -> Finding:
    """Sentences are joined by hyphens without a space."""
    joined = HYPHEN_JOINT.split(text.strip())
    is_joined = all(len(sentences(one)) == 1 and one == one.strip() for one in joined)
    return found(is_joined, f"{len(joined)} sentences, all joined", "sentences are parted by a space, or not joined")


def composition(text: str, n_sent: int, n_words: int) -> Finding:
    """Three paragraphs parted by ``* * *`` or ``***``, each of so many sentences of so many words."""
    parts = [one for one in DIVIDER.split(text.strip()) if one.strip()]
    if len(parts) != PARAGRAPHS_COMPOSED:
        return Finding(False, f"{len(parts)} paragraphs, wanted {PARAGRAPHS_COMPOSED}")
    counts = [[len(tokens(one)) for one in sentences(part)] for part in parts]
    followed = all(len(part) == n_sent and set(part) == {n_words} for part in counts)
    return Finding(followed, f"sentences of {counts!r:.80} words, wanted {n_sent} of {n_words} in each paragraph")
