"""What all commands share: text or JSON, exit codes, errors and warnings in a line, and model text made harmless."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from grpo_rewards.installing import how_to_install

__all__ = [
    "FOUND",
    "INTERRUPTED",
    "USAGE",
    "AsJson",
    "console",
    "cut",
    "need",
    "print_json",
    "print_to_stderr",
    "print_warnings_plainly",
    "prose",
    "refuse",
    "with_plain_errors",
    "working",
]

FOUND, USAGE, INTERRUPTED = 1, 2, 130
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
PIPED_WIDTH = 160  # characters, so that a row is mostly one line for grep
LEAST_WIDTH = 60  # below which tables lose columns; a narrower terminal breaks the lines itself
MOST_JSON_BITS = 10_000  # of a number in JSON; Python refuses to write out one of more than 4,300 digits
SHOWN_AFTER = 2.0  # seconds until a terminal shows that something is being done
LONGEST_SHOWN = 2_000  # characters of what a model wrote, or of a detail
_json_goes_to: ContextVar[Any] = ContextVar("_json_goes_to", default=None)
P = ParamSpec("P")
R = TypeVar("R")


def with_plain_errors(command: Callable[P, R]) -> Callable[P, R]:
    """The command, with errors of its user in one line on standard error, and no traceback after Ctrl-C.

    With ``--json`` nothing else is on standard output. A ``RewardError`` is the user's, and so is a file that is not
    there or cannot be written. What else is raised is a defect, and keeps its traceback.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        from grpo_rewards.registry import RewardError

        try:
            with only_json() if kwargs.get("as_json") else contextlib.nullcontext():
                return command(*args, **kwargs)
        except RewardError as error:
            refuse(str(error))
        except BrokenPipeError:  # the reader, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            refuse(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
        except (ImportError, SyntaxError) as error:
            refuse(f"{type(error).__name__}: {error}")
        except KeyboardInterrupt:
            print_to_stderr("interrupted")
            raise typer.Exit(INTERRUPTED) from None

    return wrapped


def print_to_stderr(line: str) -> None:
    """Prints a line on standard error, at once: who runs a command within a process may not wait for it to be full."""
    print(line, file=sys.stderr, flush=True)


def refuse(why: str) -> NoReturn:
    """Ends the command with what its user did wrong, and what to do."""
    from grpo_rewards.registry.errors import harmless

    print_to_stderr(harmless(why))
    raise typer.Exit(USAGE)


def need(extra: str, *packages: str) -> None:
    """Ends the command if a package of an extra is not installed, and prints how to get it."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        refuse(f"This command needs {' and '.join(missing)}: {how_to_install(extra)}")


def console() -> Any:
    """A rich console on standard output, for which a terminal without some letters shows a question mark."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:  # rich would end with 1, as if something had been found
            raise BrokenPipeError

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    found = Piped()
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = PIPED_WIDTH
    found.width = max(found.width, LEAST_WIDTH)
    return found


@contextlib.contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Within it a terminal shows what is done and for how long, from two seconds on; a pipe or a file gets nothing.

    Yields:
        A function that takes what is done now.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task = shown.add_task(cut(what))
    if not shown.console.is_interactive:
        yield lambda now: None
        return
    late = threading.Timer(SHOWN_AFTER, shown.start)
    late.daemon = True
    late.start()
    try:
        yield lambda now: shown.update(task, description=cut(now))
    finally:
        late.cancel()
        late.join()
        shown.stop()


def cut(value: Any, limit: int = LONGEST_SHOWN) -> str:
    """A value for people: cut to ``limit`` characters, and with escapes for what would do something to a terminal.

    >>> cut("a\\x1b[2Jb"), cut("aaaa", limit=2)
    ('a\\\\x1b[2Jb', 'aa… (4 characters)')
    """
    from grpo_rewards.registry.errors import harmless, shown

    if not isinstance(value, str):
        return harmless(shown(value, limit))
    return harmless(value) if len(value) <= limit else f"{harmless(value[:limit])}… ({len(value):,} characters)"


def prose(text: str, style: str = "") -> Any:
    """A sentence of a docstring as rich text, in which ``code`` has a colour in place of its marks."""
    from rich.text import Text

    from grpo_rewards.command_line.describing import plain
    from grpo_rewards.registry.errors import harmless

    found = Text(style=style)
    for at, part in enumerate(harmless(text).split("``")):
        found.append(plain(part), style="cyan" if at % 2 else "")
    return found


@contextlib.contextmanager
def print_warnings_plainly() -> Iterator[None]:
    """Within it a warning, such as of a plug-in that cannot be loaded, is a line on standard error."""
    from grpo_rewards.registry.errors import harmless

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        finally:
            for warning in dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, UserWarning)):
                print_to_stderr(f"warning: {harmless(warning)}")


def print_json(value: Any) -> None:
    """Prints a value as JSON that any parser takes: ``null`` for what is not finite, a text for a huge number."""
    print(json.dumps(_finite(value), indent=2, default=str), file=_json_goes_to.get() or sys.stdout, flush=True)


@contextlib.contextmanager
def only_json() -> Iterator[None]:
    """Within it standard output gets what ``print_json`` prints alone, and standard error what rewards print."""
    before = _json_goes_to.set(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _json_goes_to.reset(before)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, int) and value.bit_length() > MOST_JSON_BITS:
        return cut(value)
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
