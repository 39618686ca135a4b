"""Tells rewards that the chat template opens ``<think>``, which message lists as prompts do not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed, shown

__all__ = ["told_about_template"]

TURN = [{"role": "user", "content": "1 + 1?"}]


def told_about_template(
    rewards: Sequence[Any], tokenizer: Any, template_options: Mapping[str, Any] | None, prompts: Sequence[Any] | None
) -> tuple[list[Any], list[Finding]]:
    """The rewards, told that the completion starts inside ``<think>`` if it does, and what was found.

    A trainer applies the template to message lists only, so nothing is bound for prompts that are plain text.

    Args:
        rewards: rewards and plain functions.
        tokenizer: the model's.
        template_options: ``GRPOConfig.chat_template_kwargs``.
        prompts: those of the data set; ``None`` if they are not known.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return list(rewards), []
    if prompts is not None and any(isinstance(prompt, str) for prompt in prompts):
        return list(rewards), [Finding("fine", "template", "prompts are plain text: no chat template is applied.")]
    options = dict(template_options or {})
    try:
        said = tokenizer.apply_chat_template(TURN, tokenize=False, add_generation_prompt=True, **options)
    except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
        message = f"the chat template fails on a single user turn: {type(error).__name__}: {shown(str(error))}."
        remedy = "Mend the template, or bind think_opened by hand."
        return list(rewards), [Finding("warning", "template", message, remedy)]
    if not opens_thinking(said):
        return list(rewards), [Finding("fine", "template", "the chat template does not open <think>.")]
    told = [one.mapped(_told) if isinstance(one, Reward) else one for one in rewards]
    changed = [new.name for old, new in zip(rewards, told, strict=True) if old != new]
    message = f"the chat template opens <think>; these rewards are told: {listed(changed)}."
    if prompts is None and changed:
        remedy = "If the prompts are plain text, to which no template is applied, do not pass the tokenizer."
        return told, [Finding("warning", "template", f"{message} The prompts were not looked at.", remedy)]
    return told, [Finding("fine", "template", message)]


def _told(reward: Reward) -> Reward:
    """The reward with what it calls the option bound, unless it was bound by hand."""
    options = reward.options
    if options.get("think_opened", False) is None:
        return reward.bind(think_opened=True)
    if options.get("opened", False) is None and list(options.get("tags", ()))[:1] == ["think"]:
        return reward.bind(opened=True)
    return reward
