"""Is the answer the right text, and how much of the gold is in it, in its order? Words and code."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import eq
from typing import Any

from grpo_rewards.answers import find_answer, text_golds, written_golds
from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.text import compatible, small_digits_apart, unwrapped, visible
from grpo_rewards.extraction import find_words
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.fence_language import check_language
from grpo_rewards.verdict import Verdict

__all__ = ["code_overlap", "exact_match", "rouge_l", "token_f1"]

UNREAD_REASONS = ("no_answer", "unfinished_thinking", "bad_answer")
MAX_TEXT_ANSWER_CHARACTERS = 20_000  # a longer answer is wrong
# Punctuation that belongs to a number or a name and is kept.
OF_NUMBERS = (
    r"(?<=\d)[^\w\s{}]+(?=\d)"  # between two digits
    r"|(?<=\d)_\{?(?=\d)"  # before the base of a number
    r"|(?<=\w)\}\s?\{(?=\w)"  # between two arguments in LaTeX
    r"|(?<![\w)\]])[-‐–—−](?=[$€£¥]?\.?\d)"  # a sign before a number
    r"|(?<![\w.])\.(?=\d)"  # a point before a digit
    r"|(?<=\d)\s?\\?[%‰]"  # a percent sign behind a digit
    r"|(?<=(?<!\w)[a-z])#(?!\w)"  # C# is neither C nor a number of anything
)
# What belongs to a formula, too, where no word stands beside it.
OF_FORMULAS = (
    r"|(?<![\w)\]}'’\-‐–—−])[-‐–—−]++(?=[\w(\[{\\√∞])"  # -x
    r"|(?<=[\w)\]}])[-‐–—−]++(?![\w(\[{\\√∞$.])"  # O-, i--
    r"|(?<=[\d)])!++(?!\w)|(?<=(?<!\w)[kmnx])!++(?!\w)"  # 5!
    r"|(?<=(?<!\w)[a-z])(?:['’]++(?=\()|′+)"  # f'(x)
)
NUMBER_PUNCTUATION, FORMULA_PUNCTUATION = re.compile(f"({OF_NUMBERS})"), re.compile(f"({OF_NUMBERS}{OF_FORMULAS})")
# "A" before a single letter is a letter as well, and so is what stands before punctuation: "A, B".
ARTICLE_BEFORE_WORD = re.compile(r"(?<![\w-])(?:(?:an?|the)\s+)(?=[\"'“‘«(\[*_$]*(?:\w{2}|\d))|(?<![\w-])the\s+(?=\w)")
LEADING_POINT = re.compile(r"(?<![\w.)\]}])\.(?=\d)")
COMMAND_OR_FUNCTION = re.compile(
    r"\\[a-z]+|(?<![a-z])(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|abs|max|min|det|inf|infinity)(?![a-z])"
)
WORD_OF_TEXT = re.compile(r"[a-zα-ω]{3}|[^\W\d_a-zα-ω]")  # of three letters, or in another script than Latin and Greek
BRACKET_OF_INTERVAL = re.compile(r"[()\[\]]")
APPLIED_FUNCTION = re.compile(r"[a-z][(\[]")
WRITTEN_FRACTION = re.compile(r"(\d?)\\[dt]?frac\s?\{\s?(\d{1,40})\s?\}\s?\{\s?(\d{1,40})\s?\}")
THOUSANDS_SEPARATOR = re.compile(r"(?<=\d)[,'’_](?=\d{3}(?!\d))")
PUNCTUATION_SPELLINGS = str.maketrans(dict.fromkeys("‐–—−", "-") | dict.fromkeys("⁄∕", "/") | dict.fromkeys("\\{ \t\n"))
# Letters of scripts without spaces between words, each of which is a word.
UNSPACED_LETTERS = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
UNSPACED_LETTER = re.compile(f"[{UNSPACED_LETTERS}]")


@reward(reasons=("correct", "wrong", *UNREAD_REASONS), range=(0.0, 1.0))
def exact_match(completion: str, answer: Any, prompt: Any = None, *, thinking: Thinking) -> Verdict:
    """1 if the answer is one of the golds, word for word, else 0.

    The answer is, in this order: the last box; the last ``<answer>``; a JSON key; up to twelve words that are announced
    ("The answer is Paris."); everything after the reasoning. Both sides are normalised as for SQuAD, in any script:
    case, punctuation, articles (a, an, the) before a word, spaces and the compatibility forms of Unicode do not matter.
    Punctuation that belongs to a number does: -5 is not 5, 3.5 is not 35, 5% is not 5 and 10² is not 102; only a
    separator of thousands is dropped, so 1,000 is 1000, and .5 is 0.5.
    In a formula, which has no word of three letters, so do a sign before or behind it (-x, 5!, O-, i--, f'(x)) and,
    where both sides have as many, round and square brackets around a comma: [1,2) is not [1,2], but 1,2 is either.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int | float | bool | list | dict): the gold, a dataset column: a text, a number, a bool (``True``
            is "true" or "yes"), a list or an array of golds, or a record of SQuAD (``{"text": […], …}``) or TriviaQA
            (``{"value": …, "aliases": […], …}``), also as JSON.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0; ``None`` if there is no gold. Reasons:

        - ``correct``: equal to one of the golds (1.0).
        - ``wrong``: equal to none, or longer than 20,000 characters.
        - ``no_answer``: no words after the reasoning, or none in the box or tag.
        - ``unfinished_thinking``: the reasoning was never closed.
        - ``bad_answer``: there is no gold, or it has no words: ``None``, NaN, ``""``, ``[]`` (``None``).

    Source: the normalisation is that of SQuAD (Rajpurkar et al. 2016, arXiv:1606.05250).

    A policy would try to write all likely answers in one text. Such a text is equal to none of them and earns 0.

    >>> exact_match.score("<answer>The Beatles!</answer>", answer=["Beatles", "the Fab Four"])
    1.0
    """
    return _best_match(completion, answer, prompt, thinking, eq)


@reward(reasons=("correct", "partly", "wrong", *UNREAD_REASONS), range=(0.0, 1.0))
def token_f1(completion: str, answer: Any, prompt: Any = None, *, thinking: Thinking) -> Verdict:
    """How many words the answer shares with the gold: ``F1 = 2 p r / (p + r)``, from 0 to 1.

    p is the share of the answer's words that are in the gold, r the share of the gold's words that are in the answer; a
    word is matched as many times as it occurs on both sides. With several golds, the best one counts. The answer is
    found and normalised as by ``exact_match``. In scripts without spaces between words, each character is a word.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int | float | bool | list | dict): the gold, a dataset column: a text, a number, a bool (``True``
            is "true" or "yes"), a list or an array of golds, or a record of SQuAD (``{"text": […], …}``) or TriviaQA
            (``{"value": …, "aliases": […], …}``), also as JSON.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if there is no gold. Reasons:

        - ``correct``: the same words (1.0).
        - ``partly``: at least one word in common.
        - ``wrong``: no word in common, or an answer longer than 20,000 characters (0.0).
        - ``no_answer``: no words after the reasoning, or none in the box or tag (0.0).
        - ``unfinished_thinking``: the reasoning was never closed (0.0).
        - ``bad_answer``: there is no gold, or it has no words: ``None``, NaN, ``""``, ``[]`` (``None``).

    Source: SQuAD (Rajpurkar et al. 2016, arXiv:1606.05250).

    A policy would try to list every likely word, or to repeat the right one. Both lower p, and with it the reward.

    >>> round(token_f1.score("<answer>Paris, the capital of France</answer>", answer="Paris"), 3)
    0.4
    """
    return _best_match(completion, answer, prompt, thinking, _f1)


def _best_match(
    completion: str,
    answer: Any,
    prompt: Any,
    thinking: Thinking,
    similarity: Callable[[list[str], list[str]], float],
) -> Verdict:
    """The largest similarity, from 0 to 1, between the words of the answer and those of any gold."""
    golds = [text for text in text_golds(answer) if _words(text)]
    if not golds:
        return Verdict(None, "bad_answer")
    shown = " | ".join(golds)
    predicted, where = find_words(completion, thinking.opened(prompt), thinking.marks)
    if predicted is None:
        return Verdict(0.0, where, answer=shown)
    if len(predicted) > MAX_TEXT_ANSWER_CHARACTERS:
        return Verdict(0.0, "wrong", answer=shown)
    if not _words(predicted):
        return Verdict(0.0, "no_answer", answer=shown)
    best = max(float(similarity(*_compared(predicted, gold))) for gold in golds)
    return Verdict(best, "correct" if best == 1 else "partly" if best else "wrong", predicted, shown)


def _f1(predicted: list[str], gold: list[str]) -> float:
    """``2 p r / (p + r)``, which is ``2 shared / (predicted + gold)`` in numbers of words."""
    shared = sum((Counter(predicted) & Counter(gold)).values())
    return 2 * shared / (len(predicted) + len(gold))


def _compared(predicted: str, gold: str) -> tuple[list[str], list[str]]:
    """The words of both sides; the brackets of intervals or pairs are words if they differ: ``[1, 2)``, ``[1, 2]``."""
    words, wanted = _words(predicted), _words(gold)
    one, other = _brackets(predicted), _brackets(gold)
    if one != other and len(one) == len(other):
        words.append(one)
        wanted.append(other)
    return words, wanted


def _brackets(text: str) -> str:
    """The round and square brackets of a formula with a comma, in order; none where a function is applied."""
    folded = COMMAND_OR_FUNCTION.sub("", _folded(text)) if "," in text or ";" in text else ""
    if WORD_OF_TEXT.search(folded) is not None or APPLIED_FUNCTION.search(folded) is not None:
        return ""
    return "".join(BRACKET_OF_INTERVAL.findall(folded))


def _words(text: str) -> list[str]:
    """The normalised words, without articles before other words."""
    folded = ARTICLE_BEFORE_WORD.sub("", LEADING_POINT.sub("0.", THOUSANDS_SEPARATOR.sub("", _folded(text))))
    is_formula = WORD_OF_TEXT.search(COMMAND_OR_FUNCTION.sub("", folded)) is None
    kept = FORMULA_PUNCTUATION if is_formula else NUMBER_PUNCTUATION
    pieces = kept.split(WRITTEN_FRACTION.sub(_written_fraction, folded))  # text and marks alternate
    pieces[::2] = map(_plain, pieces[::2])
    pieces[1::2] = [mark.translate(PUNCTUATION_SPELLINGS) for mark in pieces[1::2]]
    return "".join(pieces).split()


def _folded(text: str) -> str:
    plain = small_digits_apart(unwrapped(visible(text[: 2 * MAX_TEXT_ANSWER_CHARACTERS])))
    return compatible(plain).casefold()


def _written_fraction(found: re.Match[str]) -> str:
    """``\\frac{1}{2}`` as 1/2, and 1 before it as a word of its own."""
    whole, above, below = found.groups()
    return f"{whole}{' ' if whole else ''}{above}/{below}"


def _plain(text: str) -> str:
    """The text without punctuation, with spaces around each character that is a word of its own."""
    apart = UNSPACED_LETTER.sub(r" \g<0> ", text)
    # the grave accent is a quotation mark, and marks code
    return "".join(one for one in apart if one != "`" and not unicodedata.category(one).startswith("P"))


# The length of the longest common subsequence. Whole numbers serve as sets of bits: the work is the product of the two
# lengths, divided by the bits of a machine word. Ten thousand words on each side take some hundredths of a second, as
# long as compiled libraries take.


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words are in both lists, in the same order.

    Source: Hyyrö 2004, "Bit-parallel LCS-length computation revisited". A bit of ``row`` is 0 where a common
    subsequence of the words so far grows by one.

    >>> common_length("the cat sat on the mat".split(), "the cat is on a mat".split())
    4
    """
    places: dict[str, int] = {}
    for at, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for word in other:
        matches = row & places.get(word, 0)
        if matches:
            row = (row + matches | row - matches) & every
    return len(one) - row.bit_count()


