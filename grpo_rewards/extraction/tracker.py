"""Follows what a text says of its answer, statement by statement, and keeps what stands at its end.

It knows acts and keys only: whether a key is a number, an option or a word is none of its business. Look here if an
answer survives that is taken back, or if one is lost that is only discussed further.
"""

from typing import Any, NamedTuple, TypeAlias

__all__ = ["NO_KEYS", "Keys", "Statement", "Tracker"]

Keys: TypeAlias = "frozenset[Any]"
NO_KEYS: Keys = frozenset()


class Statement(NamedTuple):
    """What a clause does with the candidates in it.

    Acts: ``announce`` ("the answer is"), ``conclude`` ("that leaves"), ``assert``, ``deny``, ``doubt`` (leaves open),
    ``join`` (a further candidate beside the last one), ``await`` (announces what comes next), ``retract`` (what
    was said before), ``refuse`` (gives no answer), ``void`` (what was
    asserted is no answer: there is none, or it is still to be found), ``mention`` (nothing).
    """

    act: str
    keys: Keys = NO_KEYS


class Tracker:
    """What stands of what was said: ``announced`` and ``asserted``, of which each may be several candidates.

    Attributes:
        announced: the keys that are announced as the answer; ``None``: none.
        asserted: the keys that the last sentence with a candidate asserts.
        awaits: whether an answer was announced that has not come yet.
        denied: all that was denied.
        is_correcting: whether something was taken back and not replaced yet.
    """

    def __init__(self) -> None:
        self.announced: Keys | None = None
        self.asserted: Keys | None = None
        self.awaits = self.is_correcting = self.refused = False
        self.denied: Keys = NO_KEYS
        self._act = ""
        self._sentence = -9

    def fold(self, statement: Statement, sentence: int) -> None:
        """Takes in what a clause of the sentence with this number does."""
        act, keys = statement
        if act in ("announce", "conclude"):
            self._announce(act, keys, sentence)
        elif act == "assert" and keys and not keys & self.denied:
            self.asserted, self.is_correcting = keys, False
        elif act == "deny":
            self.denied |= keys
            if self.announced is not None and self.announced <= keys:
                self.announced = None
            if self.asserted is not None and self.asserted <= keys:
                self.asserted = None
        elif act == "join" and self.announced is None:
            self.asserted = keys | (self.asserted or NO_KEYS)
        elif act in ("join", "doubt"):
            self.asserted = None
            if self.announced is not None:
                self.announced |= keys
        elif act == "void":
            self.asserted = None
        elif act in ("retract", "refuse", "await"):
            stood = self.is_correcting or bool(self.announced or self.asserted)
            self.asserted = None
            if act != "await":
                self.announced = None
                self.is_correcting = stood and act == "retract"
            self.refused |= act == "refuse"
        self.awaits = act == "await"

    def _announce(self, act: str, keys: Keys, sentence: int) -> None:
        is_beside = sentence - self._sentence <= 1 and not self.is_correcting and act in (self._act, "conclude")
        if self.announced and is_beside:
            keys = keys | self.announced  # two answers beside each other are several
        self.announced, self.asserted, self.is_correcting = keys, None, False
        self._act, self._sentence = act, sentence
