"""Regular expressions on RE2, which takes time linear in the text, whatever a model writes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from grpo_rewards.registry import RewardError

__all__ = ["check_regex", "compiled", "encodable"]


@lru_cache(maxsize=256)
def compiled(regex: str) -> Any:
    """The expression compiled by RE2. Raises re2.error if RE2 does not support it."""
    import re2

    options = re2.Options()
    options.log_errors = False  # the exception says the same as RE2 would print to stderr
    return re2.compile(regex, options)


def check_regex(regex: str, hint: str = "") -> None:
    """Raises RewardError if RE2 does not support the expression; ``hint`` is added to the message."""
    import re2

    try:
        compiled(regex)
    except UnicodeEncodeError:
        raise RewardError(f"regex {regex!a} holds half of a surrogate pair, which is no character.") from None
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise RewardError(
            f"regex {regex!r} cannot be used: {why}. Patterns run on RE2, in linear time on any text; it has no "
            f"look-around and no back-references.{hint}"
        ) from None


def encodable(text: str) -> str:
    """The text with ``?`` in place of lone surrogates, which RE2 cannot take."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
