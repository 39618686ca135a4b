"""``grpo-rewards audit``, ``report`` and ``watch``: what a run left, judged, in a file, or while it goes on."""

from __future__ import annotations

import errno
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.printing import (
    FOUND,
    AsJson,
    console,
    need,
    print_json,
    print_to_stderr,
    refuse,
    with_plain_errors,
    working,
)

__all__ = ["audit", "report", "watch"]

if TYPE_CHECKING:
    from grpo_rewards.checks.run.audit import Audit


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
    first, last = found.compared
    table.add_column("figure", overflow="fold")
    for column in (f"first {first}", f"last {last}"):
        table.add_column(column, overflow="fold", justify="right")
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


if TYPE_CHECKING:
    from grpo_rewards.checks.run.files import PassedOver
    from grpo_rewards.report.serving import LiveReport, ReportServer


USUAL_PORT = 8642

Folders = Annotated[
    list[Path], typer.Argument(metavar="OUTPUT_DIR…", help="The output_dir of a run, or of several to compare.")
]


@with_plain_errors
def report(
    folders: Folders,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("report.html"),
    as_json: AsJson = False,
) -> None:
    """Writes what a run did as one HTML file: figures, alerts, evaluations, and every completion to search and filter.

    The file holds all that it needs and opens without a network. Several runs are shown side by side. Exits 1 if a file
    of a run is damaged: the report is made of the rest.
    """
    need("report", "jinja2", "latex2mathml", "plotly", "numpy", "pyarrow")
    from grpo_rewards.registry.errors import harmless
    from grpo_rewards.report import write_report

    if output.is_dir():
        refuse(f"{output} is a folder: name a file, such as -o {output / 'report.html'}.")
    passed_over: list[PassedOver] = []
    with working("reading the runs"):
        path = write_report(folders, output, on_damaged=passed_over.append)
    size = path.stat().st_size
    if as_json:
        print_json({"report": str(path), "bytes": size, "passed_over": [asdict(one) for one in passed_over]})
    else:
        for damaged in passed_over:
            print_to_stderr(f"passed over: {harmless(str(damaged))}")
        print(f"{path}: {size / 1e6:.1f} MB")
    if passed_over:
        raise typer.Exit(FOUND)


@with_plain_errors
def watch(
    folders: Folders,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"By default {USUAL_PORT}, or one that is free.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serves the report of a run that goes on, on this machine alone, and renews it as the run moves on.

    Ctrl-C ends it. With --json it prints its address as JSON first. From another machine:
    ssh -L 8642:127.0.0.1:8642 HOST, and the address that it prints.
    """
    need("report", "jinja2", "latex2mathml", "plotly", "numpy", "pyarrow")
    from grpo_rewards.report.serving import LiveReport

    for folder in folders:
        if not folder.is_dir():
            refuse(f"there is no folder {folder}.")
    server = _server(LiveReport(folders), port)
    try:
        if as_json:
            print_json({"address": server.address, "folders": [str(one) for one in folders]})
        else:
            print(f"{server.address}   Ctrl-C ends it", flush=True)
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


def _server(live: LiveReport, port: int | None) -> ReportServer:
    from grpo_rewards.report.serving import ReportServer

    try:
        return ReportServer(live, USUAL_PORT if port is None else port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        if port is not None:
            refuse(f"port {port} is taken: choose another one, or leave --port out.")
        return ReportServer(live, 0)
