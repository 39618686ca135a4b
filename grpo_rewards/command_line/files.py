"""``grpo-rewards score`` and ``diff``: rewards over files of completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.inputs import Renamed, Tokenizer, renamed_columns
from grpo_rewards.command_line.printing import (
    FOUND,
    INTERRUPTED,
    AsJson,
    console,
    print_json,
    print_to_stderr,
    with_plain_errors,
    working,
)

if TYPE_CHECKING:
    from grpo_rewards.scoring import Summary
    from grpo_rewards.scoring.files import Progress
    from grpo_rewards.scoring.rows import Malformed
    from grpo_rewards.scoring.tally import RewardSummary

__all__ = ["diff", "score"]

Files = Annotated[
    list[str],
    typer.Option(
        "--input",
        "-i",
        help="Files, folders, patterns, pipes of JSON lines, or - for standard input.",
        show_default=False,
    ),
]
Completion = Annotated[str | None, typer.Option(help="The column of the completion, if its name is not a usual one.")]
Prompt = Annotated[str | None, typer.Option(help="The column that the completions of a group have in common.")]
ByGroup = Annotated[
    bool, typer.Option("--by-group", help="Ask about adjacent rows of one prompt together, as GRPO does.")
]
Processes = Annotated[int, typer.Option("--processes", "-j", min=1, help="How many processes score.")]
SHOWN_REASONS, MALFORMED_PRINTED = 12, 5
SIDE_CELL = 60  # characters of a prediction or a gold in a table


@with_plain_errors
def score(
    specs: Annotated[
        list[str], typer.Argument(metavar="SPEC…", help="Rewards: boxed_answer 'max_length(max_tokens=9)'.")
    ],
    files: Files,
    completion: Completion = None,
    prompt: Prompt = None,
    column: Renamed = None,
    tokenizer: Tokenizer = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="NAME.jsonl, which gets each row with its verdicts.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin anew where the output is there.")] = False,
    by_group: ByGroup = False,
    processes: Processes = 1,
    as_json: AsJson = False,
) -> None:
    """Scores the completions in files, and prints a summary.

    Reads JSON lines, JSON, CSV, parquet and TRL's own completions_*.parquet, as a stream. With -o each row is kept with
    its rewards, reasons, predictions and why; the same command goes on where one was interrupted. Exits 1 if something
    could not be read or scored.
    """
    from grpo_rewards.scoring import score_files

    with _progress() as progress:
        summary = score_files(
            specs,
            files,
            completion=completion,
            prompt=prompt,
            columns=renamed_columns(column),
            tokenizer=tokenizer,
            output=output,
            overwrite=overwrite,
            by_group=by_group,
            processes=processes,
            progress=progress,
        )
    if as_json:
        print_json(summary.as_json())
    else:
        _show(summary)
    if not summary.is_whole:
        print_to_stderr(_interrupted(summary))
        raise typer.Exit(INTERRUPTED)
    if summary.tally.malformed or any(one.unscored for one in summary.tally.summaries()):
        raise typer.Exit(FOUND)


def _interrupted(summary: Summary) -> str:
    kept = f" {summary.kept} holds them; the same command goes on." if summary.kept else ""
    return f"interrupted after {summary.tally.rows:,} completions.{kept}"


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A line on standard error with the rate, and the means so far; nothing where that is no terminal."""
    from rich.console import Console

    terminal = Console(stderr=True)
    if not terminal.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}")
    columns = (BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f}%"), rate, TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[means]}"), console=terminal) as bar:
        task = bar.add_task("", total=None, rate="", means="")

        def show(read: int, size: int, tally: Any) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            means = " ".join(f"{name} {_number(mean)}" for name, mean in tally.means().items())
            rate = f"{tally.rows / elapsed:,.0f}/s" if elapsed > 0 else ""
            bar.update(task, completed=read, total=size or None, rate=rate, means=means)

        yield show


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _show(summary: Summary) -> None:
    from rich.table import Table
    from rich.text import Text

    terminal, tally, fields = console(), summary.tally, summary.fields
    grid = Table.grid(padding=(0, 2))
    grid.add_row(f"{tally.rows:,}", Text(f"completions, in column {fields.completion}"))
    for one in tally.summaries():
        grid.add_row()
        grid.add_row(Text(one.name, style="bold"))
        for name, value in _figures(one, tally.rows):
            grid.add_row(Text(name, style="dim"), Text(value))
    for pair in tally.agreements():
        correlation = "one of them is constant" if pair.correlation is None else f"correlation {pair.correlation:.2f}"
        grid.add_row()
        grid.add_row(Text(f"{pair.names[0]}\n{pair.names[1]}", style="bold"), f"{correlation}, equal {pair.same:.1%}")
    terminal.print(grid)
    if fields.prompt is None:
        terminal.print("No column shows which completions share a prompt (--prompt NAME).", style="dim")
    _show_malformed(terminal, tally.malformed, summary.malformed)
    if summary.kept is not None:
        beside = f", and what could not be read in {summary.malformed_in}" if summary.malformed_in else ""
        terminal.print(Text(f"kept in {summary.kept}{beside}"), soft_wrap=True)  # a path stays whole


