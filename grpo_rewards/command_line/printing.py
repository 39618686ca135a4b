"""What commands share: text or JSON, progress, exit codes, errors in a line, harmless model text, and some options."""

import contextlib
import functools
import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn, get_args, get_origin

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from grpo_rewards.command_line.describing import plain, read_docstring
from grpo_rewards.errors import RewardError, as_text, harmless, json_value, shown
from grpo_rewards.installing import how_to_install

FOUND, USAGE, INTERRUPTED = 1, 2, 130
AS_JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
PIPED_WIDTH = 160  # characters, so that a row is mostly one line for grep
LEAST_WIDTH = 60  # below which tables lose columns; a narrower terminal breaks the lines itself
LONGEST_SHOWN = 2_000  # characters of what a model wrote, or of a detail
Spec = Annotated[str, typer.Argument(help="A name, a spec such as 'max_length(max_tokens=256)', or a dotted path.")]
Tokenizer = Annotated[str | None, typer.Option(help="A name or folder, to count the tokens of the text.")]
Renamed = Annotated[
    list[str] | None, typer.Option("--column", metavar="NAME=COLUMN", help="A column by another name: answer=solution.")
]


@dataclass(frozen=True)
class Output:
    """What a command prints, and how it ends.

    Attributes:
        as_json: what ``--json`` prints.
        shown: what is printed without it, in this order: what rich draws, or lines, which are never broken. It may be
            a generator, which is not run for JSON.
        status: the exit status.
        then: what goes on after that, until Ctrl-C ends it.
    """

    as_json: Any
    shown: Iterable[Any]
    status: int = 0
    then: Callable[[], None] | None = None


def command(function: Callable[..., Output]) -> Callable[..., None]:
    """The function of a command, with the option ``--json``: prints what it returns and exits with its status.

    What several commands take alike is a dataclass, whose fields are options. The help of an option is what the
    docstring has about it.

    Errors of the user are one line on standard error, and so is Ctrl-C. A ``RewardError`` is the user's, and so is a
    file that is not there or cannot be written. What else is raised is a defect, and keeps its traceback. With
    ``--json`` nothing else is on standard output, whatever rewards print.
    """

    taken = inspect.signature(function, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in taken if is_dataclass(one.annotation)}

    @functools.wraps(function)
    def wrapped(*, as_json: bool, **options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{one.name: options.pop(one.name) for one in fields(group)})
        with _plain_errors():
            with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
                output = function(**options)
            try:
                if as_json:
                    print(json.dumps(json_value(output.as_json), indent=2, default=as_text), flush=True)
                else:
                    _print(output.shown)
                if output.then is not None:
                    output.then()
            except KeyboardInterrupt:
                if output.then is None:
                    raise
        raise typer.Exit(output.status)

    json_option = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AS_JSON)
    wrapped.__signature__ = inspect.Signature([*_with_help(function), json_option])  # type: ignore[attr-defined]
    wrapped.__doc__ = str(function.__doc__).partition("\n    Args:")[0]
    return wrapped


def _with_help(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """The parameters of a command for typer, each with the sentence about it in the docstring as its help.

    Of a parameter that is a dataclass each field is one.
    """
    documented = read_docstring(function.__doc__).arguments
    for one in inspect.signature(function, eval_str=True).parameters.values():
        kind, *given = get_args(one.annotation) if get_origin(one.annotation) is Annotated else [one.annotation]
        if is_dataclass(kind):
            yield from _with_help(kind)  # type: ignore[arg-type]  # a class
            continue
        info = copy(given[0]) if given else typer.Argument() if one.default is one.empty else typer.Option()
        info.help = documented.get(one.name, info.help)
        yield one.replace(kind=one.KEYWORD_ONLY, annotation=Annotated[kind, info])


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Ends the command with a line on standard error for whatever is not a defect of the package.

    Within it a warning, such as of a plug-in that cannot be loaded, is a line on standard error, too.
    """

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        kind = "" if category is UserWarning else f"{category.__name__}: "
        print_to_stderr(f"warning: {kind}{harmless(str(message))}")

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
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


def print_to_stderr(line: str) -> None:
    """Prints a line on standard error, at once: who runs a command within a process may not wait for it to be full."""
    print(line, file=sys.stderr, flush=True)


def refuse(why: str) -> NoReturn:
    """Ends the command with what its user did wrong, and what to do."""
    print_to_stderr(harmless(why))
    raise typer.Exit(USAGE)


def need(extra: str, *packages: str) -> None:
    """Ends the command if a package of an extra is not installed, and prints how to get it."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        refuse(f"This command needs {' and '.join(missing)}: {how_to_install(extra)}")


class _Terminal(Console):
    def on_broken_pipe(self) -> None:  # rich would end with 1, as if something had been found
        raise BrokenPipeError


def _print(shown: Iterable[Any]) -> None:
    """Prints on standard output, where a terminal without some letters shows a question mark."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    terminal = _Terminal()
    if not terminal.is_terminal and "COLUMNS" not in os.environ:
        terminal.width = PIPED_WIDTH
    terminal.width = max(terminal.width, LEAST_WIDTH)
    for one in shown:
        is_line = isinstance(one, str)
        terminal.print(harmless(one) if is_line else one, markup=False, highlight=False, soft_wrap=is_line)


@contextlib.contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Within it a terminal shows what is done and for how long; a pipe or a file gets nothing.

    Yields:
        A function that takes what is done now.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    if not progress.console.is_interactive:
        yield lambda now: None
        return
    with progress:
        task = progress.add_task(cut(what))
        yield lambda now: progress.update(task, description=cut(now))


def cut(value: Any, limit: int = LONGEST_SHOWN) -> str:
    """A value for people: cut to ``limit`` characters, and with escapes for what would do something to a terminal.

    >>> cut("a\\x1b[2Jb"), cut("aaaa", limit=2)
    ('a\\\\x1b[2Jb', 'aa… (4 characters)')
    """
    if not isinstance(value, str):
        return harmless(shown(value, limit))
    return harmless(value) if len(value) <= limit else f"{harmless(value[:limit])}… ({len(value):,} characters)"


def text(value: Any, style: str = "") -> Text:
    """A value as rich text, cut and harmless. Rich text stays as it is."""
    return value if isinstance(value, Text) else Text(cut(value), style, overflow="fold")


def prose(sentence: str, style: str = "") -> Text:
    """A sentence of a docstring as rich text, in which ``code`` has a colour in place of its marks."""
    found = Text(style=style)
    for at, part in enumerate(harmless(sentence).split("``")):
        found.append(plain(part), style="cyan" if at % 2 else "")
    return found


def pairs(rows: Iterable[tuple[Any, Any]]) -> Table:
    """A grid of labels and values. A row whose value is empty is left out."""
    grid = Table.grid(padding=(0, 2))
    for label, value in rows:
        if value != "":
            grid.add_row(text(label, "dim"), text(value))
    return grid


def table(title: str, columns: Iterable[str | Column], rows: Iterable[Iterable[Any]]) -> Table:
    """A table of cells that are made harmless."""
    found = Table(*columns, title=text(title), title_justify="left")
    for column in found.columns:
        column.overflow = "fold"
    for row in rows:
        found.add_row(*map(text, row))
    return found


def renamed_columns(given: Iterable[str] | None) -> dict[str, str]:
    """The names that the data has for columns, by those that rewards have for them. Ends the command if one is none."""
    columns = {}
    for one in given or ():
        name, equals, column = one.partition("=")
        if not (name and equals and column):
            refuse(f"--column {one}: write what the reward calls it, =, and what the data calls it: answer=solution.")
        columns[name] = column
    return columns
