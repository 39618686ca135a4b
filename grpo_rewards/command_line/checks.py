"""``grpo-rewards check``, ``probe``, ``doctor``, ``validate-loss``: is a set-up, reward, machine, loss of TRL right?"""

import difflib
import glob
import importlib
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from grpo_rewards.checks import machine
from grpo_rewards.checks.findings import SEVERITY_STYLES, Finding
from grpo_rewards.checks.reward.probing import probe as probe_reward
from grpo_rewards.checks.setup.all_checks import check_rewards
from grpo_rewards.checks.setup.trials import spec_of
from grpo_rewards.command_line.printing import (
    FOUND,
    Output,
    Renamed,
    command,
    need,
    refuse,
    renamed_columns,
    table,
    text,
    working,
)
from grpo_rewards.errors import did_you_mean, listed, shown
from grpo_rewards.registry import RewardError, get_reward
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer
from grpo_rewards.scoring.rows import KINDS, columns_in, matching_files

NOT_ALL_COMPARED = 3  # exit status: nothing is known to be wrong, but not all could be compared
STATUS_CODES = {"agrees": 0, "wrong": FOUND, "unknown": NOT_ALL_COMPARED}
NUMBER_COLUMNS = ("compared", "value\nfloat64", "gradient\nfloat64", "value\nfloat32", "gradient\nfloat32")
Share = Annotated[float | None, typer.Option(min=0, max=1)]
ColumnValues = dict[str, Sequence[Any]]


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
        name, tokenizer, why = model or settings.get("model_name_or_path"), None, "."
        try:
            tokenizer = load_tokenizer(name) if name else None
        except RewardError as error:
            if model:  # that of settings may not be there yet
                raise
            why = f": {error}"
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


