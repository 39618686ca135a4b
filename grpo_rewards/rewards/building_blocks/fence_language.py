"""The option that names the language of a fenced block."""

import re
from typing import Any

from grpo_rewards.registry import RewardError

LANGUAGE_OF_FENCE = re.compile(r"[\w.#+-]+")


def check_language(language: str | None, **_: Any) -> None:
    """Raises RewardError if a language is named by what cannot stand behind a fence."""
    if language is not None and LANGUAGE_OF_FENCE.fullmatch(language) is None:
        raise RewardError(f"language must be the word behind the fence, such as 'python', or None, not {language!r}.")
