"""Scores one chunk of the files: its rows are parsed, scored, added up and written out as lines."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from time import monotonic
from typing import IO, Any

from grpo_rewards.completion.text import without_arrays
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.function import least_best
from grpo_rewards.scoring.fields import Fields, all_options
from grpo_rewards.scoring.rows import Chunk, Item, Malformed, Numbered, Source, place_name
from grpo_rewards.scoring.tally import Tally
from grpo_rewards.verdict import Verdict

KEPT_LIMIT = 2_000  # characters of a prediction; the completion itself is in the row
SIDE_LIMIT = 200  # characters of an answer, or of a gold, in a why
CALL_ROWS = 64  # that rewards score at once
AS_WRITTEN = json.JSONEncoder(default=str)
INPUT = "input/"  # before the name of a column of the file that has that of one that is written


@dataclass
class Scored:
    """What came of a chunk.

    Attributes:
        read: how many bytes of the files were read, up to its end, about.
        tally: what its verdicts come to.
        malformed: what could not be read.
        lines: JSON lines of the rows with their verdicts, if these are wanted.
        seconds: how long it took.
    """

    read: int
    tally: Tally
    malformed: list[Malformed]
    lines: bytes
    seconds: float


@dataclass(frozen=True)
class Scoring:
    """Scores chunks. It is handed to other processes.

    Attributes:
        rewards: which score.
        fields: where in a row things are.
        keeps_lines: whether the rows are wanted with their verdicts.
    """

    rewards: tuple[Reward, ...]
    fields: Fields
    keeps_lines: bool = False

    def stream(self, source: Source) -> Iterator[Chunk]:
        """The chunks of files, of whole groups where the rewards score one group at once."""
        return source.chunks(GroupStarts(self.fields) if self.fields.by_group else None)

    def __call__(self, chunk: Chunk) -> Scored:
        """What comes of the chunk."""
        begun = monotonic()
        rows, malformed = chunk.rows(self.fields.unreadable)
        tally, lines = tally_of(self.rewards, len(malformed)), list[bytes]()
        for part, verdicts, groups in self.parts(rows, chunk.path):
            tally.add(verdicts, groups)
            if self.keeps_lines:
                lines += self._written(part, verdicts)
        return Scored(chunk.read, tally, malformed, b"".join(lines), monotonic() - begun)

    def kept(self, chunk: Chunk, lines: IO[bytes]) -> Scored | None:
        """What came of a chunk in an earlier run, by the next lines of its output.

        Where these end too early, they are taken away, and it is ``None``.

        Raises:
            RewardError: a line is of another row, or is damaged.
        """
        begun, size = monotonic(), lines.tell()
        rows, malformed = chunk.rows(self.fields.unreadable)
        verdicts: list[list[Verdict]] = [[] for _ in self.rewards]
        for number, row in rows:
            line, beginning = lines.readline(), self._beginning(row)
            if not line.endswith(b"\n"):
                lines.truncate(size)  # the chunk is scored again
                return None
            try:
                if not line.startswith(beginning):
                    raise ValueError("it is of another row")
                its = json.loads(b"{" + line.removeprefix(beginning))
                for reward, found in zip(self.rewards, verdicts, strict=True):
                    found.append(Verdict(its[reward.name], its[f"{reward.name}/reason"]))
            except (ValueError, LookupError):
                raise RewardError(
                    f"{lines.name} is not as it was left, or {place_name(chunk.path, number)} is not: the one does not "
                    "hold the verdicts on the other. Put it back, give another name, or begin anew: --overwrite."
                ) from None
        tally = tally_of(self.rewards, len(malformed))
        if rows:
            tally.add(verdicts, self.fields.groups([row for _, row in rows]))
        return Scored(chunk.read, tally, malformed, b"", monotonic() - begun)

    def parts(
        self, rows: Sequence[Numbered], path: str
    ) -> Iterator[tuple[Sequence[Numbered], list[list[Verdict]], list[bytes] | None]]:
        """(rows, of each reward the verdicts, the group of each row if that is known) of each call of the rewards."""
        groups = self.fields.groups([row for _, row in rows])
        at_once = rows_at_once(self.rewards)
        starts = list(range(0, len(rows), at_once))
        if self.fields.by_group and groups:
            starts = [at for at in range(len(rows)) if not at or groups[at] != groups[at - 1]]
        for start, end in pairwise([*starts, len(rows)] if rows else []):
            part = rows[start:end]
            yield part, self.verdicts(part, path), groups and groups[start:end]

    def verdicts(self, rows: Sequence[Numbered], path: str = "") -> list[list[Verdict]]:
        """For each reward the verdicts of the rows.

        Raises:
            RewardError: a reward raised; the message names the line.
        """
        try:
            return self._verdicts_of([row for _, row in rows])
        except (Exception, SystemExit) as error:  # a reward that exits must not end the command as if all were done
            for number, row in rows:  # which of them is it?
                try:
                    self._verdicts_of([row])
                except (Exception, SystemExit) as one:  # whatever a reward of the user's raises
                    why = str(one) if isinstance(one, RewardError) else f"{type(one).__name__}: {one}"
                    raise RewardError(f"{place_name(path, number)}: {why}") from one
            raise RewardError(f"{place_name(path, rows[0][0])} and the next {len(rows) - 1}: {error}") from error

    def _verdicts_of(self, rows: Sequence[dict[str, Any]]) -> list[list[Verdict]]:
        completions = [without_arrays(row[self.fields.completion]) for row in rows]
        call = Call.given_by_trainer(completions, self.fields.given(rows))  # one: what a reward finds, others share
        return [reward.verdicts(call) for reward in self.rewards]

    def _written(self, rows: Sequence[Numbered], verdicts: Sequence[Sequence[Verdict]]) -> Iterator[bytes]:
        """The rows with their verdicts as JSON lines."""
        for (_, row), *its in zip(rows, *verdicts, strict=True):
            added: dict[str, Any] = {}
            for reward, verdict in zip(self.rewards, its, strict=True):
                added |= cells(reward.name, verdict)
            yield self._beginning(row) + AS_WRITTEN.encode(added)[1:].encode() + b"\n"

    def _beginning(self, row: Mapping[str, Any]) -> bytes:
        """How the JSON line of a row begins, before its verdicts: the columns of the file in their order."""
        names = moved(row, self.columns)
        return AS_WRITTEN.encode({names.get(name, name): value for name, value in row.items()})[:-1].encode() + b", "

    @cached_property
    def columns(self) -> list[str]:
        """The columns that verdicts go to."""
        return [column for one in self.rewards for column in cells(one.name, Verdict(None, ""))]


def rows_at_once(rewards: Sequence[Reward]) -> int:
    """How many rows the rewards score at once: many, if one of them waits for several side by side."""
    return max(2 * one.options["concurrency"] if "concurrency" in all_options(one) else CALL_ROWS for one in rewards)


def tally_of(rewards: Sequence[Reward], malformed: int = 0) -> Tally:
    """A tally of these rewards that holds nothing yet."""
    best = tuple(None if one.range is None else least_best(one.range[1]) for one in rewards)
    return Tally(tuple(one.name for one in rewards), best, malformed=malformed)


def cells(name: str, verdict: Verdict) -> dict[str, Any]:
    """What is written of a verdict, by the columns that it goes to."""
    reward, prediction = verdict.reward, verdict.prediction
    why = verdict.details.get("why")
    if not why:
        why = _wanted(verdict) if reward is None or reward <= 0 else ""
    return {
        name: reward,
        f"{name}/reason": verdict.reason,
        f"{name}/prediction": prediction if prediction is None else str(prediction)[:KEPT_LIMIT],
        f"{name}/why": str(why)[:KEPT_LIMIT],
    }


def _wanted(verdict: Verdict) -> str:
    """What an answer that earns nothing was compared with, or that its gold cannot be read."""
    prediction, answer = verdict.prediction, verdict.answer
    if answer is None:
        return ""
    if verdict.reward is None:
        return f"the gold {shown(answer)} cannot be read" if verdict.reason == "bad_answer" else ""
    return "" if prediction is None else f"{str(prediction)[:SIDE_LIMIT]}, wanted {str(answer)[:SIDE_LIMIT]}"


def moved(names: Collection[str], added: Iterable[str]) -> dict[str, str]:
    """What the columns of a file are called that have the name of one that is added."""
    found = {name: f"{INPUT}{name}" for name in added if name in names}
    for name in found:
        while found[name] in names:  # of a file that was scored before
            found[name] = f"{INPUT}{found[name]}"
    return found


class GroupStarts:
    """Whether a group begins where a row of a stream stands, in whose files the rows of a group are neighbours."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.path, self.last, self.seen = "", b"", set[bytes]()

    def __call__(self, path: str, item: Item) -> bool:
        """Whether one begins with this row, or with the first of several in its line.

        Raises:
            RewardError: rows of a group are apart from each other in the file.
        """
        if path != self.path:
            self.path, self.last, self.seen = path, b"", set()
        rows = [row for _, row in Chunk(path, [item]).rows(self.fields.unreadable)[0]]
        groups = self.fields.groups(rows) or []
        begins = bool(groups) and groups[0] != self.last
        for row, group in zip(rows, groups, strict=True):
            if group != self.last and group in self.seen:
                raise RewardError(_apart(path, item[0], row, self.fields))
            self.seen.add(group)
            self.last = group
        return begins


def _apart(path: str, line: int, row: Mapping[str, Any], fields: Fields) -> str:
    return (
        f"{place_name(path, line)}: {shown(row.get(str(fields.prompt)))} was there before, with others in between. To "
        "compare the completions of a group, its rows must be next to each other: sort the file by "
        f"{shown(fields.prompt)}, or name a column that distinguishes groups: --prompt NAME."
    )
