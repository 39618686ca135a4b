"""How much of the gold's text is in the answer, in its order? Words and code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from grpo_rewards.answers import find_said, written_golds
from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.small_digits import small_digits_apart
from grpo_rewards.completion.text import compatible, visible
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.common_subsequence import common_length
from grpo_rewards.rewards.building_blocks.fence_language import check_language
from grpo_rewards.verdict import Verdict

__all__ = ["code_overlap", "rouge_l"]

MOST_COMPARED = 10_000  # words or tokens of either side, which bounds the time to some hundredths of a second
LARGEST_BETA = 1e6  # p counts no more
COMPARED_CHARACTERS = 200_000  # of either side
# Scripts without spaces, of which each letter is a word; else a word is a run of letters, digits and their marks.
UNSPACED_RANGES = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
COMPARED_WORD = re.compile(rf"[{UNSPACED_RANGES}]|(?:(?![{UNSPACED_RANGES}])[\w\u0300-\u036f\u0591-\u0dff])+")
# A text that is not closed goes to the end of its line, so that no text is searched twice; ' may be Rust's lifetime.
TEXT_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.){0,100}'|`(?:[^`\\\n]|\\.)*`?"
CODE_TOKEN = rf"(?P<token>{TEXT_LITERAL}|[^\W\d]\w*|\d[\w.]*|[^\s\w])"
# How comments are written, by the language behind the fence; of other languages they are code like the rest.
HASH_COMMENT, SLASH_COMMENT, DASH_COMMENT = r"\#[^\n]*", r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?", r"--[^\n]*"
COMMENTS = dict.fromkeys("python py python3 ruby rb bash sh shell zsh r julia perl yaml toml".split(), HASH_COMMENT)
COMMENTS |= dict.fromkeys(
    "c cpp c++ cc java javascript js jsx typescript ts tsx go rust rs kotlin".split(), SLASH_COMMENT
)
COMMENTS |= dict.fromkeys("swift scala csharp cs c# php dart".split(), SLASH_COMMENT)
COMMENTS |= dict.fromkeys("sql haskell hs lua ada".split(), DASH_COMMENT)
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
        - ``partly``: some of them.
        - ``wrong``: none.
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
    golds = [words for words in map(_words, written_golds(answer)) if words]
    if not golds:
        return Verdict(None, "bad_answer")
    predicted, where = find_said(completion, thinking.opened(prompt), thinking.marks)
    if predicted is None:
        return Verdict(0.0, where, answer=_joined(answer))
    return _compared(_words(predicted), golds, beta, _joined(answer))


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
        - ``partly``: some of them.
        - ``wrong``: none.
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
    golds = [tokens for tokens in (_code_tokens(text, language) for text in written_golds(answer)) if tokens]
    if not golds:
        return Verdict(None, "bad_answer")
    text = thinking.response(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking", answer=_joined(answer))
    return _compared(_code_tokens(text, language), golds, 1.0, _joined(answer))


def _code_tokens(text: str, language: str | None) -> list[str] | None:
    """The tokens of the last closed block of a text, or of all of it, by the language that is given or its fence's."""
    closed = [block for block in fenced_blocks(text) if block.is_closed]
    fence = closed[-1].language if closed else ""
    return _tokens(closed[-1].inside if closed else text, COMMENTS.get((language or fence).casefold()))


def _compared(predicted: list[str] | None, golds: Sequence[list[str]], beta: float, shown: str) -> Verdict:
    """The verdict on the predicted words: the best F measure with any gold; ``None`` are too many words."""
    if not predicted:
        return Verdict(0.0, "no_answer" if predicted is not None else "too_large", answer=shown)
    best = 0.0
    for gold in golds:
        common = common_length(predicted, gold)
        # (1 + b²) p r / (r + b² p) with p = c / |predicted| and r = c / |gold|
        best = max(best, (1 + beta**2) * common / (len(predicted) + beta**2 * len(gold)))
    return Verdict(best, "correct" if best == 1 else "partly" if best else "wrong", None, shown)


def _joined(answer: Any) -> str:
    return " | ".join(written_golds(answer))


def _words(text: str) -> list[str] | None:
    """The words of a text in one spelling; ``None`` if they are too many."""
    if len(text) > COMPARED_CHARACTERS:
        return None
    compared = compatible(small_digits_apart(visible(text))).casefold()
    words = [word.group() for word in islice(COMPARED_WORD.finditer(compared), MOST_COMPARED + 1)]
    return words if len(words) <= MOST_COMPARED else None


def _tokens(code: str, comments: str | None) -> list[str] | None:
    """The tokens of code without comments; ``None`` if they are too many."""
    if len(code) > COMPARED_CHARACTERS:
        return None
    pattern = re.compile(CODE_TOKEN if comments is None else f"{comments}|{CODE_TOKEN}")
    found = (one["token"] for one in pattern.finditer(code) if one["token"])
    tokens = list(islice(found, MOST_COMPARED + 1))
    return tokens if len(tokens) <= MOST_COMPARED else None
