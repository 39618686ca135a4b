"""``grpo-rewards check``: is the set-up of a training right, before a model is loaded?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.printing import FOUND, AsJson, console, print_json, refuse, with_plain_errors, working
from grpo_rewards.command_line.reading.renamed import Renamed, renamed_columns

if TYPE_CHECKING:
    from grpo_rewards.checks.findings import Report

__all__ = ["check"]


@with_plain_errors
def check(
    specs: Annotated[
        list[str] | None, typer.Argument(metavar="SPEC...", help="The rewards; without any, those of --config.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="FILE|NAME", help="The training data: a file, a folder, or a name on the hub.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="DIR|NAME", help="The model, of which only the tokenizer is loaded.")
    ] = None,
    config: Annotated[str | None, typer.Option(metavar="YAML", help="The settings of a recipe or of trl grpo.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of the data, if it has several.")] = None,
    column: Renamed = None,
    processes: Annotated[int, typer.Option(min=1, help="How many processes will train.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Checks rewards, columns, golds, chat template and batches of a training, and loads no model.

    Exits 1 on errors and warnings, 0 if there is nothing but notes.
    """
    from grpo_rewards.checks.setup.all_checks import check_rewards
    from grpo_rewards.command_line.own_modules import reward_or_function
    from grpo_rewards.command_line.reading.known_settings import misspelt
    from grpo_rewards.command_line.reading.settings_file import read_settings
    from grpo_rewards.command_line.reading.trl_names import with_trl_names

    settings = read_settings(config) if config else {}
    specs = specs or with_trl_names(settings.get("reward_funcs") or [])
    if not specs:
        refuse("Name the rewards: grpo-rewards check boxed_answer --dataset …, or reward_funcs in --config.")
    data, data_findings = _data(
        dataset or settings.get("dataset_path") or settings.get("dataset_name"), split, renamed_columns(column)
    )
    tokenizer, tokenizer_findings = _tokenizer(model, settings.get("model_name_or_path"))
    rewards = [reward_or_function(one) if isinstance(one, str) else one for one in specs]
    with working("checking the rewards on the data"):
        report = check_rewards(
            rewards,
            data,
            tokenizer=tokenizer,
            args=SimpleNamespace(**settings, processes=processes) if config else None,
            thorough=True,
        )
    report.add([*data_findings, *tokenizer_findings, *misspelt(settings)])
    if as_json:
        print_json({**report.as_dict(), "specs": [_spec(one) for one in report.rewards]})
    else:
        _print(report, rewards)
    if report.errors or report.warnings:
        raise typer.Exit(FOUND)


def _data(named: str | None, split: str | None, renamed: Mapping[str, str]) -> tuple[Any, list[Any]]:
    """(the columns of the data, findings); no columns where none are named."""
    from grpo_rewards.checks.findings import Finding
    from grpo_rewards.command_line.reading.data_sets import load_columns

    if named is None:
        return None, [Finding("note", "columns", "no data was looked at.", "Name it: --dataset FILE|NAME.")]
    return load_columns(named, split, renamed), []


def _tokenizer(given: str | None, in_settings: str | None) -> tuple[Any, list[Any]]:
    """(the tokenizer, findings). One that was given must be there; one that settings name may not be here yet."""
    from grpo_rewards.checks.findings import Finding
    from grpo_rewards.registry import RewardError
    from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

    name = given or in_settings
    if name is None:
        return None, [Finding("note", "template", "no chat template was looked at.", "Name a model: --model DIR|NAME.")]
    try:
        return load_tokenizer(name), []
    except RewardError as error:
        if given:
            raise
        return None, [Finding("note", "template", f"no chat template was looked at: {error}", "Name it with --model.")]


def _print(report: Report, given: Sequence[Any]) -> None:
    """Prints the findings, and how the rewards are written for a run in which no script calls ``check_rewards``."""
    terminal = console()
    terminal.print(report)
    if report.rewards != given:
        terminal.print("The rewards as this run needs them, where no script calls check_rewards:")
        for one in report.rewards:
            terminal.print(f"  {_spec(one)}", markup=False, highlight=False, soft_wrap=True)


def _spec(reward: Any) -> str:
    """How a reward is written in settings, as far as it can be."""
    from grpo_rewards.checks.setup.names import logged_name
    from grpo_rewards.checks.setup.trials import spec_of
    from grpo_rewards.registry import Reward

    return spec_of(reward) or (repr(reward) if isinstance(reward, Reward) else logged_name(reward))
