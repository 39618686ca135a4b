"""Reads LaTeX's layout as plain text: what breaks a line, what parts two equations, and fractions without braces."""

from __future__ import annotations

import re

__all__ = ["parted", "plain_lines"]

# \\, \\[2pt], \\* and commands. Before letters and most signs, two backslashes are one that was escaped: \\frac, \\,
LATEX_BREAK = (
    r"(?:\\\\(?![A-Za-z]{2}|[,;:!%$#_{}])\*?+(?:\s?\[-?[\d.]{1,9}\s?(?:pt|em|ex|cm|mm|in|bp|pc|mu)\])?"
    r"|\\(?:newline|linebreak|tabularnewline|cr|par)(?![A-Za-z]))"
)
# Behind a break, an operator goes on with the sum before it; so does what follows a break behind an operator.
JOINING_OPERATOR = r"[-+*/×÷·^]|\\(?:times|cdot|div)(?![A-Za-z])"
JOINING_BREAK = re.compile(
    rf"{LATEX_BREAK}[\s&]{{0,20}}(?={JOINING_OPERATOR})|(?:(?<=[-+*/×÷·])|(?<=[-+*/×÷·] )){LATEX_BREAK}"
)
LINE_BREAK = re.compile(rf"{LATEX_BREAK}|\\(?:begin|end)\{{[a-z]{{1,20}}\*?\}}(?:\{{[lcr|@ ]{{1,20}}\}})?")
PARTING_COMMAND = re.compile(
    r"\\(?:q?quad|hspace\*?\{[^{}]{0,20}\}|hfill|[Rr]ightarrow|Longrightarrow|implies|iff|therefore|because|checkmark"
    r"|tag\*?\{[^{}]{0,20}\}|label\{[^{}]{0,40}\}|notag|nonumber|(?:black)?square|qed)(?![A-Za-z])"
)
FRACTION_PART = r"\s?(?:(\d)|\{([^{}]{1,60})\})"
SHORT_FRACTION = re.compile(
    rf"\\([dt]?)frac(?=\s?\d|\{{[^{{}}]{{1,60}}\}}\s?\d){FRACTION_PART}{FRACTION_PART}(?!\d|\.\d)"
)


def plain_lines(text: str) -> str:
    """The text with line breaks where LaTeX has them, and braces around the parts of each fraction.

    >>> plain_lines(r"3+4&=7\\\\[2pt]\\frac12+\\frac12=1")
    '3+4&=7\\n\\\\frac{1}{2}+\\\\frac{1}{2}=1'
    """
    if "\\" not in text:
        return text
    text = LINE_BREAK.sub("\n", JOINING_BREAK.sub(" ", text))
    return SHORT_FRACTION.sub(_braced, text) if "frac" in text else text


def parted(text: str) -> str:
    """The text with a semicolon for each command that ends an equation: ``\\quad``, ``\\implies``, ``\\tag{1}``."""
    return PARTING_COMMAND.sub(" ; ", text) if "\\" in text else text


def _braced(fraction: re.Match[str]) -> str:
    size, *parts = fraction.groups()
    above, below = (one for one in parts if one is not None)
    return f"\\{size}frac{{{above}}}{{{below}}}"
