"""Is the answer right?"""

from __future__ import annotations

from typing import Any

from grpo_rewards.answers import BOX_OUTCOMES, FINAL_OUTCOMES, Judgement, gold_text, judge_box, judge_final
from grpo_rewards.registry import reward
from grpo_rewards.text import opens_thinking
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_answer", "final_answer"]


@reward(reasons=BOX_OUTCOMES, range=(0.0, 1.0))
def boxed_answer(completion: str, answer: Any, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if the last box after the reasoning holds the answer, else 0.

    Reads ``\\boxed{…}`` and ``\\fbox{…}``; text after an end-of-turn marker and boxes inside ``<think>`` never count.
    The answer may be a string (also ``$…$``, ``\\boxed{…}``, or a GSM8K solution that ends in ``#### 72``), an int or
    a float. What equals what is said in docs/answers.md.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a dataset column.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold cannot be read. Reasons: ``correct``, ``wrong``,
        ``no_box``, ``unfinished_thinking`` (``<think>`` was never closed), ``not_compared`` (needs a symbolic
        comparison), ``too_large`` (refused before evaluation), ``bad_answer``.

    >>> boxed_answer.score(r"\\boxed{7}, or rather \\boxed{\\tfrac12}", answer="0.5")
    1.0
    """
    opened = opens_thinking(prompt, think_opened)
    return _verdict(judge_box(completion, answer, think_opened=opened), answer)


@reward(reasons=FINAL_OUTCOMES, range=(0.0, 1.0))
def final_answer(completion: str, answer: Any, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if the final answer after the reasoning is right, else 0, for models that need not use a box.

    The final answer is the last box; else the last ``<answer>…</answer>``; else what follows the last ``####``; else
    what follows the last "answer is", "answer:" or ``A:``; else the last number. The verdict's ``source`` says which
    it was.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a dataset column, in any form that ``boxed_answer`` takes.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold cannot be read. Reasons: those of ``boxed_answer``, with
        ``no_answer`` for a completion without any of these.

    >>> final_answer.explain("It costs 3 + 4 dollars. The answer is $7.", answer=7).details["source"]
    'phrase'
    """
    opened = opens_thinking(prompt, think_opened)
    return _verdict(judge_final(completion, answer, think_opened=opened), answer)


def _verdict(judgement: Judgement, answer: Any) -> Verdict:
    outcome, details = judgement.outcome, {}
    if judgement.comparison is not None:
        details = {
            "source": judgement.source,
            "step": judgement.comparison.step,
            "prediction_read_as": judgement.comparison.prediction,
            "answer_read_as": judgement.comparison.answer,
        }
    points = None if outcome == "bad_answer" else float(outcome == "correct")
    gold = answer if isinstance(answer, str) else gold_text(answer)
    return Verdict(points, outcome, prediction=judgement.prediction, answer=gold, details=details)
