"""The command ``grpo-rewards``: a module for each kind of question, thin over what the package has.

``files`` what are the completions in files worth? · ``runs`` what did a run do? ·
``reports`` can I look at it? · ``loss_check`` is TRL's loss the paper's? ·
``printing`` what all share: text or JSON, exit codes, errors in a line.

Exit codes: 0 nothing found, 1 something was found, 2 the command was used wrongly, 130 Ctrl-C.
"""

from __future__ import annotations

from typing import Annotated

import typer

from grpo_rewards.command_line import files, loss_check, reports, runs

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Rule-based rewards for TRL: tried, explained and run over files; a set-up, a run and a loss checked.",
)
app.command("score")(files.score)
app.command("diff")(files.diff)
app.command("audit")(runs.audit)
app.command("report")(reports.report)
app.command("watch")(reports.watch)
app.command("validate-loss")(loss_check.validate_loss)


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
    """Rule-based rewards for TRL: tried, explained and run over files; a set-up, a run and a loss checked."""
