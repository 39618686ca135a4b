"""What follows from the run's tokenizer: what its template opens, whose tokens count, whether tools can be called."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding, Severity, some_rows
from grpo_rewards.completion.reasoning.marks import THINK, USUAL_MARKS, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

__all__ = [
    "check_tools",
    "environments_of",
    "with_template",
    "with_tokenizer",
]

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
OF_TOOLS = frozenset(("tools", "environment"))  # columns that only runs with tools or environments have
AS_TEXT, AS_MESSAGES = "plain text", "messages"  # of prompts; a trainer applies the template to the second alone
# Methods of an environment that are no tools.
NO_TOOLS = ("reset", "get_reward")
ROUTED_BY = "environment"  # the column that names the environment of a row, where a run has several
NOT_LOOKED_AT = "Whether the chat template can call tools was not looked at"
HOW_TO_MEND = "Use the template of a model that calls tools, as TRL's docs list them, or mend this one."


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
    looked_at = () if prompts is None else prompts[:PROMPTS_LOOKED_AT]
    kinds = {AS_TEXT if isinstance(prompt, str) else AS_MESSAGES for prompt in looked_at}
    if getattr(tokenizer, "chat_template", None) is None:
        tokenizer = getattr(tokenizer, "tokenizer", None)  # a processor may leave the template to its tokenizer
        if getattr(tokenizer, "chat_template", None) is None:
            message = "the prompts are messages, and the tokenizer has no chat template: the first step would raise"
            remedy = "Set one, trl's clone_chat_template copies another model's, or make the prompts texts."
            missing = Finding("error", "template", f"{message} ValueError.", remedy)
            return list(rewards), [missing] if kinds - {AS_TEXT} else []
    if len(kinds) > 1:
        message = "some prompts are given to the chat template and some are not: " + " and ".join(sorted(kinds)) + "."
        remedy = "Give all rows one form; think_opened cannot hold for both."
        return list(rewards), [Finding("error", "template", message, remedy)]
    if kinds == {AS_TEXT}:
        return list(rewards), [Finding("fine", "template", f"prompts are {AS_TEXT}: no chat template is applied.")]
    options = dict(template_options or {})
    is_processor = hasattr(tokenizer, "tokenizer")  # for which a trainer writes the prompts in another form first
    refused = None if is_processor else _refused(tokenizer, options, prompts or ())
    if refused is not None:
        return list(rewards), [refused]
    rendered = _rendered(tokenizer, options)
    if isinstance(rendered, Exception):
        message = f"the chat template fails on a single user turn: {_named(rendered)}."
        remedy = "Mend the template, or bind think_opened by hand."
        return list(rewards), [Finding("warning", "template", message, remedy)]
    bound, findings = _all_bound(rewards, rendered, is_sure=prompts is not None)
    hidden = [*_closed_by_template(bound, rendered), *_dropped_by_tokenizer(bound, tokenizer)]
    return bound, [*findings, *_other_delimiters(bound, tokenizer.chat_template), *hidden, *_begun(looked_at)]


def _begun(prompts: Sequence[Any]) -> Iterator[Finding]:
    """A warning about prompts that end in the assistant's turn: a trainer has the template begin another behind it."""
    last = [one[-1] if isinstance(one, list | tuple) and one else None for one in prompts]
    rows = [row for row, one in enumerate(last) if isinstance(one, Mapping) and one.get("role") == "assistant"]
    if rows:
        message = (
            f"prompts end in the assistant's turn: {some_rows(rows)} The model does not go on with it: TRL has the"
        )
        message += " template begin a new turn behind it."
        remedy = "To have a turn continued, render the template yourself, and give texts as prompts."
        yield Finding("warning", "template", message, remedy, rows=tuple(rows))


def _refused(tokenizer: Any, options: dict[str, Any], prompts: Sequence[Any]) -> Finding | None:
    """An error if the template refuses prompts of the data, of which one is tried for each order of roles."""
    orders: dict[tuple[Any, ...], int] = {}
    for row, prompt in enumerate(prompts[:PROMPTS_LOOKED_AT]):
        if all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in prompt):
            orders.setdefault(tuple(turn.get("role") for turn in prompt), row)
    for roles, row in orders.items():
        rendered = _rendered(tokenizer, options, [prompts[row]])
        if isinstance(rendered, Exception):
            of_row = f"of row {row} (roles: {listed(map(str, roles))})"
            message = f"the chat template fails on the prompt {of_row}: {_named(rendered)}."
            return Finding("error", "template", message, "Write the prompts with roles that it takes.", rows=(row,))
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


