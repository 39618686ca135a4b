"""Rewards over files: in order, going on where it was interrupted, with whatever a file and a reward bring."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from forked_scoring import forked_scoring  # noqa: F401  # a fixture
from places import ROOT
from processes import started
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.scoring import files as scoring_files
from grpo_rewards.scoring import output, score_files, work

TABLES = tables_beside(__file__)

ROWS = [
    {"id": at, "prompt": f"p{at // 4}", "completion": f"so \\boxed{{{at % 3}}} é", "answer": str(at % 2)}
    for at in range(500)
]


@gr.reward(name="score_files_refuses")
def refuses(completion: str, answer: str) -> float:
    """Raises for one row."""
    if "stop" in completion:
        raise KeyError("no such key")
    return 1.0


@gr.reward(name="score_files_half")
def half(completion: str, *, slow: float = 0.0) -> float | None:
    """One half, and None for an empty completion."""
    time.sleep(slow)
    return 0.5 if completion else None


@pytest.fixture
def rows_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(work, "CALL_ROWS", 20)  # so that there are many chunks
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_rows_come_in_order_with_what_a_reward_says_of_them(rows_file: Path, tmp_path: Path) -> None:
    summary = score_files(["boxed_answer", "think_format"], [str(rows_file)], output=tmp_path / "out.jsonl")
    out = lines_of(tmp_path / "out.jsonl")
    assert [{name: row[name] for name in ROWS[0]} for row in out] == ROWS
    for row in out:
        verdict = gr.boxed_answer.explain(row["completion"], answer=row["answer"])
        found = (row["boxed_answer"], row["boxed_answer/reason"], row["boxed_answer/prediction"])
        assert found == (verdict.reward, verdict.reason, verdict.prediction)
        short = "" if verdict.reward else f"{verdict.prediction}, wanted {verdict.answer}"
        assert row["boxed_answer/why"] == (verdict.details.get("why") or short)
        assert row["think_format"] == 0.0
    assert summary.is_whole
    assert summary.tally.summaries()[0].mean == sum(row["boxed_answer"] for row in out) / 500
    assert summary.tally.summaries()[0].groups == 125
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.place.json", "rows.jsonl"]


class Stop(Exception):
    pass


@pytest.mark.parametrize("stop_at", [0, 1, 7])
@pytest.mark.parametrize("how", [Stop, KeyboardInterrupt])
def test_going_on_ends_as_if_nothing_had_happened(
    stop_at: int, how: type[BaseException], rows_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with rows_file.open("a", encoding="utf-8") as file:
        file.write("no json\n")
    monkeypatch.setattr(output, "SECONDS", 0.0)
    whole = score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "whole.jsonl")
    out = tmp_path / "out.jsonl"

    def stopping(do: Any, given: Iterator[Any], processes: int = 1) -> Iterator[Any]:
        for one in islice(given, stop_at):
            yield do(one)
        raise how

    with monkeypatch.context() as stopped:
        stopped.setattr(scoring_files, "in_order", stopping)
        try:
            first = score_files(["boxed_answer"], [str(rows_file)], output=out)
            assert (how, first.is_whole) == (KeyboardInterrupt, False)
        except Stop:
            pass
    again = score_files(["boxed_answer"], [str(rows_file)], output=out)
    assert again.tally.as_json() == whole.tally.as_json()
    assert [one.line for one in again.malformed] == [501]
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert score_files(["boxed_answer"], [str(rows_file)], output=out).tally.as_json() == whole.tally.as_json()


@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_what_is_done_is_kept_and_resumed(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = tmp_path / f"rows{kind}", tmp_path / "out.jsonl"
    written(path, ROWS[:200])
    whole = score_files(["boxed_answer"], [str(path)], output=tmp_path / "whole.jsonl")
    monkeypatch.setattr(work, "CALL_ROWS", 7)
    monkeypatch.setattr(scoring_files, "QUICK", -1.0)  # as if all rows were slow
    monkeypatch.setattr(output, "SECONDS", -1.0)

    def stop(read: int, size: int, tally: Any) -> None:
        if tally.rows >= rows_done:
            raise Stop

    for rows_done in (1, 70, 100):
        with pytest.raises(Stop):
            score_files(["boxed_answer"], [str(path)], output=out, progress=stop)
        assert rows_done <= len(lines_of(out)) < rows_done + 7
    again = score_files(["boxed_answer"], [str(path)], output=out)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert again.tally.as_json() == whole.tally.as_json()


def written(path: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix in (".csv", ".parquet"):
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        table = pandas.DataFrame(rows)
        table.to_csv(path, index=False) if path.suffix == ".csv" else table.to_parquet(path)
    else:
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.mark.usefixtures("forked_scoring")
@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_any_number_of_processes_write_the_same_of_any_kind_of_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{kind}"
    written(path, ROWS)
    if "jsonl" in kind:
        with (gzip.open if kind.endswith("gz") else open)(path, "at") as file:
            file.write("no json\n")
    one = score_files(["boxed_answer"], [str(path)], output=tmp_path / "one.jsonl")
    two = score_files("boxed_answer", path, output=tmp_path / "two.jsonl", processes=2)  # each may be one alone
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert one.tally.as_json() == two.tally.as_json()
    assert one.malformed == two.malformed


def test_a_killed_process_leaves_what_can_be_resumed(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS * 40), encoding="utf-8")
    script = f"from grpo_rewards.scoring import *; score_files(['boxed_answer'], ['{path}'], output='{out}')"
    with started([sys.executable, "-c", script]) as running:
        end = time.monotonic() + 120
        while not (out.exists() and out.stat().st_size > 200_000):
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < end
            time.sleep(0.002)
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=60)
    assert score_files(["boxed_answer"], [str(path)], output=out).is_whole
    assert [row["id"] for row in lines_of(out)] == [row["id"] for row in ROWS * 40]


def test_other_settings_are_not_resumed(rows_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    score_files(["boxed_answer"], [str(rows_file)], output=out)
    with pytest.raises(gr.RewardError, match=r"other settings: rewards was .*boxed_answer.* --overwrite"):
        score_files(["final_answer"], [str(rows_file)], output=out)
    score_files(["final_answer"], [str(rows_file)], output=out, overwrite=True)
    assert "final_answer" in lines_of(out)[0]
    (tmp_path / "mine.jsonl").write_text("precious", encoding="utf-8")
    with pytest.raises(gr.RewardError, match=r"mine.jsonl is there already"):
        score_files(["final_answer"], [str(rows_file)], output=tmp_path / "mine.jsonl")
    assert (tmp_path / "mine.jsonl").read_text(encoding="utf-8") == "precious"


def test_a_file_of_the_same_size_with_other_rows_is_not_resumed(rows_file: Path, tmp_path: Path) -> None:
    score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")
    rows_file.write_bytes(rows_file.read_bytes().replace(b'"p124"', b'"q124"'))
    with pytest.raises(gr.RewardError, match="other settings: files was"):
        score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")


@gr.reward(name="score_files_exits")
def exits(completion: str) -> float:
    """Ends the program."""
    raise SystemExit(0)


def test_a_reward_that_exits_does_not_end_the_command_as_if_all_were_done(rows_file: Path) -> None:
    with pytest.raises(gr.RewardError, match="line 1: SystemExit: 0"):
        score_files(["score_files_exits"], [str(rows_file)])


def test_what_cannot_be_read_is_named_counted_and_kept(rows_file: Path, tmp_path: Path) -> None:
    with rows_file.open("a", encoding="utf-8") as file:
        file.write('{"completion": 3, "answer": "4"}\n{"completion": null}\n{"completion"\n')
    summary = score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")
    assert (summary.tally.rows, summary.tally.malformed) == (500, 3)
    assert [one.line for one in summary.malformed] == [501, 502, 503]
    kept_lines = lines_of(tmp_path / "out.jsonl.malformed.jsonl")
    assert [(one["line"], one["text"]) for one in kept_lines][2] == (503, '{"completion"')


def test_a_gold_that_is_missing_in_a_row_is_none_and_the_row_is_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"completion": "\\\\boxed{4}", "answer": "4"}\n{"completion": "\\\\boxed{4}"}\n', encoding="utf-8")
    summary = score_files(["boxed_answer"], [str(path)], output=tmp_path / "out.jsonl")
    assert [row["boxed_answer"] for row in lines_of(tmp_path / "out.jsonl")] == [1.0, None]
    assert summary.tally.summaries()[0].unscored == 1


def test_columns_can_be_named_and_what_is_missing_is_stated_before_anything_is_scored(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"said": "\\\\boxed{4}", "solution": "#### 4", "question": "?"}\n', encoding="utf-8")
    with pytest.raises(gr.RewardError, match=r"which column holds the completions\? Columns: said, solution, question"):
        score_files(["boxed_answer"], [str(path)], output=out)
    with pytest.raises(gr.RewardError, match=r"--column answer=solution"):
        score_files(["boxed_answer"], [str(path)], completion="said", output=out)
    with pytest.raises(gr.RewardError, match="no reward reads a column 'gold'"):
        score_files(["boxed_answer"], [str(path)], completion="said", columns={"gold": "solution"})
    assert not out.exists()
    summary = score_files(["boxed_answer"], [str(path)], completion="said", columns={"answer": "solution"})
    assert (summary.tally.summaries()[0].mean, summary.fields.prompt) == (1.0, "question")


@each_row(
    "named, said",
    [
        ("solutoin", r"column 'solutoin', which the dataset does not have\. .* --column answer=solution"),
        ("completion", r"which column holds the completions\?"),
    ],
)
def test_a_column_that_is_no_gold_is_stated_before_anything_is_scored(named: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"prompt": [{"role": "user", "content": "?"}], "completion": "\\boxed{4}", "solution": "4"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    for spec in ("boxed_answer", "gated(think_format, by=boxed_answer)"):
        with pytest.raises(gr.RewardError, match=said):
            score_files([spec], [str(path)], columns={"answer": named})
        assert score_files([spec], [str(path)], columns={"answer": "solution"}).tally.rows == 1


def test_a_reward_that_raises_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"completion": "fine", "answer": "1"}] * 5 + [{"completion": "stop", "answer": "1"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(gr.RewardError, match=r"rows.jsonl, line 6: .*no such key"):
        score_files(["score_files_refuses"], [str(path)])


def test_rewards_of_one_name_are_distinguished_or_refused(rows_file: Path) -> None:
    summary = score_files(["boxed_answer", "boxed_answer(unevaluated=True)"], [str(rows_file)])
    assert len(set(summary.tally.names)) == 2
    with pytest.raises(gr.RewardError, match=r"two rewards are called 'boxed_answer'.*name="):
        score_files(["boxed_answer", "boxed_answer"], [str(rows_file)])


def test_the_tables_of_a_run_need_no_columns_named(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    (tmp_path / "completions").mkdir()
    for step in (2, 10):
        table = {
            "step": [step] * 4,
            "prompt": ["a", "a", "b", "b"],
            "completion": [[{"role": "assistant", "content": f"\\boxed{{{at}}}"}] for at in (1, 2, 1, 1)],
            "boxed_answer": [0.0] * 4,
            "boxed_answer/answer": ["1", "1", "1", '{"answer": 1}'],
            "advantage": [0.0] * 4,
        }
        pandas.DataFrame(table).to_parquet(tmp_path / "completions" / f"completions_{step:05d}.parquet")
    summary = score_files(["boxed_answer"], [str(tmp_path)], output=tmp_path / "out.jsonl")
    assert [row["boxed_answer"] for row in lines_of(tmp_path / "out.jsonl")] == [1.0, 0.0, 1.0, 1.0] * 2
    assert [row["step"] for row in lines_of(tmp_path / "out.jsonl")] == [2] * 4 + [10] * 4
    assert summary.tally.summaries()[0].groups == 4  # of a prompt and a step


def test_progress_ends_with_all_that_there_is(rows_file: Path) -> None:
    seen: list[tuple[int, int]] = []
    score_files(["score_files_half"], [str(rows_file)], progress=lambda read, size, tally: seen.append((read, size)))
    assert seen[-1] == (rows_file.stat().st_size, rows_file.stat().st_size)
    assert seen == sorted(seen)


def test_a_worker_that_dies_is_an_error_and_what_was_kept_is_valid(rows_file: Path, tmp_path: Path) -> None:
    script = f"""
