"""grpo-rewards score, diff and audit: what they print, and their exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from invoked import invoke
from processes import started
from reported_runs import leave, leave_evaluations
from row_files import written
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

ROWS = [
    {"prompt": "1 + 1?", "completion": "\\boxed{2}", "answer": "2"},
    {"prompt": "1 + 1?", "completion": "\\boxed{3}", "answer": "2"},
    {"prompt": "2 + 2?", "completion": "it is 4", "answer": "4"},
]


def run(*arguments: str) -> Any:
    return invoke(arguments)


@pytest.fixture
def rows(tmp_path: Path) -> str:
    return str(written(tmp_path / "rows.jsonl", ROWS))


def test_score_prints_what_it_came_to(rows: str) -> None:
    result = run("score", "boxed_answer", "final_answer", "-i", rows)
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "3 completions, in column completion" in said
    assert "boxed_answer mean 0.333" in said
    assert "reasons correct 33.3%, wrong 33.3%, no_box 33.3%" in said
    assert "groups 1 of several completions, 0.0% of them zero-variance" in said
    assert "prompts solved by none 50.0%, by some 50.0%, by all 0.0% of their completions" in said


def test_score_prints_json_and_where_things_lie(rows: str, tmp_path: Path) -> None:
    arguments = ("score", "boxed_answer", "-i", rows, "-o", str(tmp_path / "out.jsonl"))
    found = json.loads(run(*arguments, "--json").output)
    assert (found["rows"], found["rewards"][0]["mean"], found["whole"]) == (3, pytest.approx(1 / 3), True)
    assert (found["output"], found["malformed_in"]) == (str(tmp_path / "out.jsonl"), None)
    with open(rows, "a", encoding="utf-8") as file:
        file.write("no json\n")
    told = Path(json.loads(run(*arguments, "--overwrite", "--json").output)["malformed_in"])
    assert json.loads(told.read_text())["text"] == "no json"
    assert f"what could not be read in {told}" in run(*arguments).output


def test_score_reads_standard_input_and_names_columns() -> None:
    line = json.dumps({"said": "\\boxed{2}", "solution": "2"})
    arguments = ["score", "boxed_answer", "-i", "-", "--completion", "said", "--column", "answer=solution"]
    result = invoke(arguments, f"{line}\n")
    assert (result.exit_code, "mean 1.000" in " ".join(result.output.split())) == (0, True), result.output


def test_what_could_not_be_read_is_a_finding_and_the_first_are_printed(rows: str) -> None:
    with open(rows, "a", encoding="utf-8") as file:
        file.write("\x1b[31mno json\n" * 9)
    result = run("score", "boxed_answer", "-i", rows)
    assert result.exit_code == 1
    assert "rows that could not be read: 9, the first 5:" in result.output
    assert "line 4: it is no JSON" in " ".join(result.output.split())
    assert result.output.count("it is no JSON") == 5
    assert "\x1b[31m" not in result.output


@each_row("arguments, said", TABLES["what_the_user_did_wrong_is_said_in_a_line"])
def test_what_the_user_did_wrong_is_stated_in_a_line(arguments: list[str], said: str, rows: str) -> None:
    result = run("score", *[rows if one == "ROWS" else one for one in arguments])
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert "Traceback" not in result.output


def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(rows: str, tmp_path: Path) -> None:
    with open(rows, "a", encoding="utf-8") as file:
        file.write((json.dumps(ROWS[0]) + "\n") * 30_000)
    arguments = ["score", "boxed_answer", "-i", rows, "-o", str(tmp_path / "out.jsonl"), "--json"]
    with started([sys.executable, "-m", "grpo_rewards", *arguments]) as running:
        end = time.monotonic() + 120
        while not (tmp_path / "out.jsonl").exists() or (tmp_path / "out.jsonl").stat().st_size < 100_000:
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < end
            time.sleep(0.002)
        os.kill(running.pid, signal.SIGINT)
        said, errors = running.communicate(timeout=60)
    assert (running.returncode, json.loads(said)["whole"]) == (130, False)
    assert "Run the same command to resume." in errors
    assert "Traceback" not in errors
    assert json.loads(run(*arguments).stdout)["rows"] == 30_003
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 30_003


def test_diff_of_a_reward_and_itself_finds_nothing(rows: str) -> None:
    assert [run("diff", "boxed_answer", new, "-i", rows).exit_code for new in ("final_answer", "boxed_answer")] == [
        1,
        0,
    ]


def test_diff_takes_the_rewards_that_a_file_has(rows: str, tmp_path: Path) -> None:
    logged = [{**row, "old": one} for row, one in zip(ROWS, (0.0, 0.0, None), strict=True)]
    path = written(tmp_path / "logged.jsonl", logged)
    found = json.loads(run("diff", "column:old", "boxed_answer", "-i", str(path), "--json").output)
    assert (found["rows"], found["changed"], found["raised"], found["lowered"]) == (3, 2, 1, 0)
    assert run("diff", "column:new", "boxed_answer", "-i", str(path)).exit_code == 2


def test_audit_exits_by_what_it_finds(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    same = {"completion": "some text [bold]", "right": 0.0, "advantage": 0.0}
    for step in range(1, 21):
        rows = [{"step": step, "prompt": prompt, **same} for prompt in "aabb"]
        written(tmp_path / "completions" / f"completions_{step:05d}.parquet", rows)
    result = run("audit", str(tmp_path))
    assert result.exit_code == 1, result.output
    assert "warning (no signal)" in result.output
    found = json.loads(run("audit", str(tmp_path), "--json").output)
    assert "no signal" in [one["rule"] for one in found["alerts"]]
    assert run("audit", str(tmp_path / "none")).exit_code == 2


def test_json_is_all_that_is_on_standard_output(rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chatty_rewards.py").write_text(
        "from grpo_rewards import reward\n\n\n@reward\ndef chatty(completion: str) -> float:\n"
        '    """1, and a word."""\n    print("a word")\n    return 1.0\n'
    )
    monkeypatch.chdir(tmp_path)
    scored = ("score", "chatty_rewards.chatty", "-i", rows)
    for arguments in (scored, (*scored, "-j", "2"), ("explain", "chatty_rewards.chatty", "text")):
        command = [sys.executable, "-m", "grpo_rewards", *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
        assert "a word" in done.stderr


def test_diff_takes_two_rewards_of_which_the_old_one_may_be_a_column_of_numbers(rows: str) -> None:
    for specs, said in (
        (("column:prompt", "boxed_answer"), "line 1: the column 'prompt' holds '1 + 1?', which is no reward."),
        (("boxed_answer", "column:answer"), "a column can only be the first of the two"),
        (("boxed_answer", "final_answer", rows), "is a file: quote the pattern"),
        (("boxed_answer",), "name two rewards, the old and the new, not 1"),
    ):
        result = run("diff", *specs, "-i", rows)
        assert result.exit_code == 2
        assert said in result.stderr


def test_audit_names_the_file_that_is_damaged(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    folder = tmp_path / "run"
    table, state = folder / "completions" / "completions_00001.parquet", folder / "checkpoint-5" / "trainer_state.json"
    for path, held in (
        (table, b"PAR1, and no more"),
        (state, b'{"log_history": [{"step"'),
    ):  # as while they are written
        path.parent.mkdir(parents=True)
        path.write_bytes(held)
    result = run("audit", str(folder))
    assert (result.exit_code, "holds no run that can be read" in result.stderr) == (2, True)
    state.write_text('{"log_history": [{"step": 1, "reward": 0.5}]}', encoding="utf-8")
    result = run("audit", str(folder))
    said = " ".join(result.output.split())
    assert result.exit_code == 1  # there is no alert
    assert "1 damaged file was passed over, and the rest judged:" in said
    assert "completions_00001.parquet: it cannot be read as parquet" in said
    assert "Fetch it again from where the run trained, or remove it" in said
    assert [one["path"] for one in json.loads(run("audit", str(folder), "--json").output)["passed_over"]] == [
        str(table)
    ]


def test_a_report_is_made_of_what_can_be_read_and_says_what_cannot(tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder, page = leave_evaluations(leave(tmp_path / "run"), steps=(0, 2)), tmp_path / "report.html"
    assert run("report", str(folder), "-o", str(page)).exit_code == 0
    damaged = [folder / "completions" / "completions_00002.parquet", folder / "evaluation" / "step-000002.parquet"]
    for path in damaged:
        path.write_bytes(b"PAR1" + b"x" * 300 + b"PAR1")
    result = run("report", str(folder), "-o", str(page))
    assert result.exit_code == 1, result.output
    for path in damaged:
        assert f"passed over: {path}: it cannot be read as parquet" in result.stderr
        assert path.name in page.read_text(encoding="utf-8")
