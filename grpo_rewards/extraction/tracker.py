"""Follows what stands of a text's answers: announced, asserted, denied, left open, taken back. It knows keys only."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Tracker"]

Keys = frozenset


@dataclass
class Tracker:
    """What stands so far.

    Attributes:
        announced, asserted: the keys that are; ``None`` if none are, an empty set if they were taken back.
        is_correcting: whether what comes next replaces what was taken back.
    """

    announced: frozenset | None = None
    asserted: frozenset | None = None
    is_correcting: bool = False
    sentence: int = -9
    denied: set = field(default_factory=set)

    def announce(self, keys: frozenset, sentence: int) -> None:
        if self.announced and self.announced != keys and not self.is_correcting and sentence - self.sentence <= 1:
            keys = keys | self.announced
        self.announced, self.asserted, self.is_correcting, self.sentence = keys, None, False, sentence

    def assert_(self, keys: frozenset, sentence: int) -> None:
        if self.is_correcting:
            self.announce(keys, sentence)
        elif self.announced is None:
            self.asserted = keys if self.asserted is None or self.asserted == keys else self.asserted | keys

    def deny(self, keys: frozenset) -> None:
        if self.announced is not None and self.announced <= keys:
            self.announced = None
        if self.asserted is not None:
            self.asserted = (self.asserted - keys) or None

    def doubt(self, keys: frozenset) -> None:
        if self.announced is not None and not keys <= self.announced:
            self.announced = self.announced | keys
        if self.asserted is not None and keys:
            self.asserted = self.asserted | keys

    def retract(self) -> None:
        self.announced = self.asserted = None
        self.is_correcting = True

    @property
    def stands(self) -> frozenset | None:
        return self.announced if self.announced is not None else self.asserted