MOST_COMPARED = 10_000  # words or tokens of either side, which bounds the time to some hundredths of a second
LARGEST_BETA = 1e6  # p counts no more
COMPARED_CHARACTERS = 200_000  # of either side
# A letter of a script without spaces, or a run of letters, digits and their marks.
COMPARED_WORD = re.compile(rf"([{UNSPACED_LETTERS}]|(?:(?![{UNSPACED_LETTERS}])[\w\u0300-\u036f\u0591-\u0dff])+)")
# A text that is not closed goes to the end of its line, so that no text is searched twice; ' may be Rust's lifetime.
TEXT_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.){0,100}'|`(?:[^`\\\n]|\\.)*`?"
CODE_TOKEN = rf"({TEXT_LITERAL}|[^\W\d]\w*|\d[\w.]*|[^\s\w])"
# How comments are written, by the language behind the fence; of other languages they are code like the rest.
HASH_COMMENT, SLASH_COMMENT, DASH_COMMENT = r"\#[^\n]*", r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?", r"--[^\n]*"
LANGUAGES_WITH = {
    HASH_COMMENT: "python py python3 ruby rb bash sh shell zsh r julia perl yaml toml",
    SLASH_COMMENT: "c cpp c++ cc java javascript js jsx typescript ts tsx go rust rs kotlin swift scala csharp cs c# "
    "php dart",
    DASH_COMMENT: "sql haskell hs lua ada",
}
COMMENTS = {language: comment for comment, languages in LANGUAGES_WITH.items() for language in languages.split()}
OVERLAP_REASONS = ("correct", "partly", "wrong", "no_answer", "too_large", "unfinished_thinking", "bad_answer")


