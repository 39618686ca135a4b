"""Tools and environments of a run: whether the trainer takes them, and whether the chat template can call tools."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding, some_rows
from grpo_rewards.registry.errors import listed, shown

__all__ = ["check_tools", "environments_of"]

# Methods of an environment that are no tools.
NO_TOOLS = ("reset", "get_reward")
ROUTED_BY = "environment"  # the column that names the environment of a row, where a run has several
NOT_LOOKED_AT = "Whether the chat template can call tools was not looked at"
HOW_TO_MEND = "Use the template of a model that calls tools, as TRL's docs list them, or mend this one."


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