import os
import grpo_rewards as gr
from grpo_rewards.scoring import score_files
@gr.reward
def dying(completion: str, id: int) -> float:
    return os._exit(9) if id == 400 else 1.0
if __name__ == "__main__":
    score_files([dying], ['{rows_file}'], output='{tmp_path / "out.jsonl"}', processes=2)
"""
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    with started([sys.executable, tmp_path / "script.py"]) as running:
        _, said = running.communicate(timeout=120)
    assert "RewardError: a process that scores was killed" in said
    ids = [row["id"] for row in lines_of(tmp_path / "out.jsonl")]
    assert ids == list(range(len(ids)))


def test_the_file_that_is_read_is_not_written_over(rows_file: Path) -> None:
    before = rows_file.read_bytes()
    for named in (str(rows_file), str(rows_file.parent / "*.jsonl"), str(rows_file.parent)):
        with pytest.raises(gr.RewardError, match="is to be read, and is where the verdicts go"):
            score_files(["boxed_answer"], [named], output=rows_file, overwrite=True)
    assert rows_file.read_bytes() == before


def test_a_pattern_does_not_find_what_the_same_command_wrote(rows_file: Path, tmp_path: Path) -> None:
    with rows_file.open("a") as file:
        file.write("{broken\n")
    for pattern in (str(tmp_path / "*.jsonl"), str(tmp_path)):
        for _ in range(2):
            summary = score_files(["boxed_answer"], [pattern], output=tmp_path / "out.jsonl")
            assert summary.tally.rows == len(ROWS)
            assert summary.tally.malformed == 1


@pytest.mark.skipif(os.name != "posix", reason="locks of files are POSIX's")
def test_two_runs_do_not_write_the_same_output(rows_file: Path, tmp_path: Path) -> None:

    def second(*of: Any) -> None:
        with pytest.raises(gr.RewardError, match="is being written by another process"):
            score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")

    summary = score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl", progress=second)
    assert summary.is_whole
    assert score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl").tally.rows == len(ROWS)


@each_row("name", ["out.csv", "out", "out.jsonl.gz", "-"])
def test_an_output_that_is_no_place_for_verdicts_is_refused(name: str, rows_file: Path, tmp_path: Path) -> None:
    with pytest.raises(gr.RewardError, match=r"as JSON lines, -o NAME.jsonl\. To make another format of .*to_parquet"):
        score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / name, overwrite=True)
    assert not list(tmp_path.glob("*.malformed.jsonl"))


@gr.reward(name="score_files_sleeps")
def sleeps(completion: str) -> float:
    """Says that it is asked, and takes a minute."""
    print("asked", file=sys.stderr, flush=True)
    time.sleep(60)
    return 1.0


@pytest.mark.skipif(os.name != "posix", reason="sends the signals of POSIX")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_no_process_is_left_behind_and_none_is_waited_for(end: signal.Signals, rows_file: Path) -> None:
    script = (
        "from grpo_rewards.scoring import score_files\nif __name__ == '__main__':\n"
        f"    score_files(['test_files.sleeps'], ['{rows_file}'], processes=2)\n"
    )
    path = rows_file.parent / "scores.py"
    path.write_text(script, encoding="utf-8")
    folders = [Path(__file__).parent, ROOT / "tests" / "shared", os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    with started([sys.executable, path], env=environment) as running:
        assert running.stderr is not None
        assert any("asked" in line for line in running.stderr)
        running.send_signal(end)
        _, said = running.communicate(timeout=50)  # what is left behind would hold its standard error open for a minute
    assert "Traceback" not in said


@contextmanager
def piped(path: Path, *held: bytes) -> Iterator[str]:
    """A named pipe, into which somebody writes."""
    os.mkfifo(path)
    writer = Thread(target=lambda: path.write_bytes(b"".join(held)), daemon=True)
    writer.start()
    yield str(path)
    writer.join(timeout=20)


@pytest.mark.usefixtures("forked_scoring")
@pytest.mark.parametrize("processes", [1, 2])
def test_pipes_are_read_once_as_json_lines_whatever_their_names(
    processes: int, rows_file: Path, tmp_path: Path
) -> None:
    whole, out = rows_file.read_bytes(), tmp_path / "out.jsonl"
    with piped(tmp_path / "pipe", whole) as one, piped(tmp_path / "other.csv", whole, b"{\n") as other:
        summary = score_files(["boxed_answer"], [one, other], output=out, processes=processes)
    assert [row["id"] for row in lines_of(out)] == [*range(500)] * 2
    assert [(one.path, one.line) for one in summary.malformed] == [(other, 501)]
    with (
        piped(tmp_path / "again", whole) as one,
        pytest.raises(gr.RewardError, match="a pipe cannot be resumed"),
    ):
        score_files(["boxed_answer"], [one], output=out)


def test_a_pipe_of_something_else_says_what_a_pipe_is_read_as(tmp_path: Path) -> None:
    with (
        piped(tmp_path / "pipe.csv", b"completion,answer\n4,4\n") as path,
        pytest.raises(gr.RewardError, match="Standard input and pipes are read as JSON lines"),
    ):
        score_files(["boxed_answer"], [path])
    with piped(tmp_path / "pipe", gzip.compress(b"{}")) as path, pytest.raises(gr.RewardError, match="packed by gzip"):
        score_files(["boxed_answer"], [path])


def test_an_object_that_is_no_message_is_no_completion(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    said = [{"a": {"b": 1}}, [[1]], [{"role": "assistant", "content": "\\boxed{4}"}], {"content": "\\boxed{4}"}, []]
    path.write_text("".join(json.dumps({"completion": one, "answer": "4"}) + "\n" for one in said), encoding="utf-8")
    summary = score_files(["boxed_answer"], [str(path)])
    assert (summary.tally.rows, [one.line for one in summary.malformed]) == (3, [1, 2])


@each_row("completion, answer, why", TABLES["every_answer_that_was_compared_has_its_why"])
def test_every_answer_that_was_compared_has_its_why(completion: str, answer: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"completion": completion, "answer": answer}), encoding="utf-8")
    score_files(["boxed_answer"], [str(path)], output=tmp_path / "out.jsonl", overwrite=True)
    assert lines_of(tmp_path / "out.jsonl")[0]["boxed_answer/why"] == why


def test_scoring_what_was_scored_keeps_what_it_held(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"completion": "\\boxed{4}", "answer": "4", "boxed_answer": 7.0}), encoding="utf-8")
    source = str(path)
    for at in range(3):
        score_files(["boxed_answer"], [source], output=tmp_path / f"{at}.jsonl")
        source = str(tmp_path / f"{at}.jsonl")
    (row,) = lines_of(Path(source))
    held = [row["input/" * depth + "boxed_answer"] for depth in range(4)]
    assert held == [1.0, 7.0, 1.0, 1.0]
    assert row["input/input/boxed_answer/reason"] == "correct"


@pytest.mark.parametrize(("line", "count", "rows"), [('{"completion": "4"}', 64, 64), ("", 0, 0), ("{", 2, 0)])
def test_a_file_may_end_with_a_full_chunk_or_have_no_row_that_can_be_read(
    line: str, count: int, rows: int, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(f"{line}\n" * count)
    second.write_text('{"completion": "4"}\n')
    assert score_files(["think_format"], [first, second]).as_json()["rows"] == rows + 1
