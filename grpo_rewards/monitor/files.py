"""Reads what a run leaves in its folder: its tables, its log, and what the monitor and a recipe kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grpo_rewards.completion_tables import PassedOver, Tables, table_files
from grpo_rewards.monitor.alert import Alert
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown

__all__ = ["ALERTS_FILE", "STATE_FILE", "Left", "left_in", "read_run", "reward_of"]

ALERTS_FILE = "alerts.jsonl"  # its first line names the gold-based rewards, each further one is an alert
STATE_FILE = "trainer_state.json"
History = list[dict[str, Any]]
RESTORE = {
    STATE_FILE: "Fetch it again from where the run trained, or remove it; what other files have of the log is judged.",
    ALERTS_FILE: "Remove it; the run is judged anew.",
    "": "Fetch it again from where the run trained, or remove it; the rest is judged without it.",
}


@dataclass
class Left:
    """What a run left in its folder, as far as it can be read.

    Attributes:
        folder: of the run.
        history: its log; empty if there is none.
        tables: of completions.
        gold: the rewards that its monitor took for gold-based; ``None`` if it kept none.
        alerts: those that its monitor kept; ``None`` if it kept none, or not all of them can be read.
        settings: the recipe's record of it.
        evaluation: the results of the recipe's evaluations.
    """

    folder: Path
    history: History = field(default_factory=list)
    tables: Tables = field(init=False)
    gold: tuple[str, ...] | None = None
    alerts: list[Alert] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    evaluation: dict[str, Any] = field(default_factory=dict)
    _other: list[PassedOver] = field(default_factory=list)

    @property
    def passed_over(self) -> list[PassedOver]:
        """The damaged files, each once; tables are among them when they were read."""
        return [*self.tables.passed_over, *self._other]

    def pass_over(self, path: Path, why: str) -> None:
        """Notes that a file, other than a table, is damaged."""
        remedy = RESTORE.get(path.name, RESTORE[""])
        self._other.append(PassedOver(str(path), why, remedy))


def left_in(folder: str | Path) -> Left:
    """What a run left, of which whatever is damaged is passed over and noted.

    The log is that of the last checkpoint, or the one that ``trainer_state.json`` of the folder has, whichever goes
    further. Steps after it are not seen.
    """
    left = Left(Path(folder))
    last: History = []
    for path in sorted(left.folder.glob(f"checkpoint-*/{STATE_FILE}"), key=_step_of, reverse=True):
        last = _log_in(path, left)
        if last:
            break
    kept = _log_in(left.folder / STATE_FILE, left)
    # a finished run that was made longer has its new steps in a checkpoint, one that goes on has them here
    left.history = max(last, kept, key=_last_step)
    logged = {int(log["step"]): _rewards_in(log) for log in left.history if "reward" in log}
    left.tables = Tables(table_files(left.folder), logged)
    _read_alerts(left)
    found = _read(left.folder / "run.json", left, _object)
    inner = found.get("settings")
    left.settings = {**found, **inner} if isinstance(inner, dict) else found
    left.evaluation = _read(left.folder / "eval.json", left, _object)
    return left


def read_run(folder: str | Path) -> tuple[History, Tables, tuple[str, ...] | None]:
    """(history, tables, gold) of a run, as ``alerts`` takes them.

    The log is that of the last checkpoint, or the one that ``trainer_state.json`` of the folder has, whichever goes
    further. Steps after it are not seen. A damaged table is none of the tables.

    Raises:
        RewardError: the folder has no log.
    """
    left = left_in(folder)
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


def _rewards_in(log: Mapping[str, Any]) -> list[str]:
    return [reward for name in log if (reward := reward_of(name)) is not None]


def _read(path: Path, left: Left, parsed: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """What a file of JSON holds; nothing if it is not there, or is damaged, which is noted."""
    try:
        return parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except OSError as error:
        left.pass_over(path, f"it cannot be opened: {error.strerror}")
    except UnicodeDecodeError as error:
        left.pass_over(path, f"it is no UTF-8 at byte {error.start + 1}")
    except RecursionError:
        left.pass_over(path, "it is nested too deeply")
    except ValueError as error:
        left.pass_over(path, str(error))
    return {}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON, {error}, as while it is written") from None
    if not isinstance(found, dict):
        raise ValueError(f"it holds {shown(found)} and no object in braces")
    return found


def _log_in(path: Path, left: Left) -> History:
    """The logged steps in a trainer's state, with their numbers; none if there is no file."""
    state = _read(path, left, _object)
    log = state.get("log_history")
    if state and not isinstance(log, list):
        left.pass_over(path, "it has no list log_history")
    logs = log if isinstance(log, list) else []
    found = [_numbers_of(one) for one in logs if isinstance(one, dict) and _is_step(one.get("step"))]
    if len(found) < len(logs):
        left.pass_over(path, f"{len(logs) - len(found)} of the {len(logs)} logs in it are no objects with a step")
    return found


def _numbers_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """A log without what is no number, of which nothing can be judged."""
    return {name: value for name, value in log.items() if value is None or isinstance(value, int | float)}


def _is_step(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _read_alerts(left: Left) -> None:
    """Reads what a ``RewardMonitor`` kept while the run trained."""
    path = left.folder / ALERTS_FILE
    found = _read(path, left, _kept_alerts)
    gold = found.get("gold")
    left.gold = None if gold is None else tuple(gold)
    left.alerts = None if gold is None else found["alerts"]
    if left.alerts is None and found.get("why"):
        left.pass_over(path, found["why"])


def _kept_alerts(text: str) -> dict[str, Any]:
    """``gold`` and ``alerts``, which are ``None`` if no monitor kept any, and ``why`` if a line is damaged."""
    whole = text[: text.rfind("\n") + 1]  # the last line may be written at this moment
    gold: list[str] | None = None
    alerts: list[Alert] | None = []
    why = None
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            one = json.loads(line) if line.strip() else None
            if number == 1 and one is not None:
                gold = list(map(str, one["gold"]))
            elif one is not None and alerts is not None:
                alerts.append(Alert(**one))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            alerts, why = None, f"line {number} is no alert, {error}"
    return {"gold": gold, "alerts": alerts, "why": why}


def _step_of(path: Path) -> int:
    """The step of a checkpoint by its name; one that was given another name comes before all."""
    number = path.parent.name.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() else -1


def _last_step(history: Sequence[Mapping[str, Any]]) -> int:
    return max([-1, *(int(log["step"]) for log in history)])
