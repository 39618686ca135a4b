"""The command ``grpo-rewards``."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Annotated, Any

import typer

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Rule-based rewards for TRL, and its loss checked.")


def _print_version(wanted: bool) -> None:
    if wanted:
        from grpo_rewards import __version__

        print(f"grpo-rewards {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Rule-based rewards for TRL, and its loss checked."""


@app.command("validate-loss")
def validate_loss(
    stop_at_first: Annotated[bool, typer.Option(help="End as soon as something is wrong.")] = False,
) -> None:
    """Holds the installed TRL's GRPO loss, and the whole step around it, to this package's.

    Needs no network and no model but a tiny one of its own. Exits 1 if TRL is off by more than 1e-12 in float64 or 1e-6
    in float32, or in a step by more than the table says; if something could not be run; or if less was compared than
    must be. Exits 2 if it is a version of TRL of which nothing could be compared. What such a version lacks is listed.
    """
    from rich.console import Console

    _need("trl", "torch")
    from grpo_rewards.loss.trl_check.validate import validate_trl_loss

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no π gets a question mark
    console = Console()
    with _tidied_when_terminated():
        report = validate_trl_loss(stop_at_first)
    _print_differences(console, report)
    wrong = report.mismatches
    console.print(f"{len(report.differences):,} comparisons in {report.seconds:.1f} s, {len(wrong)} beyond tolerance.")
    for one in wrong[:5]:
        gradient = "" if one.gradient is None else f", gradient {one.gradient:.3g}"
        console.print(f"{one.kind}, {one.dtype}: value {one.value:.3g}{gradient} in {one.case}", markup=False)
    for kind, reasons in report.failed.items():
        said = f"{kind}: {len(reasons):,} cases could not be run, the first for {reasons[0]}"
        console.print(said, style="red", markup=False)
    for kind, (found, least) in report.short.items():
        said = f"{kind}: {found:,} comparisons, and there must be {least:,}"
        console.print(said, style="red", markup=False)
    for kind, reasons in report.lacking.items():
        said = f"{kind}: TRL {report.trl} could not be asked in {len(reasons):,} cases, the first for {reasons[0]}"
        console.print(said, style="yellow", markup=False)
    for part, why in report.left_out.items():
        console.print(f"{part}: not looked at, {why}", style="yellow", markup=False)
    if not report.passed:
        raise typer.Exit(1 if report.differences or report.is_supported else 2)


class _Terminated(BaseException):
    """The process was asked to end. No ``SystemExit``, which the check takes for a failure of TRL's."""


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


def _print_differences(console: Any, report: Any) -> None:
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
            cases, *worst = report.largest(kind, dtype)
            compared += cases
            allowed = report.allowed(kind, dtype)
            cells += ["-" if one is None else _cell(one, allowed) for one in worst]
        table.add_row(kind, f"{compared:,}", *cells)
    console.print(table)


def _need(*packages: str) -> None:
    """Ends the command if a package of the extra [trl] is not installed, and says how to get it."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        print(f"This command needs {' and '.join(missing)}: pip install 'grpo-rewards[trl]'", file=sys.stderr)
        raise typer.Exit(2)


def _cell(number: float, tolerance: float) -> str:
    return f"{number:.1e}" if number <= tolerance else f"[red]{number:.1e}[/red]"


if __name__ == "__main__":
    app()
