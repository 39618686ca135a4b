"""What a run leaves in its folder: tables of completions, its log, and what the monitor and a recipe kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from grpo_rewards.checks.findings import Finding, Severity
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed
from grpo_rewards.registry.interface import joined

Table: TypeAlias = "Mapping[str, Sequence[Any]]"

OWN = ("step", "advantage")  # columns of numbers in TRL's tables that are no rewards
TEXTS = ("prompt", "completion")  # those without which a table is useless
SWIFT_FILE = "completions.jsonl"
STEP_COLUMNS = ("step", "gen_step")  # TRL's and ms-swift's; older ms-swift's
SWIFT_ADVANTAGE = "advantages"
NO_BATCH = "it has no equally long list for each column, a 'step' with a number, 'prompt' and 'completion' among them"
STEP_IN_NAME = re.compile(r"[0-9]+$")
INDEX_COLUMN = "__index_level_"  # how pandas begins the name under which it stores the numbers of rows
RESTORE = "Fetch it again from where the run trained, or remove it; the rest is judged without it."
ALERTS_FILE = "alerts.jsonl"  # its first line names the gold-based rewards, each further one is an alert
STATE_FILE = "trainer_state.json"
KIND_OF_SEVERITY: Mapping[Severity, str] = {"warning": "health", "error": "cheating"}
History = list[dict[str, Any]]
Logs: TypeAlias = "Sequence[Mapping[str, Any]]"  # of steps
Parsed = TypeVar("Parsed")


@dataclass(eq=False)
class DamagedFile(RewardError):
    """A file that cannot be read, or a table of completions that is none. A run is judged by the rest.

    Attributes:
        path: of the file.
        why: what is wrong with it.
        remedy: what to do about it.
    """

    path: str
    why: str
    remedy: str = RESTORE

    def __str__(self) -> str:
        return f"{self.path}: {self.why}. {self.remedy}"


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a table, each by column.

    >>> rows_of({"a": [1, 2], "b": [3, 4]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def table_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rows as a table. A column that a row does not have is ``None`` there.

    >>> table_of([{"a": 1}, {"a": 2, "b": 4}])
    {'a': [1, 2], 'b': [None, 4]}
    """
    return {name: [row.get(name) for row in rows] for name in joined(*rows)}


class Tables(Mapping[int, Table]):
    """The tables of a run by step, read on demand: those of a long run do not fit into memory.

    What is damaged is passed over. A table whose damage is seen when it is read is from then on none of them: looking
    it up is a ``KeyError``, and ``get`` gives ``None``.

    Args:
        files: of the tables, whose names end with the step, or the one of ms-swift.
        columns: those that a table must have.

    Attributes:
        passed_over: the damaged ones, once each.
    """

    def __init__(self, files: Sequence[Path], columns: Sequence[str] = TEXTS) -> None:
        self.passed_over: list[DamagedFile] = []
        self._columns = columns
        self._places: dict[int, tuple[Path, int | None]] = {}  # of a step its file, and the byte of its line there
        for path in files:
            number = STEP_IN_NAME.search(path.stem)
            if path.name == SWIFT_FILE:
                self._find_lines(path)
            elif number:
                self._places[int(number.group())] = path, None
            else:
                self.passed_over.append(DamagedFile(str(path), "its name does not end with the number of a step"))

    def __getitem__(self, step: int) -> Table:
        path, begins = self._places[step]
        if begins is not None:
            with path.open("rb") as file:
                file.seek(begins)
                return _swift_table(file.readline())
        try:
            return read_table(path, self._columns)
        except DamagedFile as error:
            del self._places[step]
            self.passed_over.append(DamagedFile(error.path, error.why))
            raise KeyError(step) from None

    def __iter__(self) -> Iterator[int]:
        return iter([*self._places])

    def __len__(self) -> int:
        return len(self._places)

    def whole(self) -> Iterator[tuple[int, Table]]:
        """The steps in their order, each with its table, without the damaged ones."""
        for step in sorted(self):
            if (table := self.get(step)) is not None:
                yield step, table

    def sizes(self) -> dict[int, int]:
        """The number of completions of each step, without reading those of TRL; a damaged table is left out."""
        found = {}
        for step, (path, begins) in self._places.items():
            if begins is not None:
                found[step] = len(self[step]["completion"])
                continue
            with suppress(DamagedFile), opened_table(path) as file:  # it is reported when it is read
                found[step] = file.metadata.num_rows
        return found

    def _find_lines(self, path: Path) -> None:
        """Finds the steps in a file of lines. Of a step that was logged several times the first line counts."""
        begins = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if table := _swift_table(line):
                    self._places.setdefault(table["step"][0], (path, begins))
                else:
                    self.passed_over.append(DamagedFile(f"{path}, line {number}", NO_BATCH))
                begins += len(line)


