"""Binds ``think_opened`` where the chat template opens the reasoning, which message lists as prompts do not show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.completion.reasoning.marks import THINK, USUAL_MARKS, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.registry.interface import leaves

__all__ = ["with_template"]

SAMPLE_QUESTION = "1 + 1?"
# Templates differ in what they take: some want a system turn before, some content blocks.
TURNS: tuple[list[dict[str, Any]], ...] = (
    [{"role": "user", "content": SAMPLE_QUESTION}],
    [{"role": "user", "content": [{"type": "text", "text": SAMPLE_QUESTION}]}],
    [{"role": "system", "content": "Answer."}, {"role": "user", "content": SAMPLE_QUESTION}],
)
PROMPTS_LOOKED_AT = 1_000
# Reasons of a reward that requires reasoning; others only look behind it.
WANTING = ("no_thinking", "blank_reasoning")
# What a trainer hands to the template: nothing, a conversation, or one whose last turn the model continues.
AS_TEXT, AS_MESSAGES, AS_BEGUN_TURN = "plain text", "messages", "messages that begin the answer"


def with_template(
    rewards: Sequence[Any], tokenizer: Any, template_options: Mapping[str, Any] | None, prompts: Sequence[Any] | None
) -> tuple[list[Any], list[Finding]]:
    """The rewards with ``think_opened`` bound where the completion starts inside the reasoning, and what was found.

    A trainer applies the template to message lists only, so nothing is bound for prompts that are plain text. Where the
    template opens another delimiter than ``<think>``, rewards that still have the default get the delimiters, too.

    Args:
        rewards: rewards and plain functions.
        tokenizer: the model's, or its processor.
        template_options: ``GRPOConfig.chat_template_kwargs``.
        prompts: those of the data set; ``None`` if they are not known.
    """
    kinds = set() if prompts is None else {_kind(prompt) for prompt in prompts[:PROMPTS_LOOKED_AT]}
    if getattr(tokenizer, "chat_template", None) is None:
        tokenizer = getattr(tokenizer, "tokenizer", None)  # a processor may leave the template to its tokenizer
        if getattr(tokenizer, "chat_template", None) is None:
            return list(rewards), list(_no_template()) if kinds - {AS_TEXT} else []
    if len(kinds) > 1:
        message = "some prompts are given to the chat template and some are not: " + " and ".join(sorted(kinds)) + "."
        remedy = "Give all rows one form; think_opened cannot hold for both."
        return list(rewards), [Finding("error", "template", message, remedy)]
    if kinds and kinds != {AS_MESSAGES}:
        return list(rewards), [Finding("fine", "template", f"prompts are {kinds.pop()}: no chat template is applied.")]
    options = dict(template_options or {})
    is_processor = hasattr(tokenizer, "tokenizer")  # for which a trainer writes the prompts in another form first
    refused = None if is_processor else _refused(tokenizer, options, prompts or ())
    if refused is not None:
        return list(rewards), [refused]
    rendered = _rendered(tokenizer, options)
    if isinstance(rendered, Exception):
        message = f"the chat template fails on a single user turn: {type(rendered).__name__}: {shown(str(rendered))}."
        remedy = "Mend the template, or bind think_opened by hand."
        return list(rewards), [Finding("warning", "template", message, remedy)]
    bound, findings = _all_bound(rewards, rendered, is_sure=prompts is not None)
    hidden = [*_closed_by_template(bound, rendered), *_dropped_by_tokenizer(bound, tokenizer)]
    return bound, [*findings, *_other_delimiters(bound, tokenizer.chat_template), *hidden]


def _kind(prompt: Any) -> str:
    if isinstance(prompt, str):
        return AS_TEXT
    last = prompt[-1] if isinstance(prompt, list | tuple) and prompt else None
    return AS_BEGUN_TURN if isinstance(last, Mapping) and last.get("role") == "assistant" else AS_MESSAGES


def _no_template() -> Iterator[Finding]:
    message = "the prompts are messages, and the tokenizer has no chat template: the first step would raise ValueError."
    remedy = "Set one, trl's clone_chat_template copies another model's, or make the prompts texts."
    yield Finding("error", "template", message, remedy)


def _refused(tokenizer: Any, options: dict[str, Any], prompts: Sequence[Any]) -> Finding | None:
    """An error if the template refuses prompts of the data, of which one is tried for each order of roles."""
    orders: dict[tuple[Any, ...], int] = {}
    for row, prompt in enumerate(prompts[:PROMPTS_LOOKED_AT]):
        if all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in prompt):
            orders.setdefault(tuple(turn.get("role") for turn in prompt), row)
    for roles, row in orders.items():
        try:
            tokenizer.apply_chat_template(prompts[row], tokenize=False, add_generation_prompt=True, **options)
        except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            of_row = f"of row {row} (roles: {listed(map(str, roles))})"
            message = f"the chat template fails on the prompt {of_row}: {type(error).__name__}: {shown(str(error))}."
            return Finding("error", "template", message, "Write the prompts with roles that it takes.", rows=(row,))
    return None


def _rendered(tokenizer: Any, options: dict[str, Any]) -> str | Exception:
    """What the template makes of a prompt, or how it fails on the first of those that are tried."""
    failure: Exception | None = None
    for turns in TURNS:
        try:
            rendered = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
            return rendered if isinstance(rendered, str) else str(rendered[0])
        except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            failure = failure or error
    return failure or ValueError("no turn")


def _all_bound(rewards: Sequence[Any], rendered: str, is_sure: bool) -> tuple[list[Any], list[Finding]]:
    """The rewards with what the rendered prompt opens bound, and what was found."""
    bound = [one.mapped(lambda part: _bound(part, rendered)) if isinstance(one, Reward) else one for one in rewards]
    findings = [Finding("warning", "template", *one) for one in _contradicted(bound, rendered)]
    changed = [new.name for old, new in zip(rewards, bound, strict=True) if old != new]
    opened = _opened_by(rendered)
    if opened is None and not changed:
        return bound, [*findings, Finding("fine", "template", "the chat template does not open <think>.")]
    opens = f"the chat template opens {THINK.opening if opened is None else opened.opening}"
    if not is_sure and changed:
        remedy = "If the prompts are plain text, to which no template is applied, do not pass the tokenizer."
        message = f"{opens}; bound in: {listed(changed)}. The prompts were not looked at."
        return bound, [*findings, Finding("warning", "template", message, remedy)]
    return bound, [*findings, Finding("fine", "template", f"{opens}; bound in: {listed(changed)}.")]


def _opened_by(rendered: str) -> Marks | None:
    """The usual delimiters whose opening one ends the rendered prompt."""
    return next((marks for marks in USUAL_MARKS if opens_thinking(rendered, None, marks)), None)


def _bound(reward: Reward, rendered: str) -> Reward:
    """The reward with what it calls the options bound, unless they were bound by hand."""
    options = reward.options
    if options.get("think_opened", False) is None:
        marks = marks_of(options.get("reasoning", THINK))
        if opens_thinking(rendered, None, marks):
            return reward.bind(think_opened=True)
        other = _opened_by(rendered)
        if other is not None and marks is THINK:
            return reward.bind(think_opened=True, reasoning=tuple(other))
    first = _first_tag(reward)
    if first is not None and options["opened"] is None:
        return reward.bind(opened=True) if opens_thinking(rendered, None, first) else reward
    return reward


def _contradicted(rewards: Sequence[Any], rendered: str) -> Iterator[tuple[str, str]]:
    """(message, remedy) for each reward that was bound by hand to what the template does not do."""
    for reward in leaves(*rewards):
        first = _first_tag(reward)
        looked_for = [("think_opened", marks_of(reward.options.get("reasoning", THINK)))]
        looked_for += [] if first is None else [("opened", first)]
        for option, marks in looked_for:
            bound = reward.options.get(option)
            if bound is not None and bound is not opens_thinking(rendered, None, marks):
                does = "does not open" if bound else "opens"
                yield (
                    f"reward '{reward.name}' is bound with {option}={bound}, but the chat template {does} "
                    f"{marks.opening} in the prompt.",
                    f"Leave {option} at its default, and check_rewards binds it.",
                )


def _first_tag(reward: Reward) -> Marks | None:
    """The delimiters of the first section that a reward looks for, if it does and has the option ``opened``."""
    first = next(iter(reward.options.get("tags", ())), None)
    if first is None or "opened" not in reward.options:
        return None
    return Marks(f"<{first}>", "") if isinstance(first, str) else marks_of(first)


def _other_delimiters(rewards: Sequence[Any], template: Any) -> Iterator[Finding]:
    """A note if the template contains other delimiters than the rewards look for, and opens none of them."""
    if not isinstance(template, str) or THINK.opening in template:
        return
    other = next((marks for marks in USUAL_MARKS if marks.opening in template), None)
    unaware = [one.name for one in leaves(*rewards) if one.options.get("reasoning") == THINK.opening]
    if other is not None and unaware:
        message = f"the chat template writes reasoning between {other.opening} and {other.closing}, not in <think>."
        remedy = f"If the model is to think so, bind reasoning={tuple(other)!r} for {listed(unaware)}."
        yield Finding("note", "template", message, remedy)


def _closed_by_template(rewards: Sequence[Any], rendered: str) -> Iterator[Finding]:
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


def _dropped_by_tokenizer(rewards: Sequence[Any], tokenizer: Any) -> Iterator[Finding]:
    """A warning if the delimiters of the reasoning are special tokens, which a trainer leaves out of completions."""
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    special = {str(one) for one in getattr(inner, "all_special_tokens", None) or ()}
    lost: dict[str, list[str]] = {}
    for one in leaves(*rewards):
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


def _wanting(rewards: Sequence[Any]) -> list[Reward]:
    return [one for one in leaves(*rewards) if {*WANTING}.intersection(getattr(one, "own_reasons", ()))]


def _closed(rendered: str, reward: Reward) -> bool:
    marks = marks_of(reward.options.get("reasoning") or THINK)
    closed = rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$"
    return re.search(closed, rendered) is not None


def _parses(tokenizer: Any) -> bool:
    """Whether the tokenizer has what makes messages of a text, with the reasoning in a field of its own."""
    return any(getattr(tokenizer, name, None) for name in ("response_schema", "response_template"))