def _figures(one: RewardSummary, rows: int) -> Iterator[tuple[str, str]]:
    interval = "" if one.interval is None else "  [{:.3f}, {:.3f}]".format(*one.interval)
    yield "mean", f"{_number(one.mean)}{interval}"
    if one.unscored:
        yield "not scored", f"{one.unscored:,} ({one.unscored / rows:.1%})"
    reasons = [f"{reason} {count / rows:.1%}" for reason, count in one.reasons.items() if reason]
    if reasons:
        more = f", and {len(reasons) - SHOWN_REASONS} more" if len(reasons) > SHOWN_REASONS else ""
        yield "reasons", ", ".join(reasons[:SHOWN_REASONS]) + more
    if one.groups:
        yield "groups", f"{one.groups:,} of several, {_share(one.without_signal)} of them without signal"
    if one.at_best is not None:
        yield "prompts", "best by none {}, some {}, all {} of their completions".format(*map(_share, one.at_best))


def _show_malformed(terminal: Any, count: int, first: Sequence[Malformed]) -> None:
    from rich.text import Text

    from grpo_rewards.registry.errors import harmless

    if count:
        terminal.print(
            Text(f"{count:,} rows could not be read{', the first' if count > MALFORMED_PRINTED else ''}:"),
            style="yellow",
        )
        for one in first[:MALFORMED_PRINTED]:
            terminal.print(Text(f"  {harmless(str(one))}", style="yellow"))


@with_plain_errors
def diff(
    old: Annotated[str, typer.Argument(help="A spec, or column:NAME for rewards that the files have in a column.")],
    new: Annotated[str, typer.Argument(help="A spec.")],
    files: Files,
    completion: Completion = None,
    prompt: Prompt = None,
    column: Renamed = None,
    tokenizer: Tokenizer = None,
    by_group: ByGroup = False,
    processes: Processes = 1,
    as_json: AsJson = False,
) -> None:
    """Shows the completions that two rewards score differently, by reason, with examples. Exits 1 if there are any.

    Rewards that compare the completions of a group see whole groups, as in score.
    """
    from grpo_rewards.scoring.changes import changes_in

    with working("scoring with both rewards"):
        changes = changes_in(
            old,
            new,
            files,
            completion=completion,
            prompt=prompt,
            columns=renamed_columns(column),
            tokenizer=tokenizer,
            by_group=by_group,
            processes=processes,
        )
    if as_json:
        print_json(changes.as_json())
    else:
        _show_changes(changes)
    if changes.changed or changes.malformed:
        raise typer.Exit(FOUND)


def _show_changes(changes: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    from grpo_rewards.registry.errors import harmless

    terminal = console()
    counts: Mapping[str, int] = {"raised": changes.raised, "lowered": changes.lowered}
    other = changes.changed - changes.raised - changes.lowered
    parts = ", ".join(f"{count:,} {name}" for name, count in [*counts.items(), ("None on one side", other)] if count)
    terminal.print(f"{changes.changed:,} of {changes.rows:,} completions change{': ' + parts if parts else ''}")
    for (before, after), count in changes.kinds.most_common():
        table = Table("line", "before", "after", "gold", "the completion's end", title_justify="left")
        table.title = Text(f"{before or 'no reason'} → {after or 'no reason'}: {count:,}")
        for one in changes.examples[before, after]:
            cells = (
                one.place.rpartition(" ")[2],
                _side(one.before),
                _side(one.after),
                one.answer or "",
                one.completion,
            )
            table.add_row(*(Text(harmless(cell[-SIDE_CELL * 2 :]), overflow="fold") for cell in cells))
        terminal.print(table)
    if changes.malformed:
        terminal.print(
            Text(f"{len(changes.malformed):,} rows could not be read: {changes.malformed[0]}", style="yellow")
        )


def _side(verdict: tuple[float | None, str, str | None, str]) -> str:
    reward, _, prediction, why = verdict
    return "\n".join(part for part in (_number(reward), (prediction or "")[:SIDE_CELL], why) if part)
