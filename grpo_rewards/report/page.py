"""The file: one page of HTML with all that it needs, which needs nothing from another machine."""

import base64
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_rewards.completion_tables import DamagedFile, Tables, table_files
from grpo_rewards.errors import RewardError, harmless
from grpo_rewards.registry.interface import joined
from grpo_rewards.report.evaluation_answers import evaluations_in, kept_steps, read_answers
from grpo_rewards.report.figures import Figure, figures_of
from grpo_rewards.report.figures.evaluations import evaluation_rows
from grpo_rewards.report.reading import Run, names_of, read
from grpo_rewards.report.rows import MOST_ROWS, Rows, packed, packed_json
from grpo_rewards.report.shown import formulas_in

TEMPLATES = Path(__file__).parent / "template"
PAGE_SCRIPTS = "unpacking figures filters address browser export following".split()  # in this order
SECTIONS = ("overview", "reasons", "training", "groups", "completions", "golds", "everything else logged")
FACTS = {  # of the record of a run, as they are called in the page
    "model_name_or_path": "model",
    "dataset_name": "data set",
    "dataset_path": "data",
    "loss_type": "loss",
    "beta": "beta",
    "learning_rate": "learning rate",
    "num_generations": "completions of a prompt",
    "generation_batch_size": "completions of a step",
    "max_completion_length": "tokens of a completion at most",
    "temperature": "temperature",
    "seed": "seed",
    "commit": "commit of the script",
}
EVALUATION_SHARE = 4  # their answers may be one in so many of a report's completions, and more where there is room
OnDamaged = Callable[[DamagedFile], None]
OF_FOLDER = ("output_dir", "run_name", "logging_dir")


def write_report(
    folders: Sequence[str | Path],
    path: str | Path,
    *,
    on_damaged: OnDamaged | None = None,
    tell: OnDamaged | None = None,
) -> Path:
    """Writes the report of a run, or of several side by side, as one HTML file that needs no network.

    The file is put in its place when it is whole, so that one who reads it meanwhile has the old one or the new one.

    Args:
        folders: each the ``output_dir`` of a run.
        path: of the file.
        on_damaged: is called with each damaged file of the runs, which was passed over; the report names them, too.
        tell: the earlier name of ``on_damaged``.

    Raises:
        RewardError: a folder is not there, or holds no run that can be read.
    """
    path = Path(path)
    page = report_html(folders, on_damaged=on_damaged or tell)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(page, encoding="utf-8", newline="\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def report_html(
    folders: Sequence[str | Path],
    *,
    version: str | None = None,
    on_damaged: OnDamaged | None = None,
    tell: OnDamaged | None = None,
) -> str:
    """The report as a text; with a ``version`` it looks for a newer one on the machine that serves it."""
    from plotly.offline import get_plotlyjs

    if not folders:
        raise RewardError("a report needs the folder of a run.")
    rows, most = Rows(), MOST_ROWS // len(folders)
    runs = [_read(folder, name, rows, most) for folder, name in zip(folders, names_of(folders), strict=True)]
    on_damaged = on_damaged or tell
    if on_damaged is not None:
        for run in runs:
            for damaged in run.passed_over:
                on_damaged(damaged)
    figures = figures_of(runs)
    payloads = {
        "drawing": packed(get_plotlyjs()),
        "figures": packed_json({one.name: {"data": one.data, "layout": one.layout} for one in figures}),
        "index": rows.packed_index(),
        "formulas": packed_json(formulas_in(rows.answers_shown())),
        **{f"chunk-{at}": chunk for at, chunk in enumerate(rows.packed_chunks())},
    }
    return _rendered(runs, figures, rows, payloads, version)


