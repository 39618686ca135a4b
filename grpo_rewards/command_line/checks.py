"""``grpo-rewards check``, ``probe`` and ``doctor``: is a set-up, a reward, this machine right?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from rich.table import Table

from grpo_rewards.checks import machine
from grpo_rewards.checks.findings import SEVERITY_STYLES, Finding
from grpo_rewards.checks.reward.probing import probe as probe_reward
from grpo_rewards.checks.setup.all_checks import check_rewards
from grpo_rewards.checks.setup.trials import spec_of
from grpo_rewards.command_line.inputs import (
    ColumnValues,
    Renamed,
    load_columns,
    misspelt,
    read_settings,
    renamed_columns,
    reward_or_function,
    with_trl_names,
)
from grpo_rewards.command_line.printing import FOUND, Output, command, refuse, text, working
from grpo_rewards.registry import RewardError
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer


@dataclass(frozen=True)
class Problems:
    """The data that ``check`` and ``probe`` look at.

    Args:
        dataset: The problems: a file, a folder, or a name on the hub.
        split: The split of the data, if it has several.
    """

    dataset: Annotated[str | None, typer.Option(metavar="FILE|NAME")] = None
    split: str | None = None
    column: Renamed = None

    def columns(self, in_settings: str | None = None) -> ColumnValues | None:
        """What the data has, that of the settings where none was named; ``None`` if there is none."""
        named = self.dataset or in_settings
        return load_columns(named, self.split, renamed_columns(self.column)) if named else None


@command
def check(
    problems: Problems,
    specs: Annotated[list[str] | None, typer.Argument(metavar="SPEC...")] = None,
    model: Annotated[str | None, typer.Option(metavar="DIR|NAME")] = None,
    config: Annotated[str | None, typer.Option(metavar="YAML")] = None,
    processes: Annotated[int, typer.Option(min=1)] = 1,
) -> Output:
    """Checks rewards, columns, golds, chat template and batches of a training, and loads no model.

    Exits 1 on errors and warnings, 0 if there is nothing but notes.

    Args:
        specs: The rewards; without any, those of --config.
        model: The model, of which only the tokenizer is loaded.
        config: The settings of a recipe or of trl grpo.
        processes: How many processes will train.
    """
    settings = read_settings(config) if config else {}
    given = [reward_or_function(one) for one in specs or with_trl_names(settings.get("reward_funcs") or [])]
    if not given:
        refuse("Name the rewards: grpo-rewards check boxed_answer --dataset …, or reward_funcs in --config.")
    with working("reading the data") as show:
        data = problems.columns(settings.get("dataset_path") or settings.get("dataset_name"))
        show("loading the tokenizer")
        tokenizer, why = _tokenizer(model, settings.get("model_name_or_path"))
        show("checking the rewards on the data")
        report = check_rewards(
            given,
            data,
            tokenizer=tokenizer,
            args=SimpleNamespace(**settings, processes=processes) if config else None,
            thorough=True,
        )
    report.add(misspelt(settings))
    if data is None:
        report.add([Finding("note", "columns", "no data was looked at.", "Name it: --dataset FILE|NAME.")])
    if tokenizer is None:
        why = f"no chat template was looked at{why}"
        report.add([Finding("note", "template", why, "Name a model: --model DIR|NAME.")])
    specs_now = [spec_of(one) for one in report.rewards]
    shown: list[Any] = [report]
    if report.rewards != given:
        shown += ["The rewards as this run needs them, where no script calls check_rewards:"]
        shown += [f"  {one}" for one in specs_now]
    return Output({**report.as_dict(), "specs": specs_now}, shown, FOUND if report.errors or report.warnings else 0)


def _tokenizer(given: str | None, in_settings: str | None) -> tuple[Any, str]:
    """(the tokenizer, or why there is none). One that was given must be there; that of settings may not be yet."""
    name = given or in_settings
    if name is None:
        return None, "."
    try:
        return load_tokenizer(name), ""
    except RewardError as error:
        if given:
            raise
        return None, f": {error}"


@command
def probe(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...")],
    problems: Problems,
    rows: Annotated[int, typer.Option(min=1)] = 8,
    seconds: Annotated[float, typer.Option(min=0.1)] = 60.0,
    max_false_rewards: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    max_missed: Annotated[float | None, typer.Option(min=0, max=1)] = None,
) -> Output:
    """Calls each reward on known reward hacks, and shows what they earn.

    Exits 1 if a hack is rewarded, or if a reward raises. A reward for length or form, or a penalty, is hacked easily
    if it is alone: probe the whole, "gated(think_format, by=boxed_answer)". With --max-false-rewards or --max-missed
    it also tries right and wrong answers in many spellings, and exits 1 if more of them are judged wrongly: a gate for
    any grader, f(completion, reference) among them.

    Args:
        specs: Rewards, composites, or dotted paths.
        rows: How many of its rows, evenly spread.
        seconds: Time for each reward.
        max_false_rewards: The share of wrong answers and hacks that may be rewarded.
        max_missed: The share of right answers that may be missed.
    """
    limits = {"max_false_rewards": max_false_rewards, "max_missed": max_missed}
    answers, found = any(limit is not None for limit in limits.values()), []
    with working("reading the data") as show:
        data = problems.columns()
        for spec in specs:
            show(f"trying reward hacks on {spec}")
            reward = reward_or_function(spec)
            found.append(probe_reward(reward, data, most_rows=rows, seconds=seconds, answers=answers))
    passes = all(one.passes(**limits) for one in found)
    return Output([one.as_dict() for one in found], found, 0 if passes else FOUND)


@command
def doctor() -> Output:
    """Tries what the package needs: Python, other packages, symbolic workers, PyTorch, TRL, plug-ins.

    Workers are started and decide a pair of formulas; PyTorch and TRL are imported in a process of their own. Exits 1
    if something is broken. What is degraded or not installed is listed, with what to do.
    """
    findings = []
    with working("trying what the package needs") as show:
        for one in machine.examine():
            findings.append(one)
            show(f"trying what the package needs; {one.check}: {one.severity}")
    counts = {severity: sum(one.severity == severity for one in findings) for severity in SEVERITY_STYLES}
    as_json = {"works": not counts["error"], "counts": counts, "findings": [asdict(one) for one in findings]}
    return Output(as_json, _findings(findings, counts), FOUND if counts["error"] else 0)


def _findings(findings: list[Finding], counts: dict[str, int]) -> Iterator[Any]:
    grid = Table.grid(padding=(0, 2))
    for one in findings:
        message = text(one.message)
        if one.remedy:
            message.append_text(text(f"\n{one.remedy}", "cyan"))
        grid.add_row(text(one.severity, SEVERITY_STYLES[one.severity]), one.check, message)
    yield grid
    broken, degraded = counts["error"], counts["warning"]
    summary = f"{broken} broken, {degraded} degraded." if broken or degraded else "Everything that is installed works."
    yield text(f"\n{summary}", "bold")
