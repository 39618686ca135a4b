"""``grpo-rewards audit``: what a run left, judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, need, print_json, with_plain_errors, working

if TYPE_CHECKING:
    from grpo_rewards.checks.run.audit import Audit

__all__ = ["audit"]

GOLD_CELL = 60  # characters of a gold or a prompt in a table


@with_plain_errors
def audit(
    folder: Annotated[Path, typer.Argument(metavar="OUTPUT_DIR", help="The output_dir of a run.")],
    as_json: AsJson = False,
) -> None:
    """Looks at a run's log and completions: zero-variance groups, what decides, suspected hacking, unreadable golds.

    Prints what the monitor reports while a run trains. Exits 1 if there is an alert, or a file is damaged: the rest is
    judged without it.
    """
    need("report", "pyarrow")
    from grpo_rewards.checks.run.audit import audit_run

    with working("reading the run"):
        found = audit_run(folder)
    if as_json:
        print_json(found.as_json())
    else:
        _show(found)
    if found.alerts or found.passed_over:
        raise typer.Exit(FOUND)


def _show(found: Audit) -> None:
    from rich.table import Table
    from rich.text import Text

    terminal = console()
    table = Table(title=Text(f"{found.folder}: {found.steps:,} logged steps, {found.tables:,} tables of completions"))
    for column, how in (("", {}), ("first 3", {"justify": "right"}), ("last 10", {"justify": "right"})):
        table.add_column(column, overflow="fold", **how)  # type: ignore[arg-type]
    table.add_column("with the advantage", justify="right")
    for trend in found.trends:
        reward = trend.name.removeprefix("rewards/").removesuffix("/mean")
        decided = found.decided.get(reward) if reward != trend.name else None
        cells = (f"{trend.start:.3f}", f"{trend.end:.3f}", "" if decided is None else f"{decided:+.2f}")
        table.add_row(Text(trend.title), *cells)
    terminal.print(table)
    _show_passed_over(terminal, found)
    _show_golds(terminal, found)
    for alert in found.alerts:
        style = "bold red" if alert.kind == "cheating" else "yellow"
        what = "looks like reward hacking" if alert.kind == "cheating" else "warning"
        terminal.print(Text(f"step {alert.step}, {what} ({alert.rule})", style=style))
        terminal.print(Text(f"  {alert.message}\n  {alert.remedy}"))
    if not found.alerts:
        terminal.print("No alerts.", style="green")


def _show_passed_over(terminal: Any, found: Audit) -> None:
    from rich.text import Text

    from grpo_rewards.registry.errors import harmless

    if found.passed_over:
        count = len(found.passed_over)
        line = f"{count:,} damaged {'files were' if count > 1 else 'file was'} passed over, and the rest judged:"
        terminal.print(Text(line, style="yellow"))
        for one in found.passed_over:
            terminal.print(Text(f"  {harmless(str(one))}", style="yellow"))


def _show_golds(terminal: Any, found: Audit) -> None:
    from rich.table import Table
    from rich.text import Text

    from grpo_rewards.registry.errors import harmless

    if not found.golds:
        return
    table = Table("reward", "reason", "gold", "the prompt's end", "completions", title="golds that could not be used")
    for one in found.golds:
        cells = (one.reward, one.reason, one.gold or "", one.prompt, f"{one.completions:,}")
        table.add_row(*(Text(harmless(cell[-GOLD_CELL:]), overflow="fold") for cell in cells))
    terminal.print(table)
