"""A clause of the contract: what must hold, how to see whether it does, and what to do where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grpo_rewards.registry.errors import harmless
from grpo_rewards.testing.case import Case
from grpo_rewards.testing.growth import TookTooLong

__all__ = ["CLAUSES", "Breach", "Clause", "clause"]

LONGEST_SEEN = 400  # characters of what was seen: an exception may quote a megabyte


@dataclass(frozen=True)
class Breach:
    """One clause that a reward breaks.

    Attributes:
        clause: the name of the clause.
        rule: what must hold.
        seen: what was seen instead, with an example.
        remedy: what to do.
    """

    clause: str
    rule: str
    seen: str
    remedy: str

    @property
    def says(self) -> str:
        """The former name of ``rule``."""
        return self.rule

    def __str__(self) -> str:
        return f"{self.clause}: {self.rule}\n  seen: {self.seen}\n  do:   {self.remedy}"


@dataclass(frozen=True)
class Clause:
    """A clause: ``look`` returns what it saw that must not be, or ``None``; what the reward raises, it lets through."""

    name: str
    rule: str
    remedy: str
    look: Callable[[Case], str | None]

    def breach(self, case: Case) -> Breach | None:
        """How the reward of the case breaks this clause; ``None`` if it keeps it."""
        try:
            seen = self.look(case)
        except TookTooLong:  # which is for the clause about time
            seen = None
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            seen = f"it raised {type(error).__name__}: {error}"
        return None if seen is None else Breach(self.name, self.rule, shortened(seen), self.remedy)


CLAUSES: dict[str, Clause] = {}


def clause(remedy: str) -> Callable[[Callable[[Case], str | None]], Callable[[Case], str | None]]:
    """Makes a function a clause under its own name. The first line of its docstring is its rule."""

    def entered(look: Callable[[Case], str | None]) -> Callable[[Case], str | None]:
        rule = str(look.__doc__).splitlines()[0]
        CLAUSES[look.__name__] = Clause(look.__name__, rule, remedy, look)
        return look

    return entered


def shortened(seen: str) -> str:
    """The text in one line that can be printed: cut, and with escapes in place of what no terminal shows."""
    line = harmless(seen[:LONGEST_SEEN].replace("\n", " "))
    return line if len(seen) <= LONGEST_SEEN else f"{line}…"