def _check_beta(beta: float, **_: Any) -> None:
    if not 0 <= beta <= LARGEST_BETA:
        raise RewardError(f"beta must be a number from 0 to {LARGEST_BETA:g}, not {beta}.")


@reward(reasons=OVERLAP_REASONS, range=(0.0, 1.0), check=_check_beta)
def rouge_l(completion: str, answer: Any, prompt: Any = None, *, beta: float = 1.0, thinking: Thinking) -> Verdict:
    """ROUGE-L: how long a sequence of words the answer and the gold have in common, from 0 to 1.

    With the length c of their longest common subsequence (the same words in the same order, with others between),
    p = c / words of the answer and r = c / words of the gold it is ``(1 + beta²) p r / (r + beta² p)``; of several
    golds the best counts. The answer is the last box, else the last ``<answer>``, else all
    that follows the reasoning. Case and punctuation do not matter. In scripts without spaces each letter is a word.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | list | dict): the gold, a dataset column: a text, a list or an array of them, or a record of SQuAD
            (``{"text": […], …}``) or TriviaQA (``{"value": …, "aliases": […], …}``).
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        beta (float): how many times as much r counts as p; 1.0, the default, is F1 as in the common package. 0 is p.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if there is no gold. Reasons:

        - ``correct``: the same words in the same order (1.0).
        - ``partly``: some of the words in the same order.
        - ``wrong``: no word in common.
        - ``no_answer``: no words after the reasoning, or none in the box or tag (0.0).
        - ``too_large``: more than 10,000 words or 200,000 characters (0.0).
        - ``unfinished_thinking``: the reasoning was never closed (0.0).
        - ``bad_answer``: there is no gold, it has no words or more than 10,000 (``None``).

    Source: ROUGE-L (Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries"), of the text as one sequence.

    A policy would copy its prompt, or write the most common words: a long copy lowers p, and with a large ``beta`` it
    pays. Words are no meaning: "is not" and "is" differ little, so do not use it where one word decides.

    >>> round(rouge_l.score("the cat sat on a mat", answer="The cat is on the mat."), 3)
    0.667
    """
    predicted, where = find_answer(completion, thinking.opened(prompt), thinking.marks)
    return _overlap(predicted, where, answer, partial(_tokens, pattern=COMPARED_WORD, spelled=_spelled), beta)


