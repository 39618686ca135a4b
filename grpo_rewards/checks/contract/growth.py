"""Texts that a policy may fall into, and whether the work on them grows with a text and not with its square."""

from __future__ import annotations

import gc
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

__all__ = ["HOSTILE", "TEXT_SHAPES", "SuperlinearError", "TookTooLong", "assert_linear", "limited", "seconds_for"]

MOST_GROWTH = (
    30  # times the cost for ten times the text: 10 if linear, 100 if quadratic, halfway between on the logarithm
)
TOO_SHORT_TO_COMPARE = 0.004  # seconds, below which a measurement means little: a cache may have helped
ROUNDS = 5


class SuperlinearError(AssertionError):
    """A longer text took more than in proportion."""


class TookTooLong(BaseException):
    """Something used up its processor time. No ``Exception``, so that what is stopped does not take it for its own."""


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
    raise SuperlinearError(
        f"{name}: {least:.3f} s, {ratio:.0f} times what a tenth of the text took, of {MOST_GROWTH} allowed"
    )


def _seconds(scan: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    scan(text)
    return time.process_time() - start


def seconds_for(size: int) -> float:
    """Seconds of processor time that a scan of so many characters may take before it is stopped."""
    return 10 + size * 20e-6  # a first call may import a library


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stops what runs inside when it used up so much processor time, in the main thread of a system that can.

    It stops Python and its regular expressions, and waits for what is computed in C without looking up.

    Raises:
        TookTooLong: it was stopped.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TookTooLong(f"stopped after {seconds:.1f} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


REPEATED_PIECES = (
    # runs of one character
    *".,;:!?-_=+*/\\|<>()[]{}$%^&~#@\"'`",
    *(" ", "\n", "\t", "\r\n", "0", "9", "a", "A"),
    # what is not seen, what combines, what is no character, what is wide
    *("\u200b", "\u00ad", "\ufe0f", "e\u0301\u0323", "\u0301\u0323", "\u0915\u093f\u094d"),
    # one character that is 18, 6 or 3 where it is normalised or its case is folded
    *("\ufdfa", "\ufdfa ", "\u3316", "\ufb03", "\u0390"),
    *("\ud800", "答", "答案是四。", "のは", "가나 ", "ไม่"),
    *("\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "مرحبا ", "ответ ", "的a", "½", "２＋２＝４ ", "①"),
    # words, steps and equations
    *("a ", "answer ", "The answer is ", "A or ", "so 4, ", "Step 1: "),
    *("Step 1\n", "1. a\n", "- ", "- a\n", "First, ", "第一步"),
    *("1 ", "1\n", "1+", "1 = ", "a=", "1+1=2 "),
    *("1+1=2\n", "9^", "2,", "1,000 ", "1/", "3.", "-1 ", "5% ", "(1, ", "x^{", "x_1 "),
    # markup
    *("\\boxed{", "\\boxed{1}", "\\boxed{A} or ", "\\boxed 5 ", "\\boxed ", "\\fbox{"),
    *("\\frac{", "\\text{", "\\begin{", "\\begin{pmatrix}1&2\\\\"),
    *("\\left(", "\\(", "\\[", "$$", "$a$"),
    *("<think>", "</think>", "<answer>", "</answer>", "<answer>4</answer>"),
    *('"<think>" ', '"</think>" ', "`</think>` ", "`<answer>` ", "```\n</think>\n```\n"),  # quoted
    *("<|", "<|im_end|>", "<b>", "<b></b>", "<a href='", "&lt;"),
    *("```", "```\n", "```json\n{}\n```\n", "~~~\n", "`a` ", "**", "**a** ", "# a\n", "| a | b |\n", "> "),
    *('{"a":', '["a",', '{"a": [', "\\u0041", '\\"', "http://a.b/c "),
    *("0x3f ", "QUJD", "<tool_call>", "\nObservation: "),
)  # fmt: skip


PIECE_NUMBERS, PIECE_WORDS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


def repeated(piece: str, size: int) -> str:
    """The piece, again and again."""
    return piece * (size // len(piece))


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


TEXT_SHAPES: dict[str, Callable[[int], str]] = {repr(piece): partial(repeated, piece) for piece in REPEATED_PIECES}
TEXT_SHAPES |= {f"{piece!r}, numbered": partial(numbered, piece) for piece in REPEATED_PIECES}
TEXT_SHAPES |= {
    "nested braces": lambda size: "\\boxed" + "{" * (size // 2) + "}" * (size // 2),
    "a box of open braces": lambda size: "\\boxed" + "{" * (size - 6),
    "a box of braces": lambda size: "\\boxed{" + "{}" * (size // 2 - 4) + "}",
    "nested brackets": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "nested tags": lambda size: "<b>" * (size // 7) + "</b>" * (size // 7),
    "one long word": lambda size: "".join(chr(97 + n * n % 26) for n in range(size)),
    "words": lambda size: " ".join(f"word{n * 7919 % 4001}" for n in range(size // 9)),
    "a counter": lambda size: " ".join(map(str, range(size // 6))),
    "equations": lambda size: " ".join(f"{n}+{n + 1}={2 * n + 1}" for n in range(size // 18)),
    "steps": lambda size: "\n".join(f"{n}. Add {n}." for n in range(size // 15)),
    "one long word with an accent": lambda size: "a" * (size - 1) + "é",
    "one long Russian word": lambda size: "ж" * size,
    "a JSON list": lambda size: "[" + ",".join(map(str, range(size // 6))) + "]",
    "ends in an answer": lambda size: "<think>" + "so " * (size // 3) + "</think><answer>\\boxed{4}</answer>",
}


LENGTH = 300  # of the texts of each shape
DEEP = 5_000

WRITTEN = (
    # what no file and no terminal takes
    *("\x00", "a\x00b", "\ud800", "\udfff\ud800 4", "\x1b[2J", "\u202eevif si rewsna ehT\u202c", "\ufeff4", "\u200b"),
    # numbers that are none, or that Python refuses to read
    *("nan", "inf", "-inf", "1e999999", "9" * DEEP, "1/0", "0x", "٧", "½", "1_000", "−4", "4,", "1e", "--4", "True"),
    # what stalls computer algebra
    *("\\boxed{9^{9^{9^{9}}}}", "\\boxed{10000!!}", "\\boxed{\\sqrt{}}", "\\boxed{}", "\\boxed{" + "(" * 500),
    # what a parser descends into
    *("[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP, "(" * DEEP + ")" * DEEP, "{" * DEEP, "<b>" * DEEP),
    *('{"answer": NaN}', '{"answer": null}', "[]", "{}", "null", '"', "```json\n", "```json\n[1]\n``` ```"),
    # tags that do not close, or close twice
    *("<think>", "</think>", "</think><think>", "<answer></answer>", "<answer>\n</answer>", "<think></think>"),
    *("</answer><answer>4", "<answer>4</answer><answer>5</answer>", "<|im_end|>", "</s>"),
    # what formats and patterns are made of
    *("%s %d %(a)s", "{0} {} {answer}", "\\", "\\\\", "$", "(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "*", "[", "(?:"),
    *("\r", "\r\n\r\n", "\t", "\v\f\x85\u2028", "a" * DEEP, "\n" * DEEP, " " * DEEP + "a"),
)  # fmt: skip
HOSTILE = tuple(dict.fromkeys((*WRITTEN, *(text_of(LENGTH) for text_of in TEXT_SHAPES.values()))))
