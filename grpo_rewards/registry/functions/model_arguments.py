"""Whether a function sees what the model did: the arguments that hold it, what others call these, which are used."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["OF_MODEL", "arguments_of", "completion_argument", "how_to_see", "used_arguments"]

OF_MODEL = ("completion", "completions", "messages", "completion_ids", "environments")
# Words in the names that other libraries have for what a model wrote, by its name here. Of several arguments the one
# whose word stands first is meant.
WORDS: Mapping[str, tuple[str, ...]] = {
    "completion": (
        *("completion", "response", "generated", "generation", "output", "prediction", "predicted", "predict", "pred"),
        *("reply", "result", "rollout", "decoded", "candidate", "hypothesis", "student", "model"),
    ),
    "messages": ("message", "conversation", "dialogue", "chat", "transcript", "trajectory"),
    "completion_ids": ("token",),
    "environments": ("env", "environment"),
    "text": ("text", "str", "string", "content"),  # in many names, so after all others
}
# Words of names for something else: ``prompt_ids``, ``target_text``, ``expected_output``, ``max_tokens``.
OTHER_WORDS = frozenset(
    "prompt input question query problem instruction system user gold golden label reference ref truth gt target"
    " expected correct source context extra info max min num number count size length name path config type".split()
)
MAKES_SEVERAL = re.compile(r"list|tuple|sequence|iterable|tensor|array", re.IGNORECASE)
READ_ANYTHING = frozenset(("locals", "vars", "eval", "exec"))


def arguments_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function by name; none of a built-in without a signature."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def completion_argument(names: Iterable[str]) -> tuple[str, str] | None:
    """(an argument that probably holds what the model wrote, its name here); ``None`` where no name looks like it.

    >>> completion_argument(["data_source", "solution_str", "ground_truth"])
    ('solution_str', 'completion')
    """
    found: dict[str, str] = {}
    for name in names:
        spelled = {one.lower() for one in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
        words = spelled | {one.removesuffix("s") for one in spelled}
        meaning = next((meaning for meaning, its in WORDS.items() if words.intersection(its)), None)
        if meaning == "completion" and words.intersection(("id", "token")):
            meaning = "completion_ids"
        if meaning is not None and not words & OTHER_WORDS and words != {"model"}:
            found.setdefault(meaning, name)
    meant = next((meaning for meaning in WORDS if meaning in found), None)
    return None if meant is None else (found[meant], "completion" if meant == "text" else meant)


def how_to_see(function: Callable[..., Any]) -> str:
    """What to do so that a plain function sees what the model did, in a sentence."""
    parameters = arguments_of(function)
    named = {name: one for name, one in parameters.items() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}
    if parameters and all(one.default is not one.empty for one in named.values()) and len(named) == len(parameters):
        return "If it makes a reward, call it, and give what it returns."
    rest = ", leave out **kwargs" if len(named) < len(parameters) else ""
    meant = completion_argument(named)
    if meant is None:
        return (
            "Have it take 'completion', the text of one completion, and decorate it with @grpo_rewards.reward, or "
            "completions, a list, and **kwargs."
        )
    name, ours = meant
    decorator = "reward"
    if _gives_several(function, name):
        decorator, ours = "batch_reward", "completions" if ours == "completion" else ours
    renamed = "" if name == ours else f"Did you mean '{ours}' by '{name}'? Rename it{rest}. "
    return f"{renamed}Decorate the function with @grpo_rewards.{decorator}{'' if renamed else rest}."


def _gives_several(function: Callable[..., Any], argument: str) -> bool:
    """Whether a function returns a value for each of several completions, by its annotation or by plural names."""
    returns = getattr(function, "__annotations__", {}).get("return")
    if returns is not None:
        return MAKES_SEVERAL.search(str(returns)) is not None
    is_plural = argument.endswith("s") and not argument.endswith(("ids", "messages"))
    return is_plural or "prompts" in arguments_of(function)


def used_arguments(function: Callable[..., Any]) -> set[str] | None:
    """The arguments that the source of a function uses, keys of its ``**kwargs`` among them.

    Returns:
        Their names; ``None`` if the source cannot be had, or if ``**kwargs`` are used as a whole.
    """
    while isinstance(function, functools.partial):
        function = function.func
    called = function if inspect.isroutine(function) else type(function).__call__
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(called)))).body
    except (OSError, TypeError, ValueError, SyntaxError):  # no source, or a part of a line, as of a lambda
        return None
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    inside = [node for statement in tree.body for node in ast.walk(statement)]
    loaded = [node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    rest = None if tree.args.kwarg is None else tree.args.kwarg.arg
    keys = [key for node in inside if (key := _key(node, rest)) is not None]
    if READ_ANYTHING.intersection(loaded) or loaded.count(str(rest)) > len(keys):
        return None
    every = (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)
    return {*keys, *{one.arg for one in every}.intersection(loaded)}


def _key(node: ast.AST, mapping: str | None) -> str | None:
    """The key with which an expression reads a mapping: ``kwargs["a"]``, ``kwargs.get("a")``, ``"a" in kwargs``."""
    match node:
        case ast.Subscript(value=ast.Name(name), slice=ast.Constant(str(key))):
            pass
        case ast.Call(func=ast.Attribute(ast.Name(name), "get" | "pop"), args=[ast.Constant(str(key)), *_]):
            pass
        case ast.Compare(left=ast.Constant(str(key)), ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(name)]):
            pass
        case _:
            return None
    return key if name == mapping else None
