"""Warns that a format reward is 0 because the chat template opens the reasoning, and the reward does not know it."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from grpo_rewards.completion.reasoning.marks import Marks
from grpo_rewards.completion.sections import opens_thinking

__all__ = ["forget_hints", "hint_at_template"]

_lock = threading.Lock()
_warned: set[tuple[str, Marks]] = set()  # rewards and delimiters warned about in this process
MOST = 0.5  # the share of a call's completions that must end reasoning


def hint_at_template(
    reward: str,
    option: str,
    texts: Sequence[str],
    prompts: Sequence[Any],
    marks: Marks,
    opened: bool | None,
    **others: Any,
) -> None:
    """Warns if most completions of a call end reasoning, and none of them began it.

    Prompts must be message lists, which do not show what a template adds to them. It warns once in a process for each
    reward and delimiters, and never where the option was bound.

    Args:
        reward: the reward's name.
        option: the name of its option for whether the template opened the reasoning.
        texts: the completions of the call.
        prompts: their prompts.
        marks: the delimiters of the reasoning.
        opened: the value of the option.
        others: options of the reward that the spec in the warning repeats.
    """
    if opened is not None or (reward, marks) in _warned or not texts or not isinstance(prompts[0], list | tuple):
        return
    if any(opens_thinking(prompt, None, marks) for prompt in prompts):
        return  # a turn that the prompt began; the reward sees that
    begins = [text.partition(marks.closing) for text in texts]
    closing = sum(bool(mark) for _, mark, _ in begins)
    if closing <= MOST * len(texts) or any(mark and marks.opening in before for before, mark, _ in begins):
        return
    with _lock:
        is_new = (reward, marks) not in _warned
        _warned.add((reward, marks))
    if is_new:
        _warn(
            f"reward '{reward}': {closing} of the {len(texts)} completions of this call have {marks.closing} and none "
            f"has {marks.opening} before it. The chat template seems to open it in the prompt, which message lists do "
            f"not show, so this reward stays low however the model writes. Pass the tokenizer to check_rewards, "
            f"which looks at the template, or bind {option}=True{_for_trl(reward, **others, **{option: True})}."
        )


def _for_trl(reward: str, **options: Any) -> str:
    """How the reward is spelled for TRL's command; nothing if a dot is in it, for TRL splits a name at its last one."""
    spec = f"{reward}({', '.join(f'{name}={value!r}' for name, value in options.items())})"
    return "" if "." in spec else f'; on a command line, trl grpo --reward_funcs "grpo_rewards.{spec}"'


def _warn(message: str) -> None:
    try:
        warnings.warn(message, stacklevel=3)
    except UserWarning:  # warnings are errors here, but what a model writes must not end a training
        logging.getLogger("grpo_rewards").warning(message)


def forget_hints() -> None:
    """Forgets which warnings were given, so that a test starts afresh."""
    with _lock:
        _warned.clear()
