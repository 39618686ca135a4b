"""Reward functions of the tiny model's completions: of text and columns, and coroutines of tokens and of the prompt."""

import asyncio
from collections.abc import Callable
from typing import Any

import torch

from whole_step.tiny import text_of

# What a reward function gets beside the columns, and what TRL 1.16's own rollouts may add to it.
ALSO_GIVEN = frozenset(("prompts", "log_extra", "environments"))


def _said(completions: list[Any]) -> list[str]:
    return [one if isinstance(one, str) else said_of(one) for one in completions]


def said_of(messages: list[dict[str, Any]]) -> str:
    """Returns what was said in the messages of a completion, by the model and by tools."""
    return " ".join(one["content"] for one in messages)


async def by_tokens(completion_ids: list[list[int]], row: list[int], log_extra: Any, **_: Any) -> list[float | None]:
    """A reward of the tokens and of where each stands, exact in float32 and in no precision below it.

    It is a coroutine that ends after the other one, which began later.
    """
    await asyncio.sleep(0)
    for name, column in columns_of(completion_ids, row).items():
        log_extra(name, column)
    return [_of_tokens(*pair) for pair in zip(completion_ids, row, strict=True)]


def by_text(
    completions: list[Any],
    completion_ids: list[list[int]],
    wanted: list[str],
    row: list[int],
    trainer_state: Any,
    log_metric: Any,
    **others: Any,
) -> list[float | None]:
    """A reward of text, tokens and columns, at times below 0; it is ``None`` for each row that three divides.

    Raises:
        ValueError: it is given what is neither of the trainer nor a column, such as a rollout's mask.
    """
    if unknown := others.keys() - ALSO_GIVEN:
        raise ValueError(f"TRL hands reward functions {', '.join(sorted(unknown))}, which is no column")
    for name, values in metrics_of(row, trainer_state.global_step).items():
        for value in values:
            log_metric(name, value)
    return [_of_text(*one) for one in zip(_said(completions), completion_ids, wanted, row, strict=True)]


async def by_prompt(prompts: list[Any], completions: list[Any], row: list[int], **_: Any) -> list[float | None]:
    """A reward of prompt, text and column that is a coroutine; it is ``None`` for some rows."""
    texts = [one if isinstance(one, str) else one[0]["content"] for one in prompts]
    return [_of_prompt(*one) for one in zip(texts, _said(completions), row, strict=True)]


def columns_of(completions: list[list[int]], rows: list[int]) -> dict[str, list[int]]:
    """Returns the columns that a call adds to the table of completions: not in each call the same, nor in one order."""
    columns = {"length": [len(tokens) for tokens in completions], "number": list(rows)}
    kept = {0: ("length",), 1: ("number", "length"), 2: ("length", "number")}[rows[0] % 3]
    return {name: columns[name] for name in kept}


def metrics_of(rows: list[int], step: int) -> dict[str, list[float]]:
    """Returns what a call logs under each name: once for some rows, so that some calls log often, and some never."""
    named: dict[str, list[float]] = {"probe": [float(row + step) for row in rows if row % 3 != 1]}
    named["even"] = [row / 2 for row in rows if row % 2 == 0]
    return {name: named[name] for name in (sorted(named) if rows[0] % 2 else sorted(named, reverse=True))}


def _of_tokens(tokens: list[int], row: int) -> float | None:
    return None if row % 6 == 0 else sum((at + 1) * token % 7 for at, token in enumerate(tokens)) / 8 + 2**-10


def _of_text(text: str, tokens: list[int], wanted: str, row: int) -> float | None:
    return None if row % 3 == 0 else (text.count(wanted) + row) / 4 - sum(tokens) / 64 + 2**-10


def _of_prompt(prompt: str, text: str, row: int) -> float | None:
    return None if (row + len(text)) % 4 == 1 else len(prompt) / 2 + len(text) / 8 + row % 5


TINY_REWARDS: tuple[Callable[..., Any], ...] = (by_tokens, by_text, by_prompt)


def by_functions(row: dict[str, Any], tokens: list[int]) -> list[float]:
    """Returns what the three functions must say of a completion; NaN where one says ``None``.

    A row may have what was ``said`` besides its columns, where that is other than the tokens' text: with tools.
    """
    text = row.get("said", text_of(tokens))
    prompt = row["prompt"] if isinstance(row["prompt"], str) else row["prompt"][0]["content"]
    found = [
        _of_tokens(tokens, row["row"]),
        _of_text(text, tokens, row["wanted"], row["row"]),
        _of_prompt(prompt, text, row["row"]),
    ]
    return [torch.nan if one is None else one for one in found]
