"""``grpo-rewards validate-loss``: is TRL's loss the paper's?"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

import typer
from rich.table import Column

from grpo_rewards.command_line.printing import FOUND, Output, command, need, table, text, working

NOT_ALL_COMPARED = 3  # exit status: nothing is known to be wrong, but not all could be compared
STATUS_CODES = {"agrees": 0, "wrong": FOUND, "unknown": NOT_ALL_COMPARED}
NUMBER_COLUMNS = ("compared", "value\nfloat64", "gradient\nfloat64", "value\nfloat32", "gradient\nfloat32")


@command
def validate_loss(stop_at_first: bool = False) -> Output:
    """Compares the installed TRL's GRPO loss with this package's, on tensors and in steps of a tiny model.

    Needs no network. Exits 1 if TRL is off by more than 1e-12 in float64 or 1e-6 in float32; if a TRL that is as it was
    tested could not be run; or if less was compared than must be. Exits 3 if nothing is known to be wrong, but TRL is
    not as it was tested, and something could not be compared: what changed is named.

    Args:
        stop_at_first: End as soon as something is wrong.
    """
    need("trl", "trl", "torch")
    from grpo_rewards.loss.trl_check.validate import validate_trl_loss

    with _tidied_when_terminated(), working("importing TRL") as show:
        report = validate_trl_loss(stop_at_first, show)
    kinds = _kinds(report)
    return Output(_as_json(report, kinds), _shown(report, kinds), STATUS_CODES[report.status])


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


def _shown(report: Any, kinds: list[dict[str, Any]]) -> Iterator[Any]:
    """The table of differences, and what was beyond tolerance, failed, changed or left out."""
    from grpo_rewards.loss.trl_check.contract import introduced, verdict

    columns = [Column(heading, justify="right" if heading else "left") for heading in ("", *NUMBER_COLUMNS)]
    yield table(f"TRL {report.trl}: largest difference from the papers", columns, map(_row, kinds))
    wrong = len(report.mismatches)
    yield f"{len(report.differences):,} comparisons in {report.seconds:.1f} s, {wrong} beyond tolerance."
    yield from (text(line, "red") for line in report.mismatch_lines())
    for kind, reasons in report.failed.items():
        yield text(f"{kind}: {len(reasons):,} cases could not be run, the first for {reasons[0]}", "red")
    for kind, (found, least) in report.short.items():
        yield text(f"{kind}: {found:,} comparisons, and there must be {least:,}", "red")
    if report.changed:
        yield text(verdict(report.trl, report.changed), "yellow")
    for kind, reasons in report.lacking.items():
        why = f"{introduced(report.trl)}, and {len(reasons):,} cases could not be run, the first for {reasons[0]}"
        yield text(f"{kind}: {why}", "yellow")
    for part, why in report.left_out.items():
        yield f"Not looked at: {part} ({why})."


def _row(kind: dict[str, Any]) -> list[Any]:
    """How many cases of a kind were compared, and the largest differences, in red where they are too large."""
    cells = []
    for its in kind["largest"].values():
        for number in (its["value"], its["gradient"]):
            is_wrong = number and not number <= its["allowed"]
            cells.append(text("-" if number is None else f"{number:.1e}", "red" if is_wrong else ""))
    return [kind["kind"], f"{sum(its['compared'] for its in kind['largest'].values()):,}", *cells]


def _kinds(report: Any) -> list[dict[str, Any]]:
    """For each kind of case how many were compared, and the largest differences beside what is allowed."""
    from grpo_rewards.loss.trl_check.report import TOLERANCES, kinds

    names = ("compared", "value", "gradient", "allowed")
    found = []
    for kind in kinds(report):
        largest = {dtype: dict(zip(names, report.largest(kind, dtype), strict=True)) for dtype in TOLERANCES}
        found.append({"kind": kind, "largest": {_precision(dtype): its for dtype, its in largest.items()}})
    return found


def _as_json(report: Any, kinds: list[dict[str, Any]]) -> Any:
    """The report as JSON can hold it: numbers that are not finite as texts, and precisions by their names."""
    copied = ("trl", "is_supported", "passed", "status", "seconds", "failed", "lacking", "changed", "left_out")
    mismatches = []
    for one in report.mismatches:
        settings = {name: str(value) for name, value in one.settings.items()}
        mismatches.append({**vars(one), "settings": settings, "dtype": _precision(one.dtype)})
    found = {
        **{name: getattr(report, name) for name in copied},
        "comparisons": len(report.differences),
        "kinds": kinds,
        "mismatches": mismatches,
        "too_few": {kind: {"found": found, "least": least} for kind, (found, least) in report.short.items()},
    }
    return _with_texts(found)


def _with_texts(value: Any) -> Any:
    """The value with texts for numbers that are not finite, for which JSON has no form."""
    if isinstance(value, dict):
        return {name: _with_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_with_texts(one) for one in value]
    return str(value) if isinstance(value, float) and value - value != 0 else value


def _precision(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")
