"""Some 300 shapes of text that a policy might fall into: a piece that is repeated, alike or numbered, or a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

__all__ = ["TEXT_SHAPES"]

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
