"""Reads the answer (the gold) from the forms in which data sets hold it: numbers, boxes, GSM8K's ``#### 72``."""

from __future__ import annotations

import ast
import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any

from grpo_rewards.completion.boxes import last_box

__all__ = ["alternatives", "gold_text"]

INTEGER_BITS = 4_000  # about 1,200 digits; Python refuses to write out an int of more than 4,300 digits
# What data sets hold in place of an answer that is missing.
MISSING = ("", "nan", "null", "n/a")
LONGEST_PYTHON_LIST = 20_000  # characters
MATH_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))


def gold_text(answer: Any) -> str | None:
    """The answer of a row as LaTeX; ``None`` if the row has none.

    ``"72"``, ``72``, ``72.0``, ``"$72$"``, ``"\\boxed{72}"`` and a GSM8K solution that ends in ``#### 72`` all mean the
    same answer. Of a list of alternatives, it is all of them, to be shown.

    >>> gold_text("48 + 24 = 72\\n#### 72")
    '72'
    """
    if isinstance(answer, list | tuple):
        texts = [gold_text(one) for one in answer if not isinstance(one, list | tuple)]
        return " or ".join(text for text in texts if text is not None) or None
    if not isinstance(answer, str):
        return _number_text(answer)
    text = (answer.rpartition("####")[2] if "#" in answer else answer).strip()
    if "box" in text:
        boxed = last_box(text)
        text = text if boxed is None else boxed.strip()
    if text.startswith(("$", "\\(", "\\[")):
        for opening, closing in MATH_DELIMITERS:
            if len(text) > len(opening) + len(closing) and text.startswith(opening) and text.endswith(closing):
                inner = text[len(opening) : -len(closing)]
                if opening not in inner and not inner.endswith("\\"):
                    text = inner.strip()
    return None if text.casefold() in MISSING else text


def alternatives(answer: Any) -> list[Any]:
    """The answers of a row, any of which counts: the items of a list, also of one written as Python; else the answer.

    >>> alternatives("['3', '5']"), alternatives("[3, 5]")
    (['3', '5'], ['[3, 5]'])
    """
    if isinstance(answer, list | tuple):
        return list(answer)
    if not isinstance(answer, str) or not answer.startswith(("['", '["')) or len(answer) > LONGEST_PYTHON_LIST:
        return [answer]
    try:
        items = ast.literal_eval(answer)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return [answer]
    return items if isinstance(items, list) and all(isinstance(item, str) for item in items) else [answer]


def _number_text(answer: Any) -> str | None:
    """A number of any type, numpy's too, as text; ``None`` if it is not a number, not finite or too long."""
    if isinstance(answer, bool) or not isinstance(answer, numbers.Real | Decimal):
        return None
    if isinstance(answer, numbers.Rational):  # an int is one as well
        exact = Fraction(int(answer.numerator), int(answer.denominator))
        bits = max(exact.numerator.bit_length(), exact.denominator.bit_length())
        return str(exact) if bits <= INTEGER_BITS else None
    is_finite = answer.is_finite() if isinstance(answer, Decimal) else math.isfinite(answer)
    return str(answer) if is_finite else None
