"""What a check found: a finding, with its severity and what to do about it, and the report that holds them."""

from __future__ import annotations

import functools
import io
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from grpo_rewards.errors import RewardError, harmless

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Severity = Literal["error", "warning", "note", "fine"]
SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "fine": "green"}
WIDTH_OF_NOTEBOOK = 140  # characters
ROWS_SHOWN = 10


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes:
        severity: ``error`` if the run would fail or train on nothing, ``warning`` if it may not do what was meant,
            ``note`` for what makes the run learn less, ``fine`` for what was looked at and is in
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


Findings: TypeAlias = Iterator[Finding]


@functools.cache  # read when the first finding is made, for it takes some milliseconds
def _messages() -> dict[str, dict[str, tuple[Severity, str, str]]]:
    return tomllib.loads(files(__package__).joinpath("messages.toml").read_text(encoding="utf-8"))


def finding_of(
    key: str,
    reward: str | None = None,
    rows: Sequence[int] = (),
    severity: Severity | None = None,
    of: str | None = None,
    **values: Any,
) -> Finding:
    """The finding that ``messages.toml`` has under a key such as ``columns.missing``, of the check ``columns``.

    Args:
        key: the table and the name in it.
        reward: the name of the reward that it is about, ``{reward}`` in its texts.
        rows: the rows that it is about: ``{count}`` of them, ``{row}`` the first, and ``{rows}`` the numbers of some.
        severity: if it is another one than usual.
        of: what was checked, if it has no table of its own, such as one of many packages.
        values: what its texts have in other braces.
    """
    table, _, name = key.partition(".")
    usual, message, remedy = _messages()[table][name]
    check = of or table
    values |= {"reward": reward}
    if rows:
        numbers = ", ".join(map(str, rows[:ROWS_SHOWN])) + (", …" if len(rows) > ROWS_SHOWN else ".")
        values |= {"count": len(rows), "row": rows[0], "rows": f"row{'s' if len(rows) > 1 else ''} {numbers}"}
    message, remedy = message.format_map(values), remedy.format_map(values)
    return Finding(severity or usual, check, message, remedy, reward, tuple(rows))


class ShownAsTable:
    """What is shown as a table, by rich in a terminal and as HTML in a notebook, with control characters escaped.

    Attributes:
        headings: of the columns.
    """

    headings: Sequence[str] = ()

    def _title(self) -> str:
        raise NotImplementedError

    def _lines(self) -> Iterable[tuple[str, Sequence[str]]]:
        """(the severity by which a line is coloured, or ``""``, its cells) of each line."""
        raise NotImplementedError

    @property
    def messages(self) -> Sequence[str]:
        """Sentences below the table."""
        return ()

    def _repr_html_(self) -> str:
        from rich.console import Console

        console = Console(width=WIDTH_OF_NOTEBOOK, record=True, file=io.StringIO())
        console.print(self)
        return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(harmless(self._title())), title_justify="left")
        for heading in self.headings:
            table.add_column(heading, overflow="fold")
        for severity, cells in self._lines():
            style = SEVERITY_STYLES.get(severity, "")
            table.add_row(*(Text(harmless(one).replace("\n", "⏎"), style) for one in cells))
        yield table
        for sentence in self.messages:
            yield Text(harmless(sentence))


@dataclass
class Report(ShownAsTable):
    """What ``check_rewards`` found about the rewards of a run.

    It prints as text, as a table in a terminal with rich, and iterates over its findings.

    Attributes:
        rewards: a fresh list for ``reward_funcs``, in the order given. Rewards whose names clashed have names of their
            own in it.
        findings: errors, warnings, notes, then what is fine.
    """

    rewards: list[Any]
    findings: list[Finding] = field(default_factory=list)
    headings = ("", "check", "reward", "what was found", "what to do")

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
            numbered = [f"{number}. {error}" for number, error in enumerate(errors, 1)]
            raise RewardError("\n".join([f"{len(errors)} things must be mended before the run:", *numbered]))
        return self

    def add(self, findings: Iterable[Finding]) -> Report:
        """Adds findings, each behind those of its severity, and returns the report itself."""
        self.findings = sorted([*self.findings, *findings], key=lambda one: [*SEVERITY_STYLES].index(one.severity))
        return self

    def _title(self) -> str:
        counts = {"reward": len(self.rewards), "error": len(self.errors), "warning": len(self.warnings)}
        return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items())

    def _lines(self) -> Iterator[tuple[str, Sequence[str]]]:
        for one in self.findings:
            yield one.severity, (one.severity, one.check, one.reward or "", one.message, one.remedy)

    def __iter__(self) -> Findings:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [f"{one.severity:>7}  {one.check}: {harmless(str(one))}" for one in self.findings]
        return "\n".join([self._title(), *lines])

    __repr__ = __str__

    def as_dict(self) -> dict[str, Any]:
        """The findings as what JSON can hold, and the names of the rewards."""
        return {
            "rewards": [getattr(one, "__name__", str(one)) for one in self.rewards],
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "findings": [asdict(one) for one in self.findings],
        }
