"""What all commands share: text or JSON, exit codes, and errors in a line."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

__all__ = ["FOUND", "INTERRUPTED", "USAGE", "AsJson", "console", "need", "print_json", "refuse", "told_plainly"]

FOUND, USAGE, INTERRUPTED = 1, 2, 130
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
P = ParamSpec("P")
R = TypeVar("R")


def told_plainly(command: Callable[P, R]) -> Callable[P, R]:
    """The command, with errors of its user in one line on standard error, and no traceback after Ctrl-C.

    A ``RewardError`` is the user's, and so is a file that is not there or cannot be written. What else is raised is a
    defect, and keeps its traceback.
    """

    @functools.wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        from grpo_rewards.registry import RewardError

        try:
            return command(*args, **kwargs)
        except RewardError as error:
            refuse(str(error))
        except BrokenPipeError:  # the reader, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            refuse(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    return told


def refuse(why: str) -> NoReturn:
    """Ends the command with what its user did wrong, and what to do."""
    from grpo_rewards.registry.errors import harmless

    print(harmless(why), file=sys.stderr)
    raise typer.Exit(USAGE)


def need(extra: str, *packages: str) -> None:
    """Ends the command if a package of an extra is not installed, and says how to get it."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        refuse(f"This command needs {' and '.join(missing)}: pip install 'grpo-rewards[{extra}]'")


def console() -> Any:
    """A rich console on standard output, for which a terminal without some letters shows a question mark."""
    from rich.console import Console

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Console()


def print_json(value: Any) -> None:
    """Prints a value as JSON that any parser takes: ``null`` for numbers that are not finite, and ASCII only."""
    print(json.dumps(_finite(value), indent=2, default=str))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
