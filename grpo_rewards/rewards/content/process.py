"""Is the arithmetic in the reasoning true?"""

from __future__ import annotations

from grpo_rewards.answers import equations
from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["arithmetic_steps"]


@reward(reasons=("all_true", "some_false", "all_false", "no_equations"), range=(0.0, 1.0))
def arithmetic_steps(completion: str) -> Verdict:
    """The share of the arithmetic equations in the completion that are true, from 0 to 1; no model is needed.

    Equations are looked for everywhere, reasoning included: ``16 - 3 - 4 = 9``, GSM8K's ``<<16-3-4=9>>9``, chains
    (``2 + 3 = 5 = 10 / 2``), decimals, fractions, percentages and LaTeX, with or without units. These do not count:

    - an equation with a variable, or one that computes nothing, such as ``5 = 5``, ``7 + 0 = 7`` or ``3 - 3 + 5 = 5``:
      it would be true of any other numbers;
    - one that may be part of something longer, such as ``log 2 + 1 = 3``;
    - the second and every later copy of an equation.

    In a chain that computes something, a later link counts if it computes as well or is false: ``2 + 2 = 4 = 5`` is one
    true and one false equation. A decimal is true if it is a correct rounding (``2 / 3 = 0.67``), a whole number only
    after ``≈``. A percentage is a share: ``100 * 20% = 20%`` is false, ``5/20 * 100 = 25%`` is true.
    Only the first 100,000 characters and 500 equations are looked at.

    Args:
        completion (str): the text of the last assistant message.

    Returns:
        A float in [0, 1]; ``None`` if there are no equations, because a text without arithmetic is neither right nor
        wrong about it. The verdict's prediction is the first false equation. Reasons:

        - ``all_true``: every equation is true (1.0).
        - ``some_false``: some are true, some false.
        - ``all_false``: every equation is false (0.0).
        - ``no_equations``: there are none (``None``).

    A policy would try ``5 = 5``, or one true equation many times; neither counts. Many different easy ones
    (``1 + 1 = 2``, ``1 + 2 = 3``) do count, so use ``gated(arithmetic_steps, by=boxed_answer)`` or give this reward
    little weight.

    >>> arithmetic_steps.score("She has 16 - 3 - 4 = 9 eggs left, so 9 * $2 = $20.")
    0.5
    """
    found = equations(before_end_of_turn(completion))
    if not found:
        return Verdict(None, "no_equations")
    false = [str(one) for one in found if not one.is_true]
    share = 1 - len(false) / len(found)
    reason = "some_false" if 0 < share < 1 else "all_true" if share else "all_false"
    return Verdict(share, reason, false[0] if false else None, details={"equations": len(found), "false": len(false)})
