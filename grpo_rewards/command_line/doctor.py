"""``grpo-rewards doctor``: does the package work here?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, cut, print_json, with_plain_errors

if TYPE_CHECKING:
    from grpo_rewards.checks.findings import Finding

__all__ = ["doctor"]


@with_plain_errors
def doctor(as_json: AsJson = False) -> None:
    """Tries what the package needs: Python, other packages, symbolic workers, PyTorch, TRL, plug-ins.

    Workers are started and decide a pair of formulas; PyTorch and TRL are imported in a process of their own. Exits 1
    if something is broken. What is degraded or not installed is listed, with what to do.
    """
    from grpo_rewards.checks.machine import examine

    if as_json:
        findings = list(examine())
        counts = {severity: _count(findings, severity) for severity in ("error", "warning", "note", "fine")}
        rows = [{**asdict(one), "rows": list(one.rows)} for one in findings]
        print_json({"works": not counts["error"], "counts": counts, "findings": rows})
    else:
        findings = _printed()
    if _count(findings, "error"):
        raise typer.Exit(FOUND)


def _printed() -> list[Finding]:
    """Prints findings as they arrive, then a summary."""
    from grpo_rewards.checks.machine import examine

    terminal = console()
    findings = []
    for one in examine():
        findings.append(one)
        terminal.print(_row(one))
    broken, degraded = _count(findings, "error"), _count(findings, "warning")
    summary = f"{broken} broken, {degraded} degraded." if broken or degraded else "Everything that is installed works."
    terminal.print(f"\n{summary}", style="bold", highlight=False)
    return findings


def _count(findings: list[Finding], severity: str) -> int:
    return sum(one.severity == severity for one in findings)


def _row(one: Finding) -> Any:
    from rich.table import Table
    from rich.text import Text

    from grpo_rewards.checks.findings import SEVERITY_STYLES

    message = Text(cut(one.message), overflow="fold")
    if one.remedy:
        message.append(f"\n{cut(one.remedy)}", style="cyan")
    row = Table.grid(padding=(0, 2))
    for width in (7, 16):
        row.add_column(width=width)
    row.add_row(Text(one.severity, style=SEVERITY_STYLES[one.severity]), Text(one.check), message)
    return row
