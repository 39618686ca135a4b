"""Mends slips that come from how a text was stored, not from who wrote it: doubled backslashes, a lost command.

Look here if an answer that a data set mangled, such as ``\\\\frac{1}{2}`` or ``90^``, is not read.
"""

from __future__ import annotations

import html
import re

from grpo_rewards.answers.latex.commands import (
    ACCENTS,
    ARITY,
    DROPPED,
    FACES,
    FUNCTIONS,
    GREEK,
    KEPT_SPELLINGS,
    SILENT,
    SPACING,
)

__all__ = ["mended"]

_KNOWN = frozenset().union(
    ACCENTS, ARITY, DROPPED, FACES, GREEK, KEPT_SPELLINGS, KEPT_SPELLINGS.values(), SILENT, SPACING
)
KNOWN_COMMANDS = frozenset(name for name in _KNOWN if len(name) > 2 and name[1:].isalpha()) | {
    *("\\" + name for name in FUNCTIONS),
    *r"\pi \in \pm \mp \int \sum \prod \lim \circ \mathbb \approx \equiv \prime \quad".split(),
}
DOUBLED = re.compile(r"\\(\\[A-Za-z]+)")
# What a string with single backslashes becomes where \f, \t and the like are read as control characters.
CONTROL = re.compile("\x0c(?=rac)|\x08(?=eta|inom|ar|oxed|egin)|\t(?=imes|heta|ext|an|frac|au|o )|\r(?=ight|ho)")
ENTITY = re.compile(r"&(?:lt|gt|le|ge|ne|amp|nbsp|times|minus|divide|pi|infin|radic|deg|#[0-9]{2,4});")
SIGN_OF_MATH = re.compile(r"(?<!\\)\$(?!\s?-?\.?[0-9])")  # one that stands before no amount
SIGN_OF_MONEY = re.compile(r"(?<!\\)\$")
CONTROL_LETTERS = {"\x0c": "\\f", "\x08": "\\b", "\t": "\\t", "\r": "\\r"}


def mended(text: str) -> str:
    """The text without the slips that storing it has left; unchanged if it has none.

    Where every backslash was doubled, ``\\\\frac{1}{2}``, each pair becomes one; a ``\\\\`` that ends a row of a matrix
    stays. ``&lt;``, an entity of HTML, becomes ``<``. ``$5``, whose dollar sign no other one closes, becomes ``\\$5``.
    ``**5**``, bold in Markdown, becomes 5, and ``90^``, which lost its degree sign, becomes 90.
    """
    if "\\\\" in text and _is_doubled(text):
        text = text.replace("\\\\", "\\")
    if "&" in text and ";" in text:
        text = ENTITY.sub(lambda found: html.unescape(found.group()), text)
    if "$" in text and SIGN_OF_MATH.search(text) is None:
        text = SIGN_OF_MONEY.sub(r"\\$", text)
    if not text.isprintable():
        text = CONTROL.sub(lambda found: CONTROL_LETTERS[found.group()], text)
    text = text.strip()
    if text.startswith("**") and text.endswith("**") and "**" not in text[2:-2]:
        text = text[2:-2]
    return text.removesuffix("^")


def _is_doubled(text: str) -> bool:
    """Whether the backslashes of a text are doubled: a known command has two, and none has one."""
    doubled = [found.group(1) for found in DOUBLED.finditer(text)]
    if not any(name in KNOWN_COMMANDS for name in doubled):
        return False
    return re.search(r"(?<!\\)\\[A-Za-z]", text) is None
