"""The parameters of a function, and which of them hold what the model did, whatever they are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grpo_rewards.registry.errors import words_in

FROM_MODEL = ("completion", "completions", "messages", "completion_ids", "environments")
# Words in the names that other libraries have for what a model wrote, by its name here. Of several arguments the one
# whose word stands first is meant.
MODEL_WORDS: Mapping[str, tuple[str, ...]] = {
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
    " expected correct source context extra info max min num number count size length name path config type"
    " reward score".split()
)


def completion_argument(names: Iterable[str]) -> tuple[str, str] | None:
    """(an argument that probably holds what the model wrote, its name here); ``None`` where no name looks like it.

    >>> completion_argument(["data_source", "solution_str", "ground_truth"])
    ('solution_str', 'completion')
    """
    found: dict[str, str] = {}
    for name in names:
        words = words_in(name)
        meaning = next((meaning for meaning, its in MODEL_WORDS.items() if words.intersection(its)), None)
        if meaning == "completion" and words.intersection(("id", "token")):
            meaning = "completion_ids"
        if meaning is not None and not words & OTHER_WORDS and words != {"model"}:
            found.setdefault(meaning, name)
    meant = next((meaning for meaning in MODEL_WORDS if meaning in found), None)
    return None if meant is None else (found[meant], "completion" if meant == "text" else meant)


def real_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of what is called: that of an adapter made with ``functools.wraps`` is its own.

    A wrapper that takes just ``*args`` and ``**kwargs`` is called with what it wraps takes.

    Raises:
        TypeError: it cannot be called.
        ValueError: it is a built-in without a signature.
    """
    own = inspect.signature(function, follow_wrapped=False)
    only_passes_on = all(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in own.parameters.values())
    return inspect.signature(function) if only_passes_on else own


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function by name; none of a built-in without a signature."""
    try:
        return dict(real_signature(function).parameters)
    except (TypeError, ValueError):
        return {}
