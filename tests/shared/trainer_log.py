"""The loggers of a trainer, and a call for them."""

from collections import defaultdict
from typing import Any


class Log:
    """The loggers of a trainer; keeps what it was told, in order."""

    def __init__(self) -> None:
        self.metrics: list[tuple[str, float]] = []
        self.columns: list[tuple[str, list[Any]]] = []

    def log_metric(self, name: str, value: float) -> None:
        self.metrics.append((name, value))

    def log_extra(self, column: str, values: list[Any]) -> None:
        self.columns.append((column, values))

    @property
    def loggers(self) -> dict[str, Any]:
        return {"log_metric": self.log_metric, "log_extra": self.log_extra}

    def means(self) -> dict[str, float]:
        """As TRL shows metrics: the mean over the calls that logged them."""
        values = defaultdict(list)
        for name, value in self.metrics:
            values[name].append(value)
        return {name: sum(all_) / len(all_) for name, all_ in values.items()}


TEXTS = [r"\boxed{4}", r"\boxed{5}", "4", "4"]  # right, wrong, and twice no box
GOLD = ["4"] * 4
