"""A reward that counts only where another reward is earned."""

from __future__ import annotations

from grpo_rewards.compose.composite import Composite, check_number, part, prediction_of
from grpo_rewards.registry import Reward
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.names import register_composer
from grpo_rewards.verdict import Verdict

__all__ = ["Gated", "gated"]


class Gated(Composite):
    """A reward behind a gate. Made by :func:`gated`."""

    own_reasons = ("stopped", "gate_not_scored")

    @property
    def range(self) -> tuple[float, float] | None:
        inner, otherwise = self.settings["reward"].range, self.settings["otherwise"]
        return None if inner is None else (min(inner[0], otherwise), max(inner[1], otherwise))

    @property
    def is_gold_based(self) -> bool:
        return self.settings["reward"].is_gold_based  # type: ignore[no-any-return]  # the gate is evaluated, not rewarded

    def outcomes(self, call: Call) -> list[Verdict]:
        gate, otherwise, above = self.settings["by"], self.settings["otherwise"], self.settings["above"]
        verdicts = []
        for verdict, passed in zip(self.settings["reward"].verdicts(call), gate.verdicts(call), strict=True):
            prediction, answer = prediction_of((verdict, passed))
            if passed.reward is not None and passed.reward > above:
                verdicts.append(verdict._replace(prediction=prediction, answer=answer))
                continue
            stopped = {"stopped_by": gate.name, "gate_reason": passed.reason}
            number, reason = (None, "gate_not_scored") if passed.reward is None else (otherwise, "stopped")
            verdicts.append(Verdict(number, reason, prediction, answer, stopped))
        return verdicts


@register_composer
def gated(
    reward: Reward | str,
    /,
    *,
    by: Reward | str,
    otherwise: float = 0.0,
    above: float = 0.0,
    name: str | None = None,
) -> Gated:
    """A reward that counts only where another one, the gate, is earned; elsewhere ``otherwise``.

    Args:
        reward (Reward | str): the reward where the gate is passed; a reward or the spec of one.
        by (Reward | str): the gate, a reward or the spec of one. It is passed where it gives more than ``above``.
        otherwise (float): the reward where the gate is not passed; 0.0 by default.
        above (float): what the gate must exceed; 0.0 by default. Choose a number below 0 for a gate such as
            ``soft_overlong``, which gives 0 at best.
        name (str | None): the name in the logs; ``gated_<reward>`` by default.

    Returns:
        A Reward. It is ``None`` where the gate is ``None``, and where the gate is passed and ``reward`` is ``None``.
        Reasons: those of ``reward``, and

        - ``stopped``: the gate was not passed (``otherwise``).
        - ``gate_not_scored``: the gate is ``None`` (``None``).

        In both cases the details ``stopped_by`` and ``gate_reason`` name the gate and its reason. The prediction is
        that of ``reward``, or of the gate where that alone compares with a gold.

    Raises:
        RewardError: ``reward`` or ``by`` is not a reward, or a number is not finite.

    >>> points = gated("boxed_answer", by="think_answer_format")
    >>> points.score("<think>2 + 2</think><answer>\\\\boxed{4}</answer>", answer="4"), points.score("4", answer="4")
    (1.0, 0.0)
    """
    inner, gate = part("gated", reward), part("gated", by)
    settings = {
        "reward": inner,
        "by": gate,
        "otherwise": check_number("gated", "otherwise", otherwise),
        "above": check_number("gated", "above", above),
    }
    return Gated(gated, settings, dict.fromkeys([inner, gate]), name)
