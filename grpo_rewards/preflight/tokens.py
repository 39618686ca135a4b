"""Binds the run's tokenizer in rewards that count tokens, so that they count what the policy wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

__all__ = ["with_tokenizer"]

OPTION = "tokenizer"
# Columns that only runs with tools or environments have.
OF_TOOLS = ("tools", "environment")


def with_tokenizer(
    rewards: Sequence[Any], tokenizer: Any, args: Any, columns: Iterable[str] | None, has_tools: bool = False
) -> tuple[list[Any], list[Finding]]:
    """The rewards with the run's tokenizer bound if they count tokens, and what was found.

    Args:
        rewards: rewards and plain functions.
        tokenizer: the model's, or ``None``.
        args: the run's ``GRPOConfig``, or ``None``.
        columns: the names of the dataset's columns, or ``None``.
        has_tools: whether the run is known to have tools or environments.
    """
    unloadable = list(_bound_by_hand(rewards))
    counting = [one.name for one in rewards if isinstance(one, Reward) and one.mapped(_binding("?", None)) != one]
    if not counting:
        return list(rewards), unloadable
    if tokenizer is None:
        has_tools = has_tools or getattr(args, "max_tool_calling_iterations", None) is not None
        has_tools = has_tools or not {*OF_TOOLS}.isdisjoint(columns or ())
        return list(rewards), [*unloadable, _unknown(counting) if has_tools else _may_be_unknown(counting)]
    inner = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has one, and no name of its own
    name = getattr(inner, "name_or_path", "")
    template = getattr(tokenizer, "chat_template", None) or getattr(inner, "chat_template", None)
    finding = _loaded(name, template, counting)
    if finding is not None:
        return list(rewards), [*unloadable, finding]
    binding = _binding(name, dict(getattr(args, "chat_template_kwargs", None) or {}) or None)
    count = "counts" if len(counting) == 1 else "count"
    message = f"{listed(counting)} {count} the tokens of the policy's turns with the tokenizer {shown(name)}."
    rewards = [one.mapped(binding) if isinstance(one, Reward) else one for one in rewards]
    return rewards, [*unloadable, Finding("fine", "tokens", message)]


def _bound_by_hand(rewards: Sequence[Any]) -> Iterator[Finding]:
    """Errors for tokenizers that were bound and cannot be loaded, which else would stop the first step."""
    found: dict[str, str] = {}

    def looked_at(reward: Reward) -> Reward:
        name = reward.options.get(OPTION)
        if isinstance(name, str) and "template_options" in reward.options:
            found[name] = reward.name
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for name, reward_name in found.items():
        try:
            load_tokenizer(name)
        except RewardError as error:
            yield Finding("error", "tokens", str(error), reward=reward_name)


def _unknown(counting: list[str]) -> Finding:
    message = f"the run has tools or environments, whose tokens {listed(counting)} cannot separate from the policy's."
    remedy = "Pass tokenizer=… to check_rewards, or bind tokenizer=…; else such completions are None, tokens_unknown."
    return Finding("warning", "tokens", message, remedy)


def _may_be_unknown(counting: list[str]) -> Finding:
    """Tools and environments are given to the trainer, which no check sees: so a note in every other run."""
    message = (
        f"{listed(counting)} give None to transcripts with tools or environments: whose tokens are whose is not known."
    )
    remedy = (
        "If the run has any, pass tokenizer=… to check_rewards, or bind tokenizer=…; if not, nothing is to be done."
    )
    return Finding("note", "tokens", message, remedy)


def _loaded(name: str, template: Any, counting: list[str]) -> Finding | None:
    """A finding if the tokenizer is not found under its name, or is another one there."""
    remedy = (
        f"Save it with save_pretrained(…) and bind tokenizer=… of {listed(counting)} to that folder, if the run has "
    )
    remedy += "tools or environments."
    if not name:
        return Finding("note", "tokens", "the tokenizer has no name or path under which rewards could load it.", remedy)
    try:
        found = load_tokenizer(name)
    except RewardError as error:
        return Finding("warning", "tokens", str(error), remedy)
    if getattr(found, "chat_template", None) != template:
        message = f"the tokenizer's chat template was changed: under {shown(name)} there is another one."
        return Finding("warning", "tokens", message, remedy)
    return None


def _binding(name: str, template_options: dict[str, Any] | None) -> Callable[[Reward], Reward]:
    """What binds the options to a reward that has them, unless they were bound by hand."""

    def bound(reward: Reward) -> Reward:
        is_open = "template_options" in reward.options and reward.options.get(OPTION, "") is None
        return reward.bind(tokenizer=name, template_options=template_options) if is_open else reward

    return bound
