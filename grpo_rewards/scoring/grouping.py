"""Chunks of whole groups, for rewards that compare the completions of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.scoring.fields import Fields, one_by_one
from grpo_rewards.scoring.rows import Chunk, Malformed, Numbered, Place, place_name

__all__ = ["all_options", "compares_groups", "readable_rows", "scores_by_group", "whole_groups"]

GROUPED_ROWS = 64  # of a chunk of whole groups, at least


def compares_groups(one: Reward) -> bool:
    """Whether the reward, or one inside it, compares the completions of a group."""
    return "num_generations" in all_options(one)


def scores_by_group(rewards: Sequence[Reward], fields: Fields, wanted: bool) -> bool:
    """Whether rewards score one group at a time.

    Raises:
        RewardError: they must be, and the groups are not known.
    """
    comparing = [one.name for one in rewards if compares_groups(one)]
    if (comparing or wanted) and fields.prompt is None:
        why = f"reward '{comparing[0]}' compares the completions of a group, and " if comparing else ""
        raise RewardError(f"{why}no column shows which rows are one. Name what they have in common: --prompt NAME.")
    return bool(comparing) or wanted


def all_options(one: Reward) -> dict[str, Any]:
    """The options of a reward and of all that are inside it, by name."""
    return {name: value for other in (*every_reward(one), one) for name, value in other.options.items()}


def readable_rows(chunk: Chunk, fields: Fields) -> tuple[list[Numbered], list[Malformed]]:
    """(the rows that can be scored; what is malformed)."""
    objects, malformed = chunk.rows()
    rows = []
    for number, row, line in one_by_one(objects):
        why = fields.unreadable(row)
        if why is None:
            rows.append((number, row, line))
        else:
            text = json.dumps(row, default=str) if line is None else line.decode("utf-8", "replace")
            malformed.append(Malformed(chunk.path, number, why, text))
    return rows, sorted(malformed, key=lambda one: one.line)


def whole_groups(stream: Iterator[Chunk], fields: Fields) -> Iterator[Chunk]:
    """The rows in chunks that end where a group does: where the next row has another prompt, or a file ends.

    Raises:
        RewardError: rows of a prompt are apart from each other in a file.
    """
    held: Chunk | None = None
    last, seen = b"", set[bytes]()
    for chunk in stream:
        rows, _ = readable_rows(chunk, fields)
        groups: dict[int, list[bytes]] = {}
        before = last
        for (number, row, _), group in zip(rows, fields.groups([row for _, row, _ in rows]) or (), strict=True):
            if group != before and group in seen:
                raise RewardError(_apart(chunk.path, number, row, fields))
            groups.setdefault(number, []).append(group)
            seen.add(group)
            before = group
        held = held or Chunk(chunk.path, chunk.file, [], chunk.after, chunk.read)
        for item in chunk.items:
            its = groups.get(item[0], [])  # a line may hold several rows
            if its and its[0] != last and len(held.items) >= GROUPED_ROWS:
                held.after = Place(chunk.file, item[0] - 1)
                yield held
                held = Chunk(chunk.path, chunk.file, [], chunk.after, chunk.read)
            last = its[-1] if its else last
            held.items.append(item)
        held.after, held.read = chunk.after, chunk.read
        if chunk.after.files > chunk.file:
            yield held
            held, last, seen = None, b"", set()


def _apart(path: str, line: int, row: Mapping[str, Any], fields: Fields) -> str:
    return (
        f"{place_name(path, line)}: {shown(row.get(str(fields.prompt)))} was there before, with others in between. To "
        "compare the completions of a group, its rows must be next to each other: sort the file by "
        f"{shown(fields.prompt)}, or name a column that distinguishes groups: --prompt NAME."
    )
