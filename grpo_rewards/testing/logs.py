"""The clause about what a reward logs through its trainer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from grpo_rewards.registry.errors import shown
from grpo_rewards.testing.case import Case, Row
from grpo_rewards.testing.clause import clause

__all__ = ["logs"]

OF_THE_TRAINER = ("prompt", "completion", "step", "advantage")  # columns of the completions table


@dataclass
class Log:
    """What one call logged."""

    columns: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def log_extra(self, column: str, values: Any) -> None:
        self.twice += [column] if column in self.columns else []
        self.columns[column] = values

    def log_metric(self, name: str, value: Any) -> None:
        self.metrics[name] = value


@clause(
    "Return a Verdict, which is logged for you, or log the same names in every call, a column with a value per row."
)
def logs(case: Case) -> str | None:
    """It logs the same columns and metrics in every call, under its own name, with a value for each completion."""
    batches: list[Sequence[Row]] = [case.rows, *case.groups[:3], case.beside("")]
    first: Log | None = None
    for rows in batches:
        log = _logged(case, rows)
        wrong = _wrong_columns(log, len(rows)) or _wrong_names(log, case)
        if wrong is not None:
            return wrong
        if first is not None and log.columns.keys() != first.columns.keys():
            return f"it logged the columns {list(first.columns)}, and in another call {list(log.columns)}"
        first = first or log
        means = _means(case)
        if varying := {name for name in log.metrics.keys() ^ first.metrics.keys() if name not in means}:
            return f"it logged {shown(sorted(varying))} in one call and not in another"
    return None


def _logged(case: Case, rows: Sequence[Row]) -> Log:
    log = Log()
    case.call(**case.taken({**case.given(rows), "log_extra": log.log_extra, "log_metric": log.log_metric}))
    return log


def _wrong_columns(log: Log, size: int) -> str | None:
    if log.twice:
        return f"it logged the column {log.twice[0]!r} twice in one call"
    for column, values in log.columns.items():
        if not isinstance(values, list) or len(values) != size:
            many = len(values) if hasattr(values, "__len__") else "no list of"
            return f"it logged {many} values in the column {column!r} for {size} completions"
    for name, value in log.metrics.items():
        if not isinstance(value, Real) or not math.isfinite(value):
            return f"it logged {shown(value)} as {name!r}"
    return None


def _wrong_names(log: Log, case: Case) -> str | None:
    """A name that is the trainer's, or that another reward may have as well."""
    own = case.own.metric_names if case.own else (case.name,)
    for name in (*log.columns, *log.metrics):
        if name in OF_THE_TRAINER or (case.own and not name.startswith(tuple(f"{one}/" for one in own))):
            return f"it logged {name!r}, which is not its own: its names begin with '{case.name}/'"
    return None


def _means(case: Case) -> set[str]:
    """Metrics that are left out where there is nothing to take the mean of."""
    found: set[str] = set()
    waiting = [case.own] if case.own else []
    while waiting:
        one = waiting.pop()
        found |= {f"{one.name}/{detail}" for detail in one.means} | {f"{one.name}/{part.name}" for part in one.parts}
        waiting += one.parts
    return found
