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
# Templates differ in what they take: some want a system turn before, some content blocks.
TURNS: tuple[list[dict[str, Any]], ...] = (
    [{"role": "user", "content": SAMPLE_QUESTION}],
    [{"role": "user", "content": [{"type": "text", "text": SAMPLE_QUESTION}]}],
    [{"role": "system", "content": "Answer."}, {"role": "user", "content": SAMPLE_QUESTION}],
)
PROMPTS_LOOKED_AT = 1_000
# Reasons of a reward that requires reasoning; others only look behind it.
WANTING = frozenset(("no_thinking", "blank_reasoning"))
# Methods of an environment that are no tools.
NO_TOOLS = ("reset", "get_reward")
ROUTED_BY = "environment"  # the column that names the environment of a row, where a run has several


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
    are_texts = {isinstance(prompt, str) for prompt in looked_at}  # to which a trainer applies no template
    if getattr(tokenizer, "chat_template", None) is None:
        return rewards, [finding_of("template.none")] if False in are_texts else []
    if len(are_texts) > 1:
        return rewards, [finding_of("template.two_forms")]
    if True in are_texts:
        return rewards, [finding_of("template.not_applied")]
    options = dict(getattr(args, "chat_template_kwargs", None) or {})
    is_processor = hasattr(tokenizer, "tokenizer")  # for which a trainer writes the prompts in another form first
    refused = None if is_processor else _refused(tokenizer, options, looked_at)
    if refused is not None:
        return rewards, [refused]
    rendered = _rendered(tokenizer, options)
    if isinstance(rendered, Exception):
        return rewards, [finding_of("template.fails", error=_named(rendered))]
    bound, changed = bound_in(rewards, lambda one: _bound(one, rendered))
    opened = _opened_by(rendered)
    kind = "opens_none" if opened is None and not changed else "bound"
    kind = "bound_unseen" if changed and prompts is None else kind
    opening = THINK.opening if opened is None else opened.opening
    findings = [
        *_contradicted(bound, rendered),
        finding_of(f"template.{kind}", opening=opening, changed=changed or "none"),
    ]
    findings += _reasoning_not_seen(bound, rendered, tokenizer)
    # a trainer has the template begin another turn behind one of the assistant
    last = [one[-1] if isinstance(one, list | tuple) and one else None for one in looked_at]
    rows = [row for row, one in enumerate(last) if isinstance(one, Mapping) and one.get("role") == "assistant"]
    return bound, [*findings, *([finding_of("template.begun", rows=rows)] if rows else [])]


def _refused(tokenizer: Any, options: dict[str, Any], prompts: Sequence[Any]) -> Finding | None:
    """An error if the template refuses prompts of the data, of which one is tried for each order of roles."""
    orders: dict[tuple[Any, ...], int] = {}
    for row, prompt in enumerate(prompts):
        if all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in prompt):
            orders.setdefault(tuple(turn.get("role") for turn in prompt), row)
    for roles, row in orders.items():
        rendered = _rendered(tokenizer, options, [prompts[row]])
        if isinstance(rendered, Exception):
            return finding_of("template.refuses", rows=[row], roles=listed(map(str, roles)), error=_named(rendered))
    return None


