"""``grpo-rewards audit``, ``report`` and ``watch``: what a run left, judged, in a file, or while it goes on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column

from grpo_rewards.checks.run.audit import Audit, audit_run
from grpo_rewards.checks.run.files import PassedOver, reward_of
from grpo_rewards.command_line.printing import (
    FOUND,
    Output,
    command,
    need,
    print_to_stderr,
    refuse,
    table,
    text,
    working,
)
from grpo_rewards.registry.errors import harmless

GOLD_CELL = 60  # characters of a gold or a prompt in a table
USUAL_PORT = 8642
REPORT_PACKAGES = ("jinja2", "latex2mathml", "plotly", "numpy", "pyarrow")
Folders = Annotated[
    list[Path], typer.Argument(metavar="OUTPUT_DIR…", help="The output_dir of a run, or of several to compare.")
]


@command
def audit(folder: Annotated[Path, typer.Argument(metavar="OUTPUT_DIR", help="The output_dir of a run.")]) -> Output:
    """Looks at a run's log and completions: zero-variance groups, what decides, suspected hacking, unreadable golds.

    Prints what the monitor reports while a run trains. Exits 1 if there is an alert, or a file is damaged: the rest is
    judged without it.
    """
    need("report", "pyarrow")
    with working("reading the run"):
        found = audit_run(folder)
    return Output(found.as_json(), _audited(found), FOUND if found.alerts or found.passed_over else 0)


def _audited(found: Audit) -> Iterator[Any]:
    first, last = found.compared
    headings = (f"first {first}", f"last {last}", "with the advantage")
    yield table(
        f"{found.folder}: {found.steps:,} logged steps, {found.tables:,} tables of completions",
        ["figure", *(Column(heading, justify="right") for heading in headings)],
        _trends(found),
    )
    if found.passed_over:
        count = len(found.passed_over)
        files = "files were" if count > 1 else "file was"
        yield text(f"{count:,} damaged {files} passed over, and the rest judged:", "yellow")
        yield from (text(f"  {one}", "yellow") for one in found.passed_over)
    if found.golds:
        columns = ("reward", "reason", "gold", "the prompt's end", "completions")
        golds = ((one.reward, one.reason, one.gold or "", one.prompt, f"{one.completions:,}") for one in found.golds)
        yield table("golds that could not be used", columns, ([cell[-GOLD_CELL:] for cell in row] for row in golds))
    for alert in found.alerts:
        what, style = ("looks like reward hacking", "bold red") if alert.kind == "cheating" else ("warning", "yellow")
        yield text(f"step {alert.step}, {what} ({alert.rule})", style)
        yield text(f"  {alert.message}\n  {alert.remedy}")
    if not found.alerts:
        yield text("No alerts.", "green")


def _trends(found: Audit) -> Iterator[tuple[str, ...]]:
    """Each figure at the beginning and the end of the run; of a reward also its correlation with the advantage."""
    for trend in found.trends:
        decided = found.decided.get(reward_of(trend.name) or "")
        yield trend.title, f"{trend.start:.3f}", f"{trend.end:.3f}", "" if decided is None else f"{decided:+.2f}"


@command
def report(
    folders: Folders,
    output: Annotated[Path, typer.Option("--output", "-o")] = Path("report.html"),
) -> Output:
    """Writes what a run did as one HTML file: figures, alerts, evaluations, and every completion to search and filter.

    The file holds all that it needs and opens without a network. Several runs are shown side by side. Exits 1 if a file
    of a run is damaged: the report is made of the rest.

    Args:
        output: The file to write.
    """
    need("report", *REPORT_PACKAGES)
    from grpo_rewards.report import write_report

    if output.is_dir():
        refuse(f"{output} is a folder: name a file, such as -o {output / 'report.html'}.")
    passed_over: list[PassedOver] = []
    with working("reading the runs"):
        path = write_report(folders, output, on_damaged=passed_over.append)
    for one in passed_over:
        print_to_stderr(f"passed over: {harmless(str(one))}")
    size = path.stat().st_size
    as_json = {"report": str(path), "bytes": size, "passed_over": [asdict(one) for one in passed_over]}
    return Output(as_json, [f"{path}: {size / 1e6:.1f} MB"], FOUND if passed_over else 0)


@command
def watch(
    folders: Folders,
    port: Annotated[int | None, typer.Option(min=0, max=65535)] = None,
) -> Output:
    """Serves the report of a run that goes on, on this machine alone, and renews it as the run moves on.

    Ctrl-C ends it. With --json it prints its address as JSON first. From another machine:
    ssh -L 8642:127.0.0.1:8642 HOST, and the address that it prints.

    Args:
        port: By default 8642, or one that is free.
    """
    need("report", *REPORT_PACKAGES)
    from grpo_rewards.report.serving import LiveReport, ReportServer

    for folder in folders:
        if not folder.is_dir():
            refuse(f"there is no folder {folder}.")
    live = LiveReport(folders)
    try:
        server = ReportServer(live, USUAL_PORT if port is None else port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        if port is not None:
            refuse(f"port {port} is taken: choose another one, or leave --port out.")
        server = ReportServer(live, 0)
    as_json = {"address": server.address, "folders": [str(one) for one in folders]}
    return Output(as_json, [f"{server.address}   Ctrl-C ends it"], then=server.serve_forever)
