"""``grpo-rewards score``, ``diff``: rewards over files; ``audit``, ``report``, ``watch``: what a run left."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column

from grpo_rewards.checks.run.audit import Audit, audit_run
from grpo_rewards.checks.run.files import reward_of
from grpo_rewards.command_line.printing import (
    FOUND,
    INTERRUPTED,
    Output,
    Renamed,
    Tokenizer,
    command,
    need,
    pairs,
    print_to_stderr,
    refuse,
    renamed_columns,
    table,
    text,
    working,
)
from grpo_rewards.completion_tables import DamagedFile
from grpo_rewards.errors import harmless
from grpo_rewards.scoring import Summary, Tally, score_files
from grpo_rewards.scoring.changes import Changes, Side, changes_in
from grpo_rewards.scoring.rows import KINDS

SHOWN_REASONS, MALFORMED_PRINTED = 12, 5
USUAL_PORT = 8642
REPORT_PACKAGES = ("jinja2", "latex2mathml", "plotly", "numpy", "pyarrow")
Folders = Annotated[list[Path], typer.Argument(metavar="OUTPUT_DIR…")]
SIDE_CELL = 60  # characters of a prediction, a gold or a prompt in a table


@dataclass(frozen=True)
class Files:
    """What ``score`` and ``diff`` read, and how.

    Args:
        files: Files, folders, patterns, pipes of JSON lines, or - for standard input.
        completion: The column of the completion, if its name is not a usual one.
        prompt: The column that the completions of a group have in common.
        by_group: Ask about adjacent rows of one prompt together, as GRPO does.
        processes: How many processes score.
    """

    files: Annotated[list[str], typer.Option("--input", "-i")]
    completion: str | None = None
    prompt: str | None = None
    column: Renamed = None
    tokenizer: Tokenizer = None
    by_group: Annotated[bool, typer.Option("--by-group")] = False
    processes: Annotated[int, typer.Option("--processes", "-j", min=1)] = 1

    def options(self) -> dict[str, Any]:
        """What ``score_files`` and ``changes_in`` are called with."""
        own = {name: value for name, value in vars(self).items() if name not in ("files", "column")}
        return {**own, "paths": self.files, "columns": renamed_columns(self.column)}


def _refuse_files(specs: list[str]) -> None:
    """Ends the command where a shell wrote files in place of an unquoted pattern: all but the first are specs then."""
    for one in specs:
        if one.endswith(KINDS) and Path(one).exists():
            refuse(f"'{one}' is a file: quote the pattern, -i '{Path(one).with_stem('*')}', or repeat -i.")


@command
def score(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC…")],
    files: Files,
    output: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite")] = False,
) -> Output:
    """Scores the completions in files, and prints a summary.

    Reads JSON lines, JSON, CSV, parquet and TRL's own completions_*.parquet, as a stream. With -o each row is kept with
    its rewards, reasons, predictions and why; the same command resumes one that was interrupted. Exits 1 if something
    could not be read or scored.

    Args:
        specs: Rewards: boxed_answer 'max_length(max_tokens=9)'.
        output: NAME.jsonl, which gets each row with its verdicts.
        overwrite: Begin anew where the output is there.
    """
    _refuse_files(specs)
    begun = time.monotonic()
    with working("scoring") as show:
        summary = score_files(
            specs,
            **files.options(),
            output=output,
            overwrite=overwrite,
            progress=lambda read, size, tally: show(_progress(read, size, tally, time.monotonic() - begun)),
        )
    status = FOUND if summary.tally.malformed or any(one.unscored for one in summary.tally.summaries()) else 0
    if not summary.is_whole:
        status = INTERRUPTED
        again = "the same command without --overwrite" if overwrite else "the same command"
        kept = f" {summary.kept} holds them. Run {again} to resume." if summary.kept else ""
        print_to_stderr(f"interrupted after {summary.tally.rows:,} completions.{kept}")
    return Output(summary.as_json(), _summed_up(summary), status)


def _progress(read: int, size: int, tally: Tally, seconds: float) -> str:
    """How much is done, how fast, how long the rest takes, and the means so far."""
    parts = [f"{tally.rows:,} completions, {tally.rows / seconds:,.0f}/s"]
    if size and read:
        parts.append(f"{read / size:.0%}, {seconds * (size - read) / read:,.0f} s left")
    return "; ".join([*parts, *(f"{name} {_number(mean)}" for name, mean in tally.means().items())])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _summed_up(summary: Summary) -> Iterator[Any]:
    tally = summary.tally
    yield pairs(_figures(summary))
    if summary.fields.prompt is None:
        yield text("No column shows which completions share a prompt (--prompt NAME).", "dim")
    if tally.malformed:
        first = f", the first {MALFORMED_PRINTED}" if tally.malformed > MALFORMED_PRINTED else ""
        yield text(f"rows that could not be read: {tally.malformed:,}{first}:", "yellow")
        yield from (text(f"  {one}", "yellow") for one in summary.malformed[:MALFORMED_PRINTED])
    if summary.kept is not None:
        beside = f", and what could not be read in {summary.malformed_in}" if summary.malformed_in else ""
        yield f"kept in {summary.kept}{beside}"


def _figures(summary: Summary) -> Iterator[tuple[Any, Any]]:
    rows = summary.tally.rows
    yield f"{rows:,}", f"completions, in column {summary.fields.completion}"
    for one in summary.tally.summaries():
        yield from (("", text("")), (text(one.name, "bold"), text("")))
        yield "mean", _number(one.mean) + ("  [{:.3f}, {:.3f}]".format(*one.interval) if one.interval else "")
        yield "not scored", f"{one.unscored:,} ({one.unscored / rows:.1%})" if one.unscored else ""
        reasons = [f"{reason} {count / rows:.1%}" for reason, count in one.reasons.items() if reason]
        more = f", and {len(reasons) - SHOWN_REASONS} more" if len(reasons) > SHOWN_REASONS else ""
        yield "reasons", ", ".join(reasons[:SHOWN_REASONS]) + more
        without_signal = "" if one.without_signal is None else f"{one.without_signal:.1%} of them zero-variance"
        yield "groups", f"{one.groups:,} of several completions, {without_signal}" if one.groups else ""
        if one.at_best is not None:
            solved = "solved by none {:.1%}, by some {:.1%}, by all {:.1%} of their completions".format(*one.at_best)
            yield "prompts", solved


@command
def diff(specs: Annotated[list[str], typer.Argument(metavar="OLD NEW")], files: Files) -> Output:
    """Shows the completions that two rewards score differently, by reason, with examples. Exits 1 if there are any.

    Rewards that compare the completions of a group see whole groups, as in score.

    Args:
        specs: Two specs; the old one may be column:NAME, for rewards that the files have in a column.
    """
    _refuse_files(specs)
    if len(specs) != 2:
        refuse(f"name two rewards, the old and the new, not {len(specs)}: grpo-rewards diff OLD NEW -i FILES.")
    with working("scoring with both rewards"):
        changes = changes_in(*specs, **files.options())
    return Output(changes.as_json(), _changed(changes), FOUND if changes.changed or changes.malformed else 0)


def _changed(changes: Changes) -> Iterator[Any]:
    other = changes.changed - changes.raised - changes.lowered
    counts = {"raised": changes.raised, "lowered": changes.lowered, "None on one side": other}
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    yield f"{changes.changed:,} of {changes.rows:,} completions change{': ' + parts if parts else ''}"
    for (before, after), count in changes.kinds.most_common():
        rows = (
            (one.place, _side(one.before), _side(one.after), one.answer or "", one.completion)
            for one in changes.examples[before, after]
        )
        yield table(
            f"{before or 'no reason'} → {after or 'no reason'}: {count:,}",
            ("place", "before", "after", "gold", "the completion's end"),
            ([cell[-2 * SIDE_CELL :] for cell in row] for row in rows),
        )
    if changes.malformed:
        yield text(
            f"rows that could not be read: {len(changes.malformed):,}, the first {changes.malformed[0]}", "yellow"
        )


def _side(side: Side) -> str:
    reward, _, prediction, why = side
    return "\n".join(part for part in (_number(reward), (prediction or "")[:SIDE_CELL], why) if part)


@command
def audit(folder: Annotated[Path, typer.Argument(metavar="OUTPUT_DIR")]) -> Output:
    """Looks at a run's log and completions: zero-variance groups, what decides, suspected hacking, unreadable golds.

    Prints what the monitor reports while a run trains. Exits 1 if there is an alert, or a file is damaged: the rest is
    judged without it.

    Args:
        folder: The output_dir of a run.
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
        yield table("golds that could not be used", columns, ([cell[-SIDE_CELL:] for cell in row] for row in golds))
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
def report(folders: Folders, output: Annotated[Path, typer.Option("--output", "-o")] = Path("report.html")) -> Output:
    """Writes what a run did as one HTML file: figures, alerts, evaluations, and every completion to search and filter.

    The file holds all that it needs and opens without a network. Several runs are shown side by side. Exits 1 if a file
    of a run is damaged: the report is made of the rest.

    Args:
        folders: The output_dir of a run, or of several to compare.
        output: The file to write.
    """
    need("report", *REPORT_PACKAGES)
    from grpo_rewards.report import write_report

    if output.is_dir():
        refuse(f"{output} is a folder: name a file, such as -o {output / 'report.html'}.")
    passed_over: list[DamagedFile] = []
    with working("reading the runs"):
        path = write_report(folders, output, on_damaged=passed_over.append)
    for one in passed_over:
        print_to_stderr(f"passed over: {harmless(str(one))}")
    size = path.stat().st_size
    as_json = {"report": str(path), "bytes": size, "passed_over": [asdict(one) for one in passed_over]}
    return Output(as_json, [f"{path}: {size / 1e6:.1f} MB"], FOUND if passed_over else 0)


@command
def watch(folders: Folders, port: Annotated[int | None, typer.Option(min=0, max=65535)] = None) -> Output:
    """Serves the report of a run that goes on, on this machine alone, and renews it as the run moves on.

    Ctrl-C ends it. With --json it prints its address as JSON first. From another machine:
    ssh -L 8642:127.0.0.1:8642 HOST, and the address that it prints.

    Args:
        folders: The output_dir of a run, or of several to compare.
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
        if port is not None:
            refuse(f"port {port} cannot be used ({error.strerror}). Without --port, one that is free is taken.")
        server = ReportServer(live, 0)
    as_json = {"address": server.address, "folders": [str(one) for one in folders]}
    return Output(as_json, [f"{server.address}   Ctrl-C ends it"], then=server.serve_forever)
