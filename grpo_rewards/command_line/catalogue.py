"""``grpo-rewards list`` and ``show``: which rewards are there, and what does one do?"""

from __future__ import annotations

import shlex
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.inputs import Spec
from grpo_rewards.command_line.printing import (
    FOUND,
    AsJson,
    console,
    cut,
    print_json,
    print_warnings_plainly,
    prose,
    refuse,
    with_plain_errors,
)

if TYPE_CHECKING:
    from rich.console import Console

    from grpo_rewards.command_line.describing import Description, Entry, Option
    from grpo_rewards.registry.names import PluginFailure

__all__ = ["list_all", "show"]


@with_plain_errors
def list_all(
    family: Annotated[str | None, typer.Option(help="Only this family, such as format or composite.")] = None,
    as_json: AsJson = False,
) -> None:
    """Lists the rewards: what each reads, its range, what it does, and the package that it comes from.

    Columns in brackets are read where they are there. Exits 1 if a plug-in cannot be loaded, and prints why.
    """
    from grpo_rewards.command_line.describing import entries
    from grpo_rewards.registry.errors import did_you_mean, listed
    from grpo_rewards.registry.names import plugin_failures

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is wrong with plug-ins is printed below
        found = entries()
    families = list(dict.fromkeys(one.family for one in found))
    failures = plugin_failures()
    if family is not None and family not in families:
        refuse(f"there is no family {cut(family, 80)!r}{did_you_mean(family, families)} Families: {listed(families)}.")
    chosen = [one for one in found if family in (None, one.family)]
    if as_json:
        rows = [_row(one) for one in chosen]
        print_json({"rewards": rows, "families": families, "failed_plugins": [one._asdict() for one in failures]})
    else:
        terminal = console()
        terminal.print(_table(chosen))
        _print_failures(terminal, failures, found)
    if failures or any(one.failure for one in found):
        raise typer.Exit(FOUND)


def _print_failures(terminal: Console, failures: list[PluginFailure], found: list[Entry]) -> None:
    lines = [
        f"The plug-in {one.plugin} cannot be loaded, with the rewards in '{one.entry}': {one.why}" for one in failures
    ]
    lines += [f"The reward {one.name} of {one.package} cannot be used: {one.failure}" for one in found if one.failure]
    for line in lines:
        terminal.print(cut(line), style="red", markup=False, highlight=False)


def _table(chosen: list[Entry]) -> Any:
    """A table with a heading for each family."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("reward", "reads", "range", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("reward", "range"))
    for at, one in enumerate(chosen):
        if at == 0 or chosen[at - 1].family != one.family:
            if at:
                table.add_row()
            table.add_row(Text(cut(one.family), style="bold"), "", "", Text(f"from {cut(one.package)}", style="dim"))
        cells = (one.name, _reads(one), _range(one.range), one.line)
        table.add_row(*(Text(cut(cell)) for cell in cells))
    return table


def _reads(entry: Entry) -> str:
    return str(entry.reads) or ("what its parts read" if entry.family == "composite" else "")


def _range(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:g} to {ends[1]:g}"


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "family": entry.family,
        "package": entry.package,
        "given": entry.reads.given,
        "columns": entry.reads.columns,
        "optional_columns": entry.reads.optional,
        "range": entry.range,
        "line": entry.line,
        "failure": entry.failure,
    }


@with_plain_errors
def show(spec: Spec, as_json: AsJson = False) -> None:
    """Shows what a reward does: its docstring, options, columns, reasons and range, and what a policy would try."""
    from grpo_rewards.command_line.describing import described

    with print_warnings_plainly():
        found = described(spec)
    if as_json:
        print_json(_described(found))
        return
    terminal = console()
    terminal.print(_heading(found))
    for paragraph in (found.docstring.line or "It has no docstring.", *found.docstring.body):
        terminal.print()
        terminal.print(prose(paragraph))
    terminal.print()
    terminal.print(_facts(found))
    _print_options(terminal, found)
    _print_paragraph(terminal, "Returns", found.docstring.returns)
    _print_reasons(terminal, found)
    _print_what_a_policy_would_try(terminal, found, spec.strip())
    if found.docstring.example:
        _print_title(terminal, "Example")
        code = cut("\n".join(found.docstring.example))
        terminal.print(code, markup=False, highlight=False, style="dim", soft_wrap=True)


def _heading(found: Description) -> Any:
    from rich.text import Text

    return Text.assemble((cut(found.spec), "bold"), f"  {found.family}, from {found.package}")


def _facts(found: Description) -> Any:
    """A table of what it reads, its range, where it is from and what it is made of."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    is_composer = found.family == "composite" and not found.parts
    rows = [
        ("reads", ", ".join(found.reads.given) or ("what its parts read" if is_composer else "")),
        ("columns", ", ".join(found.reads.columns) or ("" if is_composer else "none that it needs")),
        ("if there", ", ".join(found.reads.optional)),
        ("range", _range(found.range) or ("depends on its parts" if is_composer else "not stated")),
        *((part.role, f"{_weight(part.weight)}{part.reward!r}") for part in found.parts),
        ("paper", found.docstring.source),
        ("written in", found.place),
    ]
    for label, value in rows:
        if value:
            table.add_row(Text(cut(label), style="dim"), Text(cut(value), overflow="fold"))
    return table


