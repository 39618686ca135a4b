"""The command ``grpo-rewards``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Annotated

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
def validate_loss() -> None:
    """Holds the installed TRL's GRPO loss and advantages to this package's, value and gradient.

    Needs no model and no network. Exits 1 if TRL is off by more than 1e-12 in float64 or 1e-6 in float32, and 2 if it
    has nothing that could be compared. What an older TRL lacks is listed.
    """
    from rich.console import Console
    from rich.table import Table

    _need("trl", "torch")
    from grpo_rewards.loss.trl_check.validate import TOLERANCES, kinds, validate_trl_loss

    console = Console()
    report = validate_trl_loss()
    table = Table(title=f"TRL {report.trl}: largest difference from the loss of the papers")
    table.add_column("")
    for column in ("cases", "value\nfloat64", "gradient\nfloat64", "value\nfloat32", "gradient\nfloat32"):
        table.add_column(column, justify="right")
    for kind in kinds(report):
        cells = []
        for dtype, tolerance in TOLERANCES.items():
            cases, *worst = report.largest(kind, dtype)
            cells += ["-" if one is None else _cell(one, tolerance) for one in worst]
        table.add_row(kind, f"{cases:,}", *cells)
    console.print(table)
    wrong = report.mismatches
    console.print(f"{len(report.differences):,} comparisons in {report.seconds:.1f} s, {len(wrong)} beyond tolerance.")
    for one in wrong[:5]:
        gradient = "" if one.gradient is None else f", gradient {one.gradient:.3g}"
        console.print(f"{one.kind}, {one.dtype}: value {one.value:.3g}{gradient} in {one.case}", markup=False)
    for kind, reasons in report.lacking.items():
        said = f"{kind}: TRL {report.trl} could not be asked in {len(reasons):,} cases, the first for {reasons[0]}"
        console.print(said, style="yellow", markup=False)
    if wrong or not report.differences:
        raise typer.Exit(1 if wrong else 2)


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
