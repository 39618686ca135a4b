"""Finds the cues of a sentence: words that announce an answer, deny it, leave it open, cite it or take it back."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Cue", "cues", "expression", "phrases"]

TABLE = Path(__file__).with_name("cues.toml")
FEW_WORDS = r"(?:\S+\s){0,8}?"
# Scripts that write no spaces between words.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Cue(NamedTuple):
    """What a phrase does with an answer, and where it stands."""

    act: str
    start: int
    end: int


@cache
def phrases(act: str) -> tuple[str, ...]:
    """The phrases of an act as expressions, the longest first."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    lines = [line.strip() for text in table[act].values() for line in text.splitlines() if line.strip()]
    return tuple(sorted(map(expression, lines), key=len, reverse=True))


def expression(phrase: str) -> str:
    """A phrase of the table as a regular expression: ``[optional]``, ``(one|other)``, ``…`` for a few words."""
    parts, at = [], 0
    for found in re.finditer(r"\[([^\]]*)\]\s*|…\s*|\s+", phrase):
        parts.append(_words(phrase[at : found.start()]))
        if found.group(1) is not None:
            inner = "|".join(_words(one) for one in found.group(1).split("|"))
            gap = r"\s?" if UNSPACED.search(inner) else r"\s{1,3}"
            parts.append(f"(?:(?:{inner}){gap})?")
        else:
            parts.append(FEW_WORDS if "…" in found.group() else r"\s{1,3}")
        at = found.end()
    parts.append(_words(phrase[at:]))
    body = "".join(parts)
    unspaced = UNSPACED.search(phrase) is not None
    return body if unspaced else rf"(?<!\w){body}(?!\w)"


def _words(text: str) -> str:
    return re.sub(r"([.+*?^${}\\/'])", r"\\\1", text).replace(" ", r"\s{1,3}").replace("(", "(?:")


@cache
def compiled(act: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases(act)))


def cues(text: str, act: str) -> list[Cue]:
    """Where an act's phrases stand in a text in lower case."""
    return [Cue(act, found.start(), found.end()) for found in compiled(act).finditer(text)]
