"""The figures in docs/monitor.md are what the kept runs give today."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent
FOLDER = SCRIPTS.parent / "data" / "monitor_runs"
PAGE = SCRIPTS.parents[1] / "docs" / "monitor.md"
MOST_BYTES = 1_500_000  # of all kept runs, in a repository that everyone clones
pytestmark = [
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the kept runs are in the repository, not in the sdist"),
    pytest.mark.usefixtures("script"),  # for the imports of monitor_…
]


def heads() -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            found[path.name.removesuffix(".jsonl.gz")] = json.loads(file.readline())
    return found


def test_every_run_is_kept_as_it_is_described() -> None:
    from monitor_kept import described
    from monitor_plants import RUNS

    runs = {run.name: run for half in RUNS.values() for run in half}
    kept = heads()
    assert kept.keys() == runs.keys()
    for name, head in kept.items():  # also which rewards count as gold-based, by what they read themselves
        assert head == json.loads(json.dumps(described(runs[name], head["seconds"])))
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES


@pytest.mark.full
def test_the_page_has_the_figures_that_the_kept_runs_give() -> None:
    from monitor_table import KEPT_RUNS, rows_of

    assert KEPT_RUNS == FOLDER
    rows = rows_of(FOLDER)
    assert len(rows) > 30
    assert [row for row in rows if row not in PAGE.read_text(encoding="utf-8").splitlines()] == []


def test_a_run_without_a_gold_based_reward_is_kept_and_reported(tmp_path: Path) -> None:
    from monitor_kept import read, write

    history = [{"step": step, "reward": 0.1 + step / 40} for step in range(1, 21)]
    tables = {
        step: {"prompt": ["How many?"] * 2, "completion": ["4", ""], "parses": [0.1, None], "parses/why": ["", ""],
               "advantage": [0.123456, 0.0]}
        for step in range(1, 21)
    }  # fmt: skip
    head = {"name": "shell", "cheat": "empty", "weights": [1.0], "rewards": ["parses"], "gold": []}
    write(tmp_path / "shell.jsonl.gz", head, history, tables)
    kept = read(tmp_path / "shell.jsonl.gz")
    assert kept.is_learnt
    assert kept.ends("reward") == pytest.approx((0.15, 0.4875))  # the means of steps 1 to 3, and of steps 11 to 20
    assert kept.ends("rewards/boxed_answer/mean") is None
    with gzip.open(tmp_path / "shell.jsonl.gz", "rt") as file:
        table = json.loads(file.readlines()[2])["table"]
    assert [*table] == ["prompt", "completion", "parses", "advantage"]
    assert table["advantage"] == [0.123, 0.0]
