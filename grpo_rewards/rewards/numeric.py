"""Is the answer a number near enough to the gold?"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from grpo_rewards.answers import amount, find_final, gold_text
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["numeric_answer"]

NUMBER_RANGE = re.compile(r"[\d.,]+ ?[-–] ?[\d.,]+")  # 70-75 is a range, not the difference -5
APPROXIMATELY = re.compile(r"\A\s{0,9}(?:\\approx|\\sim|≈|~)")


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

    With prediction p and gold g the rule is ``|p - g| <= max(rel_tol * |g|, abs_tol)``, computed in exact fractions. It
    is that of Python's ``math.isclose``, except that the relative tolerance refers to the gold alone. The final answer
    is found as by ``final_answer``. A formula without letters is computed. Units, currencies and percent signs are
    ignored, so 10% is 10.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int | float): the gold, a dataset column: a number, or LaTeX for one.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends with ``<think>``.
        rel_tol (float): the tolerance as a share of the gold; 0.01 by default, which is one per cent.
        abs_tol (float): the tolerance as a distance; 0.0 by default. A gold of 0 needs one, because its relative
            tolerance is 0.
        think_opened (bool | None): whether the chat template already opened ``<think>``, so that the completion starts
            inside the reasoning. ``None``, the default: look at the end of ``prompt``.

    Returns:
        1.0 or 0.0; ``None`` if the gold is not a number. Reasons:

        - ``correct``: within the tolerance (1.0).
        - ``wrong``: a number outside the tolerance.
        - ``no_answer``: no final answer was found.
        - ``not_a_number``: the final answer is not a number.
        - ``unfinished_thinking``: the reasoning was never closed.
        - ``bad_answer``: the gold is not a number (``None``).

    A policy would try a range or a list. "The answer is between 3 and 5", ``70-75`` in a box and ``4 \\pm 1`` are not
    numbers and earn 0. In a text that does not mark its answer, the last number counts.

    >>> numeric_answer.score("The speed is about 3.1 km/h.", answer=r"\\pi"), numeric_answer.score("3", answer=r"\\pi")
    (0.0, 0.0)
    >>> numeric_answer.bind(rel_tol=0.05).score("The speed is about 3.1 km/h.", answer=r"\\pi")
    1.0
    """
    text = gold_text(answer)
    gold = None if text is None or NUMBER_RANGE.fullmatch(text) else amount(text)
    if text is None or gold is None:
        return Verdict(None, "bad_answer")
    found, where = find_final(completion, opens_thinking(prompt, think_opened))
    if found is None:
        return Verdict(0.0, where, answer=text)
    said = None if NUMBER_RANGE.fullmatch(found.strip()) else amount(APPROXIMATELY.sub("", found, count=1))
    if said is None:
        return Verdict(0.0, "not_a_number", found, text, {"source": where})
    off = abs(said.value - gold.value)
    near = off <= max(Fraction(rel_tol) * abs(gold.value), Fraction(abs_tol))
    return Verdict(float(near), "correct" if near else "wrong", found, text, {"source": where})
