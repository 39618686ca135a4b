"""``score_files``: rewards over files of completions, from the first line to the figures."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from grpo_rewards.checks.setup.names import with_distinct_names
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.scoring.fields import Fields, fields_of, one_by_one
from grpo_rewards.scoring.grouping import compares_groups, scores_by_group, whole_groups
from grpo_rewards.scoring.output import READ_ONCE, Output, without_output
from grpo_rewards.scoring.pool import in_order
from grpo_rewards.scoring.reward_code import reward_code
from grpo_rewards.scoring.rows import STDIN, Malformed, Place, Source, is_read_once, matching_files, size_of
from grpo_rewards.scoring.tally import Tally
from grpo_rewards.scoring.work import Scored, Scoring, rows_at_once, tally_of
from grpo_rewards.verdict import Verdict

__all__ = [
    "Progress",
    "Summary",
    "bound_to_columns",
    "first_row",
    "rewards_for_files",
    "score_files",
    "source_of",
    "undisturbed",
]

MALFORMED_SHOWN = 20
KNOWN_BYTES = 1 << 16  # at each end of a file
QUICK = 0.1  # seconds, below which the next chunks are larger; what slow rewards do is kept after each call
CALLS_OF_A_CHUNK = 16  # of each reward for a chunk
ROWS_AT_ONCE = 1_000  # of what is counted again
Progress = Callable[[int, int, Tally], None]


@dataclass
class Summary:
    """What scoring files came to.

    Attributes:
        tally: the figures.
        fields: what the columns were taken for.
        malformed: the first lines that could not be read; ``tally.malformed`` counts them all.
        kept: where the verdicts are, if they are kept.
        malformed_in: the file in which what could not be read is kept, if there is anything.
        is_whole: whether all files were read to their end; ``False`` after Ctrl-C.
    """

    tally: Tally
    fields: Fields
    malformed: list[Malformed] = field(default_factory=list)
    kept: Path | None = None
    malformed_in: Path | None = None
    is_whole: bool = False

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        malformed = [one._asdict() for one in self.malformed]
        kept = None if self.kept is None else str(self.kept)
        found = {**self.tally.as_json(), "first_malformed": malformed, "output": kept, "whole": self.is_whole}
        found["malformed_in"] = None if self.malformed_in is None else str(self.malformed_in)
        return {**found, "completion": self.fields.completion, "prompt": self.fields.prompt}


def score_files(
    specs: Sequence[str | Reward],
    paths: Sequence[str],
    *,
    completion: str | None = None,
    prompt: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    by_group: bool = False,
    processes: int = 1,
    progress: Progress | None = None,
) -> Summary:
    """Scores the completions in files, and keeps each verdict if that is wanted.

    The files are read as a stream, in their order: JSON lines, JSON, CSV, parquet. Memory grows with the number of
    distinct prompts alone. An output that was started with the same settings is resumed.

    Args:
        specs: rewards, or their specs.
        paths: files, folders and patterns such as ``run/*.jsonl``; TRL's own ``completions_*.parquet`` among them;
            ``-`` is standard input, JSON lines, and so is a pipe. These are read once: the output of a run that was
            interrupted cannot be resumed.
        completion: the column of the completion; without it, one with a usual name.
        prompt: the column that the completions of a group have in common; without it, one with a usual name.
        columns: what the files call the columns that rewards read, such as ``{"answer": "solution"}``.
        tokenizer: the name or the folder of the tokenizer that counts the tokens of rows which have no
            ``completion_ids``; without it, the one that a reward is bound to.
        output: where each row goes with its verdicts: a name that ends with ``.jsonl``.
        overwrite: begin anew, where ``output`` is there already.
        by_group: score one group at a time: the rows next to each other that have ``prompt`` in common.
            That is done for rewards which are known to compare the completions of a group, too.
        processes: how many score. With more than one, a script's own call must stand below
            ``if __name__ == "__main__"``.
        progress: called after each chunk with how many bytes of the files were read, how many there are, and the
            figures so far.

    Returns:
        The figures. After Ctrl-C those so far, and what is kept is valid.

    Raises:
        RewardError: a file is missing or damaged, columns are missing, a reward needs options or raised, rows of a
            group are apart from each other.
    """
    rewards = rewards_for_files(specs, columns)
    source = source_of(paths, rewards, output)
    fields = fields_of(first_row(source), rewards, completion, prompt, tokenizer)
    by_group = scores_by_group(rewards, fields, by_group)
    settings = {**_settings(rewards, source, fields), "by_group": by_group, "tokenizer": fields.tokenizer}
    kept = None if output is None else Output(Path(output), settings, overwrite)
    summary = Summary(tally_of(rewards), fields, kept=None if kept is None else kept.path)
    stream = source.chunks()
    if kept is not None and kept.start != Place():
        _count_again(summary, kept, rewards)
        stream = iter(()) if kept.is_done else source.chunks(kept.start)
    stream = whole_groups(stream, fields) if by_group else stream
    scoring = Scoring(rewards, fields, kept is not None, by_group)
    _drain(summary, in_order(scoring, stream, processes), kept, source, progress)
    if kept is not None and summary.tally.malformed:
        summary.malformed_in = kept.malformed_path
    return summary


def bound_to_columns(specs: Sequence[str | Reward], columns: Mapping[str, str] | None = None) -> tuple[Reward, ...]:
    """The rewards, ready to be called, that read the columns under the names that the rows have for them.

    Raises:
        RewardError: a spec or an option is wrong, or no reward reads a column that is named.
    """
    rewards = [get_reward(spec) for spec in ([specs] if isinstance(specs, str | Reward) else specs)]
    if not rewards:
        raise RewardError("name at least one reward.")
    columns = dict(columns or {})
    for name in columns:
        if not any(name in one.column_names for one in rewards):
            read = dict.fromkeys(column for one in rewards for column in one.column_names)
            raise RewardError(f"no reward reads a column {shown(name)}. They read {listed(read)}.")
    bound = []
    for one in rewards:
        its = {name: column for name, column in columns.items() if name in one.column_names}
        one = one.bind(columns=its) if its else one
        one.check_ready()
        bound.append(one)
    return tuple(bound)


def rewards_for_files(
    specs: Sequence[str | Reward], columns: Mapping[str, str] | None = None, why_no_groups: str | None = None
) -> tuple[Reward, ...]:
    """The rewards as ``bound_to_columns`` has them, under different names, which are those of columns.

    Args:
        specs: rewards, or their specs.
        columns: what the rows call the columns that rewards read.
        why_no_groups: why no reward sees a whole group here, for the message; ``None`` if they do.

    Raises:
        RewardError: two are the same, or one compares the completions of a group where none sees one.
    """
    named = with_distinct_names(bound_to_columns(specs, columns))[0]
    for one in named:
        if sum(one.name == other.name for other in named) > 1:
            raise RewardError(f"two rewards are called '{one.name}'. Give one another name: {one.name}(name='…').")
        if why_no_groups is not None and compares_groups(one):
            raise RewardError(
                f"reward '{one.name}' compares the completions of a group, and {why_no_groups}: score files with it, "
                f"or call it with whole groups, {one.name}.explain_all(completions, prompts=…)."
            )
    return tuple(named)


def source_of(paths: Sequence[str], rewards: Sequence[Reward], output: str | Path | None = None) -> Source:
    """The files of ``score_files``, in chunks that these rewards score at once, but for what lies in the output."""
    files: list[Path | str] = [STDIN]
    if list(paths) != [STDIN]:
        found = matching_files(paths)
        files = [*(found if output is None else without_output(found, paths, Path(output)))]
    return Source(files, rows_at_once(rewards))


def first_row(source: Source) -> dict[str, Any]:
    """The first row that can be read.

    Raises:
        RewardError: there is none.
    """
    malformed: list[Malformed] = []
    for chunk in source.looked_at():
        rows, broken = chunk.rows()
        for _, row, _ in one_by_one(rows):
            return row
        malformed += broken
    hint = f" The first line: {malformed[0]}." if malformed else ""
    if any(map(is_read_once, source.files)):
        hint += " Standard input and pipes are read as JSON lines."
    raise RewardError(f"there is no row in {listed(map(str, source.files))}.{hint}")


def _settings(rewards: Sequence[Reward], source: Source, fields: Fields) -> dict[str, Any]:
    """What decides about the verdicts that are kept."""
    from grpo_rewards import __version__

    # what is read once cannot be read again, so that nothing of it can be resumed
    files = [
        [str(path), *([os.getpid(), READ_ONCE] if is_read_once(path) else _known_by(path))] for path in source.files
    ]
    rewards_and_names = [f"{one.name}: {one!r} {dict(one.renamed_columns)}" for one in rewards]
    settings = {"files": files, "rewards": rewards_and_names, "fields": list(fields[:3]), "version": __version__}
    return settings | {f"the code of {name}": hashed for name, hashed in reward_code(rewards).items()}


def _known_by(path: Path | str) -> tuple[int, str]:
    """(size, hash of its two ends) of a file, by which it is known again; hashing all of it would take long."""
    size = size_of(path)
    with open(path, "rb") as file:
        ends = file.read(KNOWN_BYTES)
        file.seek(max(size - KNOWN_BYTES, 0))
        ends += file.read(KNOWN_BYTES)
    return size, hashlib.blake2b(ends, digest_size=16).hexdigest()


def _count_again(summary: Summary, kept: Output, rewards: Sequence[Reward]) -> None:
    """Adds up what was kept before."""
    for malformed in kept.malformed():
        summary.tally.malformed += 1
        _show_malformed(summary, [malformed])
    kept_rows = kept.rows()
    while rows := list(islice(kept_rows, ROWS_AT_ONCE)):
        verdicts = [[Verdict(row[one.name], row[f"{one.name}/reason"]) for row in rows] for one in rewards]
        summary.tally.add(verdicts, summary.fields.groups(rows))


def _show_malformed(summary: Summary, malformed: Sequence[Malformed]) -> None:
    summary.malformed += malformed[: max(MALFORMED_SHOWN - len(summary.malformed), 0)]


def _drain(
    summary: Summary, scored: Iterator[Scored], kept: Output | None, source: Source, progress: Progress | None
) -> None:
    """Takes what comes of each chunk, to the end or until Ctrl-C."""
    place = Place() if kept is None else kept.start
    most_rows = CALLS_OF_A_CHUNK * source.chunk_rows
    try:
        for one in scored:
            with undisturbed():
                summary.tally.merge(one.tally)
                _show_malformed(summary, one.malformed)
                if kept is not None:
                    kept.add(one)
                place = one.after
            if one.seconds < QUICK:
                source.chunk_rows = min(2 * source.chunk_rows, most_rows)
            if progress is not None:
                progress(one.read, source.size, summary.tally)
        summary.is_whole = True
    except KeyboardInterrupt:
        pass
    finally:
        scored.close()  # type: ignore[attr-defined]  # a generator, whose processes end
        if kept is not None:
            kept.note(place, done=summary.is_whole or kept.is_done)
            kept.close()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Lets Ctrl-C wait until the block is done."""
    came: list[Any] = []
    try:
        before = signal.signal(signal.SIGINT, lambda *of: came.append(of))
    except ValueError:  # not the main thread, which alone gets signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