def _weight(weight: float | None) -> str:
    return "" if weight is None else f"{weight:g} × "


def _print_title(terminal: Console, title: str) -> None:
    terminal.print()
    terminal.print(title, style="bold", markup=False, highlight=False)


def _print_paragraph(terminal: Console, title: str, text: str) -> None:
    if text:
        _print_title(terminal, title)
        terminal.print(prose(text))


def _print_options(terminal: Console, found: Description) -> None:
    from rich.padding import Padding

    if not found.options:
        return
    _print_title(terminal, "Options")
    for one in found.options:
        terminal.print(Padding(_option(one), (0, 0, 0, 2), expand=False))
        if one.description:
            terminal.print(Padding(prose(one.description, "dim"), (0, 0, 0, 6), expand=False))


def _option(option: Option) -> Any:
    """``name = value``, what it takes, and the default where another value is bound."""
    from rich.text import Text

    value = "must be given" if option.value is None else f"= {option.value}"
    if not option.default:
        more = "it must be given" if option.default is None and option.value is not None else ""
    else:
        more = f"{option.default} by default" if option.is_bound else "the default"
    brackets = "; ".join(filter(None, (option.takes, more)))
    style = "yellow" if option.is_bound or option.value is None else ""
    return Text.assemble(
        (cut(option.name), "bold"), " ", (cut(value, 200), style), f"  ({cut(brackets, 300)})" if brackets else ""
    )


def _print_reasons(terminal: Console, found: Description) -> None:
    from rich.table import Table
    from rich.text import Text

    if not found.reasons:
        return
    _print_title(terminal, "Reasons")
    table = Table.grid(padding=(0, 2))
    for reason, meaning in found.reasons.items():
        table.add_row(Text(f"  {cut(reason)}"), prose(meaning))
    terminal.print(table)


def _print_what_a_policy_would_try(terminal: Console, found: Description, spec: str) -> None:
    """The paragraph of the docstring, and how to see what it earns."""
    _print_paragraph(terminal, "What a policy would try", found.docstring.would_try)
    if found.family != "composite" or found.spec.endswith(")"):
        terminal.print(f"Measured: grpo-rewards probe {shlex.quote(cut(spec))}", markup=False, style="dim")


def _described(found: Description) -> dict[str, Any]:
    doc = found.docstring
    return {
        "name": found.name,
        "spec": found.spec,
        "family": found.family,
        "package": found.package,
        "written_in": found.place,
        "line": doc.line,
        "description": doc.body,
        "returns": doc.returns,
        "source": doc.source,
        "given": found.reads.given,
        "columns": found.reads.columns,
        "optional_columns": found.reads.optional,
        "range": found.range,
        "options": [{**vars(one), "says": one.description, "is_bound": one.is_bound} for one in found.options],
        "reasons": dict(found.reasons),
        "parts": [{"role": one.role, "weight": one.weight, "spec": repr(one.reward)} for one in found.parts],
        "what_a_policy_would_try": doc.would_try,
        "example": "\n".join(doc.example),
    }
