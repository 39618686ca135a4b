"""Does the text match a regular expression?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["pattern"]


@lru_cache(maxsize=256)
def _compiled(regex: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False  # it would print to stderr what the exception says
    return re2.compile(regex, options)


def _check_regex(regex: str) -> None:
    import re2

    try:
        _compiled(regex)
    except UnicodeEncodeError:
        raise RewardError(f"regex {regex!a} holds half of a surrogate pair, which is no character.") from None
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise RewardError(
            f"regex {regex!r} cannot be used: {why}. Patterns run on RE2, in linear time on any text; it has no "
            "look-around and no back-references."
        ) from None


@reward(reasons=("match", "no_match"), range=(0.0, 1.0), check=_check_regex)
def pattern(completion: str, *, regex: str) -> Verdict:
    """1 if the regular expression matches somewhere in the completion, else 0.

    It runs on RE2 (google-re2), in time linear in the text whatever a model writes. Anchor it with ``^`` and ``$`` for
    the whole text. No flags are set: ``.`` does not match a newline and ``^`` is the start of the text; write ``(?s)``,
    ``(?m)`` or ``(?i)`` in front where that is meant.

    Args:
        completion: the text of the last assistant message.
        regex: an RE2 expression.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``match``, ``no_match``.

    >>> pattern.bind(regex=r"(?m)^Answer: -?\\d+$").score("I add.\\nAnswer: 4")
    1.0
    """
    text = completion if completion.isascii() else completion.encode("utf-8", "replace").decode("utf-8")
    matched = _compiled(regex).search(text) is not None
    return Verdict(float(matched), "match" if matched else "no_match")