def table_files(folder: Path) -> list[Path]:
    """The files of the tables of a run, whether or not they can be read: those of TRL, or else the one of ms-swift."""
    of_trl = sorted((folder / "completions").glob("completions_*.parquet"))
    of_swift = folder / SWIFT_FILE
    if of_trl or not of_swift.is_file():
        return of_trl
    with of_swift.open("rb") as file:  # of which another program may have written one that is no table
        return [of_swift] if _swift_table(file.readline()) else []


def is_batch(row: Mapping[str, Any], completion: str = "completion") -> bool:
    """Whether an object is a whole batch of completions: an equally long list for each column.

    >>> is_batch({"step": ["1", "1"], "completion": ["a", "b"]}), is_batch({"completion": "a", "answer": "4"})
    (True, False)
    """
    texts = row.get(completion)
    return (
        isinstance(texts, list)
        and all(isinstance(values, list) and len(values) == len(texts) for values in row.values())
        and all(isinstance(one, str) for one in texts)
    )


def _swift_table(line: bytes) -> Table:
    """A line of ms-swift as TRL has its tables, ``{}`` for any other line.

    What stands behind the advantages is no reward, and is called so.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(row, dict) or not is_batch(row):
        return {}
    steps, *_ = [row.pop(name) for name in STEP_COLUMNS if name in row] or [[]]
    if "prompt" not in row or not steps or not str(steps[0]).isdecimal():
        return {}
    names = [*row]
    behind = names[names.index(SWIFT_ADVANTAGE) + 1 :] if SWIFT_ADVANTAGE in names else []
    called = {SWIFT_ADVANTAGE: "advantage", **{name: f"logged/{name}" for name in behind}}
    table = {called.get(name, name): [None if one != one else one for one in row[name]] for name in names}
    return {"step": [int(steps[0])] * len(steps), **table}


@contextmanager
def opened_table(path: Path | str) -> Iterator[Any]:
    """The ``pyarrow.parquet.ParquetFile`` of a file, also of what is read of it within the block.

    Raises:
        DamagedFile: it is damaged or no parquet.
        RewardError: pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise RewardError(f"{path}: to read parquet, pip install pyarrow.") from None
    try:
        with ParquetFile(path) as file:
            yield file
    except (ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:  # whatever garbage is taken for
        message = (str(error).splitlines() or [type(error).__name__])[0].removesuffix(".")
        raise DamagedFile(
            str(path), f"it cannot be read as parquet: {message}", "Fetch it again, or leave it out."
        ) from None


def read_table(path: Path, columns: Sequence[str] = TEXTS) -> Table:
    """The columns of one table by name, as Python's values.

    Raises:
        DamagedFile: it cannot be read, has no rows, or has not one of these columns.
    """
    with opened_table(path) as file:
        table: dict[str, list[Any]] = file.read().to_pydict()
    for name in columns:
        if name not in table:
            raise DamagedFile(str(path), f"it has no column '{name}'. Columns: {listed(table)}")
        if not table[name]:
            raise DamagedFile(str(path), "it has no rows")
    return {name: values for name, values in table.items() if not name.startswith(INDEX_COLUMN)}


def is_number(value: Any) -> bool:
    """Whether a cell holds a number, or nothing, as those of rewards do."""
    return value is None or isinstance(value, int | float)


@dataclass(frozen=True)
class Alert(Finding):
    """One thing that a run shows, reported once. Its ``severity`` is ``error`` for what looks like reward hacking.

    Attributes:
        step: the step at which it was first seen.
    """

    step: int = 0

    rule = property(attrgetter("check"), doc="Which rule saw it, a short name such as ``no signal``.")

    @property
    def kind(self) -> str:
        """``health`` for a run that learns less than it could, ``cheating`` for what looks as if the policy earned its
        rewards in another way than was meant.
        """
        return KIND_OF_SEVERITY[self.severity]

    def as_dict(self) -> dict[str, Any]:
        """It as what JSON can hold, from which ``alert_of`` makes it again."""
        return {name: getattr(self, name) for name in ("kind", "rule", "step", "message", "remedy", "reward")}

    def __str__(self) -> str:
        what = "looks like reward hacking" if self.kind == "cheating" else "warning"
        return f"step {self.step}, {what} ({self.rule}): {self.message} {self.remedy}"


def alert_of(kind: str, rule: str, step: int, message: str, remedy: str, reward: str | None = None) -> Alert:
    """An alert of a kind, ``health`` or ``cheating``."""
    (severity,) = [severity for severity, its in KIND_OF_SEVERITY.items() if its == kind]
    return Alert(severity, rule, message, remedy, reward, step=step)


class Left:
    """What a run left in its folder, of which whatever is damaged is passed over and noted.

    The log is that of the last checkpoint, or the one that ``trainer_state.json`` of the folder has, whichever goes
    further. Steps after it are not seen.

    Attributes:
        folder: of the run.
        history: its log; empty if there is none.
        tables: of completions.
        gold: the rewards that its monitor took for gold-based; ``None`` if it kept none.
        alerts: those that its monitor kept; ``None`` if it kept none, or not all of them can be read.
        settings: the recipe's record of it.
        evaluation: the results of the recipe's evaluations.
        passed_over: the damaged files, each once; tables are among them when they were read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.tables = folder, Tables(table_files(folder))
        self.passed_over = self.tables.passed_over
        checkpoints = sorted(folder.glob(f"checkpoint-*/{STATE_FILE}"), key=_step_of, reverse=True)
        last: History = next(filter(None, (self._read(path, _log_in) for path in checkpoints)), [])
        kept = self._read(folder / STATE_FILE, _log_in) or []
        # a finished run that was made longer has its new steps in a checkpoint, one that goes on has them here
        self.history = max(last, kept, key=lambda logs: max((log["step"] for log in logs), default=-1))
        self.gold: tuple[str, ...] | None
        self.alerts: list[Alert] | None
        self.gold, self.alerts = self._read(folder / ALERTS_FILE, _kept_alerts) or (None, None)
        settings = self._read(folder / "run.json", _by_name) or {}
        inner = settings.get("settings")
        self.settings = {**settings, **inner} if isinstance(inner, dict) else settings
        self.evaluation = self._read(folder / "eval.json", _by_name) or {}

    def _read(self, path: Path, parsed: Callable[[str], Parsed]) -> Parsed | None:
        """What a file of JSON holds; ``None`` if it is not there, or is damaged, which is noted."""
        try:
            return parsed(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, OverflowError, TypeError, KeyError, RecursionError) as error:
            why = f"it cannot be read: {type(error).__name__}: {error}"
            self.passed_over.append(DamagedFile(str(path), why))
        return None


def read_run(folder: str | Path) -> tuple[History, Tables, tuple[str, ...] | None]:
    """(history, tables, gold) of a run, as ``alerts`` takes them.

    The log is that of the last checkpoint, or the one that ``trainer_state.json`` of the folder has, whichever goes
    further. Steps after it are not seen. A damaged table is none of the tables.

    Raises:
        RewardError: the folder has no log.
    """
    left = Left(Path(folder))
    if not left.history:
        damaged = "".join(f" {one}" for one in left.passed_over)
        raise RewardError(f"{folder} has no checkpoint with a {STATE_FILE}; save one with save_steps.{damaged}")
    return left.history, left.tables, left.gold


def reward_of(name: str) -> str | None:
    """The reward of which a figure of the log is the mean.

    >>> reward_of("rewards/boxed_answer/mean"), reward_of("reward")
    ('boxed_answer', None)
    """
    inside = name.startswith("rewards/") and name.endswith("/mean")
    return name.removeprefix("rewards/").removesuffix("/mean") if inside else None


def logged_rewards(logs: Iterable[Mapping[str, Any]]) -> list[str]:
    """The rewards whose means some logs have."""
    return list(dict.fromkeys(reward for log in logs for name in log if (reward := reward_of(name)) is not None))


def _by_name(text: str) -> dict[str, Any]:
    return {**json.loads(text)}


def _log_in(text: str) -> History:
    """The numbers of the logged steps in a trainer's state."""
    logs = ({**log, "step": int(log["step"])} for log in json.loads(text)["log_history"])
    return [{name: its for name, its in log.items() if is_number(its)} for log in logs]


def _kept_alerts(text: str) -> tuple[tuple[str, ...], list[Alert]] | None:
    """(gold, alerts) that a ``RewardMonitor`` kept while the run trained; ``None`` of an empty file."""
    lines = text[: text.rfind("\n") + 1].splitlines()  # the last line may be written at this moment
    head, *others = [json.loads(line) for line in lines] or [{}]
    return (tuple(map(str, head["gold"])), [alert_of(**one) for one in others]) if head else None


def _step_of(path: Path) -> int:
    """The step of a checkpoint by its name; one that was given another name comes before all."""
    number = path.parent.name.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() else -1
