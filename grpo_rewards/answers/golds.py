"""Reads the answer (the gold) from the forms in which data sets hold it: numbers, boxes, GSM8K's ``#### 72``."""

import ast
import json
import numbers
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

from grpo_rewards.completion.boxes import last_box

INTEGER_BITS = 4_000  # about 1,200 digits; Python refuses to write out an int of more than 4,300 digits
# What data sets hold in place of an answer that is missing.
MISSING = ("", "nan", "null", "n/a")
LONGEST_PYTHON_LIST = 20_000  # characters
LONGEST_JSON_GOLD = 200_000  # characters; TriviaQA has golds of hundreds of aliases
# The fields that hold the golds in the records of SQuAD ("text") and TriviaQA, and in those made like them.
GOLD_FIELDS = ("value", "text", "aliases", "normalized_value", "normalized_aliases")
BOOLEAN_WORDS = {True: ("true", "yes"), False: ("false", "no")}
LONGEST_PLAIN_DECIMAL = 400  # digits of a number that is also written without an exponent
MATH_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))


def gold_text(answer: Any) -> str | None:
    """The answer of a row as LaTeX; ``None`` if the row has none.

    ``"72"``, ``72``, ``72.0``, ``"$72$"``, ``"\\boxed{72}"`` and a GSM8K solution that ends in ``#### 72`` all mean the
    same answer. Of a list of alternatives, it is all of them, to be shown.

    >>> gold_text("48 + 24 = 72\\n#### 72")
    '72'
    """
    answer = _plain_type(answer)
    if isinstance(answer, list | tuple):
        texts = [gold_text(one) for one in answer if not isinstance(one, list | tuple)]
        return " or ".join(filter(None, texts)) or None
    if not isinstance(answer, str):
        return _number_text(answer)
    text = answer.rpartition("####")[2].strip()
    boxed = last_box(text) if "box" in text else None
    text = text if boxed is None else boxed.strip()
    for opening, closing in MATH_DELIMITERS:
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) + len(closing):
            inner = text[len(opening) : -len(closing)]
            if opening not in inner and not inner.endswith("\\"):
                text = inner.strip()
    return None if text.casefold() in MISSING else text


def alternatives(answer: Any) -> list[Any]:
    """The answers of a row, any of which counts: the items of a list, also of one written as Python; else the answer.

    An array, a column or a set is a list.

    >>> alternatives("['3', '5']"), alternatives("[3, 5]")
    (['3', '5'], ['[3, 5]'])
    """
    answer = _plain_type(answer)
    if isinstance(answer, list | tuple):
        return list(answer)
    if isinstance(answer, str) and answer.startswith(("['", '["')) and len(answer) <= LONGEST_PYTHON_LIST:
        with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            items = ast.literal_eval(answer)
            if all(isinstance(item, str) for item in items):
                return list(items)
    return [answer]


def text_golds(answer: Any) -> list[str]:
    """The texts of a row, any of which is the answer word for word; ``[]`` if the row has none.

    An answer is a text, a number, a bool (``True`` is "true" or "yes"), a list or an array of these, or a record as in
    SQuAD (``{"text": […], "answer_start": […]}``) or TriviaQA (``{"value": …, "aliases": […]}``), also as JSON. A list
    inside a list and a record without these fields are no answer.

    >>> text_golds({"text": ["Denver Broncos", "Broncos"], "answer_start": [177, 184]})
    ['Denver Broncos', 'Broncos']
    >>> text_golds([True, None]), text_golds(2.0), text_golds(float("nan"))
    (['true', 'yes'], ['2.0', '2'], [])
    """
    record = _record(answer)
    several = _held(record) if record is not None else alternatives(answer)
    return list(dict.fromkeys(text for one in several for text in _spellings(_plain_type(one))))


def written_golds(answer: Any) -> list[str]:
    """The texts of a row as they stand, for golds that are long or code: a text, a list or an array of them, a record.

    Nothing is cut out of them, and a text that is itself a list or JSON stays a text.

    >>> written_golds({"text": ["a = [1]"], "answer_start": [3]}), written_golds('{"text": 1}')
    (['a = [1]'], ['{"text": 1}'])
    """
    held = _held(answer if isinstance(answer, Mapping) else {"text": answer})
    return list(dict.fromkeys(one for one in held if isinstance(one, str)))


def _held(record: Mapping[Any, Any]) -> list[Any]:
    """What the fields of a record hold that hold golds."""
    held = [_plain_type(record[field]) for field in GOLD_FIELDS if field in record]
    return [one for value in held for one in (value if isinstance(value, list | tuple) else [value])]


def _plain_type(answer: Any) -> Any:
    """An array, a set or a column as a list, a bool of numpy as one of Python; anything else as it is."""
    if isinstance(answer, set | frozenset):
        return sorted(answer, key=str)
    is_array = hasattr(answer, "tolist") and not isinstance(answer, numbers.Number)
    return answer.tolist() if is_array else answer


def _record(answer: Any) -> Mapping[Any, Any] | None:
    """The fields of a record, also of one written as JSON; ``None`` if it is none."""
    if isinstance(answer, Mapping):
        return answer
    if isinstance(answer, str) and answer.lstrip().startswith("{") and len(answer) <= LONGEST_JSON_GOLD:
        with suppress(ValueError, RecursionError):
            record: dict[str, Any] = json.loads(answer)
            return record if any(field in record for field in GOLD_FIELDS) else None
    return None


def _spellings(answer: Any) -> Iterator[str]:
    """How one answer is written: a number also without ``.0`` and without an exponent."""
    if isinstance(answer, bool):
        yield from BOOLEAN_WORDS[answer]
        return
    text = None if isinstance(answer, list | tuple) else gold_text(answer)
    if text is None:
        return
    yield text
    if not isinstance(answer, str | numbers.Rational) and abs(Decimal(text).adjusted()) < LONGEST_PLAIN_DECIMAL:
        plain = format(Decimal(text), "f")
        yield plain.rstrip("0").rstrip(".") if "." in plain else plain


def _number_text(answer: Any) -> str | None:
    """A number of any type, numpy's too, as text; ``None`` if it is not a number, not finite or too long."""
    if isinstance(answer, bool) or not isinstance(answer, numbers.Real | Decimal):
        return None
    if isinstance(answer, numbers.Rational):  # an int is one as well
        exact = Fraction(int(answer.numerator), int(answer.denominator))
        bits = max(exact.numerator.bit_length(), exact.denominator.bit_length())
        return str(exact) if bits <= INTEGER_BITS else None
    text = str(answer)
    return text if Decimal(text).is_finite() else None