@command
def probe(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...")],
    problems: Problems,
    rows: Annotated[int, typer.Option(min=1)] = 8,
    seconds: Annotated[float, typer.Option(min=0.1)] = 60.0,
    max_false_rewards: Share = None,
    max_missed: Share = None,
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
    return Output([one.as_dict() for one in found], found, 0 if all(one.passes(**limits) for one in found) else FOUND)


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


@command
def validate_loss(stop_at_first: bool = False) -> Output:
    """Compares the installed TRL's GRPO loss with this package's, on tensors and in steps of a tiny model.

    Needs no network. Exits 1 if TRL is off by more than 1e-12 in float64 or 1e-6 in float32; if a TRL that is as it was
    tested could not be run; or if less was compared than must be. Exits 3 if nothing is known to be wrong, but TRL is
    not as it was tested, and something could not be compared: what changed is named.

    Args:
        stop_at_first: End as soon as something is wrong.
    """
    need("trl", "trl", "torch")
    from grpo_rewards.loss.trl_check.validate import validate_trl_loss

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that its processes and folders go with it
    try:
        with working("importing TRL") as show:
            report = validate_trl_loss(stop_at_first, show)
    finally:
        signal.signal(signal.SIGTERM, before)
    kinds = _kinds(report)
    return Output(_as_json(report, kinds), _compared(report, kinds), STATUS_CODES[report.status])


def _compared(report: Any, kinds: list[dict[str, Any]]) -> Iterator[Any]:
    """The table of differences, and what was beyond tolerance, failed, changed or left out."""
    from grpo_rewards.loss.trl_check.contract import introduced, verdict

    columns = [Column(heading, justify="right" if heading else "left") for heading in ("", *NUMBER_COLUMNS)]
    yield table(f"TRL {report.trl}: largest difference from the papers", columns, map(_row, kinds))
    wrong = len(report.mismatches)
    yield f"{len(report.differences):,} comparisons in {report.seconds:.1f} s, {wrong} beyond tolerance."
    yield from (text(line, "red") for line in report.mismatch_lines())
    for kind, reasons in report.failed.items():
        yield text(f"{kind}: {len(reasons):,} cases could not be run, the first for {reasons[0]}", "red")
    for kind, (found, least) in report.short.items():
        yield text(f"{kind}: {found:,} comparisons, and there must be {least:,}", "red")
    if report.changed:
        yield text(verdict(report.trl, report.changed), "yellow")
    for kind, reasons in report.lacking.items():
        why = f"{introduced(report.trl)}, and {len(reasons):,} cases could not be run, the first for {reasons[0]}"
        yield text(f"{kind}: {why}", "yellow")
    for part, why in report.left_out.items():
        yield f"Not looked at: {part} ({why})."


def _row(kind: dict[str, Any]) -> list[Any]:
    """How many cases of a kind were compared, and the largest differences, in red where they are too large."""
    cells = []
    for its in kind["largest"].values():
        for number in (its["value"], its["gradient"]):
            is_wrong = number and not number <= its["allowed"]
            cells.append(text("-" if number is None else f"{number:.1e}", "red" if is_wrong else ""))
    return [kind["kind"], f"{sum(its['compared'] for its in kind['largest'].values()):,}", *cells]


def _kinds(report: Any) -> list[dict[str, Any]]:
    """For each kind of case how many were compared, and the largest differences beside what is allowed."""
    from grpo_rewards.loss.trl_check.report import TOLERANCES, kinds

    return [
        {"kind": kind, "largest": {_precision(dtype): report.largest(kind, dtype) for dtype in TOLERANCES}}
        for kind in kinds(report)
    ]


def _as_json(report: Any, kinds: list[dict[str, Any]]) -> Any:
    """The report as JSON can hold it, with precisions by their names."""
    copied = ("trl", "is_supported", "passed", "status", "seconds", "failed", "lacking", "changed", "left_out")
    mismatches = []
    for one in report.mismatches:
        settings = {name: str(value) for name, value in one.settings.items()}
        mismatches.append({**vars(one), "settings": settings, "dtype": _precision(one.dtype)})
    return {
        **{name: getattr(report, name) for name in copied},
        "comparisons": len(report.differences),
        "kinds": kinds,
        "mismatches": mismatches,
        "too_few": {kind: {"found": found, "least": least} for kind, (found, least) in report.short.items()},
    }


def _precision(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


# What check and probe read: problems, settings and plain functions.


def load_columns(named: str, split: str | None = None, renamed: Mapping[str, str] | None = None) -> ColumnValues:
    """The columns of a data set, by name.

    Args:
        named: a file (JSON lines, also packed, JSON, CSV, parquet), a pattern such as ``train-*.parquet``, a pipe of
            JSON lines, a folder, or a name on the hub, ``name:configuration`` if it has several.
        split: which split of a folder or of the hub's data; ``train`` by default, or the only one.
        renamed: columns by another name: with ``{"answer": "solution"}`` what is in ``solution`` is ``answer``.

    Raises:
        RewardError: it is not there, cannot be read, or has no such column or split.
    """
    path = Path(named)
    is_file = not path.is_dir() and (path.exists() or glob.has_magic(named) or path.name.endswith(KINDS))
    columns: ColumnValues = dict(columns_in(matching_files([named]))) if is_file else _of_datasets(named, path, split)
    for new, old in (renamed or {}).items():
        if old not in columns:
            why = f"{named} has no column '{old}'{did_you_mean(old, columns)} Columns: {listed(columns)}."
            raise RewardError(f"--column {new}={old}: {why}")
        columns[new] = columns.pop(old)
    return columns


def _of_datasets(named: str, path: Path, split: str | None) -> ColumnValues:
    need("trl", "datasets")
    from datasets import load_dataset, load_from_disk

    try:
        if (path / "dataset_info.json").is_file() or (path / "dataset_dict.json").is_file():
            found = load_from_disk(named)
        else:
            name, _, configuration = named.partition(":")
            found = load_dataset(name, configuration or None)
    except Exception as error:  # noqa: BLE001  # datasets raises errors of a dozen libraries
        why, *_ = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise RewardError(
            f"{named} is no file, no saved data set, and cannot be loaded from the hub: {why} In a folder of files, "
            "name one, or a pattern such as '*.jsonl'."
        ) from None
    if isinstance(found, Mapping):
        splits = list(found)
        chosen = split or ("train" if "train" in splits or len(splits) != 1 else splits[0])
        if chosen not in splits:
            near = did_you_mean(chosen, splits)
            raise RewardError(f"{named} has no split '{chosen}'{near} Splits: {listed(splits)}.")
        found = found[chosen]
    return dict(found[:])


# GRPOConfig's own, for what rewards and batches depend on.
SETTINGS_DEFAULTS: dict[str, Any] = {"num_generations": 8, "max_completion_length": 512, "reward_weights": None}


def read_settings(file: str) -> dict[str, Any]:
    """The settings by name, with GRPOConfig's defaults for what they leave out; numbers as numbers.

    Raises:
        OSError: the file is not there.
        RewardError: it is no YAML, or holds no settings by name.
    """
    need("recipes", "yaml")
    import yaml

    try:
        held = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RewardError(f"--config {file} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(held, dict) or not all(isinstance(name, str) and name.isidentifier() for name in held):
        raise RewardError(f"--config {file} must hold settings by name, such as num_generations: 8.")
    settings = {**SETTINGS_DEFAULTS, **{name: _number(value) for name, value in held.items()}}
    if isinstance(settings.get("reward_funcs"), str):
        settings["reward_funcs"] = [settings["reward_funcs"]]
    specs = settings.get("reward_funcs") or []
    if not isinstance(specs, list) or not all(isinstance(one, str) for one in specs):
        raise RewardError(
            f"--config {file}: reward_funcs must be a list of specs, reward_weights of numbers, not {shown(specs)}."
        )
    batch = settings.get("completions_per_step")  # of recipes: it sets gradient_accumulation_steps
    if isinstance(batch, int) and "per_device_train_batch_size" in settings:
        settings.setdefault("gradient_accumulation_steps", max(batch // settings["per_device_train_batch_size"], 1))
    return settings


def _number(value: Any) -> Any:
    """The value, or the number that YAML 1.1 takes for a text: 1e-6, which the trainers' parsers do read."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


# Where the classes are whose fields are settings: of the trainer, the model, the data and the script. None is imported.
FILES_OF_SETTINGS = (("transformers", "training_args.py"), ("trl", "trainer/*_config.py"), ("trl", "scripts/*.py"))
FIELD = re.compile(r"^    (\w+):", re.MULTILINE)
OF_RECIPES = {"completions_per_step", "dataset_path", "prompt_column", "answer_column"}  # settings that only these have
ALIKE = 0.85  # of difflib: one letter of ten in another place, or missing


def misspelt(names: Iterable[str]) -> Iterator[Finding]:
    """Warnings about settings that no one reads, where one is nearly called so; other names may be a recipe's own."""
    known: set[str] = set()
    for package, pattern in FILES_OF_SETTINGS:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for file in Path(folder).glob(pattern):
                known.update(FIELD.findall(file.read_text(encoding="utf-8")))
    for name in names if known else ():
        near, *_ = difflib.get_close_matches(name, known | OF_RECIPES, n=1, cutoff=ALIKE) or [name]
        if near != name:
            message = f"the settings have '{name}', which nothing reads; did you mean '{near}'?"
            yield Finding("warning", "settings", message, f"Write {near}: trl grpo passes over what it does not know.")


# By the name of a function of TRL what trl grpo calls it with, if it makes the reward.
TRL_FUNCTIONS: dict[str, dict[str, int]] = {
    "accuracy_reward": {},
    "reasoning_accuracy_reward": {},
    "think_format_reward": {},
    "get_soft_overlong_punishment": {"max_completion_len": 1280, "soft_punish_cache": 256},
}


def with_trl_names(specs: Iterable[Any]) -> Iterator[Any]:
    """The specs of a file of settings, with TRL's function in place of a name that ``trl grpo`` resolves itself."""
    for spec in specs:
        if spec in TRL_FUNCTIONS:
            need("trl", "trl")
            function, options = getattr(importlib.import_module("trl.rewards"), spec), TRL_FUNCTIONS[spec]
            spec = function(**options) if options else function
        yield spec


def reward_or_function(spec: Any) -> Any:
    """The reward that a spec names, or the plain function that stands at a dotted path, as ``trl grpo`` takes it.

    What is no text is a function already.

    Raises:
        RewardError: there is neither.
    """
    try:
        return get_reward(spec) if isinstance(spec, str) else spec
    except RewardError:
        path, _, name = spec.rpartition(".")
        found = getattr(sys.modules.get(path), name, None)  # the registry imported it, and found no reward there
        if callable(found):
            return found
        raise
