"""Regular expressions on RE2, in time linear in the text, whatever a model writes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from grpo_rewards.registry import RewardError

__all__ = ["check_regex", "compiled", "encodable"]


@lru_cache(maxsize=256)
def compiled(regex: str) -> Any:
    """The expression as RE2 has it; raises re2.error for what it cannot do."""
    import re2

    options = re2.Options()
    options.log_errors = False  # it would print to stderr what the exception says
    return re2.compile(regex, options)


def check_regex(regex: str, hint: str = "") -> None:
    """Raises RewardError for an expression that RE2 does not take."""
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
    """The text without halves of surrogate pairs, which RE2 cannot be given."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
