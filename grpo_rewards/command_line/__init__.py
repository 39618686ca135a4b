"""The command ``grpo-rewards``: a module for each kind of question, thin over what the package has.

``rewards`` which are there, what does one do, why that number? · ``files`` what are the completions in files worth, and
what did a run do? · ``checks`` is a set-up, a reward, this machine, TRL's loss right? · ``describing`` what is known of
a reward · ``printing`` what all share: text or JSON, tables, progress, exit codes, errors in a line, and some options.

Exit codes: 0 nothing found, 1 something was found, 2 the command was used wrongly, 130 Ctrl-C.
"""

import ast
import os
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

__all__ = ["app"]

# By name the module and the function of a command, and an example that its help shows.
COMMANDS = {
    "list": ("rewards", "list_all", "list --family format"),
    "show": ("rewards", "show", "show 'soft_overlong(max_tokens=1024, buffer=256)'"),
    "explain": ("rewards", "explain", "explain boxed_answer --answer 0.5 'so \\boxed{\\frac12}'"),
    "score": ("files", "score", "score boxed_answer -i completions.jsonl -o scored.jsonl"),
    "diff": ("files", "diff", "diff boxed_answer final_answer -i completions.jsonl"),
    "check": ("checks", "check", "check boxed_answer think_format --dataset problems.jsonl"),
    "probe": ("checks", "probe", "probe 'gated(think_format, by=boxed_answer)'"),
    "audit": ("files", "audit", "audit outputs/run"),
    "report": ("files", "report", "report outputs/run -o report.html"),
    "watch": ("files", "watch", "watch outputs/run"),
    "doctor": ("checks", "doctor", "doctor"),
    "validate-loss": ("checks", "validate_loss", "validate-loss --stop-at-first"),
}
SETTINGS: dict[str, Any] = {
    "rich_markup_mode": "markdown",  # else the line breaks of docstrings stay in --help
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "pretty_exceptions_enable": False,
}


class Commands(TyperGroup):
    """The commands. The module of each is imported when it is called; for their list its text is enough."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return TyperCommand(cmd_name, help=_line_of(cmd_name)) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name in COMMANDS:
            return name, _imported(name), args[1:]
        if not ctx.resilient_parsing:  # as a shell that completes a line wants it
            near = "".join(f" Did you mean '{one}'?" for one in get_close_matches(name, COMMANDS, n=1))
            ctx.fail(f"No such command '{name}'.{near} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


def _line_of(name: str) -> str:
    """The first line of a command's docstring."""
    module, function, _ = COMMANDS[name]
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    found = (ast.get_docstring(one) for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == function)
    return str(next(found)).partition("\n")[0]


def _imported(name: str) -> Any:
    module, function, example = COMMANDS[name]
    alone = typer.Typer(**SETTINGS, add_completion=False)
    called = getattr(import_module(f"{__name__}.{module}"), function)
    alone.command(name, epilog=f"Example: `grpo-rewards {example}`")(called)
    return get_command(alone)


app = typer.Typer(**SETTINGS, cls=Commands, no_args_is_help=True)


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
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # where the rewards of the folder are that one works in
