"""Is the answer a number near enough to the gold, and how near is it?"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from grpo_rewards.answers import alternatives, amount, gold_text, is_range
from grpo_rewards.answers.formulas.formula import float_error
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.extraction import find_final, stated_gold
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["close_to", "numeric_answer"]

MEASURED_REL_TOL = Fraction(1, 100)
WRITTEN_DECIMALS = re.compile(r"\.[0-9]{0,1200}[1-9]")  # 72.0 is a whole number, 6.022e23 a measured one
APPROXIMATELY = re.compile(
    r"\A\s{0,9}(?:\\approx|\\sim|≈|~|(?:about|approximately|approx|roughly|around|circa)\b\.?)",
    re.IGNORECASE,
)


def _check_tolerances(rel_tol: float | None, abs_tol: float, **_: Any) -> None:
    if (rel_tol is not None and rel_tol < 0) or abs_tol < 0:
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
    rel_tol: float | None = None,
    abs_tol: float = 0.0,
    last_number: bool = True,
    thinking: Thinking,
) -> Verdict:
    """1 if the final answer is a number within a tolerance of the gold, else 0.

    With prediction p and gold g the rule is ``|p - g| <= max(rel_tol * |g|, abs_tol)``, computed in exact fractions. It
    is that of Python's ``math.isclose``, except that the relative tolerance refers to the gold alone. The final answer
    is found as by ``final_answer``: box, ``<answer>``, JSON, a text that is nothing but it, what is announced, and with
    ``last_number`` what is asserted last. A formula without letters is computed. Units, currencies and percent signs
    are ignored, so 10% is 10.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int | float | list): the gold, a dataset column: a number, or LaTeX for one; of a list any counts.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        rel_tol (float | None): the tolerance as a share of the gold. ``None``, the default: what is counted must be
            exact and what is measured may be off by one per cent. A gold is counted if it is a whole number (72, 72.0,
            1 million), or if neither it nor the answer is written as a decimal (3/4). A number given here holds for all
            golds.
        abs_tol (float): the tolerance as a distance; 0.0 by default.
        last_number (bool): whether the last number that a text asserts counts if no answer is announced.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0; ``None`` if the gold is not a number. Reasons:

        - ``correct``: within the tolerance (1.0).
        - ``wrong``: a number outside the tolerance.
        - ``no_answer``: no final answer was found.
        - ``not_a_number``: the final answer is not a number.
        - ``unfinished_thinking``: the reasoning was never closed.
        - ``bad_answer``: the gold is not a number (``None``).

    A policy would try a range or a list. "The answer is between 3 and 5", ``70-75`` in a box and ``4 \\pm 1`` are not
    numbers and earn 0. In a text that does not announce its answer, the last number counts that it asserts.

    >>> numeric_answer.score("The speed is about 3.1 km/h.", answer=r"\\pi"), numeric_answer.score("3", answer=r"\\pi")
    (0.0, 0.0)
    >>> numeric_answer.bind(rel_tol=0.05).score("The speed is about 3.1 km/h.", answer=r"\\pi")
    1.0
    >>> numeric_answer.score("It is 318.", answer=319), numeric_answer.score("It is 3.14.", answer=r"\\pi")
    (0.0, 1.0)
    """

    def within(value: Fraction, found: str, wanted: Fraction, gold: str) -> Fraction:
        share = _measured_tolerance(gold, wanted, found) if rel_tol is None else Fraction(rel_tol)
        return Fraction(abs(value - wanted) <= max(share * abs(wanted), Fraction(abs_tol)))

    return _graded(completion, answer, prompt, thinking, last_number, within)


@reward(
    reasons=("correct", "close", "wrong", "no_answer", "not_a_number", "unfinished_thinking", "bad_answer"),
    range=(0.0, 1.0),
    check=_check_tolerances,
)
def close_to(
    completion: str,
    answer: Any,
    prompt: Any = None,
    *,
    rel_tol: float = 0.1,
    abs_tol: float = 0.0,
    last_number: bool = True,
    thinking: Thinking,
) -> Verdict:
    """How near the final answer is to the gold: 1 if equal, falling in a straight line to 0 at the tolerance.

    With prediction p and gold g it is ``max(0, 1 - |p - g| / max(rel_tol * |g|, abs_tol))``, computed in exact
    fractions. The final answer is found and read as by ``numeric_answer``: formulas without letters are computed,
    units, currencies and percent signs are ignored.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int | float | list): the gold, a dataset column: a number, or LaTeX for one; of a list the nearest
            counts.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        rel_tol (float): the distance at which nothing is left, as a share of the gold; 0.1 by default.
        abs_tol (float): the same as a distance; 0.0 by default. The larger of the two counts: a gold near 0 needs it.
        last_number (bool): whether the last number that a text asserts counts if no answer is announced.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if the gold is not a number. Reasons:

        - ``correct``: the gold itself (1.0).
        - ``close``: nearer than the tolerance.
        - ``wrong``: a number farther away (0.0).
        - ``no_answer``: no final answer was found (0.0).
        - ``not_a_number``: the final answer is not a number (0.0).
        - ``unfinished_thinking``: the reasoning was never closed (0.0).
        - ``bad_answer``: the gold is not a number (``None``).

    A policy would always guess the middle of what is usual. That earns what the tolerance gives away: choose it so that
    such a guess is far off, and never for golds that are counted. Ranges and lists are not numbers and earn 0.

    >>> close_to.score("It is 95.", answer=100), close_to.bind(rel_tol=0.2).score("It is 95.", answer=100)
    (0.5, 0.75)
    """
    share, least = Fraction(str(rel_tol)), Fraction(str(abs_tol))  # as they were written: 0.1 is 1/10

    def nearness(value: Fraction, found: str, wanted: Fraction, gold: str) -> Fraction:
        distance, farthest = abs(value - wanted), max(share * abs(wanted), least)
        if distance <= float_error(wanted):  # what a gold that is a printed float stands for
            return Fraction(1)
        return max(1 - distance / farthest, Fraction(0)) if farthest else Fraction(0)

    return _graded(completion, answer, prompt, thinking, last_number, nearness)


def _graded(
    completion: str,
    answer: Any,
    prompt: Any,
    thinking: Thinking,
    last_number: bool,
    points_for: Callable[[Fraction, str, Fraction, str], Fraction],
) -> Verdict:
    """The verdict on the final answer: the most points that it has for any gold, by the value and the text of both."""
    text, golds = gold_text(answer), list(_golds(answer))
    if not golds:
        return Verdict(None, "bad_answer")
    found, where = find_final(completion, thinking.opened(prompt), last_number, thinking.marks)
    if found is None:
        return Verdict(0.0, where, answer=text)
    read = None if is_range(found) else amount(APPROXIMATELY.sub("", found))
    if read is None:
        return Verdict(0.0, "not_a_number", found, text, {"source": where})
    points = max(points_for(read.value, found, wanted, gold) for gold, wanted in golds)
    reason = "correct" if points == 1 else "close" if points else "wrong"
    return Verdict(float(points), reason, found, text, {"source": where})


def _golds(answer: Any) -> Iterator[tuple[str, Fraction]]:
    """The text and the value of each alternative of a gold that is a number."""
    for one in alternatives(answer):
        text = None if isinstance(one, list | tuple) else gold_text(stated_gold(one))
        if text is not None and not is_range(text) and (value := amount(text)) is not None:
            yield text, value.value


def _measured_tolerance(gold: str, value: Fraction, found: str) -> Fraction:
    """The relative tolerance if none is given: 0 for what is counted, 0.01 for what is measured."""
    is_decimal = WRITTEN_DECIMALS.search(gold) is not None
    is_measured = is_decimal or (value.denominator > 1 and "." in found)
    return MEASURED_REL_TOL if is_measured else Fraction(0)
