"""What a check found: findings with their severity and what to do about them, and the report that holds them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import harmless

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["SEVERITY_STYLES", "Finding", "Report", "Severity", "some_rows"]

Severity = Literal["error", "warning", "note", "fine"]
ROWS_SHOWN = 10
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note", "fine")
REPORT_COLUMNS = ("", "check", "reward", "what was found", "what to do")
HTML_COLORS = {"error": "#b00020", "warning": "#8a6d00", "note": "#00708a", "fine": "#2e7d32"}
SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "fine": "green"}


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes:
        severity: ``error`` if the run would fail or train on nothing, ``warning`` if it may not do what was meant,
            ``note`` for what costs a part of what the run could learn, ``fine`` for what was looked at and is in
            order, or was put in order.
        check: what was checked, a short code such as ``columns``.
        message: what was found, in a sentence.
        remedy: what to do about it; ``""`` if there is nothing to do.
        reward: the name of the reward that it is about, if it is about one.
        rows: the indices of the rows that it is about, if it is about rows.
    """

    severity: Severity
    check: str
    message: str
    remedy: str = ""
    reward: str | None = None
    rows: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


@dataclass
class Report:
    """What ``check_rewards`` found about the rewards of a run.

    It prints as text, as a table in a terminal with rich, and iterates over its findings.

    Attributes:
        rewards: a fresh list for ``reward_funcs``, in the order given. Rewards whose names clashed have names of their
            own in it.
        findings: errors first, then warnings, then what is fine.
    """

    rewards: list[Any]
    findings: list[Finding] = field(default_factory=list)

    def of(self, severity: Severity) -> list[Finding]:
        """The findings of one severity."""
        return [one for one in self.findings if one.severity == severity]

    @property
    def errors(self) -> list[Finding]:
        """What must be mended before the run."""
        return self.of("error")

    @property
    def warnings(self) -> list[Finding]:
        """What should be looked at before the run."""
        return self.of("warning")

    def raise_for_errors(self) -> Report:
        """Returns the report itself if it has no errors, so that calls can be chained.

        Raises:
            RewardError: there are errors; the message holds all of them.
        """
        errors = [str(one) for one in self.errors]
        if len(errors) == 1:
            raise RewardError(errors[0])
        if errors:
            raise RewardError("\n".join([f"{len(errors)} things must be mended before the run:", *_numbered(errors)]))
        return self

    def add(self, findings: Iterable[Finding]) -> None:
        """Adds findings, each behind those of its severity."""
        self.findings = sorted([*self.findings, *findings], key=lambda one: SEVERITIES.index(one.severity))

    def _counts(self) -> str:
        counts = {"reward": len(self.rewards), "error": len(self.errors), "warning": len(self.warnings)}
        return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items())

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "\n".join(
            [self._counts(), *(f"{one.severity:>7}  {one.check}: {harmless(str(one))}" for one in self.findings)]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = []
        for one in self.findings:
            cells = (one.check, one.reward or "", one.message, one.remedy)
            severity = f'<td style="color: {HTML_COLORS[one.severity]}">{one.severity}</td>'
            lines.append(f"<tr>{severity}{''.join(f'<td>{html.escape(harmless(cell))}</td>' for cell in cells)}</tr>")
        heading = "".join(f"<th>{name}</th>" for name in REPORT_COLUMNS)
        return f"<table><caption>{self._counts()}</caption><tr>{heading}</tr>{''.join(lines)}</table>"

    def as_dict(self) -> dict[str, Any]:
        """The findings as what JSON can hold, and the names of the rewards."""
        return {
            "rewards": [getattr(one, "__name__", str(one)) for one in self.rewards],
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "findings": [asdict(one) for one in self.findings],
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        table = Table(title=self._counts())
        for column in REPORT_COLUMNS:
            table.add_column(column, overflow="fold")
        for one in self.findings:
            cells = (one.check, one.reward or "", one.message, one.remedy)
            table.add_row(Text(one.severity, SEVERITY_STYLES[one.severity]), *(Text(harmless(cell)) for cell in cells))
        yield table


def some_rows(rows: Sequence[int]) -> str:
    """The numbers of the first rows, in words: "rows 1, 2, …"."""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:ROWS_SHOWN]))}" + (
        ", …" if len(rows) > ROWS_SHOWN else "."
    )


def _numbered(lines: list[str]) -> list[str]:
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]