@reward(reasons=OVERLAP_REASONS, range=(0.0, 1.0), check=check_language)
def code_overlap(
    completion: str, answer: Any, prompt: Any = None, *, language: str | None = None, thinking: Thinking
) -> Verdict:
    """How long a sequence of tokens the code of the completion and the gold's have in common, from 0 to 1.

    Of c common tokens in the same order, a in the completion's code and b in the gold's, it is ``2 c / (a + b)``. The
    code is the last fenced block that is closed; without one, all that follows the reasoning. Layout does not matter
    (which leaves out Python's indentation, too), nor do comments in the languages that are known by their fence. The
    code is not run.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | list | dict): the gold, a dataset column: code, also in a fenced block, or a list, an array or a
            record (as for ``rouge_l``) of which the best counts.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        language (str | None): the language of both sides, which says how comments are written. ``None``, the default:
            for each side the word behind its own fence, so that no completion can turn the gold's code into comments.
            Bind it for golds with comments and without a fence.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if there is no gold. Reasons:

        - ``correct``: the same tokens (1.0).
        - ``partly``: some of the tokens.
        - ``wrong``: no token in common.
        - ``no_answer``: no code after the reasoning (0.0).
        - ``too_large``: more than 10,000 tokens or 200,000 characters (0.0).
        - ``unfinished_thinking``: the reasoning was never closed (0.0).
        - ``bad_answer``: there is no gold, it has no tokens or more than 10,000 (``None``).

    Source: the similarity of sequences as a reward for patches, as in SWE-RL (Wei et al. 2025, arXiv:2502.18449).

    A policy would write what all code has, brackets and ``return``: some tenths for nothing. So this is a help on the
    way, with little weight, and no test of what the code does; and code that is right in another way earns little.

    >>> code_overlap.score("```python\\nx = a + 1  # one more\\n```", answer="x = a + b")
    0.8
    """
    text = thinking.response(completion, prompt)
    return _overlap(text, "unfinished_thinking", answer, partial(_code_tokens, language=language))


