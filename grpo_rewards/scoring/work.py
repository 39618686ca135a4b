"""One chunk of the files: where in its rows things are, what rewards make of them, and what is written of that."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import IO, Any, NamedTuple

from grpo_rewards.completion.linear_patterns import encodable
from grpo_rewards.completion.text import completion_text, from_json, without_arrays
from grpo_rewards.completion_tables import STEP_COLUMNS
from grpo_rewards.errors import as_text, listed, missing_column, shown
from grpo_rewards.registry import Reward, RewardError, gold_columns
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward, joined, leaves
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer
from grpo_rewards.scoring.rows import COMPLETIONS, Chunk, Item, Malformed, Numbered, Source, place_name
from grpo_rewards.verdict import Verdict

PROMPTS = ("prompt", "question", "problem", "query", "instruction", "input")
IDS = "completion_ids"
AS_TEXT = json.JSONEncoder(default=str, sort_keys=True)
LOGGED_GOLD = "/answer"  # how a column of TRL's table ends in which a reward logged what it compared with
KEPT_LIMIT = 2_000  # characters of a prediction; the completion itself is in the row
SIDE_LIMIT = 200  # characters of an answer, or of a gold, in a why
CALL_ROWS = 64  # that rewards score at once
AS_WRITTEN = json.JSONEncoder(default=str)
INPUT = "input/"  # before the name of a column of the file that has that of one that is written


class Fields(NamedTuple):
    """What the columns of a file are for.

    Attributes:
        completion: the column of the completion.
        prompt: the column of the prompt, or ``None``. Rows that have it in common are a group.
        columns: those that rewards read and that are in the file.
        golds: a column in which a reward logged its golds, or ``None``: where one is missing in the file itself.
        read: all columns that rewards may read.
        step: the column of the step, in a run's table of completions: there a group is of one prompt and one step.
        tokenizer: the name of what counts the tokens of rows that have no ``completion_ids``; ``None`` if nothing does.
        by_group: whether the rewards score one group at once, of chunks of whole groups.
    """

    completion: str
    prompt: str | None
    columns: tuple[str, ...]
    golds: str | None
    read: tuple[str, ...]
    step: str | None
    tokenizer: str | None
    by_group: bool

    def given(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What the rewards are called with for these rows, beside the completions."""
        given: dict[str, Any] = {name: [row.get(name) for row in rows] for name in self.columns}
        if self.golds is not None:
            found = [_logged(row.get(self.golds)) for row in rows]
            given |= {name: [one.get(name) for one in found] for name in self.read if name not in given}
        if self.prompt is not None:
            given["prompts"] = [row.get(self.prompt) for row in rows]
        ids = [from_json(row.get(IDS)) for row in rows]  # of CSV a text
        if self.tokenizer is not None:
            counted = iter(self._counted([row for row, one in zip(rows, ids, strict=True) if one is None]))
            ids = [next(counted) if one is None else one for one in ids]
        if None not in ids:
            given[IDS] = ids
        return given

    def _counted(self, rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """Of each row the tokens of its text. Of several messages they are unknown, and rewards report that."""
        # half a pair of JSON is no text
        texts = [encodable(completion_text(without_arrays(row[self.completion]))) for row in rows]
        tokenizer = load_tokenizer(str(self.tokenizer))
        found: list[list[int]] = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
        return found

    def groups(self, rows: Sequence[Numbered]) -> list[bytes] | None:
        """Of each row what it has in common with the others of its group; ``None`` if that is not known."""
        if self.prompt is None:
            return None
        texts = (AS_TEXT.encode([row.get(self.step or ""), row.get(self.prompt)]) for _, row in rows)
        return [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]

    def unreadable(self, row: Mapping[str, Any]) -> str | None:
        """Why a row cannot be scored, or ``None``."""
        completion = row.get(self.completion)
        if type(completion) is str:
            return None
        if completion is None:
            return f"it has no {shown(self.completion)}, or it is empty"
        messages = [completion] if isinstance(completion, dict) else without_arrays(completion, 1)
        if isinstance(messages, list) and all(
            isinstance(one, dict) and {"content", "role"} & {*one} for one in messages
        ):
            return None
        return f"{shown(self.completion)} is {shown(completion)}, and neither a text nor a list of messages"


def _logged(cell: Any) -> dict[str, Any]:
    """The golds that a reward logged for a row; none where the end of the cell was cut off, which cannot be scored."""
    try:
        return {name: values[0] for name, values in gold_columns([cell]).items()} if isinstance(cell, str) else {}
    except RewardError:
        return {}


def fields_of(
    row: Mapping[str, Any],
    rewards: Sequence[Reward],
    completion: str | None = None,
    prompt: str | None = None,
    tokenizer: str | None = None,
    by_group: bool = False,
) -> Fields:
    """What the columns of a file are for, from its first row.

    Args:
        row: it.
        rewards: which read it.
        completion: the column of the completion, if it was named.
        prompt: the column of the prompt, if it was named.
        tokenizer: what counts tokens, if it was named.
        by_group: whether one group is to be scored at once. If a reward compares the completions of a group, it is.

    Raises:
        RewardError: the column of completions is unknown, a column is missing, tokens cannot be counted, or groups are
            needed and not known.
    """
    for wanted in (completion, prompt):
        if wanted is not None and wanted not in row:
            raise RewardError(f"there is no column {shown(wanted)}. Columns: {listed(row)}.")
    needed = joined(*(one.columns for one in rewards))
    read = joined(needed, (column.name for one in rewards for column in one.read_columns))
    is_of_run = {"prompt", "completion"} <= {*row} and not {"advantage", "advantages"}.isdisjoint(row)
    completion = completion or next((name for name in COMPLETIONS if name in row and name not in needed), None)
    if completion is None:
        why = f"which column holds the completions? Columns: {listed(row)}."
        raise RewardError(f"{why} Give --completion NAME, or completion=… in Python.")
    prompt = prompt or next((name for name in PROMPTS if name in row and name != completion), None)
    comparing = [one.name for one in rewards if compares_groups(one)]
    if (comparing or by_group) and prompt is None:
        why = f"reward '{comparing[0]}' compares the completions of a group, and " if comparing else ""
        raise RewardError(f"{why}no column shows which rows are one. Name what they have in common: --prompt NAME.")
    return Fields(
        completion,
        prompt,
        columns=tuple(name for name in read if name in row),
        golds=_golds(row, rewards, [name for name in needed if name not in row]),
        read=read,
        step=next((name for name in STEP_COLUMNS if name in row), None) if is_of_run else None,
        tokenizer=_tokenizer_for(row, rewards, tokenizer),
        by_group=by_group or bool(comparing),
    )


def compares_groups(one: Reward) -> bool:
    """Whether the reward, or one inside it, compares the completions of a group."""
    return "num_generations" in all_options(one)


def all_options(one: Reward) -> dict[str, Any]:
    """The options of a reward and of all that are inside it, by name."""
    return {name: value for other in (*every_reward(one), one) for name, value in other.options.items()}


def _tokenizer_for(row: Mapping[str, Any], rewards: Sequence[Reward], named: str | None) -> str | None:
    """What counts the tokens of rows without their ids: what was named, or what a reward is bound to."""
    readers = [one for one in leaves(*rewards) if isinstance(one, FunctionReward) and IDS in one.signature.reads]
    if named is None and row.get(IDS) is None:
        bound = joined(one.options["tokenizer"] for one in readers if one.options.get("tokenizer"))
        needing = [one.name for one in readers if IDS not in one.signature.optional]
        if len(bound) > 1 or (needing and not bound):
            why = f"the rewards are bound to those of {listed(bound)}" if bound else f"'{needing[0]}' counts them"
            raise RewardError(
                f"there is no column {shown(IDS)}, and {why}. Name the tokenizer that counts those of the completions: "
                "--tokenizer NAME, or tokenizer=… in Python."
            )
        named = bound[0] if bound else None
    if named is not None:
        load_tokenizer(named)  # what is wrong with it is reported before anything is scored
    return named


def _golds(row: Mapping[str, Any], rewards: Sequence[Reward], missing: Sequence[str]) -> str | None:
    """The column of logged golds that has what is missing; ``None`` if nothing is."""
    if not missing:
        return None
    logged = [name for name in row if name.endswith(LOGGED_GOLD)]
    own = [name for one in rewards if (name := f"{one.name}{LOGGED_GOLD}") in logged]
    for name in (*own, *logged):
        if row[name] is None or set(missing) <= set(_logged(row[name])):
            return name
    reader = next(one for one in rewards if missing[0] in one.columns)
    called = next((one.read_as for one in reader.read_columns if one.name == missing[0]), None)
    others = [name for name in row if f"{name}/reason" not in row]  # a reward is no gold
    raise RewardError(" ".join(missing_column(reader.name, missing[0], others, called)))


@dataclass
class Scored:
    """What came of a chunk.

    Attributes:
        read: how many bytes of the files were read, up to its end, about.
        verdicts: for each reward the number and the reason of each row.
        groups: of each row the group, if that is known.
        malformed: what could not be read.
        lines: JSON lines of the rows with their verdicts, if these are wanted.
    """

    read: int
    verdicts: list[list[tuple[Any, ...]]]
    groups: list[bytes] | None
    malformed: list[Malformed]
    lines: bytes = b""


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
        """The chunks of files, of whole groups where the rewards score one group at once.

        Raises:
            RewardError: rows of a group are apart from each other in their file; or as of ``Source.chunks``.
        """
        seen = set[tuple[str, bytes]]()
        last = ("", b"")

        def begins_group(path: str, item: Item) -> bool:
            nonlocal last
            rows, _ = Chunk(path, [item]).rows(self.fields.unreadable)
            groups = [(path, group) for group in self.fields.groups(rows) or []]
            is_another = bool(groups) and groups[0] != last
            for (number, row), group in zip(rows, groups, strict=True):
                if group != last and group in seen:
                    raise RewardError(
                        f"{place_name(path, number)}: {shown(row.get(str(self.fields.prompt)))} was there before, with "
                        "others in between. To compare the completions of a group, its rows must be next to each "
                        f"other: sort the file by {shown(self.fields.prompt)}, or name a column that distinguishes "
                        "groups: --prompt NAME."
                    )
                seen.add(group)
                last = group
            return is_another

        return source.chunks(begins_group if self.fields.by_group else None)

    def __call__(self, chunk: Chunk) -> Scored:
        """What comes of the chunk."""
        rows, malformed = chunk.rows(self.fields.unreadable)
        lines, found = list[bytes](), [list[tuple[Any, ...]]() for _ in self.rewards]
        for part, verdicts in self.parts(rows, chunk.path):
            for of_reward, its in zip(found, verdicts, strict=True):
                of_reward += [one[:2] for one in its]
            if self.keeps_lines:
                lines += self._written(part, verdicts)
        return Scored(chunk.read, found, self.fields.groups(rows), malformed, b"".join(lines))

    def kept(self, chunk: Chunk, lines: IO[bytes]) -> Scored | None:
        """What came of a chunk in an earlier run, by the next lines of its output.

        Where these end too early, they are taken away, and it is ``None``.

        Raises:
            RewardError: a line is of another row, or is damaged.
        """
        size = lines.tell()
        rows, malformed = chunk.rows(self.fields.unreadable)
        found = [list[tuple[Any, ...]]() for _ in self.rewards]
        for number, row in rows:
            line, beginning = lines.readline(), self._beginning(row)
            if not line.endswith(b"\n"):
                lines.truncate(size)  # the chunk is scored again
                return None
            try:
                its = json.loads(b"{" + line.removeprefix(beginning)) if line.startswith(beginning) else {}
                for reward, of_reward in zip(self.rewards, found, strict=True):
                    of_reward.append((its[reward.name], its[f"{reward.name}/reason"]))
            except (ValueError, LookupError):
                raise RewardError(
                    f"{place_name(chunk.path, number)} differs from the row recorded in {lines.name}. Restore it, "
                    "choose another output, or use --overwrite."
                ) from None
        return Scored(chunk.read, found, self.fields.groups(rows), malformed)

    def parts(self, rows: Sequence[Numbered], path: str) -> Iterator[tuple[Sequence[Numbered], list[list[Verdict]]]]:
        """(rows, of each reward the verdicts) of each call of the rewards."""
        groups = self.fields.groups(rows) if self.fields.by_group else None
        starts = [at for at in range(len(rows)) if at == 0 or (groups and groups[at] != groups[at - 1])]
        for start, end in pairwise([*starts, len(rows)]):
            yield rows[start:end], self.verdicts(rows[start:end], path)

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


def cells(name: str, verdict: Verdict) -> dict[str, Any]:
    """What is written of a verdict, by the columns that it goes to."""
    prediction = verdict.prediction
    return {
        name: verdict.reward,
        f"{name}/reason": verdict.reason,
        f"{name}/prediction": prediction if prediction is None else as_text(prediction)[:KEPT_LIMIT],
        f"{name}/why": as_text(verdict.details.get("why") or _wanted(verdict))[:KEPT_LIMIT],
    }


def _wanted(verdict: Verdict) -> str:
    """What an answer that earns nothing was compared with, or that its gold cannot be read."""
    reward, prediction, answer = verdict.reward, verdict.prediction, verdict.answer
    if reward is None and answer is not None and verdict.reason == "bad_answer":
        return f"the gold {shown(answer)} cannot be read"
    if reward is None or reward > 0 or prediction is None or answer in (None, prediction):
        return ""
    return f"{as_text(prediction)[:SIDE_LIMIT]}, wanted {as_text(answer)[:SIDE_LIMIT]}"


def moved(names: Collection[str], added: Iterable[str]) -> dict[str, str]:
    """What the columns of a file are called that have the name of one that is added."""
    found = {name: f"{INPUT}{name}" for name in added if name in names}
    for name in found:
        while found[name] in names:  # of a file that was scored before
            found[name] = f"{INPUT}{found[name]}"
    return found
