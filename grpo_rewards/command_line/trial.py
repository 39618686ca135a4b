"""``grpo-rewards probe``: what junk would a reward pay?"""

from __future__ import annotations

from typing import Annotated

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, print_json, told_plainly
from grpo_rewards.command_line.reading.renamed import Renamed, renamed_columns

__all__ = ["probe"]


@told_plainly
def probe(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help="Rewards, composites, or dotted paths.")],
    dataset: Annotated[str | None, typer.Option(metavar="FILE|NAME", help="Problems to try them on.")] = None,
    rows: Annotated[int, typer.Option(min=1, help="How many of its rows, evenly spread.")] = 8,
    split: Annotated[str | None, typer.Option(help="Its split, if it has several.")] = None,
    column: Renamed = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for each reward.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Offers each reward the texts that policies cheat with, and shows what it pays for them.

    Exits 1 if junk is paid, or if a reward raises. Length, form and penalties pay junk if they are alone: probe the
    whole, "gated(think_format, by=boxed_answer)".
    """
    from grpo_rewards.command_line.own_modules import reward_or_function
    from grpo_rewards.command_line.reading.data_sets import load_columns
    from grpo_rewards.probing import probe as try_cheats

    data = None if dataset is None else load_columns(dataset, split, renamed_columns(column))
    found = [try_cheats(reward_or_function(spec), data, most_rows=rows, seconds=seconds) for spec in specs]
    if as_json:
        print_json([one.as_dict() for one in found])
    else:
        terminal = console()
        for one in found:
            terminal.print(one)
    if not all(one.is_sound for one in found):
        raise typer.Exit(FOUND)
