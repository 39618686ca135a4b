"""Texts that a policy may fall into, and whether the work on them is linear."""

import gc
import re
import time
import tomllib
from collections.abc import Callable
from functools import partial
from importlib.resources import files

# Allowed growth of time for ten times the text; 10 is linear, 100 quadratic.
MOST_GROWTH = 30
TOO_SHORT_TO_COMPARE = 0.004  # seconds, below which a measurement means little: a cache may have helped
ROUNDS = 5
HOSTILE_LENGTH = 300  # of the texts of each shape
DEEP = 5_000
_TEXTS = tomllib.loads(files(__package__).joinpath("texts.toml").read_text(encoding="utf-8"))
PIECE_NUMBERS, PIECE_WORDS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


def nested(before: str, opening: str, closing: str, behind: str, size: int) -> str:
    """Openings and as many closings, as often as they fit between what stands before and behind."""
    count = (size - len(before + behind)) // len(opening + closing)
    return before + opening * count + closing * count + behind


def numbered(piece: str, size: int) -> str:
    """The piece, again and again, none like another: ``<b1></b1><b2></b2>``, ``Step 1: Step 2: ``, ``.1.2``.

    A number that counts up is in place of the last one in the piece, or behind its last word, or at its end.
    """
    found = PIECE_NUMBERS.findall(piece) or PIECE_WORDS.findall(piece)
    last = found[-1] if found else ""
    parts = piece.split(last) if last else [piece, ""]
    stem = "" if last.isdecimal() else last
    longest = len(f"{stem}{size // len(piece)}".join(parts))
    return "".join(f"{stem}{number}".join(parts) for number in range(size // longest))


_PIECES = (*_TEXTS["characters"], *_TEXTS["pieces"], "\ud800")
TEXT_SHAPES: dict[str, Callable[[int], str]] = {
    **{repr(piece): partial(nested, "", piece, "", "") for piece in _PIECES},
    **{f"{piece!r}, numbered": partial(numbered, piece) for piece in _PIECES},
    **{shape: partial(nested, *parts) for shape, parts in _TEXTS["nested"].items()},
    "one long word": lambda size: "".join(chr(97 + n * n % 26) for n in range(size)),
    "words": lambda size: " ".join(f"word{n * 7919 % 4001}" for n in range(size // 9)),
    "equations": lambda size: " ".join(f"{n}+{n + 1}={2 * n + 1}" for n in range(size // 18)),
    "a JSON list": lambda size: "[" + ",".join(map(str, range(size // 6))) + "]",
}
# Texts that break naive code.
HOSTILE = tuple(
    dict.fromkeys(
        [
            *_TEXTS["hostile"],
            *("\ud800", "\udfff\ud800 4", "\\boxed{" + "(" * 500, " " * DEEP + "a"),
            *("[" * DEEP + "]" * DEEP, "(" * DEEP + ")" * DEEP, *(one * DEEP for one in _TEXTS["deep"])),
            *(text_of(HOSTILE_LENGTH) for text_of in TEXT_SHAPES.values()),
        ]
    )
)


class SuperlinearError(AssertionError):
    """A longer text took more than in proportion."""


def assert_linear(scan: Callable[[str], object], text_of: Callable[[int], str], size: int, name: str = "") -> float:
    """Fails if a scan of ``text_of(size)`` costs over 30 times what one of ``text_of(size // 10)`` does.

    Both are measured in each of five rounds, one just after the other, and one round is enough: a core that other work
    slows down slows both down, and what is quadratic takes a hundred times as long in each of them. Python's collector
    of garbage is off meanwhile, since what it does depends on all that other tests have left.

    Returns:
        The seconds that the longer text took, the least of all rounds.
    """
    small, large = text_of(size // 10), text_of(size)
    least, ratio = float("inf"), float("inf")
    was_on = gc.isenabled()
    gc.collect(0)
    gc.disable()
    try:
        first = before = _seconds(scan, small)  # in the first round, which no cache of earlier verdicts helps
        for _ in range(ROUNDS):
            took = _seconds(scan, large)
            least, ratio = min(least, took), min(ratio, took / max(before, TOO_SHORT_TO_COMPARE))
            if ratio < MOST_GROWTH:
                return least
            before = min(first, _seconds(scan, small), _seconds(scan, small))
    finally:
        if was_on:
            gc.enable()
    times = f"{ratio:.0f} times what a tenth of the text took"
    raise SuperlinearError(f"{name}: {least:.3f} s, {times}, of {MOST_GROWTH} allowed")


def _seconds(scan: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    scan(text)
    return time.process_time() - start
