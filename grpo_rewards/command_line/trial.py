"""``grpo-rewards probe``: which reward hacks earn points?"""

from __future__ import annotations

from typing import Annotated

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, print_json, with_plain_errors, working
from grpo_rewards.command_line.reading.renamed import Renamed, renamed_columns

__all__ = ["probe"]


@with_plain_errors
def probe(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help="Rewards, composites, or dotted paths.")],
    dataset: Annotated[str | None, typer.Option(metavar="FILE|NAME", help="Problems to try them on.")] = None,
    rows: Annotated[int, typer.Option(min=1, help="How many of its rows, evenly spread.")] = 8,
    split: Annotated[str | None, typer.Option(help="Its split, if it has several.")] = None,
    column: Renamed = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for each reward.")] = 60.0,
    max_false_rewards: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of wrong answers and hacks that may be rewarded.")
    ] = None,
    max_missed: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of right answers that may be missed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Calls each reward on known reward hacks, and shows what they earn.

    Exits 1 if a hack is rewarded, or if a reward raises. A reward for length or form, or a penalty, is hacked easily
    if it is alone: probe the whole, "gated(think_format, by=boxed_answer)". With --max-false-rewards or --max-missed
    it also tries right and wrong answers in many spellings, and exits 1 if more of them are judged wrongly: a gate for
    any grader, f(completion, reference) among them.
    """
    from grpo_rewards.checks.reward.probing import probe as probe_reward
    from grpo_rewards.command_line.own_modules import reward_or_function
    from grpo_rewards.command_line.reading.data_sets import load_columns

    data = None if dataset is None else load_columns(dataset, split, renamed_columns(column))
    limits = {"max_false_rewards": max_false_rewards, "max_missed": max_missed}
    answers, found = any(limit is not None for limit in limits.values()), []
    with working("trying reward hacks") as show:
        for spec in specs:
            show(f"trying reward hacks on {spec}")
            reward = reward_or_function(spec)
            found.append(probe_reward(reward, data, most_rows=rows, seconds=seconds, answers=answers))
    if as_json:
        print_json([one.as_dict() for one in found])
    else:
        terminal = console()
        for one in found:
            terminal.print(one)
    if not all(one.passes(**limits) for one in found):
        raise typer.Exit(FOUND)
