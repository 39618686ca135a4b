"""``grpo-rewards check``, ``probe`` and ``doctor``: is a set-up, a reward, this machine right?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.inputs import Renamed, renamed_columns
from grpo_rewards.command_line.printing import (
    FOUND,
    AsJson,
    console,
    cut,
    print_json,
    refuse,
    with_plain_errors,
    working,
)

__all__ = ["check", "doctor", "probe"]

if TYPE_CHECKING:
    from grpo_rewards.checks.findings import Report


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
    from grpo_rewards.command_line.inputs import misspelt, read_settings, reward_or_function, with_trl_names

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
    from grpo_rewards.command_line.inputs import load_columns

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
    from grpo_rewards.command_line.inputs import load_columns, reward_or_function

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


if TYPE_CHECKING:
    from grpo_rewards.checks.findings import Finding


@with_plain_errors
def doctor(as_json: AsJson = False) -> None:
    """Tries what the package needs: Python, other packages, symbolic workers, PyTorch, TRL, plug-ins.

    Workers are started and decide a pair of formulas; PyTorch and TRL are imported in a process of their own. Exits 1
    if something is broken. What is degraded or not installed is listed, with what to do.
    """
    from grpo_rewards.checks.machine import examine

    if as_json:
        findings = list(examine())
        counts = {severity: _count(findings, severity) for severity in ("error", "warning", "note", "fine")}
        rows = [{**asdict(one), "rows": list(one.rows)} for one in findings]
        print_json({"works": not counts["error"], "counts": counts, "findings": rows})
    else:
        findings = _printed()
    if _count(findings, "error"):
        raise typer.Exit(FOUND)


def _printed() -> list[Finding]:
    """Prints findings as they arrive, then a summary."""
    from grpo_rewards.checks.machine import examine

    terminal = console()
    findings = []
    for one in examine():
        findings.append(one)
        terminal.print(_row(one))
    broken, degraded = _count(findings, "error"), _count(findings, "warning")
    summary = f"{broken} broken, {degraded} degraded." if broken or degraded else "Everything that is installed works."
    terminal.print(f"\n{summary}", style="bold", highlight=False)
    return findings


def _count(findings: list[Finding], severity: str) -> int:
    return sum(one.severity == severity for one in findings)


def _row(one: Finding) -> Any:
    from rich.table import Table
    from rich.text import Text

    from grpo_rewards.checks.findings import SEVERITY_STYLES

    message = Text(cut(one.message), overflow="fold")
    if one.remedy:
        message.append(f"\n{cut(one.remedy)}", style="cyan")
    row = Table.grid(padding=(0, 2))
    for width in (7, 16):
        row.add_column(width=width)
    row.add_row(Text(one.severity, style=SEVERITY_STYLES[one.severity]), Text(one.check), message)
    return row
