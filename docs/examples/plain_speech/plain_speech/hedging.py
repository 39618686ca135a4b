"""What is said so that nothing is said."""

from grpo_rewards import Verdict, reward

HEDGES = ("maybe", "perhaps", "possibly", "it depends", "i think", "sort of")


@reward(
    reasons=("plain", "hedged", "empty", "no_gold"),
    range=(0.0, 1.0),
    example={"is_certain": True},
)
def no_hedging(completion: str, is_certain: bool | None) -> Verdict:
    """1 if the completion hedges where the row is uncertain and nowhere else, else 0.

    Args:
        completion: the text of the last assistant message.
        is_certain: a dataset column: whether the question has one answer.

    Returns:
        1.0 or 0.0; ``None`` if the row does not say whether it is certain. Reasons: ``plain``, ``hedged``, ``empty``,
        ``no_gold``.
    """
    if is_certain is None:
        return Verdict(None, "no_gold")
    text = completion.lower()
    if not text.strip():
        return Verdict(0.0, "empty")
    hedge = next((one for one in HEDGES if one in text), None)
    hedges = hedge is not None
    return Verdict(float(hedges != is_certain), "hedged" if hedges else "plain", prediction=hedge)
