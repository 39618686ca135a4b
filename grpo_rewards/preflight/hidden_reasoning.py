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

# Reasons of a reward that pays for reasoning; others only look behind it.
WANTING = ("no_thinking", "blank_reasoning")


def closed_by_template(rewards: Sequence[Any], said: str) -> Iterator[Finding]:
    """A warning if the rendered prompt ``said`` ends in reasoning that is over before the model begins.

    So templates switch thinking off. Rewards that pay for reasoning then ask for a second one.
    """
    wanting = [one for one in _wanting(rewards) if _closed(said, one)]
    if wanting:
        message = (
            f"the chat template closes the reasoning in the prompt; {listed(one.name for one in wanting)} would pay "
            "only for a second one."
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
    """All rewards of a run that are not made of others, and those that they ask."""
    for one in rewards:
        yield from leaves(one)


def _wanting(rewards: Sequence[Any]) -> list[Reward]:
    return [one for one in leaves_of(rewards) if {*WANTING}.intersection(getattr(one, "own_reasons", ()))]


def _closed(said: str, reward: Reward) -> bool:
    marks = marks_of(reward.options.get("reasoning") or THINK)
    closed = rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$"
    return re.search(closed, said) is not None


def _parses(tokenizer: Any) -> bool:
    """Whether the tokenizer has what makes messages of a text, with the reasoning in a field of its own."""
    return any(getattr(tokenizer, name, None) for name in ("response_schema", "response_template"))
