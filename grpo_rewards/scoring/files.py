"""``score_files``: rewards over files of completions, from the first line to the figures and the file of verdicts.

That file is of JSON lines, each a row as it was read, then its verdicts. So who resumes reads the files from their
beginning, and finds in the output what was scored: no other record of the place is needed, and a row that has changed
is noticed. Beside it lie ``<name>.settings.json`` with what else decides about the verdicts, and
``<name>.malformed.jsonl`` with what could not be read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

from grpo_rewards.checks.setup.names import SetUp, distinct_names
from grpo_rewards.errors import listed, shown
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.function import least_best
from grpo_rewards.registry.interface import joined, with_columns
from grpo_rewards.scoring.pool import in_order
from grpo_rewards.scoring.reward_code import reward_code
from grpo_rewards.scoring.rows import SETTINGS_ENDING, UNREADABLE, Chunk, Malformed, Source, matching_files
from grpo_rewards.scoring.tally import Tally
from grpo_rewards.scoring.work import Fields, Scored, Scoring, compares_groups, fields_of, rows_at_once

MALFORMED_SHOWN = 20
LINES = ".jsonl"
Progress = Callable[[int, int, Tally], None]
Specs = str | Reward | Sequence[str | Reward]
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

    def add(self, scored: Scored) -> None:
        """Adds what came of a chunk. Of what could not be read the first rows are kept."""
        self.tally.add(scored.verdicts, scored.groups)
        self.tally.malformed += len(scored.malformed)
        self.malformed += scored.malformed[: max(MALFORMED_SHOWN - len(self.malformed), 0)]

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
    specs: Specs,
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
    best = [None if one.range is None else least_best(one.range[1]) for one in rewards]
    summary = Summary(Tally([one.name for one in rewards], best), fields, kept=None if kept is None else kept.path)
    scored = _scored(scoring, scoring.stream(source), kept, processes)
    try:
        for one in scored:
            if kept is not None:
                kept.add(one)
            summary.add(one)
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


def bound_to_columns(specs: Specs, columns: Mapping[str, str] | None = None) -> tuple[Reward, ...]:
    """The rewards, ready to be called, that read the columns under the names that the rows have for them.

    Raises:
        RewardError: a spec or an option is wrong, or no reward reads a column that is named.
    """
    rewards = [get_reward(spec) for spec in ([specs] if isinstance(specs, str | Reward) else specs)]
    if not rewards:
        raise RewardError("name at least one reward.")
    read = joined(column.read_as for one in rewards for column in one.read_columns)
    for name in columns or ():
        if name not in read:
            raise RewardError(f"no reward reads a column {shown(name)}. They read {listed(read)}.")
    bound = tuple(with_columns(columns or {}, one) for one in rewards)
    for one in bound:
        one.check_ready()
    return bound


def rewards_for_files(
    specs: Specs, columns: Mapping[str, str] | None = None, why_no_groups: str | None = None
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
        "rewards": [f"{one.name}: {one!r}" for one in scoring.rewards],
        "columns": list(scoring.fields[:3]),
        "version": __version__,
        **{f"the code of {name}": hashed for name, hashed in reward_code(scoring.rewards).items()},
        "by_group": scoring.fields.by_group,
        "tokenizer": scoring.fields.tokenizer,
    }


def without_output(files: Sequence[Path], named: Sequence[str], output: Path) -> list[Path]:
    """The files but for those that an earlier run of the same command wrote, as a pattern or a folder finds them.

    Args:
        files: what is to be read.
        named: the patterns as they were given.
        output: where the verdicts go.

    Raises:
        RewardError: a file that is to be read would be written over.
    """
    begun = Path(f"{output}{SETTINGS_ENDING}").exists()
    of_output = {Path(f"{output.resolve()}{ending}") for ending in ("", SETTINGS_ENDING, UNREADABLE)}
    rest = [path for path in files if path.resolve() not in of_output]
    for path in files:
        if path not in rest and (str(path) in named or not begun):
            raise RewardError(f"{path} is to be read, and is where the verdicts go ({output}). Give another output.")
    if not rest:
        raise RewardError(f"there is nothing to read beside what was written before in {output}.")
    return rest


class Output:
    """Where verdicts are kept.

    Attributes:
        path: of the file.
        malformed_path: of what could not be read.
        lines: the file, open at the first line that was not read yet, for whoever finds out what was scored before.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], overwrite: bool) -> None:
        """Opens the file, or begins it.

        Args:
            path: its name.
            settings: what decides about the verdicts. An output that was started with others cannot be resumed.
            overwrite: begin anew, whatever is there.

        Raises:
            RewardError: it was begun with other settings, something else is there, or another process writes it.
        """
        if path.is_dir():
            raise RewardError(f"{path} is a folder: name a file, such as -o {path / 'scored.jsonl'}.")
        if path.suffix != LINES:
            raise RewardError(
                f"{path}: verdicts are kept as JSON lines, -o NAME{LINES}. To make another format of them: "
                f"datasets.Dataset.from_json('NAME{LINES}').to_parquet('NAME.parquet')."
            )
        self.path = path
        self.malformed_path = Path(f"{path}{UNREADABLE}")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lines = open(path, "a+b")  # noqa: SIM115  # closed in close
        try:
            _lock(self.lines, path)
            if overwrite:
                self.lines.truncate(0)
            _keep_settings(path, json.loads(json.dumps(settings)), is_begun=self.lines.seek(0, os.SEEK_END) > 0)
            self._malformed = open(self.malformed_path, "wb")  # noqa: SIM115  # all that was in it is found again
        except BaseException:
            self.lines.close()
            raise
        self.lines.seek(0)

    def add(self, scored: Scored) -> None:
        """Keeps what came of a chunk, behind all that is there."""
        with _writing(self.path):
            if scored.lines:
                self.lines.write(scored.lines)
                self.lines.flush()
            self._malformed.writelines(json.dumps(one._asdict()).encode() + b"\n" for one in scored.malformed)

    def close(self) -> None:
        """Closes the files. Where nothing is malformed, there is no file of it."""
        if not self._malformed.tell():
            self.malformed_path.unlink()  # while the output is still locked: nobody else may have begun
        with _writing(self.path):
            self._malformed.close()
            self.lines.close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Within it the error of a full disk names the output."""
    try:
        yield
    except OSError as error:
        raise RewardError(f"{path}: {error.strerror}. Run the same command to resume.") from error


def _keep_settings(path: Path, settings: dict[str, Any], is_begun: bool) -> None:
    """Writes the settings beside an output, or compares them with those that it was begun with."""
    beside = Path(f"{path}{SETTINGS_ENDING}")
    if not is_begun:
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(settings, file)
            file.flush()
            os.fsync(file.fileno())  # without it nothing can be resumed after a power cut
        return
    try:
        before = dict(json.loads(beside.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise RewardError(f"{path} is there already. Give another name, or --overwrite.") from None
    if changed := [name for name, now in settings.items() if before.get(name) != now]:
        raise RewardError(
            f"{path} was started with different settings ({listed(changed)}) and cannot be resumed. Give another name, "
            "or --overwrite."
        )


def _lock(file: IO[bytes], path: Path) -> None:
    """Refuses to write where another process does, as long as that one has the file open.

    Where the system or the file system has no locks, nothing is refused.
    """
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RewardError(f"{path} is being written by another process. Wait for it, or give another name.") from None
    except (ImportError, OSError):
        return
