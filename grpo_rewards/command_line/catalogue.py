"""``grpo-rewards list`` and ``show``: which rewards are there, and what does one do?"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator
from typing import Any

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grpo_rewards.command_line.describing import Description, Entry, Option, described, entries
from grpo_rewards.command_line.inputs import Spec
from grpo_rewards.command_line.printing import FOUND, Output, command, cut, pairs, prose, refuse, text
from grpo_rewards.registry.catalogue import Plugin, load_plugins
from grpo_rewards.registry.errors import did_you_mean, listed


@command
def list_all(family: str | None = None) -> Output:
    """Lists the rewards: what each reads, its range, what it does, and the package that it comes from.

    Columns in brackets are read where they are there. Exits 1 if a plug-in cannot be loaded, and prints why.

    Args:
        family: Only this family, such as format or composite.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is wrong with plug-ins is printed below
        found = entries()
    families = list(dict.fromkeys(one.family for one in found))
    failures = [one for one in load_plugins() if one.why]
    if family is not None and family not in families:
        refuse(f"there is no family {cut(family, 80)!r}{did_you_mean(family, families)} Families: {listed(families)}.")
    chosen = [one for one in found if family in (None, one.family)]
    rows = [one.as_json() for one in chosen]
    as_json = {"rewards": rows, "families": families, "failed_plugins": [one._asdict() for one in failures]}
    is_broken = bool(failures) or any(one.failure for one in found)
    return Output(as_json, _listed(chosen, found, failures), FOUND if is_broken else 0)


def _listed(chosen: list[Entry], found: list[Entry], failures: list[Plugin]) -> Iterator[Any]:
    """A table with a heading for each family, and what cannot be used."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("reward", "reads", "range", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("reward", "range"))
    for at, one in enumerate(chosen):
        if at == 0 or chosen[at - 1].family != one.family:
            if at:
                table.add_row()
            table.add_row(text(one.family, "bold"), "", "", text(f"from {one.package}", "dim"))
        reads = str(one.reads) or ("what its parts read" if one.family == "composite" else "")
        table.add_row(*map(text, (one.name, reads, _range(one.range), one.line)))
    yield table
    for failure in failures:
        why = f"cannot be loaded, with the rewards in '{failure.entry}': {failure.why}"
        yield text(f"The plug-in {failure.plugin} {why}", "red")
    for one in found:
        if one.failure:
            yield text(f"The reward {one.name} of {one.package} cannot be used: {one.failure}", "red")


def _range(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:g} to {ends[1]:g}"


@command
def show(spec: Spec) -> Output:
    """Shows what a reward does: its docstring, options, columns, reasons and range, and what a policy would try."""
    found = described(spec)
    return Output(found.as_json(), _shown(found, spec.strip()))


def _shown(found: Description, spec: str) -> Iterator[Any]:
    doc = found.docstring
    yield Text.assemble((cut(found.spec), "bold"), f"  {found.family}, from {found.package}")
    for paragraph in (doc.line or "It has no docstring.", *doc.body):
        yield ""
        yield prose(paragraph)
    yield ""
    yield pairs(_facts(found))
    if found.options:
        yield text("\nOptions", "bold")
        for one in found.options:
            yield Padding(_option(one), (0, 0, 0, 2), expand=False)
            if one.description:
                yield Padding(prose(one.description, "dim"), (0, 0, 0, 6), expand=False)
    if doc.returns:
        yield text("\nReturns", "bold")
        yield prose(doc.returns)
    if found.reasons:
        yield text("\nReasons", "bold")
        yield pairs((text(f"  {reason}"), prose(meaning)) for reason, meaning in found.reasons.items())
    if doc.would_try:
        yield text("\nWhat a policy would try", "bold")
        yield prose(doc.would_try)
    if found.family != "composite" or found.spec.endswith(")"):
        yield f"Measured: grpo-rewards probe {shlex.quote(cut(spec))}"
    if doc.example:
        yield text("\nExample", "bold")
        yield cut("\n".join(doc.example))


def _facts(found: Description) -> Iterator[tuple[str, str]]:
    """What it reads, its range, where it is from and what it is made of."""
    is_composer = found.family == "composite" and not found.parts
    yield "reads", ", ".join(found.reads.given) or ("what its parts read" if is_composer else "")
    yield "columns", ", ".join(found.reads.columns) or ("" if is_composer else "none that it needs")
    yield "if there", ", ".join(found.reads.optional)
    yield "range", _range(found.range) or ("depends on its parts" if is_composer else "not stated")
    for part in found.parts:
        yield part.role, f"{'' if part.weight is None else f'{part.weight:g} × '}{part.reward!r}"
    yield "paper", found.docstring.source
    yield "written in", found.place


def _option(option: Option) -> Text:
    """``name = value``, what it takes, and the default where another value is bound."""
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
