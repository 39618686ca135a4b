"""The column of prompts: whether it is there, and in one of the two forms that TRL knows."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry.errors import listed, shown

__all__ = ["PROMPT_COLUMN", "prompt_column"]

PROMPT_COLUMN = "prompt"
IMAGE_COLUMNS = ("images", "image")  # TRL reads the second where the first is missing
# What data sets call their prompts.
PROMPT_SYNONYMS = ("question", "q", "problem", "query", "instruction", "input", "messages", "text")


def prompt_column(data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """Errors where there is no column ``prompt``, or rows of it that are neither a text nor messages."""
    if PROMPT_COLUMN not in data:
        near = [one for one in PROMPT_SYNONYMS if one in data] or difflib.get_close_matches(PROMPT_COLUMN, data, n=1)
        do = "Add it: one prompt per row, a text or a list of messages."
        if near:
            do = f'Rename one with dataset.rename_column("{near[0]}", "{PROMPT_COLUMN}"). On the command line: '
            do += f"--column {PROMPT_COLUMN}={near[0]}."
        message = (
            f"GRPOTrainer reads column '{PROMPT_COLUMN}', which the dataset does not have. Columns: {listed(data)}."
        )
        yield Finding("error", "columns", message, do)
        return
    bad = [row for row, one in enumerate(data[PROMPT_COLUMN]) if not _is_prompt(one)]
    if bad:
        first = data[PROMPT_COLUMN][bad[0]]
        message = f"{len(bad)} prompts are neither a text nor messages, row {bad[0]} for one: {shown(first)}."
        remedy = "Make each a text, or [{'role': 'user', 'content': …}]."
        yield Finding("error", "prompts", message, remedy, rows=tuple(bad))
    yield from _images(data)


def _images(data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """An error where there are images and a prompt is a text, for which TRL raises in the step that has it."""
    column = next((one for one in IMAGE_COLUMNS if one in data), None)
    if column is None or all(isinstance(one, list | tuple) and not one for one in data[column]):
        return
    texts = [row for row, one in enumerate(data[PROMPT_COLUMN]) if isinstance(one, str)]
    if texts:
        message = (
            f"{len(texts)} prompts are texts, row {texts[0]} for one, beside the column '{column}': TRL refuses that."
        )
        remedy = f"Make each [{{'role': 'user', 'content': …}}], or drop the column '{column}'."
        yield Finding("error", "prompts", message, remedy, rows=tuple(texts))


def _is_prompt(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(
            isinstance(one, Mapping) and "role" in one and ("content" in one or "tool_calls" in one) for one in value
        )
    )
