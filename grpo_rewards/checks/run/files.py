"""What a run leaves in its folder: its log, and what the monitor and a recipe kept."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from grpo_rewards.checks.findings import Finding, Severity
from grpo_rewards.completion_tables import DamagedFile, Tables, table_files
from grpo_rewards.errors import RewardError

ALERTS_FILE = "alerts.jsonl"  # its first line names the gold-based rewards, each further one is an alert
STATE_FILE = "trainer_state.json"
KIND_OF_SEVERITY: Mapping[Severity, str] = {"warning": "health", "error": "cheating"}
History = list[dict[str, Any]]
Logs: TypeAlias = "Sequence[Mapping[str, Any]]"  # of steps
Parsed = TypeVar("Parsed")


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
        tables: of completions, but for steps at which the trainer evaluated: these hold the evaluation's.
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
        # over them the trainer wrote those of its evaluation
        self.tables.drop(log["step"] for log in self.history if "eval_reward" in log)
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
