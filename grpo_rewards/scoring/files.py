"""``score_files``: rewards over files of completions, from the first line to the figures."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from grpo_rewards.checks.setup.names import SetUp, distinct_names
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.scoring.fields import Fields, compares_groups, fields_of
from grpo_rewards.scoring.output import Output, without_output
from grpo_rewards.scoring.pool import in_order
from grpo_rewards.scoring.reward_code import reward_code
from grpo_rewards.scoring.rows import Chunk, Malformed, Source, matching_files
from grpo_rewards.scoring.tally import Tally
from grpo_rewards.scoring.work import Scored, Scoring, rows_at_once, tally_of

MALFORMED_SHOWN = 20
QUICK = 0.1  # seconds, below which the next chunks are larger; what slow rewards do is kept after each call
CALLS_OF_A_CHUNK = 16  # of each reward for a chunk
Progress = Callable[[int, int, Tally], None]
Paths = str | Path | Sequence[str | Path]


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

    def show(self, malformed: Sequence[Malformed]) -> None:
        """Adds to what could not be read, of which the first are shown."""
        self.malformed += malformed[: max(MALFORMED_SHOWN - len(self.malformed), 0)]

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            **self.tally.as_json(),
            "first_malformed": [one._asdict() for one in self.malformed],
            "output": self.kept and str(self.kept),
            "whole": self.is_whole,
            "malformed_in": self.malformed_in and str(self.malformed_in),
            "completion": self.fields.completion,
            "prompt": self.fields.prompt,
        }


def score_files(
    specs: str | Reward | Sequence[str | Reward],
    paths: Paths,
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
        specs: rewards, or their specs; one, or several.
        paths: files, folders and patterns such as ``run/*.jsonl``, one or several; TRL's own
            ``completions_*.parquet`` among them; ``-`` is standard input, JSON lines, and so is a pipe.
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
    fields = fields_of(source.first_row, rewards, completion, prompt, tokenizer, by_group)
    scoring = Scoring(rewards, fields, keeps_lines=output is not None)
    kept = None if output is None else Output(Path(output), _settings(scoring), overwrite)
    summary = Summary(tally_of(rewards), fields, kept=None if kept is None else kept.path)
    scored = _scored(scoring, scoring.stream(source), kept, processes)
    most_rows = CALLS_OF_A_CHUNK * source.chunk_rows
    try:
        for one in scored:
            if kept is not None:
                kept.add(one)
            summary.tally.merge(one.tally)
            summary.show(one.malformed)
            if one.seconds < QUICK:
                source.chunk_rows = min(2 * source.chunk_rows, most_rows)
            if progress is not None:
                progress(one.read, source.size, summary.tally)
        summary.is_whole = True
    except KeyboardInterrupt:
        pass
    finally:
        scored.close()  # processes end
        if kept is not None:
            kept.close()
    if kept is not None and summary.tally.malformed:
        summary.malformed_in = kept.malformed_path
    return summary


def _scored(
    scoring: Scoring, chunks: Iterator[Chunk], kept: Output | None, processes: int
) -> Generator[Scored, None, None]:
    """What comes of each chunk: of the first ones what the output holds, and the rest is scored."""
    if kept is not None:
        for chunk in chunks:
            before = scoring.kept(chunk, kept.lines)
            if before is None:
                chunks = chain([chunk], chunks)
                break
            yield before
        else:
            if kept.lines.readline():
                raise RewardError(
                    f"{kept.path} has verdicts on more rows than are read. Give another name, or --overwrite."
                )
    yield from in_order(scoring, chunks, processes)


def bound_to_columns(
    specs: str | Reward | Sequence[str | Reward], columns: Mapping[str, str] | None = None
) -> tuple[Reward, ...]:
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
    specs: str | Reward | Sequence[str | Reward],
    columns: Mapping[str, str] | None = None,
    why_no_groups: str | None = None,
) -> tuple[Reward, ...]:
    """The rewards as ``bound_to_columns`` has them, under different names, which are those of columns.

    Args:
        specs: rewards, or their specs.
        columns: what the rows call the columns that rewards read.
        why_no_groups: why no reward sees a whole group here, for the message; ``None`` if they do.

    Raises:
        RewardError: two are the same, or one compares the completions of a group where none sees one.
    """
    run = SetUp([*bound_to_columns(specs, columns)])
    list(distinct_names(run))
    for one in run.rewards:
        if sum(one.name == other.name for other in run.rewards) > 1:
            raise RewardError(f"two rewards are called '{one.name}'. Give one another name: {one.name}(name='…').")
        if why_no_groups is not None and compares_groups(one):
            raise RewardError(
                f"reward '{one.name}' compares the completions of a group, and {why_no_groups}: score files with it, "
                f"or call it with whole groups, {one.name}.explain_all(completions, prompts=…)."
            )
    return tuple(run.rewards)


def source_of(paths: Paths, rewards: Sequence[Reward], output: str | Path | None = None) -> Source:
    """The files of ``score_files``, in chunks that these rewards score at once, but for what lies in the output."""
    named = [str(one) for one in ([paths] if isinstance(paths, str | Path) else paths)]
    found = matching_files(named)
    return Source(found if output is None else without_output(found, named, Path(output)), rows_at_once(rewards))


def _settings(scoring: Scoring) -> dict[str, Any]:
    """What decides about the verdicts that are kept, but for the files: their rows are compared with those kept."""
    from grpo_rewards import __version__

    return {
        "rewards": [f"{one.name}: {one!r} {dict(one.renamed_columns)}" for one in scoring.rewards],
        "fields": list(scoring.fields[:3]),
        "version": __version__,
        **{f"the code of {name}": hashed for name, hashed in reward_code(scoring.rewards).items()},
        "by_group": scoring.fields.by_group,
        "tokenizer": scoring.fields.tokenizer,
    }
