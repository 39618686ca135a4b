"""Is the number near enough?"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from grpo_rewards.answers import amount, find_final, gold_text
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["numeric_answer"]


RANGE = re.compile(r"[\d.,]+ ?[-–] ?[\d.,]+")  # 70-75 is no difference
ABOUT = re.compile(r"\A\s{0,9}(?:\\approx|\\sim|≈|~)")


def _check_tolerances(rel_tol: float, abs_tol: float, **_: Any) -> None:
    if rel_tol < 0 or abs_tol < 0:
        raise RewardError(f"rel_tol and abs_tol must be 0 or more, not {rel_tol} and {abs_tol}.")


@reward(
    reasons=("correct", "wrong", "no_answer", "not_a_number", "unfinished_thinking", "bad_answer"),
    range=(0.0, 1.0),
    check=_check_tolerances,
)
def numeric_answer(
    completion: str,
    answer: Any,
    prompt: Any = None,
    *,
    rel_tol: float = 0.01,
    abs_tol: float = 0.0,
    think_opened: bool | None = None,
) -> Verdict:
    """1 if the final answer is a number within a tolerance of the gold, else 0.

    With prediction p and gold g: ``|p - g| <= max(rel_tol |g|, abs_tol)``, as Python's ``math.isclose`` has it but
    relative to the gold alone, and in exact fractions. The final answer is found as by ``final_answer``. Units,
    currencies and percent signs are not looked at; a formula without letters is computed.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a number or LaTeX for one.
        prompt: read to see whether it ends inside ``<think>``.
        rel_tol: the tolerance as a share of the gold.
        abs_tol: the tolerance as a number; the only one that helps for a gold of 0.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold is no number. Reasons: ``correct``, ``wrong``,
        ``no_answer``, ``not_a_number``, ``unfinished_thinking``, ``bad_answer``.

    >>> numeric_answer.score("The speed is about 3.1 km/h.", answer=r"\\pi"), numeric_answer.score("3", answer=r"\\pi")
    (0.0, 0.0)
    >>> numeric_answer.bind(rel_tol=0.05).score("The speed is about 3.1 km/h.", answer=r"\\pi")
    1.0
    """
    text = gold_text(answer)
    gold = None if text is None or RANGE.fullmatch(text) else amount(text)
    if text is None or gold is None:
        return Verdict(None, "bad_answer")
    found, where = find_final(completion, opens_thinking(prompt, think_opened))
    if found is None:
        return Verdict(0.0, where, answer=text)
    said = None if RANGE.fullmatch(found.strip()) else amount(ABOUT.sub("", found, count=1))
    if said is None:
        return Verdict(0.0, "not_a_number", found, text, {"source": where})
    off = abs(said.value - gold.value)
    near = off <= max(Fraction(rel_tol) * abs(gold.value), Fraction(abs_tol))
    return Verdict(float(near), "correct" if near else "wrong", found, text, {"source": where})
