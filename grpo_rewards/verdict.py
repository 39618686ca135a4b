"""A reward's number with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reward decided about one completion, and why.

    Attributes:
        reward: the number that the trainer gets; ``None`` where the *row* cannot be scored.
        reason: a short code out of the list that the reward documents, such as ``"correct"`` or ``"no_box"``.
        prediction: what was extracted from the completion, as text; ``None`` where nothing was.
        answer: the gold that it was compared with, as text.
        details: anything else that helps a reader, such as the step that decided.

    >>> Verdict(0.0, "wrong", prediction="5", answer="4")
    Verdict(reward=0.0, reason='wrong', prediction='5', answer='4')
    """

    reward: float | None
    reason: str = ""
    prediction: str | None = None
    answer: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        reward: float | None,
        reason: str = "",
        prediction: str | None = None,
        answer: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        # The one that a frozen dataclass writes takes twice as long: a good part of what scoring a completion takes.
        _set_reward(self, reward)
        _set_reason(self, reason)
        _set_prediction(self, prediction)
        _set_answer(self, answer)
        _set_details(self, {} if details is None else details)

    def __repr__(self) -> str:
        shown = [f"reward={self.reward!r}", f"reason={self.reason!r}"]
        shown += [
            f"{name}={getattr(self, name)!r}" for name in ("prediction", "answer") if getattr(self, name) is not None
        ]
        shown += [f"{name}={value!r}" for name, value in self.details.items()]
        return f"Verdict({', '.join(shown)})"


_set_reward, _set_reason, _set_prediction, _set_answer, _set_details = (
    getattr(Verdict, name).__set__ for name in Verdict.__slots__
)
