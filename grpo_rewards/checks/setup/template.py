"""What follows from the run's tokenizer: what its template opens, whose tokens count, whether tools can be called."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding, Severity, finding_of
from grpo_rewards.checks.setup.names import bound_in
from grpo_rewards.completion.reasoning.marks import THINK, USUAL_MARKS, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

SAMPLE_QUESTION = "1 + 1?"
# Templates differ in what they take: some want content blocks.
TURNS: tuple[list[dict[str, Any]], ...] = (
    [{"role": "user", "content": SAMPLE_QUESTION}],
    [{"role": "user", "content": [{"type": "text", "text": SAMPLE_QUESTION}]}],
)
PROMPTS_LOOKED_AT = 1_000
# Reasons of a reward that requires reasoning; others only look behind it.
WANTING = frozenset(("no_thinking", "blank_reasoning"))
# Methods of an environment that are no tools.
NO_TOOLS = ("reset", "get_reward")


def with_template(
    rewards: Sequence[Any], tokenizer: Any, args: Any, prompts: Sequence[Any] | None
) -> tuple[list[Any], list[Finding]]:
    """The rewards with ``think_opened`` bound where the completion starts inside the reasoning, and what was found.

    A trainer applies the template to message lists only, so nothing is bound for prompts that are plain text. Where the
    template opens another delimiter than ``<think>``, rewards that still have the default get the delimiters, too.

    Args:
        rewards: rewards and plain functions.
        tokenizer: the model's, or its processor; ``None`` if it is not known.
        args: the run's ``GRPOConfig``, for its ``chat_template_kwargs``, or ``None``.
        prompts: those of the data set; ``None`` if they are not known.
    """
    rewards = list(rewards)
    if tokenizer is None:
        return rewards, []
    if getattr(tokenizer, "chat_template", None) is None:
        tokenizer = getattr(tokenizer, "tokenizer", None)  # a processor may leave the template to its tokenizer
    looked_at = () if prompts is None else prompts[:PROMPTS_LOOKED_AT]
    if any(isinstance(prompt, str) for prompt in looked_at):
        return rewards, [finding_of("template.not_applied")]
    if getattr(tokenizer, "chat_template", None) is None:
        return rewards, [finding_of("template.none")] if looked_at else []
    rendered = _rendered(tokenizer, args, looked_at)
    if isinstance(rendered, Finding):
        return rewards, [rendered]
    bound, changed = bound_in(rewards, lambda one: _bound(one, rendered))
    opened = _opened_by(rendered)
    kind = "bound" if changed or opened else "opens_none"
    kind = "bound_unseen" if changed and prompts is None else kind
    opening = (opened or THINK).opening
    findings = [
        *_contradicted(bound, rendered),
        finding_of(f"template.{kind}", opening=opening, changed=changed or "none"),
    ]
    findings += _reasoning_not_seen(bound, rendered, tokenizer)
    # a trainer has the template begin another turn behind one of the assistant
    if rows := [row for row, one in enumerate(looked_at) if _roles(one)[-1:] == ("assistant",)]:
        findings.append(finding_of("template.begun", rows=rows))
    return bound, findings


def _rendered(tokenizer: Any, args: Any, prompts: Sequence[Any]) -> str | Finding:
    """What the template makes of the first prompt, or which prompt it refuses.

    Of the prompts one is tried for each order of roles, and where there are none, turns of our own.
    """
    options = dict(getattr(args, "chat_template_kwargs", None) or {})
    rows: dict[tuple[Any, ...], int] = {}
    if not hasattr(tokenizer, "tokenizer"):  # for a processor a trainer writes the prompts in another form first
        for row, prompt in enumerate(prompts):
            if all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in prompt):
                rows.setdefault(_roles(prompt), row)
    made: list[str] = []
    failures: list[str] = []
    for turns in [prompts[row] for row in rows.values()] or TURNS:
        try:
            rendered = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
        except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            if rows:
                row, roles = rows[_roles(turns)], listed(map(str, _roles(turns)))
                return finding_of("template.refuses", rows=[row], roles=roles, error=_named(error))
            failures.append(_named(error))
        else:
            made.append(rendered if isinstance(rendered, str) else str(rendered[0]))
    return made[0] if made else finding_of("template.fails", error=failures[0])


def _roles(prompt: Any) -> tuple[Any, ...]:
    turns = prompt if isinstance(prompt, list | tuple) else ()
    return tuple(turn.get("role") for turn in turns if isinstance(turn, Mapping))


def _named(error: Exception) -> str:
    """An exception as a message quotes it: its class, and what it says."""
    return f"{type(error).__name__}: {shown(str(error), 160)}"


def _opened_by(rendered: str) -> Marks | None:
    """The usual delimiters whose opening one ends the rendered prompt."""
    return next((marks for marks in USUAL_MARKS if opens_thinking(rendered, None, marks)), None)


def _looked_for(reward: Reward) -> dict[str, Marks]:
    """The delimiters that a reward looks for first, by the option that says that the prompt has opened them."""
    options = reward.options
    first = next(iter(options.get("tags", ())), None)
    found = {"think_opened": _marks_in(reward)} if "think_opened" in options else {}
    if first is not None and "opened" in options:
        found["opened"] = Marks(f"<{first}>", "") if isinstance(first, str) else marks_of(first)
    return found


def _marks_in(reward: Reward) -> Marks:
    return marks_of(reward.options.get("reasoning") or THINK)


def _bound(reward: Reward, rendered: str) -> Reward:
    """The reward with what it calls the options bound, unless they were bound by hand."""
    for option, marks in _looked_for(reward).items():
        if reward.options[option] is not None:
            continue
        if opens_thinking(rendered, None, marks):
            opened: dict[str, Any] = {option: True}
            return reward.bind(**opened)
        other = _opened_by(rendered)
        if option == "think_opened" and marks is THINK and other is not None:
            return reward.bind(think_opened=True, reasoning=tuple(other))
    return reward


def _contradicted(rewards: Sequence[Any], rendered: str) -> Iterator[Finding]:
    """A warning for each reward that was bound by hand to what the template does not do."""
    for reward in leaves(*rewards):
        for option, marks in _looked_for(reward).items():
            bound = reward.options[option]
            if bound is not None and bound is not opens_thinking(rendered, None, marks):
                does = f"{'does not open' if bound else 'opens'} {marks.opening}"
                yield finding_of("template.contradicted", reward.name, option=option, bound=bound, does=does)


def _reasoning_not_seen(rewards: Sequence[Any], rendered: str, tokenizer: Any) -> Iterator[Finding]:
    """What keeps rewards from seeing the reasoning: other delimiters, closed ones, and those that are not decoded."""
    reading = {one.name: one for one in leaves(*rewards) if "reasoning" in one.options}
    template = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else THINK.opening
    other = next((marks for marks in USUAL_MARKS if marks.opening in template), THINK)
    unaware = [name for name, one in reading.items() if one.options["reasoning"] == THINK.opening]
    if other is not THINK and unaware:
        yield finding_of("template.other_delimiters", other=other, bound=repr(tuple(other)), names=listed(unaware))
    closed = [
        name
        for name, one in reading.items()
        if WANTING.intersection(one.reasons) and _is_closed(rendered, _marks_in(one))
    ]
    if closed:  # an empty <think></think>, by which templates disable thinking
        yield finding_of("template.closed", names=listed(closed))
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    if any(getattr(inner, name, None) for name in ("response_schema", "response_template")):
        return  # with which messages are made of a text, and the reasoning has a field of its own
    for mark in map(str, getattr(inner, "all_special_tokens", None) or ()):
        if names := [name for name, one in reading.items() if mark in _marks_in(one)]:
            yield finding_of("template.special_token", mark=mark, names=listed(names))


def _is_closed(rendered: str, marks: Marks) -> bool:
    return re.search(rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$", rendered) is not None


def with_tokenizer(
    rewards: Sequence[Any], tokenizer: Any, args: Any, has_tools: bool = False
) -> tuple[list[Any], list[Finding]]:
    """The rewards with the run's tokenizer bound if they count tokens, and what was found.

    Args:
        rewards: rewards and plain functions.
        tokenizer: the model's, or ``None``.
        args: the run's ``GRPOConfig``, or ``None``.
        has_tools: whether the run is known to have tools or environments. A check may not see them, since they are
            given to the trainer.
    """
    inner = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has one, and no name of its own
    name = getattr(inner, "name_or_path", "")
    options = dict(getattr(args, "chat_template_kwargs", None) or {}) or None

    def with_name(reward: Reward) -> Reward:
        counts = "template_options" in reward.options and reward.options.get("tokenizer", "") is None
        return reward.bind(tokenizer=name or "?", template_options=options) if counts else reward

    bound, names = bound_in(rewards, with_name)
    if not names:
        return list(rewards), []
    severity: Severity = "warning" if has_tools else "note"
    if tokenizer is None:
        return list(rewards), [finding_of("tokens.unknown", severity=severity, names=names)]
    why: Any = "it has no name or path"
    if name:
        try:
            template = getattr(tokenizer, "chat_template", None) or getattr(inner, "chat_template", None)
            if getattr(load_tokenizer(name), "chat_template", None) == template:
                return bound, [finding_of("tokens.counted", names=names, name=shown(name))]
            why = f"under {shown(name)} there is another chat template"
        except RewardError as error:
            why = error
    return list(rewards), [finding_of("tokens.not_bound", severity=severity, names=names, why=why)]


def made_environments(factory: Any) -> tuple[list[Any], list[Finding]]:
    """(one environment of each kind, errors about those that cannot be made)."""
    made: list[Any] = []
    findings: list[Finding] = []
    several = isinstance(factory, Mapping)
    for name, make in factory.items() if several else [("", factory)] if factory else []:
        try:
            made.append(make())
        except Exception as error:  # noqa: BLE001  # a stranger's code, which may raise anything
            called = f"environment_factory[{name!r}]" if several else "environment_factory"
            findings.append(finding_of("tools.not_made", called=called, error=_named(error)))
    return made, findings


def check_tools(
    tools: Sequence[Any], environments: Sequence[Any], tokenizer: Any, data: Mapping[str, Sequence[Any]] | None
) -> Iterator[Finding]:
    """Errors for what the trainer refuses after it has loaded a model, or in its first step, of a run with tools.

    Args:
        tools: the functions that are given to the trainer.
        environments: one of each kind.
        tokenizer: the model's, or its processor; ``None`` if it is not known.
        data: the columns of the training data, or ``None``.
    """
    from transformers.utils import get_json_schema

    tools = list(tools)
    for one in environments:
        methods = [name for name, _ in inspect.getmembers(type(one), inspect.isfunction) if not name.startswith("_")]
        tools += [getattr(one, name) for name in methods if name not in NO_TOOLS]
        if "reset" not in methods:
            yield finding_of("tools.no_reset", kind=type(one).__name__)
    for tool in tools:
        try:
            get_json_schema(tool)  # as the model will see it
        except Exception as error:  # noqa: BLE001  # it raises what the parts of a foreign signature raise
            name = getattr(tool, "__name__", shown(tool))
            yield finding_of("tools.not_described", name=name, error=shown(str(error), 160))
    texts = [row for row, prompt in enumerate((data or {}).get("prompt", ())) if isinstance(prompt, str)]
    if texts:
        yield finding_of("tools.texts", rows=texts)
    yield _template_of_tools(tokenizer, bool(tools))


def _template_of_tools(tokenizer: Any, has_tools: bool) -> Finding:
    """Whether TRL takes a chat template for tools, or for an environment without any."""
    if tokenizer is None:
        return finding_of("tools.not_looked_at", why="no tokenizer was given", remedy="Pass tokenizer=….")
    try:
        from trl.chat_template_utils import (
            add_response_schema,
            get_training_chat_template,
            is_chat_template_prefix_preserving,
            supports_tool_calling,
        )
    except ImportError as error:
        return finding_of("tools.not_looked_at", why=error, remedy="Install a TRL that trains with tools.")
    tokenizer = copy.copy(tokenizer)  # on which TRL may set how replies are parsed
    if hasattr(tokenizer, "tokenizer"):
        tokenizer.tokenizer = copy.copy(tokenizer.tokenizer)
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    parses = any(getattr(inner, name, None) is not None for name in ("response_template", "response_schema"))
    try:
        if not supports_tool_calling(tokenizer):
            why = "cannot render a conversation with calls of tools and their results."
            return finding_of("tools.template", why=why)
        if has_tools and not parses:
            tokenizer = add_response_schema(tokenizer)
        if has_tools and not is_chat_template_prefix_preserving(tokenizer):
            get_training_chat_template(tokenizer)
    except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
        return finding_of("tools.template", why=f"is refused by TRL: {error}")
    return finding_of("tools.can_be_called")
