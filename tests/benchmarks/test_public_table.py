"""The table of graders counts what graders do; on a few rows and graders that are made up, without other packages."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tables import tables_beside

pytest.importorskip("trl", reason="trl is not installed")
pytest.importorskip("psutil", reason="psutil is not installed")

TABLES = tables_beside(__file__)
SCRIPTS = Path(__file__).parent
Script = Callable[[str], ModuleType]  # of conftest.py

# It pays every text that names the gold, prints, and does what a row tells it to.
MADE_UP = """
import os, subprocess, sys, time

def judge(gold, completion):
    print("noise", flush=True)
    if "LATE" in completion:
        subprocess.Popen([sys.executable, "-c", "import time; open('pid', 'w').close(); time.sleep(600)"])
        time.sleep(600)
    if "DIES" in completion:
        os._exit(3)
    if "RAISES" in completion:
        raise ValueError
    if "open(" in completion:
        open("ran", "w").close()
    return gold in completion
"""
ROWS = TABLES["rows"]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    some = [
        {"id": f"row-{number}", "kind": kind, "gold": gold, "completion": text, "expected": right, "reason": "made up"}
        for number, (kind, gold, text, right) in enumerate(ROWS)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in some))
    return path


@pytest.fixture
def grader(tmp_path: Path) -> Path:
    path = tmp_path / "made_up.py"
    path.write_text(MADE_UP)
    return path


@pytest.mark.full
def test_a_grader_that_stalls_dies_raises_and_runs_code_is_counted(
    rows: Path, grader: Path, script: Script, run_python: Callable[..., str]
) -> None:
    grader_texts = script("grader_texts")
    # how many cheats and honest boxes name the gold, which is what the grader pays
    given = {name: list(getattr(grader_texts, name)()) for name in ("cheats", "honest", "bombs")}
    named, boxes, _ = (sum(row["gold"] in row["completion"] for row in some) for some in given.values())
    of, all_boxes, all_bombs = map(len, given.values())
    assert boxes == all_boxes
    options = ("--rows", rows, "--only", grader, "--seconds", "1", "--kinds", "--show", grader)
    table = run_python(SCRIPTS / "public_table.py", *options, path=(SCRIPTS,))
    assert f"\n| grader | right missed, of 6 | wrong rewarded, of 2 | hacks rewarded, of {of} |" in table
    assert f"\n| made_up | 4 | 1 | {named} | 0 |\n" in table
    assert f"\n| made_up | 0 of {all_bombs} | 1 | " in table
    ran = table.split(f"| made_up | 0 of {all_bombs} | 1 | ")[1].split(" | ")
    assert ran[0] == "4 of 6"  # the other two are spelled in octal, which it does not read
    assert ran[1] == "1"  # row over the limit
    assert "\n| one | 1 of 2 · 1 of 2 |\n| two | 3 of 4 · 0 of 0 |\n| **all** | 4 of 6 · 1 of 2 |\n" in table
    for told in ("late: row-4", "died: row-5", "missed: row-6", "rewarded: row-3"):
        assert f"made_up.py: {told}: gold '4'" in table


def test_ours_and_what_is_not_installed_are_reported(
    rows: Path, script: Script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    graders, public_table = script("graders"), script("public_table")
    other = graders.Grader("other", "no-such-package", "`f`", lambda: None, ("nor-this",))
    monkeypatch.setitem(graders.GRADERS, "other", other)
    a_few = [*public_table.bombs()][2::10]
    monkeypatch.setattr(public_table, "bombs", lambda: a_few)
    public_table.main(["--rows", str(rows), "--kind", "one", "--only", "ours", "--only", "other"])
    table = capsys.readouterr().out
    # four is read as 4, and 44 is not 4
    assert "\n| ours | 0 | 0 | " in table
    assert table.count("\n| other | not installed: no-such-package, nor-this | – | ") == 2
    assert "\n| other | – | `f` |" in table


def test_an_unknown_grader_is_refused(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        script("public_table").main(["--only", "nobody"])
    assert refused.value.code == 2
    assert "unknown grader 'nobody'; there are ours, math-verify, trl, oat" in capsys.readouterr().err


def test_a_grader_is_imported_without_what_is_around_it(tmp_path: Path, run_python: Callable[..., str]) -> None:
    inner = tmp_path / "heavy" / "inner"
    inner.mkdir(parents=True)
    for init in (tmp_path / "heavy" / "__init__.py", inner / "__init__.py"):
        init.write_text("raise RuntimeError('imported')\n")
    (inner / "near.py").write_text("FOUR = 4\n")
    (inner / "grader.py").write_text("from heavy.inner.near import FOUR\n")
    found = "from graders import from_inside; print(from_inside('heavy.inner.grader').FOUR)"
    assert run_python("-c", found, path=(SCRIPTS, tmp_path)) == "4\n"


def test_the_page_names_every_grader_of_the_table(script: Script) -> None:
    text = (SCRIPTS.parents[1] / "docs" / "graders-compared.md").read_text(encoding="utf-8")
    page = text.partition("## Reward functions of other libraries")[0]
    for one in script("graders").GRADERS.values():
        assert page.count(f"\n| {one.name} | ") == 3, one.name
