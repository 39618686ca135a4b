"""What a check found: whether an instruction is followed, and why."""

from collections.abc import Callable, Iterable
from operator import eq, ge, le, lt
from typing import Any, NamedTuple


class Finding(NamedTuple):
    """Whether a text follows one instruction.

    Attributes:
        followed (bool): whether it does.
        why (str): what was counted or found, for a reader.
    """

    followed: bool
    why: str


def found(followed: bool, if_so: str, if_not: str) -> Finding:
    """A finding with one of two explanations."""
    return Finding(followed, if_so if followed else if_not)


def counted(count: int, relation: str, wanted: int, what: str) -> Finding:
    """Compares a count by ``less than``, ``at most``, ``at least`` or ``exactly``.

    >>> counted(3, "at least", 5, "words")
    Finding(followed=False, why='3 words, wanted at least 5')
    """
    compare = {"less than": lt, "at most": le, "at least": ge, "exactly": eq}[relation]
    return Finding(compare(count, wanted), f"{count} {what}, wanted {relation} {wanted}")


def each(items: Iterable[Any], follows: Callable[[Any], object], if_so: str, if_not: str) -> Finding:
    """Whether each item follows a rule; the explanation names the first one that does not.

    >>> each(["ab", "c"], lambda word: len(word) > 1, "all are long", "is short")
    Finding(followed=False, why="'c' is short")
    """
    wrong = next((one for one in items if not follows(one)), None)
    return found(wrong is None, if_so, f"{wrong!r:.80} {if_not}")
