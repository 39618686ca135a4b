"""Is what the reasoning says on the way true?"""

from __future__ import annotations

from grpo_rewards.answers import equations
from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["arithmetic_steps"]


@reward(reasons=("all_true", "some_false", "all_false", "no_equations"), range=(0.0, 1.0))
def arithmetic_steps(completion: str) -> Verdict:
    """The share of the equations of arithmetic in the completion that are true: a reward for steps, without a model.

    Looks at what is computed anywhere in the completion, the reasoning included: ``16 - 3 - 4 = 9``, GSM8K's
    ``<<16-3-4=9>>9``, chains (``2 + 3 = 5 = 10 / 2``), decimals, fractions, percentages, LaTeX, with or without units.
    Equations with variables, and such as ``5 = 5`` that compute nothing, are left out, and so is what may be part of
    something else (``log 2 + 1 = 3``); one that is written again counts once. In a chain that computes something, later
    links are looked at as well: ``2 + 2 = 4 = 5`` is one true and one false. A decimal that is a correct rounding is
    true, and behind ``≈`` so is a whole number.

    Args:
        completion: the text of the last assistant message.

    Returns:
        A number in [0, 1]; ``None`` with ``no_equations`` where there are none, for a text without arithmetic is
        neither right nor wrong at it. Reasons: ``all_true``, ``some_false``, ``all_false``, ``no_equations``. The
        verdict's prediction is the first equation that is false.

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
