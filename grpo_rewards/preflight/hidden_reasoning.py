"""Templates and tokenizers that hide the reasoning from rewards which look for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.completion.reasoning.marks import THINK, marks_of
from grpo_rewards.preflight.report import Finding
from grpo_rewards.probing.scene import leaves
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed

__all__ = ["closed_by_template", "dropped_by_tokenizer"]

# Reasons of a reward that requires reasoning; others only look behind it.
WANTING = ("no_thinking", "blank_reasoning")


def closed_by_template(rewards: Sequence[Any], rendered: str) -> Iterator[Finding]:
    """A warning if the rendered prompt ends with an empty ``<think></think>``, by which templates disable thinking.

    Rewards that require reasoning then look for a second one.
    """
    wanting = [one for one in _wanting(rewards) if _closed(rendered, one)]
    if wanting:
        message = (
            f"the chat template closes the reasoning in the prompt; {listed(one.name for one in wanting)} would "
            "reward only a second one."
        )
        remedy = "Switch thinking on (chat_template_kwargs: enable_thinking=True), or leave these rewards out."
        yield Finding("warning", "template", message, remedy)


def dropped_by_tokenizer(rewards: Sequence[Any], tokenizer: Any) -> Iterator[Finding]:
    """A warning if the delimiters of the reasoning are special tokens, which a trainer leaves out of completions."""
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    special = {str(one) for one in getattr(inner, "all_special_tokens", None) or ()}
    lost: dict[str, list[str]] = {}
    for one in leaves_of(rewards):
        if "reasoning" in one.options:
            marks = marks_of(one.options.get("reasoning") or THINK)
            for mark in {marks.opening, marks.closing} & special:
                lost.setdefault(mark, []).append(one.name)
    for mark, names in sorted(lost.items()):
        message = f"{mark} is a special token of the tokenizer, so that a trainer leaves it out of the text it decodes."
        remedy = (
            f"{listed(dict.fromkeys(names))} cannot see where the reasoning ends. Give the tokenizer a "
            "response_template, which parses it, or add the token as one that is not special."
        )
        if not _parses(inner):
            yield Finding("warning", "template", message, remedy)


def leaves_of(rewards: Sequence[Any]) -> Iterator[Reward]:
    """All rewards of a run that are not made of others, and those that they call."""
    for one in rewards:
        yield from leaves(one)


def _wanting(rewards: Sequence[Any]) -> list[Reward]:
    return [one for one in leaves_of(rewards) if {*WANTING}.intersection(getattr(one, "own_reasons", ()))]


def _closed(rendered: str, reward: Reward) -> bool:
    marks = marks_of(reward.options.get("reasoning") or THINK)
    closed = rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$"
    return re.search(closed, rendered) is not None


def _parses(tokenizer: Any) -> bool:
    """Whether the tokenizer has what makes messages of a text, with the reasoning in a field of its own."""
    return any(getattr(tokenizer, name, None) for name in ("response_schema", "response_template"))
