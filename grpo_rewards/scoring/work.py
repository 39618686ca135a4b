"""Scores one chunk of the files: its rows are parsed, scored, added up and written out as lines."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from time import monotonic
from typing import Any, NamedTuple

from grpo_rewards.completion.from_tables import without_arrays
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.function import least_best
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.scoring.fields import Fields, fields_of
from grpo_rewards.scoring.rows import BEGINNING, Chunk, Malformed, Numbered, Place, Source, place_name
from grpo_rewards.scoring.tally import Tally
from grpo_rewards.verdict import Verdict

KEPT_LIMIT = 2_000  # characters of a prediction; the completion itself is in the row
SIDE_LIMIT = 200  # characters of an answer, or of a gold, in a why
CALL_ROWS = 64  # that rewards score at once
GROUPED_ROWS = 64  # of a chunk of whole groups, at least
INPUT_COLUMN = "input/{}"  # what a column of the file is called that has the name of one that is written


@dataclass
class Scored:
    """What came of a chunk.

    Attributes:
        after: the place behind it.
        read: how many bytes of the files lie before that place, about.
        tally: what its verdicts come to.
        malformed: what could not be read.
        lines: JSON lines of the rows with their verdicts, if these are wanted.
        seconds: how long it took.
    """

    after: Place
    read: int
    tally: Tally
    malformed: list[Malformed]
    lines: bytes
    seconds: float


class Part(NamedTuple):
    """Rows that were scored in one call: for each reward their verdicts, and the group of each if that is known."""

    rows: list[Numbered]
    verdicts: list[list[Verdict]]
    groups: list[bytes] | None


@dataclass(frozen=True)
class Scoring:
    """Scores chunks. It is handed to other processes.

    Attributes:
        rewards: which score.
        fields: where in a row things are.
        keeps_lines: whether the rows are wanted with their verdicts.
        by_group: whether the rewards score one group at once, of chunks of whole groups.
    """

    rewards: tuple[Reward, ...]
    fields: Fields
    keeps_lines: bool = False
    by_group: bool = False

    def stream(self, source: Source, start: Place = BEGINNING) -> Iterator[Chunk]:
        """The chunks of files from a place on, of whole groups where the rewards score one group at once."""
        chunks = source.chunks(start)
        return whole_groups(chunks, self.fields) if self.by_group else chunks

    def __call__(self, chunk: Chunk) -> Scored:
        """What comes of the chunk."""
        begun = monotonic()
        rows, malformed = self.fields.readable(chunk)
        tally, lines = tally_of(self.rewards, len(malformed)), list[bytes]()
        for part in self.parts(rows, chunk.path):
            tally.add(part.verdicts, part.groups)
            if self.keeps_lines:
                lines += self._written(part)
        return Scored(chunk.after, chunk.read, tally, malformed, b"".join(lines), monotonic() - begun)

    def parts(self, rows: Sequence[Numbered], path: str) -> Iterator[Part]:
        """The rows with their verdicts, one call of the rewards after the other."""
        groups = self.fields.groups([row for _, row, _ in rows])
        at_once = rows_at_once(self.rewards)
        starts = list(range(0, len(rows), at_once))
        if self.by_group and groups:
            starts = [at for at in range(len(rows)) if not at or groups[at] != groups[at - 1]]
        for start, end in pairwise([*starts, len(rows)] if rows else []):
            part = list(rows[start:end])
            yield Part(part, self.verdicts(part, path), groups and groups[start:end])

    def verdicts(self, rows: Sequence[Numbered], path: str = "") -> list[list[Verdict]]:
        """For each reward the verdicts of the rows.

        Raises:
            RewardError: a reward raised; the message names the line.
        """
        try:
            return self._verdicts_of([row for _, row, _ in rows])
        except (Exception, SystemExit) as error:  # a reward that exits must not end the command as if all were done
            for number, row, _ in rows:  # which of them is it?
                try:
                    self._verdicts_of([row])
                except (Exception, SystemExit) as one:  # whatever a reward of the user's raises
                    why = str(one) if isinstance(one, RewardError) else f"{type(one).__name__}: {one}"
                    raise RewardError(f"{_named(path, number)}: {why}") from one
            raise RewardError(f"{_named(path, rows[0][0])} and the next {len(rows) - 1}: {error}") from error

    def _verdicts_of(self, rows: Sequence[dict[str, Any]]) -> list[list[Verdict]]:
        completions = [without_arrays(row[self.fields.completion]) for row in rows]
        call = Call.given_by_trainer(completions, self.fields.given(rows))  # one: what a reward finds, others share
        return [reward.verdicts(call) for reward in self.rewards]

    def _written(self, part: Part) -> Iterator[bytes]:
        """The rows with their verdicts as JSON lines."""
        names = [one.name for one in self.rewards]
        for (_, row, line), *its in zip(part.rows, *part.verdicts, strict=True):
            added = {column: value for name, one in zip(names, its, strict=True) for column, value in cells(name, one)}
            yield _line(row, line, added) + b"\n"


def scoring_of(
    rewards: tuple[Reward, ...],
    row: Mapping[str, Any],
    completion: str | None,
    prompt: str | None,
    tokenizer: str | None,
    by_group: bool,
    keeps_lines: bool = False,
) -> Scoring:
    """How rewards score rows of which this is the first; names of columns and of the tokenizer as they were given.

    Raises:
        RewardError: as ``fields_of``, or rewards must score one group at a time and the groups are not known.
    """
    fields = fields_of(row, rewards, completion, prompt, tokenizer)
    comparing = [one.name for one in rewards if compares_groups(one)]
    if (comparing or by_group) and fields.prompt is None:
        why = f"reward '{comparing[0]}' compares the completions of a group, and " if comparing else ""
        raise RewardError(f"{why}no column shows which rows are one. Name what they have in common: --prompt NAME.")
    return Scoring(rewards, fields, keeps_lines, by_group or bool(comparing))


def rows_at_once(rewards: Sequence[Reward]) -> int:
    """How many rows the rewards score at once: many, if one of them waits for several side by side."""
    return max(2 * one.options["concurrency"] if "concurrency" in all_options(one) else CALL_ROWS for one in rewards)


def _named(path: str, number: int) -> str:
    return place_name(path, number) if path else f"row {number} of a batch"


def tally_of(rewards: Sequence[Reward], malformed: int = 0) -> Tally:
    """A tally of these rewards that holds nothing yet."""
    best = tuple(None if one.range is None else least_best(one.range[1]) for one in rewards)
    return Tally(tuple(one.name for one in rewards), best, malformed=malformed)


def cells(name: str, verdict: Verdict) -> list[tuple[str, Any]]:
    """What is written of a verdict, with the columns that it goes to."""
    reward, prediction = verdict.reward, verdict.prediction
    why = verdict.details.get("why")
    if not why:
        why = _wanted(verdict) if reward is None or reward <= 0 else ""
    return [
        (name, reward),
        (f"{name}/reason", verdict.reason),
        (f"{name}/prediction", prediction if prediction is None else str(prediction)[:KEPT_LIMIT]),
        (f"{name}/why", str(why)[:KEPT_LIMIT]),
    ]


def _wanted(verdict: Verdict) -> str:
    """What an answer that earns nothing was compared with, or that its gold cannot be read."""
    prediction, answer = verdict.prediction, verdict.answer
    if answer is None:
        return ""
    if verdict.reward is None:
        return f"the gold {shown(answer)} cannot be read" if verdict.reason == "bad_answer" else ""
    return "" if prediction is None else f"{str(prediction)[:SIDE_LIMIT]}, wanted {str(answer)[:SIDE_LIMIT]}"


def moved(names: Collection[str], added: Container[str]) -> dict[str, str]:
    """What the columns of a file are called that would be written over, by columns that are added or by each other."""
    upcoming = [name for name in names if name in added]
    found: dict[str, str] = {}
    for name in upcoming:
        found[name] = INPUT_COLUMN.format(name)
        if found[name] in names:  # of a file that was scored before
            upcoming.append(found[name])
    return found


def _line(row: Mapping[str, Any], line: bytes | None, added: Mapping[str, Any]) -> bytes:
    """The row with its verdicts as JSON. A line that was read is taken as it is, and longer by what is added."""
    addition = json.dumps(added).encode()
    if line is None or not added.keys().isdisjoint(row):
        names = moved(row, added)
        kept = {names.get(name, name): value for name, value in row.items()}
        return json.dumps({**kept, **added}, default=str).encode()
    return line[:-1].rstrip() + (b", " if row else b"") + addition[1:]


def compares_groups(one: Reward) -> bool:
    """Whether the reward, or one inside it, compares the completions of a group."""
    return "num_generations" in all_options(one)


def all_options(one: Reward) -> dict[str, Any]:
    """The options of a reward and of all that are inside it, by name."""
    return {name: value for other in (*every_reward(one), one) for name, value in other.options.items()}


def whole_groups(stream: Iterator[Chunk], fields: Fields) -> Iterator[Chunk]:
    """The rows in chunks that end where a group does: where the next row has another prompt, or a file ends.

    Raises:
        RewardError: rows of a prompt are apart from each other in a file.
    """
    held: Chunk | None = None
    last, seen = b"", set[bytes]()
    for chunk in stream:
        held = held or replace(chunk, items=[])
        rows, _ = fields.readable(chunk)
        grouped = zip(rows, fields.groups([row for _, row, _ in rows]) or (), strict=True)
        of_line = {number: list(its) for number, its in groupby(grouped, lambda one: one[0][0])}
        for number, held_there in chunk.items:
            for at, ((_, row, _), group) in enumerate(of_line.get(number, ())):  # a line may hold several rows
                if group != last and group in seen:
                    raise RewardError(_apart(chunk.path, number, row, fields))
                if group != last and at == 0 and len(held.items) >= GROUPED_ROWS:
                    yield replace(held, after=Place(chunk.file, number - 1))
                    held = replace(chunk, items=[])
                seen.add(group)
                last = group
            held.items.append((number, held_there))
        held = replace(held, after=chunk.after, read=chunk.read)
        if chunk.after.files > chunk.file:
            yield held
            held, last, seen = None, b"", set()


def _apart(path: str, line: int, row: Mapping[str, Any], fields: Fields) -> str:
    return (
        f"{place_name(path, line)}: {shown(row.get(str(fields.prompt)))} was there before, with others in between. To "
        "compare the completions of a group, its rows must be next to each other: sort the file by "
        f"{shown(fields.prompt)}, or name a column that distinguishes groups: --prompt NAME."
    )
