"""Compiles regular expressions for RE2, which takes time linear in the text, whatever a model writes."""

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=256)
def compiled(regex: str) -> Any:
    """The expression compiled by RE2. Raises re2.error if RE2 does not support it."""
    import re2

    options = re2.Options()
    options.log_errors = False  # the exception says the same as RE2 would print to stderr
    return re2.compile(regex, options)


def encodable(text: str) -> str:
    """The text with ``?`` in place of lone surrogates, which RE2 cannot take."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
