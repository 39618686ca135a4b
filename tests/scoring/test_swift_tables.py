"""The completions.jsonl of ms-swift: a line a batch, with a list for each column, scored, audited and reported."""

import json
from pathlib import Path
from typing import Any

import pytest
from row_files import lines_of, written

from grpo_rewards.checks.run.audit import audit_run
from grpo_rewards.completion_tables import Tables, table_files
from grpo_rewards.registry import RewardError
from grpo_rewards.scoring import files, score_files, work

STEPS = 5


def batch(step: int) -> dict[str, list[Any]]:
    """As ms-swift 4.6 writes it: steps are texts, what is behind the advantages was asked for by a plug-in."""
    golds, said = ["4", "4", "5", "5"], [4, 0, 5, 0] if step % 2 else [0, 4, 0, 5]
    texts = [rf"\boxed{{{one}}} {step}" for one in said]
    right = [float(gold == str(one)) for gold, one in zip(golds, said, strict=True)]
    return {
        "step": [str(step)] * 4,
        "prompt": ["<|user|>2 + 2?", "<|user|>2 + 2?", f"<|user|>{step} + 5?", f"<|user|>{step} + 5?"],
        "completion": texts,
        "right": [float("nan"), *right[1:]] if step == 3 else right,
        "advantages": [one - 0.5 for one in right],
        "solution": golds,
        "num_turns": [1, 1, 1, 2],
    }