def _read(folder: str | Path, name: str, rows: Rows, most: int) -> Run:
    sizes = Tables(table_files(Path(folder))).sizes()
    evaluations = evaluations_in(Path(folder))
    answers = read_answers(evaluations, max(most // EVALUATION_SHARE, most - sum(sizes.values())))
    kept = kept_steps(sizes, most - len(answers.get("completion", [])))
    run = read(folder, name, lambda run, step, table: rows.add(run, step, table) if step in kept else None, evaluations)
    rows.add_evaluations(run, answers)
    return run


def _rendered(
    runs: Sequence[Run], figures: Sequence[Figure], rows: Rows, payloads: Mapping[str, str], version: str | None
) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    rendering = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    rendering.filters.update(number=_number, harmless=lambda value: harmless(str(value)))
    script = "\n".join((TEMPLATES / f"{name}.js").read_text(encoding="utf-8") for name in PAGE_SCRIPTS)
    filled = {"overview", *(one.section for one in figures)}
    filled |= {"completions"} if len(rows) else set()
    filled |= {"golds"} if any(run.audit.golds for run in runs) else set()
    evaluated = [run for run in runs if evaluation_rows(run.evaluation)]
    content: dict[str, Any] = {
        "runs": runs,
        "facts": {run.name: list(_facts(run)) for run in runs},
        "differing": _differing(runs),
        "trends": _by_name([{trend.title: trend for trend in run.audit.trends} for run in runs]),
        "evaluated": evaluated,
        "evaluations": _by_name([evaluation_rows(run.evaluation) for run in evaluated]),
        "figures": {name: [one for one in figures if one.section == name] for name in SECTIONS},
        "sections": [name for name in SECTIONS if name in filled],
        "rows": rows,
        "seen": sum(step.completions for run in runs for step in run.steps),
        "trained": len(rows) - rows.answers,
        "answers": sum(sum(run.evaluations.sizes().values()) for run in runs),
        "payloads": payloads,
        "version": version,
        "style": (TEMPLATES / "style.css").read_text(encoding="utf-8"),
        "script": script,
        "hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return rendering.get_template("report.html.jinja").render(content).encode("utf-8", "replace").decode("utf-8")


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    # an absolute one shows whose machine it was
    yield "folder", run.name if run.folder.is_absolute() else str(run.folder)
    planned = run.settings.get("max_steps")
    of = f" of {planned:,}" if isinstance(planned, int) and planned > 0 else ""
    yield "last step", f"{run.last_step:,}{of}"
    yield "completions", f"{sum(step.completions for step in run.steps):,} in {len(run.steps):,} tables"
    if run.rewards:
        weights = run.weights
        named = [f"{name} × {weights[name]:g}" for name in run.rewards] if weights else run.rewards
        note = "" if "reward_weights" in run.settings else " (as the log adds up)"
        yield "rewards", ", ".join(named) + (note if weights else " (weights unknown: totals below take each as it is)")
    for name, called in FACTS.items():
        value = run.settings.get(name)
        if isinstance(value, str) and Path(value).is_absolute():
            value = Path(value).name  # where it lies on the machine is nobody's who reads the report
        if isinstance(value, str | int | float) and value != "":
            yield called, f"{value:g}" if isinstance(value, float) else str(value)
    versions = run.settings.get("versions")
    for program, version in versions.items() if isinstance(versions, dict) else ():
        yield str(program), str(version)
    for damaged in run.passed_over:
        yield "damaged, and passed over", f"{Path(damaged.path).name}: {damaged.why}. {damaged.remedy}"


def _differing(runs: Sequence[Run]) -> list[tuple[str, list[Any]]]:
    """The recorded settings in which runs differ, but where they lie and how they are called."""
    if not all(run.settings for run in runs):
        return []  # what one of them did not record may be the same
    plain = [{name: str(value) for name, value in run.settings.items() if not isinstance(value, dict)} for run in runs]
    rows = _by_name(plain, "–")
    return [(name, values) for name, values in rows if name not in OF_FOLDER and len({*values}) > 1]


def _by_name(of_runs: Sequence[Mapping[str, Any]], missing: Any = None) -> list[tuple[str, list[Any]]]:
    """For each name what each run has under it."""
    return [(name, [its.get(name, missing) for its in of_runs]) for name in joined(*of_runs)]


def _number(value: float | None, signed: bool = False) -> str:
    """A figure in a table: three digits behind the point, or as many as a small one needs."""
    if value is None:
        return "–"
    digits = f"{value:+.3f}" if signed else f"{value:.3f}"
    return digits if not value or abs(value) >= 0.001 else f"{value:{'+' if signed else ''}.1e}"