def _code_tokens(text: str, language: str | None) -> list[str] | None:
    """The tokens, without comments, of the last closed block of a text, or of all of it. The language is the one that
    is given, or its fence's.
    """
    closed = [block for block in fenced_blocks(text) if block.is_closed]
    code, fence = (closed[-1].inside, closed[-1].language) if closed else (text, "")
    comments = COMMENTS.get((language or fence).casefold())
    return _tokens(code, re.compile(CODE_TOKEN if comments is None else f"{comments}|{CODE_TOKEN}"))


def _overlap(
    text: str | None, why_none: str, answer: Any, words_in: Callable[[str], list[str] | None], beta: float = 1.0
) -> Verdict:
    """The verdict on a predicted text: the best F measure with any gold; of too many words there are ``None``."""
    golds = [words for words in map(words_in, written_golds(answer)) if words]
    if not golds:
        return Verdict(None, "bad_answer")
    shown = " | ".join(written_golds(answer))
    if text is None:
        return Verdict(0.0, why_none, answer=shown)
    predicted = words_in(text)
    if not predicted:
        return Verdict(0.0, "no_answer" if predicted is not None else "too_large", answer=shown)
    best = max(
        # (1 + b²) p r / (r + b² p) with p = c / |predicted| and r = c / |gold|
        (1 + beta**2) * common_length(predicted, gold) / (len(predicted) + beta**2 * len(gold))
        for gold in golds
    )
    return Verdict(best, "correct" if best == 1 else "partly" if best else "wrong", None, shown)


def _spelled(text: str) -> str:
    return compatible(small_digits_apart(visible(text))).casefold()


def _tokens(text: str, pattern: re.Pattern[str], spelled: Callable[[str], str] = str) -> list[str] | None:
    """What a pattern calls tokens in a text in one spelling; ``None`` if they are too many."""
    if len(text) > COMPARED_CHARACTERS:
        return None
    tokens = list(filter(None, pattern.findall(spelled(text))))  # of a comment there is an empty text
    return tokens if len(tokens) <= MOST_COMPARED else None