def _all_bound(rewards: Sequence[Any], rendered: str, is_sure: bool) -> tuple[list[Any], list[Finding]]:
    """The rewards with what the rendered prompt opens bound, and what was found."""
    bound = [one.mapped(lambda part: _bound(part, rendered)) if isinstance(one, Reward) else one for one in rewards]
    findings = [*_contradicted(bound, rendered)]
    changed = [new.name for old, new in zip(rewards, bound, strict=True) if old != new]
    opened = _opened_by(rendered)
    message = f"the chat template opens {THINK.opening if opened is None else opened.opening};"
    message += f" bound in: {listed(changed)}."
    if opened is None and not changed:
        findings.append(Finding("fine", "template", "the chat template does not open <think>."))
    elif changed and not is_sure:
        remedy = "If the prompts are plain text, to which no template is applied, do not pass the tokenizer."
        findings.append(Finding("warning", "template", f"{message} The prompts were not looked at.", remedy))
    else:
        findings.append(Finding("fine", "template", message))
    return bound, findings


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


def _contradicted(rewards: Sequence[Any], rendered: str) -> Iterator[Finding]:
    """A warning for each reward that was bound by hand to what the template does not do."""
    for reward in leaves(*rewards):
        looked_for = {"think_opened": marks_of(reward.options.get("reasoning", THINK)), "opened": _first_tag(reward)}
        for option, marks in looked_for.items():
            bound = reward.options.get(option)
            if bound is not None and marks is not None and bound is not opens_thinking(rendered, None, marks):
                does = f"{'does not open' if bound else 'opens'} {marks.opening}"
                message = f"reward '{reward.name}' is bound with {option}={bound}, but the chat template {does} in the"
                remedy = f"Leave {option} at its default, and check_rewards binds it."
                yield Finding("warning", "template", f"{message} prompt.", remedy)


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
    wanting = [
        one.name
        for one in leaves(*rewards)
        if {*WANTING}.intersection(getattr(one, "own_reasons", ())) and _closed(rendered, _marks_in(one))
    ]
    if wanting:
        message = f"the chat template closes the reasoning in the prompt; {listed(wanting)} would reward only a second"
        remedy = "Switch thinking on (chat_template_kwargs: enable_thinking=True), or leave these rewards out."
        yield Finding("warning", "template", f"{message} one.", remedy)


