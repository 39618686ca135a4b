"""Which rows are of one group, and pieces of whole groups for rewards that compare the completions of one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.scoring.fields import Fields, one_by_one
from grpo_rewards.scoring.piece import Malformed, Numbered, Piece, place_name

__all__ = ["Grouping", "all_options", "compares_groups", "readable_rows", "scores_by_group", "whole_groups"]

GROUPED_ROWS = 64  # of a piece of whole groups, at least


class Grouping:
    """Which rows are of one group."""

    def __init__(self, fields: Fields) -> None:
        self.prompt, self.step = fields.prompt, fields.step

    def of(self, rows: Sequence[Mapping[str, Any]]) -> list[bytes] | None:
        """Of each row what it has in common with the others of its group; ``None`` if that is not known."""
        if self.prompt is None:
            return None
        if self.step is not None:
            return [_digest([row.get(self.step), row.get(self.prompt)]) for row in rows]
        return [_digest(row.get(self.prompt)) for row in rows]


def _digest(value: Any) -> bytes:
    text = value if type(value) is str else json.dumps(value, default=str, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


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


def readable_rows(piece: Piece, fields: Fields) -> tuple[list[Numbered], list[Malformed]]:
    """(the rows that can be scored; what is malformed)."""
    objects, malformed = piece.rows()
    rows = []
    for at, row, line in one_by_one(objects):
        why = fields.unreadable(row)
        if why is None:
            rows.append((at, row, line))
        else:
            text = json.dumps(row, default=str) if line is None else line.decode("utf-8", "replace")
            malformed.append(Malformed(piece.path, piece.number(at), why, text))
    return rows, sorted(malformed, key=lambda one: one.line)


@dataclass
class Groups(Piece):
    """The rows of whole groups, known within it by their numbers in the file.

    Attributes:
        numbered: them.
        malformed: what stands between them and is no row.
    """

    numbered: list[Numbered] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        return self.numbered, self.malformed

    def number(self, at: int) -> int:
        return at


def whole_groups(stream: Iterator[Piece], fields: Fields) -> Iterator[Piece]:
    """The rows in pieces that end where a group does: where the next row has another prompt, or a file ends.

    Raises:
        RewardError: rows of a prompt are apart from each other in a file.
    """
    held: Groups | None = None
    last, seen = b"", set[bytes]()
    for piece in stream:
        if held is not None and held.start.files != piece.start.files:
            yield held
            held, last, seen = None, b"", set()
        held = held or Groups(piece.path, piece.start, piece.after, piece.begun, piece.read)
        rows, malformed = readable_rows(piece, fields)
        first = piece.number(0)
        for (at, row, line), group in zip(rows, Grouping(fields).of([row for _, row, _ in rows]) or (), strict=True):
            if group != last:
                if group in seen:
                    raise RewardError(_apart(piece.path, first + at, row, fields))
                seen.add(group)
                is_new = not held.numbered or held.numbered[-1][0] != first + at  # a line may hold several rows
                if len(held.numbered) >= GROUPED_ROWS and is_new:
                    held.after = place = piece.place(at)
                    held.malformed += _taken(malformed, first + at)
                    yield held
                    held = Groups(piece.path, place, piece.after, piece.begun, piece.read)
            last = group
            held.numbered.append((first + at, row, line))
        held.malformed += malformed
        held.after, held.read = piece.after, piece.read
    if held is not None:
        yield held


def _taken(malformed: list[Malformed], line: int) -> list[Malformed]:
    """What stands before the line, taken out of the list."""
    before = [one for one in malformed if one.line < line]
    del malformed[: len(before)]
    return before


def _apart(path: str, line: int, row: Mapping[str, Any], fields: Fields) -> str:
    return (
        f"{place_name(path, line)}: {shown(row.get(str(fields.prompt)))} was there before, with others in between. To "
        "compare the completions of a group, its rows must be next to each other: sort the file by "
        f"{shown(fields.prompt)}, or name a column that distinguishes groups: --prompt NAME."
    )
