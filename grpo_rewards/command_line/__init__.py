"""The command ``grpo-rewards``: a module for each kind of question, thin over what the package has.

``catalogue`` which rewards are there, and what does one do? · ``explain`` why that number? · ``files`` what are the
completions in files worth? · ``checks`` is a set-up, a reward, this machine right? · ``runs`` what did a run do? ·
``loss_check`` is TRL's loss the paper's? · ``describing`` what is known of a reward · ``inputs`` what commands take ·
``printing`` what all share: text or JSON, exit codes, errors in a line.

Exit codes: 0 nothing found, 1 something was found, 2 the command was used wrongly, 130 Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from grpo_rewards.command_line import catalogue, checks, explain, files, loss_check, runs
from grpo_rewards.command_line.inputs import find_own_modules

__all__ = ["app"]

# What people type for a command, by the names that other programs give the same.
OTHER_NAMES = {
    "help": "--help",
    **dict.fromkeys(("describe", "info", "inspect"), "show"),
    **dict.fromkeys(("ls", "rewards"), "list"),
    **dict.fromkeys(("compare", "changes"), "diff"),
    **dict.fromkeys(("evaluate", "eval", "grade", "run"), "score"),
    **dict.fromkeys(("why", "judge", "verify"), "explain"),
    **dict.fromkeys(("preflight", "lint", "validate"), "check"),
    **dict.fromkeys(("test", "hack", "attack", "gate"), "probe"),
    **dict.fromkeys(("monitor", "analyze", "analyse"), "audit"),
    **dict.fromkeys(("serve", "dashboard"), "watch"),
    **dict.fromkeys(("html", "export"), "report"),
    **dict.fromkeys(("env", "checkup", "version"), "doctor"),
    **dict.fromkeys(("loss", "check-loss", "parity"), "validate-loss"),
}


class Commands(TyperGroup):
    """The commands, of which one is suggested to whoever types another program's name for it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name in OTHER_NAMES:
            ctx.fail(f"No such command '{name}'. Did you mean '{OTHER_NAMES[name]}'?")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",  # else the line breaks of docstrings stay in --help
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Rule-based rewards for TRL: tried, explained and run over files; a set-up, a run and a loss checked.",
)
# By name the function of a command, and an example that its help shows.
COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "list": (catalogue.list_all, "list --family format"),
    "show": (catalogue.show, "show 'soft_overlong(max_tokens=1024, buffer=256)'"),
    "explain": (explain.explain, "explain boxed_answer --answer 0.5 'so \\boxed{\\frac12}'"),
    "score": (files.score, "score boxed_answer -i completions.jsonl -o scored.jsonl"),
    "diff": (files.diff, "diff boxed_answer final_answer -i completions.jsonl"),
    "check": (checks.check, "check boxed_answer think_format --dataset problems.jsonl"),
    "probe": (checks.probe, "probe 'gated(think_format, by=boxed_answer)'"),
    "audit": (runs.audit, "audit outputs/run"),
    "report": (runs.report, "report outputs/run -o report.html"),
    "watch": (runs.watch, "watch outputs/run"),
    "doctor": (checks.doctor, "doctor"),
    "validate-loss": (loss_check.validate_loss, "validate-loss --stop-at-first"),
}
for _name, (_function, _example) in COMMANDS.items():
    app.command(_name, epilog=f"Example: `grpo-rewards {_example}`")(_function)


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
    find_own_modules()