def _closed(rendered: str, marks: Marks) -> bool:
    return re.search(rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$", rendered) is not None


def _marks_in(reward: Reward) -> Marks:
    return marks_of(reward.options.get("reasoning") or THINK)


def _dropped_by_tokenizer(rewards: Sequence[Any], tokenizer: Any) -> Iterator[Finding]:
    """A warning if the delimiters of the reasoning are special tokens, which a trainer leaves out of completions."""
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    if any(getattr(inner, name, None) for name in ("response_schema", "response_template")):
        return  # with which messages are made of a text, and the reasoning has a field of its own
    special = {str(one) for one in getattr(inner, "all_special_tokens", None) or ()}
    reading = [one for one in leaves(*rewards) if "reasoning" in one.options]
    for mark in sorted({mark for one in reading for mark in _marks_in(one)} & special):
        names = listed(dict.fromkeys(one.name for one in reading if mark in _marks_in(one)))
        message = f"{mark} is a special token of the tokenizer, so that a trainer leaves it out of the text it decodes."
        remedy = (
            f"{names} cannot see where the reasoning ends. Give the tokenizer a response_template, which parses it,"
        )
        yield Finding("warning", "template", message, f"{remedy} or add the token as one that is not special.")


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
    # those that were bound by hand and cannot be loaded would stop the first step
    of_tokens = [one for one in leaves(*rewards) if "template_options" in one.options]
    bound = {name: one.name for one in of_tokens if isinstance(name := one.options.get("tokenizer"), str)}
    failures = {name: found for name in bound if isinstance(found := _loaded(name), RewardError)}
    findings = [Finding("error", "tokens", str(why), reward=bound[name]) for name, why in failures.items()]
    counting = [one.name for one in rewards if isinstance(one, Reward) and one.mapped(_binding("?", None)) != one]
    if not counting:
        return list(rewards), findings
    names = listed(counting)
    if tokenizer is None:
        shows_tools = has_tools or getattr(args, "max_tool_calling_iterations", None) is not None
        if shows_tools or not OF_TOOLS.isdisjoint(columns or ()):
            message = f"the run has tools or environments, whose tokens {names} cannot separate from the policy's."
            remedy = "Pass tokenizer=… to check_rewards, or bind tokenizer=…; else such completions are None,"
            return list(rewards), [*findings, Finding("warning", "tokens", message, f"{remedy} tokens_unknown.")]
        # they are given to the trainer, which no check sees: so a note in every other run
        message = f"{names} give None to transcripts with tools or environments: whose tokens are whose is not known."
        remedy = "If the run has any, pass tokenizer=… to check_rewards, or bind tokenizer=…; if not, do nothing."
        return list(rewards), [*findings, Finding("note", "tokens", message, remedy)]
    inner = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has one, and no name of its own
    name = getattr(inner, "name_or_path", "")
    template = getattr(tokenizer, "chat_template", None) or getattr(inner, "chat_template", None)
    found = _loaded(name) if name else None
    remedy = f"Save it with save_pretrained(…) and bind tokenizer=… of {names} to that folder, if the run has tools or"
    severity: Severity = "warning" if name else "note"
    if not name:
        message = "the tokenizer has no name or path under which rewards could load it."
    elif isinstance(found, RewardError):
        message = str(found)
    elif getattr(found, "chat_template", None) != template:
        message = f"the tokenizer's chat template was changed: under {shown(name)} there is another one."
    else:
        count = "counts" if len(counting) == 1 else "count"
        message = f"{names} {count} the tokens of the policy's turns with the tokenizer {shown(name)}."
        binding = _binding(name, dict(getattr(args, "chat_template_kwargs", None) or {}) or None)
        new = [one.mapped(binding) if isinstance(one, Reward) else one for one in rewards]
        return new, [*findings, Finding("fine", "tokens", message)]
    return list(rewards), [*findings, Finding(severity, "tokens", message, f"{remedy} environments.")]


def _loaded(name: str) -> Any:
    """The tokenizer of a name, or why it cannot be loaded."""
    try:
        return load_tokenizer(name)
    except RewardError as error:
        return error


def _binding(name: str, template_options: dict[str, Any] | None) -> Callable[[Reward], Reward]:
    """What binds the options to a reward that has them, unless they were bound by hand."""

    def bound(reward: Reward) -> Reward:
        is_open = "template_options" in reward.options and reward.options.get("tokenizer", "") is None
        return reward.bind(tokenizer=name, template_options=template_options) if is_open else reward

    return bound


def environments_of(factory: Any) -> tuple[dict[Any, Any], list[Finding]]:
    """(an environment of each factory, by name; errors for those of which none can be made, or that have no reset).

    Each is made once, as the trainer does at its start.
    """
    made: dict[Any, Any] = {}
    findings: list[Finding] = []
    for name, one in (factory if isinstance(factory, Mapping) else {None: factory}).items():
        called = "environment_factory" if name is None else f"environment_factory[{name!r}]"
        try:
            made[name] = one()
        except Exception as error:  # noqa: BLE001  # a stranger's code, which may raise anything
            message = f"{called} makes no environment: {type(error).__name__}: {shown(str(error))}."
            findings.append(Finding("error", "tools", message, "It is called without arguments, as a class is."))
            continue
        if "reset" not in _methods(made[name]):
            message = (
                f"{type(made[name]).__name__} has no method reset, which the trainer calls before each completion."
            )
            remedy = "Write reset(self, **row): it returns what is added to the prompt, or None."
            findings.append(Finding("error", "tools", message, remedy))
    return made, findings


def check_tools(
    tools: Sequence[Any], environments: Mapping[Any, Any], tokenizer: Any, data: Mapping[str, Sequence[Any]] | None
) -> Iterator[Finding]:
    """Errors for what the trainer refuses when it is made, or in its first step, of a run with tools.

    Args:
        tools: the functions that are given to the trainer.
        environments: one of each kind, by name; ``None`` is the name of the only one.
        tokenizer: the model's, or its processor; ``None`` if it is not known.
        data: the columns of the training data, or ``None``.
    """
    its = [getattr(one, name) for one in environments.values() for name in _methods(one) if name not in NO_TOOLS]
    for tool in (*tools, *its):
        yield from _of_tool(tool)
    if data is not None and "prompt" in data:
        texts = [row for row, prompt in enumerate(data["prompt"]) if isinstance(prompt, str)]
        if texts:
            message = f"{len(texts)} prompts are texts: {some_rows(texts)} Tools and environments need messages."
            yield Finding("error", "tools", message, "Make each [{'role': 'user', 'content': …}].", rows=tuple(texts))
    if data is not None and environments and None not in environments:
        yield from _routes(environments, data)
    yield from _of_template(tokenizer, bool(tools or its))


def _methods(environment: Any) -> list[str]:
    """The methods that a trainer looks at: those of the class without an underscore in front."""
    members = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    return [name for name, _ in members if not name.startswith("_")]


def _of_tool(tool: Any) -> Iterator[Finding]:
    """An error for a tool that cannot be described to a model: that takes types and a docstring."""
    from transformers.utils import get_json_schema

    name = getattr(tool, "__name__", shown(tool))
    try:
        get_json_schema(tool)
    except Exception as error:  # noqa: BLE001  # it raises what the parts of a foreign signature raise
        message = f"the tool {name} cannot be described to the model: {shown(str(error), 160)}."
        remedy = "Write it as a function with a type for each argument, and a docstring with an Args section."
        yield Finding("error", "tools", message, remedy)


def _routes(environments: Mapping[Any, Any], data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """Errors for rows of which it is not known which of several environments they are for."""
    if ROUTED_BY not in data:
        message = f"there are several environments, and no column '{ROUTED_BY}' that names one of them for each row."
        yield Finding("error", "tools", message, f"Add it: one of {listed(map(repr, environments))} per row.")
        return
    unknown = [row for row, name in enumerate(data[ROUTED_BY]) if name not in environments]
    if unknown:
        message = (
            f"'{ROUTED_BY}' names no environment in {some_rows(unknown)} It is {shown(data[ROUTED_BY][unknown[0]])}."
        )
        remedy = f"Name one of {listed(map(repr, environments))}."
        yield Finding("error", "tools", message, remedy, rows=tuple(unknown))


def _of_template(tokenizer: Any, has_tools: bool) -> Iterator[Finding]:
    """An error where TRL refuses a chat template for tools, or for an environment, in the order in which it looks."""
    if tokenizer is None:
        yield Finding("note", "tools", f"{NOT_LOOKED_AT}: no tokenizer was given.", "Pass tokenizer=….")
        return
    try:
        from trl.chat_template_utils import (
            add_response_schema,
            get_training_chat_template,
            is_chat_template_prefix_preserving,
            supports_tool_calling,
        )
    except ImportError as error:
        yield Finding("note", "tools", f"{NOT_LOOKED_AT}: {error}.", "Install a TRL that trains with tools.")
        return
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    can_parse = any(getattr(inner, name, None) is not None for name in ("response_template", "response_schema"))
    steps: list[tuple[Callable[[Any], Any], str]] = [
        (supports_tool_calling, "cannot render a conversation with calls of tools and their results"),
        (lambda one: can_parse or add_response_schema(one), "is none whose calls of tools TRL can parse"),
        (
            lambda one: is_chat_template_prefix_preserving(one) or get_training_chat_template(one),
            "renders earlier turns in another way once a tool has answered",
        ),
    ]
    for passes, what in steps if has_tools else steps[:1]:
        try:
            why = "" if passes(_copied(tokenizer)) else "."
        except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            why = f" ({type(error).__name__}: {shown(str(error), 160)})."
        if why:
            yield Finding("error", "tools", f"the chat template {what}{why}", HOW_TO_MEND)
            return
    yield Finding("fine", "tools", "the chat template can call tools, and TRL can train it.")


def _copied(tokenizer: Any) -> Any:
    """A copy on which TRL may set how replies are parsed; of a processor, with a copy of its tokenizer."""
    new = copy.copy(tokenizer)
    if hasattr(new, "tokenizer"):
        new.tokenizer = copy.copy(new.tokenizer)
    return new
