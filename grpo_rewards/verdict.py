"""A reward's number with its reason."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = ["Verdict"]


class Verdict(NamedTuple):
    """What a reward decided about one completion, and why. Immutable, because equal rows may share one.

    Attributes:
        reward (float | None): the number that the trainer gets; ``None`` if the *row* cannot be scored.
        reason (str): a short code from the list that the reward documents, such as ``"correct"`` or ``"no_box"``.
        prediction (str | None): what was extracted from the completion; ``None`` if nothing was.
        answer (str | None): the gold that it was compared with, as text.
        details (Mapping): anything else that helps a reader, such as the step that decided.

    >>> Verdict(0.0, "wrong", prediction="5", answer="4")
    Verdict(reward=0.0, reason='wrong', prediction='5', answer='4')
    """

    reward: float | None
    reason: str = ""
    prediction: str | None = None
    answer: str | None = None
    details: Mapping[str, Any] = MappingProxyType({})

    def __reduce__(self) -> tuple[Any, ...]:
        return Verdict, (*self[:4], dict(self.details))  # a MappingProxyType, the default, cannot be pickled

    def __repr__(self) -> str:
        shown = [f"reward={self.reward!r}", f"reason={self.reason!r}"]
        shown += [
            f"{name}={getattr(self, name)!r}" for name in ("prediction", "answer") if getattr(self, name) is not None
        ]
        shown += [f"{name}={value!r}" for name, value in self.details.items()]
        return f"Verdict({', '.join(shown)})"