def lines(*steps: int) -> str:
    return "".join(json.dumps(batch(step)) + "\n" for step in steps)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The output_dir of a run, which logs the last batch once more at its end."""
    (tmp_path / "completions.jsonl").write_text(lines(*range(1, STEPS + 1), STEPS), encoding="utf-8")
    (tmp_path / "logging.jsonl").write_text('{"loss": 0.0}\n', encoding="utf-8")
    (tmp_path / "args.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["completions.jsonl", "some.jsonl.gz", "some.json", "some.parquet"])
def test_each_completion_of_a_batch_is_a_row(name: str, run: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    batches = [batch(step) for step in range(1, STEPS + 1)]
    path = written(tmp_path / "in" / name, batches)
    out = tmp_path / "out.jsonl"
    summary = score_files("boxed_answer", path, output=out, columns={"answer": "solution"}, prompt="prompt")
    rows = lines_of(out)
    assert (summary.tally.rows, summary.tally.malformed) == (4 * STEPS, 0)
    assert [row["completion"] for row in rows] == [text for one in batches for text in one["completion"]]
    assert [row["boxed_answer"] for row in rows[:4]] == [1.0, 0.0, 1.0, 0.0]
    assert [rows[2][key] for key in ("step", "solution", "num_turns")] == ["1", "5", 1]


@pytest.mark.parametrize("step", ["step", "gen_step"])  # of ms-swift 4, and of 3
def test_a_group_is_of_one_prompt_and_one_step(step: str, tmp_path: Path) -> None:
    path = tmp_path / "completions.jsonl"
    path.write_text(lines(*range(1, STEPS + 1)).replace('"step"', f'"{step}"'), encoding="utf-8")
    summary = score_files(["boxed_answer"], [str(path)], columns={"answer": "solution"}).as_json()
    assert summary["rewards"][0]["groups"] == 2 * STEPS  # "2 + 2?" is there in each step


def test_a_folder_of_a_run_stands_for_its_completions(run: Path) -> None:
    assert score_files(["boxed_answer"], [str(run)], columns={"answer": "solution"}).tally.rows == 4 * (STEPS + 1)


@pytest.mark.parametrize("by_group", [False, True])
def test_going_on_neither_loses_nor_repeats_a_row_of_a_batch(
    by_group: bool, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run / "completions.jsonl").write_text(lines(*range(1, 80)), encoding="utf-8")
    monkeypatch.setattr(work, "CALL_ROWS", 3)  # which is no multiple of a batch
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"

    def score(output: Path, progress: Any = None) -> Any:
        how: dict[str, Any] = {"columns": {"answer": "solution"}, "by_group": by_group, "progress": progress}
        return score_files("boxed_answer", run / "completions.jsonl", output=output, **how)

    score(whole)
    calls = []

    def interrupt(*_: Any) -> None:
        calls.append(1)
        if len(calls) == 7:
            raise KeyboardInterrupt

    assert not score(out, interrupt).is_whole
    assert 0 < len(out.read_text().splitlines()) < 4 * 79
    assert score(out).is_whole
    assert out.read_text() == whole.read_text()


# What is no batch stays what it was.
@pytest.mark.parametrize(
    ("row", "rows", "malformed"),
    [
        ({"prompt": [{"role": "user", "content": "?"}], "completion": [{"role": "assistant", "content": "4"}]}, 1, 0),
        ({"prompt": "?", "completion": "4", "choices": ["a", "b"]}, 1, 0),
        ({"prompt": ["?", "?"], "completion": ["4", "5"]}, 2, 0),
        ({"response": ["4", "5"], "query": ["?", "?"]}, 2, 0),
        ({"prompt": ["?"], "completion": ["4", "5"]}, 0, 1),  # of another length
        ({"prompt": "?", "completion": ["4", "5"]}, 0, 1),
        ({"prompt": ["?", "?"], "completion": ["4", None]}, 0, 1),
    ],
)
def test_what_is_no_batch_is_read_as_before(row: dict[str, Any], rows: int, malformed: int, tmp_path: Path) -> None:
    path = written(tmp_path / "some.jsonl", [dict.fromkeys(row, "4"), row])
    tally = score_files(["boxed_format"], [str(path)]).tally
    assert (tally.rows - 1, tally.malformed) == (rows, malformed)


def test_an_audit_judges_the_tables_and_names_damaged_lines(run: Path) -> None:
    path = run / "completions.jsonl"
    damaged = [
        lines(6)[:50],
        '{"step": ["7"], "completion": "4"}',
        '{"step": ["last"], "prompt": ["?"], "completion": ["4"]}',
    ]
    path.write_text(path.read_text() + "\n".join(damaged) + "\n" + lines(8), encoding="utf-8")
    found = audit_run(run)
    assert (found.steps, found.tables) == (STEPS + 1, STEPS + 1)
    trends = {one.name: (one.start, one.end) for one in found.trends}
    assert trends["rewards/right/mean"][0] == pytest.approx((0.5 + 0.5 + 1 / 3) / 3)  # a NaN counts for nothing
    assert "rewards/num_turns/mean" not in trends
    assert found.decided["right"] == pytest.approx(1.0)
    assert [one.path for one in found.passed_over] == [f"{path}, line {STEPS + 2 + at}" for at in range(3)]
    assert all("it is no batch: it needs 'step'" in one.why for one in found.passed_over)


def test_an_audit_takes_the_log_where_there_is_one_also_with_a_reward_that_a_table_does_not_have(run: Path) -> None:
    (run / "checkpoint-5").mkdir()
    log = [{"step": at, "reward": 0.5, "rewards/right/mean": 0.5} for at in range(1, STEPS + 1)]
    log[1]["rewards/short/mean"] = 0.1
    (run / "checkpoint-5" / "trainer_state.json").write_text(json.dumps({"log_history": log}), encoding="utf-8")
    found = audit_run(run)
    assert (found.steps, found.tables, found.passed_over) == (STEPS, STEPS, [])


def test_a_report_shows_its_completions(run: Path, tmp_path: Path) -> None:
    for package in ("jinja2", "plotly"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from grpo_rewards.report.reading import read
    from grpo_rewards.report.rows import Rows

    rows = Rows()
    found = read(run, "swift", lambda run, step, table: rows.add(run, step, table))
    assert (len(rows), found.rewards, len(found.steps)) == (4 * STEPS, ["right"], STEPS)
    assert [one["logged/solution"] for one in rows.cells[:2]] == ["4", "4"]


def test_a_file_of_that_name_that_is_not_swifts_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "completions.jsonl").write_text('{"prompt": "?", "completion": "4", "reward": 1.0}\n')
    assert table_files(tmp_path) == []
    assert not Tables(table_files(tmp_path))
    with pytest.raises(RewardError, match=r"holds no run: .* nor the completions\.jsonl of ms-swift"):
        audit_run(tmp_path)
    assert files.score_files(["boxed_format"], [str(tmp_path)]).tally.rows == 1