def _rendered(tokenizer: Any, options: dict[str, Any], prompts: Sequence[Any] = TURNS) -> str | Exception:
    """What the template makes of the first prompt that it takes, or how it fails on the first of them."""
    failure: Exception | None = None
    for turns in prompts:
        try:
            rendered = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
            return rendered if isinstance(rendered, str) else str(rendered[0])
        except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            failure = failure or error
    return failure or ValueError("no turn")


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
        if reward.options[option] is None and opens_thinking(rendered, None, marks):
            opened: dict[str, Any] = {option: True}
            return reward.bind(**opened)
        if option == "think_opened" and reward.options[option] is None and marks is THINK:
            other = _opened_by(rendered)
            return reward if other is None else reward.bind(think_opened=True, reasoning=tuple(other))
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
    reading = [one for one in leaves(*rewards) if "reasoning" in one.options]
    template = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else THINK.opening
    other = next((marks for marks in USUAL_MARKS if marks.opening in template), THINK)
    unaware = [one.name for one in reading if one.options["reasoning"] == THINK.opening]
    if THINK.opening not in template and other is not THINK and unaware:
        yield finding_of("template.other_delimiters", other=other, bound=repr(tuple(other)), names=listed(unaware))
    wanting = [
        one.name
        for one in leaves(*rewards)
        if WANTING.intersection(getattr(one, "own_reasons", ())) and _is_closed(rendered, _marks_in(one))
    ]
    if wanting:  # an empty <think></think>, by which templates disable thinking
        yield finding_of("template.closed", names=listed(wanting))
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    if any(getattr(inner, name, None) for name in ("response_schema", "response_template")):
        return  # with which messages are made of a text, and the reasoning has a field of its own
    special = {str(one) for one in getattr(inner, "all_special_tokens", None) or ()}
    for mark in sorted({mark for one in reading for mark in _marks_in(one)} & special):
        names = listed(dict.fromkeys(one.name for one in reading if mark in _marks_in(one)))
        yield finding_of("template.special_token", mark=mark, names=names)


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
        has_tools: whether the run is known to have tools or environments.
    """
    rewards, findings = list(rewards), []
    # those that were bound by hand and cannot be loaded would stop the first step
    by_hand = {name: one.name for one in leaves(*rewards) if isinstance(name := one.options.get("tokenizer"), str)}
    for name, reward in by_hand.items():
        if isinstance(failure := _loaded(name), RewardError):
            findings.append(finding_of("tokens.not_loaded", reward, error=failure))
    inner = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has one, and no name of its own
    name = getattr(inner, "name_or_path", "")
    options = dict(getattr(args, "chat_template_kwargs", None) or {}) or None

    def with_name(reward: Reward) -> Reward:
        counts = "template_options" in reward.options and reward.options.get("tokenizer", "") is None
        return reward.bind(tokenizer=name or "?", template_options=options) if counts else reward

    bound, names = bound_in(rewards, with_name)
    if not names:
        return rewards, findings
    if tokenizer is None:  # tools are given to the trainer, which a check may not see: so a note in every other run
        return rewards, [*findings, finding_of("tokens.of_tools" if has_tools else "tokens.unknown", names=names)]
    template = getattr(tokenizer, "chat_template", None) or getattr(inner, "chat_template", None)
    again = _loaded(name) if name else None
    if again is not None and getattr(again, "chat_template", None) == template:
        return bound, [*findings, finding_of("tokens.counted", names=names, name=shown(name))]
    other = again if isinstance(again, RewardError) else f"under {shown(name)} there is another chat template"
    why = other if name else "it has no name or path"
    severity: Severity = "warning" if name else "note"
    return rewards, [*findings, finding_of("tokens.not_bound", severity=severity, names=names, why=why)]


def _loaded(name: str) -> Any:
    """The tokenizer of a name, or why it cannot be loaded."""
    try:
        return load_tokenizer(name)
    except RewardError as error:
        return error


def made_environments(factory: Any) -> tuple[dict[str | None, Any], list[Finding]]:
    """(one environment of each kind, by name; errors about those that cannot be made). ``None`` names the only one."""
    made: dict[str | None, Any] = {}
    findings: list[Finding] = []
    factories = factory if isinstance(factory, Mapping) else {None: factory} if factory else {}
    for name, make in factories.items():
        try:
            made[name] = make()
        except Exception as error:  # noqa: BLE001  # a stranger's code, which may raise anything
            called = "environment_factory" if name is None else f"environment_factory[{name!r}]"
            findings.append(finding_of("tools.not_made", called=called, error=_named(error)))
    return made, findings


def check_tools(
    tools: Sequence[Any], environments: Mapping[Any, Any], tokenizer: Any, data: Mapping[str, Sequence[Any]] | None
) -> Iterator[Finding]:
    """Errors for what the trainer refuses after it has loaded a model, or in its first step, of a run with tools.

    Args:
        tools: the functions that are given to the trainer.
        environments: one of each kind, by name; ``None`` is the name of the only one.
        tokenizer: the model's, or its processor; ``None`` if it is not known.
        data: the columns of the training data, or ``None``.
    """
    from transformers.utils import get_json_schema

    tools = list(tools)
    for one in environments.values():
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
    if data is not None and environments and None not in environments:
        names, routes = listed(map(repr, environments)), data.get(ROUTED_BY)
        unknown = [row for row, name in enumerate(routes or ()) if name not in environments]
        if routes is None:
            yield finding_of("tools.no_routes", names=names)
        elif unknown:
            yield finding_of("tools.unknown_route", rows=unknown, names=names, first=shown(routes[unknown[0]]))
    if tokenizer is None:
        yield finding_of("tools.no_tokenizer")
        return
    try:
        why = _refused_for_tools(tokenizer, bool(tools))
    except ImportError as error:
        yield finding_of("tools.other_trl", error=error)
        return
    yield finding_of("tools.can_be_called") if why is None else finding_of("tools.template", why=why)


def _refused_for_tools(tokenizer: Any, has_tools: bool) -> str | None:
    """Why TRL refuses a chat template for tools, or for an environment without any; ``None`` if it does not.

    Raises:
        ImportError: TRL is not installed, or is a version that trains with no tools.
    """
    from trl.chat_template_utils import (
        add_response_schema,
        get_training_chat_template,
        is_chat_template_prefix_preserving,
        supports_tool_calling,
    )

    tokenizer = copy.copy(tokenizer)  # on which TRL may set how replies are parsed
    if hasattr(tokenizer, "tokenizer"):
        tokenizer.tokenizer = copy.copy(tokenizer.tokenizer)
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    parses = any(getattr(inner, name, None) is not None for name in ("response_template", "response_schema"))
    try:
        if not supports_tool_calling(tokenizer):
            return "cannot render a conversation with calls of tools and their results."
        if has_tools and not parses:
            tokenizer = add_response_schema(tokenizer)
        if has_tools and not is_chat_template_prefix_preserving(tokenizer):
            get_training_chat_template(tokenizer)
    except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
        return f"is refused by TRL: {error}"
    return None
