"""Rewards over files: in order, going on where it was interrupted, with whatever a file and a reward bring."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from forked_scoring import forked_scoring  # noqa: F401  # a fixture
from places import ROOT
from processes import started
from row_files import lines_of, written
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.scoring import score_files, work

TABLES = tables_beside(__file__)

ROWS = [
    {"id": at, "prompt": f"p{at // 4}", "completion": f"so \\boxed{{{at % 3}}} é", "answer": str(at % 2)}
    for at in range(500)
]


@gr.reward(name="score_files_refuses")
def refuses(completion: str, answer: str) -> float:
    """Raises for one row, and ends the program at another."""
    if completion in ("stop", "exit"):
        raise KeyError("no such key") if completion == "stop" else SystemExit(0)
    return 1.0


@gr.reward(name="score_files_half")
def half(completion: str, *, slow: float = 0.0) -> float | None:
    """One half, and None for an empty completion."""
    time.sleep(slow)
    return 0.5 if completion else None


@pytest.fixture
def rows_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(work, "CALL_ROWS", 20)  # so that there are many chunks
    return written(tmp_path / "rows.jsonl", ROWS)


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
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.settings.json", "rows.jsonl"]


class Stop(Exception):
    pass


@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
@pytest.mark.parametrize("how", [Stop, KeyboardInterrupt])
def test_what_is_done_is_kept_and_resumed(
    how: type[BaseException], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, end = tmp_path / "out.jsonl", "no json\n" * ("jsonl" in kind)
    path = written(tmp_path / f"rows{kind}", ROWS[:200], end)
    whole = score_files(["boxed_answer"], [str(path)], output=tmp_path / "whole.jsonl")
    monkeypatch.setattr(work, "CALL_ROWS", 7)

    def stop(read: int, size: int, tally: Any) -> None:
        if tally.rows >= rows_done:
            raise how

    for rows_done in (1, 70, 100):
        with nullcontext() if how is KeyboardInterrupt else pytest.raises(how):
            assert not score_files(["boxed_answer"], [str(path)], output=out, progress=stop).is_whole
        assert rows_done <= len(lines_of(out)) < rows_done + 7
    for _ in range(2):
        again = score_files(["boxed_answer"], [str(path)], output=out)
        assert again.tally.as_json() == whole.tally.as_json()
        assert [one.line for one in again.malformed] == [201] * bool(end)
        assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.usefixtures("forked_scoring")
@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_any_number_of_processes_write_the_same_of_any_kind_of_file(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"rows{kind}", ROWS, "no json\n")
    one = score_files(["boxed_answer"], [str(path)], output=tmp_path / "one.jsonl")
    two = score_files("boxed_answer", path, output=tmp_path / "two.jsonl", processes=2)  # each may be one alone
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert one.tally.as_json() == two.tally.as_json()
    assert one.malformed == two.malformed


def test_a_killed_process_leaves_what_can_be_resumed(tmp_path: Path) -> None:
    path, out = written(tmp_path / "rows.jsonl", ROWS * 40), tmp_path / "out.jsonl"
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
    with pytest.raises(gr.RewardError, match=r"different settings \(rewards\) and cannot be resumed\. .* --overwrite"):
        score_files(["final_answer"], [str(rows_file)], output=out)
    score_files(["final_answer"], [str(rows_file)], output=out, overwrite=True)
    assert "final_answer" in lines_of(out)[0]
    rows_file.write_bytes(rows_file.read_bytes().replace(b'"p124"', b'"q124"'))
    with pytest.raises(
        gr.RewardError, match=r"rows.jsonl, line 497 differs from the row .*.*out.jsonl\. .*--overwrite"
    ):
        score_files(["final_answer"], [str(rows_file)], output=out)
    (tmp_path / "mine.jsonl").write_text("precious", encoding="utf-8")
    with pytest.raises(gr.RewardError, match=r"mine.jsonl is there already"):
        score_files(["final_answer"], [str(rows_file)], output=tmp_path / "mine.jsonl")
    assert (tmp_path / "mine.jsonl").read_text(encoding="utf-8") == "precious"


def test_what_cannot_be_read_is_named_counted_and_kept(rows_file: Path, tmp_path: Path) -> None:
    with rows_file.open("a", encoding="utf-8") as file:
        file.write('{"completion": 3, "answer": "4"}\n{"completion": null}\n{"completion"\n')
        said = [{"a": {"b": 1}}, [[1]], [{"role": "assistant", "content": "4"}], {"content": "4"}, []]
        file.writelines(json.dumps({"completion": one, "answer": "4"}) + "\n" for one in said)
    summary = score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")
    assert (summary.tally.rows, summary.tally.malformed) == (503, 5)
    assert [one.line for one in summary.malformed] == [501, 502, 503, 504, 505]
    kept_lines = lines_of(tmp_path / "out.jsonl.malformed.jsonl")
    assert [(one["line"], one["text"]) for one in kept_lines][2] == (503, '{"completion"')


def test_a_gold_that_is_missing_in_a_row_is_none_and_the_row_is_there(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"completion": "\\boxed{4}", "answer": "4"}, {"completion": "\\boxed{4}"}])
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


@pytest.mark.parametrize(("completion", "why"), [("stop", r".*KeyError: 'no such key'"), ("exit", "SystemExit: 0")])
def test_a_reward_that_raises_or_exits_is_an_error_that_names_the_line(
    completion: str, why: str, tmp_path: Path
) -> None:
    rows = [{"completion": "fine", "answer": "1"}] * 5 + [{"completion": completion, "answer": "1"}]
    path = written(tmp_path / "rows.jsonl", rows)
    with pytest.raises(gr.RewardError, match=f"rows.jsonl, line 6: {why}"):
        score_files(["score_files_refuses"], [str(path)])


def test_rewards_of_one_name_are_distinguished_or_refused(rows_file: Path) -> None:
    summary = score_files(["boxed_answer", "boxed_answer(unevaluated=True)"], [str(rows_file)])
    assert len(set(summary.tally.names)) == 2
    with pytest.raises(gr.RewardError, match=r"two rewards are called 'boxed_answer'.*name="):
        score_files(["boxed_answer", "boxed_answer"], [str(rows_file)])


def test_the_tables_of_a_run_need_no_columns_named(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    for step in (2, 10):
        completions = [[{"role": "assistant", "content": f"\\boxed{{{at}}}"}] for at in (1, 2, 1, 1)]
        golds = ["1", "1", "1", '{"answer": 1}']
        rows = [
            {"step": step, "prompt": prompt, "completion": one, "advantage": 0.0, "boxed_answer/answer": gold}
            for prompt, one, gold in zip("aabb", completions, golds, strict=True)
        ]
        written(tmp_path / "completions" / f"completions_{step:05d}.parquet", rows)
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
    (tmp_path / "folder").mkdir()
    for name in ("out.jsonl", "out.jsonl.settings.json", "out.jsonl.malformed.jsonl"):
        (tmp_path / name).rename(tmp_path / "folder" / name)
    assert score_files(["boxed_answer"], [str(tmp_path / "folder")]).tally.rows == len(ROWS)


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
    with pytest.raises(gr.RewardError, match="is a folder: name a file"):
        score_files(["boxed_answer"], [str(rows_file)], output=tmp_path)


def test_a_file_that_cannot_grow_is_named_and_resumed(rows_file: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="the limit of a file's size is POSIX's")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, before[1]))
    try:
        with pytest.raises(gr.RewardError, match=r"out\.jsonl: File too large\. Run the same command to resume\."):
            score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert score_files(["boxed_answer"], [str(rows_file)], output=tmp_path / "out.jsonl").tally.rows == len(ROWS)


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


@pytest.mark.skipif(os.name != "posix", reason="sends the signals of POSIX")
def test_ctrl_c_shows_no_traceback_of_a_process_that_still_imports(rows_file: Path) -> None:
    script = (
        "import sys, time\nfrom grpo_rewards.scoring import score_files\n"
        "if __name__ == '__mp_main__':\n    print('importing', file=sys.stderr, flush=True); time.sleep(2)\n"
        f"else:\n    score_files(['boxed_answer'], ['{rows_file}'], processes=2)\n"
    )
    path = rows_file.parent / "scores.py"
    path.write_text(script, encoding="utf-8")
    with started([sys.executable, path], start_new_session=True) as running:
        assert running.stderr is not None
        assert any("importing" in line for line in running.stderr)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal sends it, to all of them
        _, said = running.communicate(timeout=50)
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
    with piped(tmp_path / "again", whole) as one, piped(tmp_path / "more", whole[:-1]) as other:
        assert score_files(["boxed_answer"], [one, other], output=out).tally.rows == 1000  # all of them are there
    assert len(lines_of(out)) == 1000


@each_row("completion, answer, why", TABLES["every_answer_that_was_compared_has_its_why"])
def test_every_answer_that_was_compared_has_its_why(completion: str, answer: str, why: str, tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"completion": completion, "answer": answer}])
    score_files(["boxed_answer"], [str(path)], output=tmp_path / "out.jsonl", overwrite=True)
    assert lines_of(tmp_path / "out.jsonl")[0]["boxed_answer/why"] == why


def test_an_int_of_thousands_of_digits_is_named_in_what_is_kept(tmp_path: Path) -> None:
    @gr.reward
    def huge(completion: str) -> gr.Verdict:
        return gr.Verdict(0.0, "a", prediction=10**5000, answer=10**5001)  # type: ignore[arg-type]

    score_files([huge], [str(written(tmp_path / "rows.jsonl", [{"completion": "x"}]))], output=tmp_path / "out.jsonl")
    said = "int with an integer of thousands of digits"
    (row,) = lines_of(tmp_path / "out.jsonl")
    assert (row["huge/prediction"], row["huge/why"]) == (said, f"{said}, wanted {said}")


def test_scoring_what_was_scored_keeps_what_it_held(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"completion": "\\boxed{4}", "answer": "4", "boxed_answer": 7.0}])
    for at in range(3):
        score_files(["boxed_answer"], path, output=tmp_path / f"{at}.jsonl")
        path = tmp_path / f"{at}.jsonl"
    (row,) = lines_of(path)
    held = [row["input/" * depth + "boxed_answer"] for depth in range(4)]
    assert held == [1.0, 7.0, 1.0, 1.0]
    assert row["input/input/boxed_answer/reason"] == "correct"
