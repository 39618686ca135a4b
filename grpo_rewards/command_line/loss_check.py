"""``grpo-rewards validate-loss``: is TRL's loss the paper's?"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, need, print_json, with_plain_errors, working

__all__ = ["validate_loss"]

NOT_ALL_COMPARED = 3  # exit status: nothing is known to be wrong, but not all could be compared


@with_plain_errors
def validate_loss(
    stop_at_first: Annotated[bool, typer.Option(help="End as soon as something is wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compares the installed TRL's GRPO loss with this package's, on tensors and in steps of a tiny model.

    Needs no network. Exits 1 if TRL is off by more than 1e-12 in float64 or 1e-6 in float32; if a TRL that is as it was
    tested could not be run; or if less was compared than must be. Exits 3 if nothing is known to be wrong, but TRL is
    not as it was tested, and something could not be compared: what changed is named.
    """
    need("trl", "trl", "torch")
    from grpo_rewards.loss.trl_check.validate import validate_trl_loss

    terminal = console()  # of which one without π shows a question mark
    with _tidied_when_terminated(), working("importing TRL") as show:
        report = validate_trl_loss(stop_at_first, show)
    if as_json:
        print_json(_as_json(report))
    else:
        _print_report(terminal, report)
    if not report.passed:
        raise typer.Exit(FOUND if report.status == "wrong" else NOT_ALL_COMPARED)


def _print_report(terminal: Any, report: Any) -> None:
    """Prints the table of differences, and what was beyond tolerance, failed, changed or left out."""
    from grpo_rewards.loss.trl_check.contract import introduced, verdict

    _print_differences(terminal, report)
    wrong = report.mismatches
    terminal.print(f"{len(report.differences):,} comparisons in {report.seconds:.1f} s, {len(wrong)} beyond tolerance.")
    for line in report.mismatch_lines():
        terminal.print(line, style="red", markup=False)
    for kind, reasons in report.failed.items():
        line = f"{kind}: {len(reasons):,} cases could not be run, the first for {reasons[0]}"
        terminal.print(line, style="red", markup=False)
    for kind, (found, least) in report.short.items():
        line = f"{kind}: {found:,} comparisons, and there must be {least:,}"
        terminal.print(line, style="red", markup=False)
    if report.changed:
        terminal.print(verdict(report.trl, report.changed), style="yellow", markup=False)
    for kind, reasons in report.lacking.items():
        line = (
            f"{kind}: {introduced(report.trl)}, and {len(reasons):,} cases could not be run, the first for {reasons[0]}"
        )
        terminal.print(line, style="yellow", markup=False)
    for part, why in report.left_out.items():
        terminal.print(f"Not looked at: {part} ({why}).", markup=False)


class _Terminated(BaseException):
    """The process got a signal to end. No ``SystemExit``, which the check takes for a failure of TRL's."""


@contextlib.contextmanager
def _tidied_when_terminated() -> Iterator[None]:
    """Lets SIGTERM end the block like an exception, so that processes and folders of its own go with it."""

    def terminate(*_: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except _Terminated:
        raise typer.Exit(128 + signal.SIGTERM) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_differences(terminal: Any, report: Any) -> None:
    """Prints a table with a row for each kind of case."""
    from rich.table import Table

    from grpo_rewards.loss.trl_check.report import TOLERANCES, kinds

    table = Table(title=f"TRL {report.trl}: largest difference from the papers")
    table.add_column("")
    columns = ("compared", "value\nfloat64", "gradient\nfloat64", "value\nfloat32", "gradient\nfloat32")
    for column in columns:
        table.add_column(column, justify="right")
    for kind in kinds(report):
        cells, compared = [], 0
        for dtype in TOLERANCES:
            cases, *worst, allowed = report.largest(kind, dtype)
            compared += cases
            cells += ["-" if one is None else _cell(one, allowed) for one in worst]
        table.add_row(kind, f"{compared:,}", *cells)
    terminal.print(table)


def _cell(number: float, tolerance: float) -> str:
    return f"{number:.1e}" if number <= tolerance else f"[red]{number:.1e}[/red]"


def _as_json(report: Any) -> dict[str, Any]:
    """The report as JSON can hold it: numbers that are not finite as texts, and precisions by their names."""
    mismatches = [
        {
            **vars(one),
            "settings": {name: str(value) for name, value in one.settings.items()},
            "dtype": _precision(one.dtype),
            "value": _number(one.value),
            "gradient": _number(one.gradient),
        }
        for one in report.mismatches
    ]
    return {
        "trl": report.trl,
        "is_supported": report.is_supported,
        "passed": report.passed,
        "status": report.status,
        "seconds": report.seconds,
        "comparisons": len(report.differences),
        "kinds": _kinds_as_json(report),
        "mismatches": mismatches,
        "failed": report.failed,
        "lacking": report.lacking,
        "changed": report.changed,
        "left_out": report.left_out,
        "too_few": {kind: {"found": found, "least": least} for kind, (found, least) in report.short.items()},
    }


def _kinds_as_json(report: Any) -> list[dict[str, Any]]:
    """For each kind of case how many were compared, and the largest differences beside what is allowed."""
    from grpo_rewards.loss.trl_check.report import TOLERANCES, kinds

    rows = []
    for kind in kinds(report):
        largest = {}
        for dtype in TOLERANCES:
            cases, value, gradient, allowed = report.largest(kind, dtype)
            largest[_precision(dtype)] = {
                "compared": cases,
                "value": _number(value),
                "gradient": _number(gradient),
                "allowed": allowed,
            }
        rows.append({"kind": kind, "largest": largest})
    return rows


def _precision(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def _number(value: float | None) -> float | str | None:
    """A number, or the text of one that is not finite, for which JSON has no form."""
    return value if value is None or value - value == 0 else str(value)
