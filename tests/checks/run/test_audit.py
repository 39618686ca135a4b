"""What a run left, in figures: worked by hand from small tables."""

import functools
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tables import each_row

from grpo_rewards.checks import alerts, read_run
from grpo_rewards.checks.run.audit import audit_run
from grpo_rewards.registry import RewardError

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

LAST = 20


def table(step: int) -> dict[str, list[Any]]:
    right = [1.0, 0.0, 1.0, 0.0] if step % 2 else [0.0, 1.0, 0.0, 1.0]
    return {
        "step": [step] * 4,
        "prompt": ["a", "a", "b", "b"],
        "completion": [f"\\boxed{{{at}}}" for at in range(4)],
        "right": [None if step == 3 else one for one in right],
        "short": [0.5, 0.5, 0.1, 0.1],  # another number for another prompt, and none within a group
        "right/reason": ["bad_answer" if step == 3 else "correct"] * 4,
        "right/answer": ["2", "2", "?", "?"],
        "advantage": [0.0] * 4 if step == 3 else [one - 0.5 for one in right],
    }


@functools.cache
def tables() -> dict[str, bytes]:
    """The tables of a run by the names of their files."""
    whole = {}
    for step in range(1, LAST + 1):
        pandas.DataFrame(table(step)).to_parquet(file := io.BytesIO())
        whole[f"completions_{step:05d}.parquet"] = file.getvalue()
    return whole


def left(folder: Path, checkpoint: bool) -> None:
    (folder / "completions").mkdir(parents=True)
    for name, data in tables().items():
        (folder / "completions" / name).write_bytes(data)
    if checkpoint:
        log = [
            {"step": at, "reward": at / 10, "rewards/right/mean": at / 10, "rewards/short/mean": 0.3, "reward_std": 0.5}
            for at in range(1, LAST + 1)
        ]
        (folder / "checkpoint-20").mkdir()
        state = json.dumps({"log_history": [{"step": 0, "eval_reward": 1.0}, *log]})
        (folder / "checkpoint-20" / "trainer_state.json").write_text(state, encoding="utf-8")


def test_the_figures_are_those_of_the_log_and_the_tables(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=True)
    found = audit_run(tmp_path)
    assert (found.steps, found.tables) == (20, 20)
    trends = {one.name: (one.start, one.end) for one in found.trends}
    assert trends["reward"] == (pytest.approx(0.2), pytest.approx(1.55))  # steps 1 to 3, and 11 to 20
    assert trends["rewards/right/mean"] == trends["reward"]
    assert found.decided == {"right": pytest.approx(1.0), "short": None}
    assert [(one.gold, one.prompt, one.completions) for one in found.golds] == [("2", "a", 2), ("?", "b", 2)]
    assert found.alerts == alerts(*read_run(tmp_path))
    assert json.loads(json.dumps(found.as_json()))["decided"]["right"] == pytest.approx(1.0)


def test_tables_alone_tell_what_a_log_would_have(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=False)
    found = audit_run(tmp_path)
    trends = {one.name: (one.start, one.end) for one in found.trends}
    assert trends["rewards/short/mean"] == (pytest.approx(0.3), pytest.approx(0.3))
    assert trends["zero_variance"] == (pytest.approx(1 / 3), 0.0)  # step 3 of the first three
    assert "frac_reward_zero_std" not in trends  # that is TRL's figure, which only its log has
    assert found.decided["right"] == pytest.approx(1.0)


def test_the_log_that_goes_further_is_read(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=True)
    kept, state = tmp_path / "trainer_state.json", (tmp_path / "checkpoint-20" / "trainer_state.json").read_text()
    kept.write_text(json.dumps({"log_history": [{"step": 3, "reward": 7.0}]}), encoding="utf-8")
    assert len(read_run(tmp_path)[0]) == LAST + 1
    kept.write_text(json.dumps({"log_history": [{"step": 21, "reward": 7.0}]}), encoding="utf-8")
    assert read_run(tmp_path)[0] == [{"step": 21, "reward": 7.0}]
    kept.write_text(state[:50], encoding="utf-8")  # half of it, as while it is written
    assert len(read_run(tmp_path)[0]) == LAST + 1


def no_column(name: str) -> Callable[[Path], None]:
    return lambda path: pandas.read_parquet(path).drop(columns=name).to_parquet(path)


def other_type(name: str, value: Any) -> Callable[[Path], None]:
    return lambda path: pandas.read_parquet(path).assign(**{name: [value] * 4}).to_parquet(path)


def garbage(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\xff" * (len(whole) - 12) + whole[-8:])


def holds(text: bytes) -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(text)


TABLE, STATE, ALERTS = "completions/completions_00007.parquet", "checkpoint-20/trainer_state.json", "alerts.jsonl"


@each_row(
    "name, spoil, why",
    [
        (TABLE, lambda path: path.write_bytes(path.read_bytes()[:-300]), "it cannot be read as parquet"),
        (TABLE, garbage, "it cannot be read as parquet"),
        (TABLE, lambda path: (path.unlink(), path.mkdir()), "it cannot be read as parquet"),
        (TABLE, lambda path: pandas.DataFrame({"a": [1]}).to_parquet(path), "it has no column 'prompt'"),
        (TABLE, lambda path: pandas.read_parquet(path)[:0].to_parquet(path), "it has no rows"),
        (STATE, holds(b'{"log_history": [{"step"'), "it cannot be read: JSONDecodeError"),
        (STATE, holds(b"\xff\xfe{\x00}"), "it cannot be read: UnicodeDecodeError"),
        (STATE, holds(b"[]"), "it cannot be read: TypeError"),
        (STATE, holds(b'{"log_history": [' + b"[" * 100_000), "it cannot be read: RecursionError"),
        (STATE, holds(b'{"log_history": {"step": 1}}'), "it cannot be read: TypeError"),
        (STATE, holds(b'{"log_history": [{"step": 1, "reward": 1}, {"step": "x"}]}'), "it cannot be read: ValueError"),
        (STATE, holds(b'{"log_history": [{"step": 1, "reward": "much"}]}'), None),
        (ALERTS, holds(b'{"gold": ["right"]}\n{"kind": "health"}\n'), "it cannot be read: TypeError"),
        (ALERTS, holds(b'{"gold": 4}\n'), "it cannot be read: TypeError"),
        ("run.json", holds(b'{"settings": {"reward_weights": ["a", "b"]}}'), None),
        ("eval.json", holds(b"{"), "it cannot be read: JSONDecodeError"),
        ("checkpoint-best/trainer_state.json", holds(b'{"log_history": []}'), None),
    ],
)
def test_what_is_damaged_is_passed_over_and_the_rest_is_judged(
    name: str, spoil: Callable[[Path], Any], why: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.rmtree(folder, ignore_errors=True)  # of the row before
    left(folder, checkpoint=spoil != garbage)
    (folder / "checkpoint-best").mkdir()
    spoil(folder / name)
    found = audit_run(folder)
    assert found.tables == LAST - (name == TABLE)
    assert [(one.path, one.why.startswith(str(why)), "Fetch it again" in one.remedy) for one in found.passed_over] == (
        [] if why is None else [(str(folder / name), True, True)]
    ), found.passed_over
    assert [one["path"] for one in json.loads(json.dumps(found.as_json()))["passed_over"]] == (
        [] if why is None else [str(folder / name)]
    )
    assert found.decided["right"] == pytest.approx(1.0)


@each_row(
    "spoil, checkpoint", [(no_column("short"), False), (no_column("right"), True), (other_type("right", "1"), True)]
)
def test_rewards_that_are_not_in_all_tables_are_no_damage(
    spoil: Callable[[Path], None], checkpoint: bool, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path)  # of the row before
    left(tmp_path, checkpoint)
    for step in range(1, 11):
        spoil(tmp_path / "completions" / f"completions_{step:05d}.parquet")
    found = audit_run(tmp_path)
    assert (found.tables, found.passed_over) == (LAST, [])


def test_what_holds_no_run_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    damaged, file, empty = (tmp_path / name for name in ("damaged", "file", "empty"))
    file.touch()
    empty.mkdir()
    (damaged / "completions").mkdir(parents=True)
    (damaged / "completions" / "completions_00001.parquet").write_bytes(b"PAR1")
    (damaged / "trainer_state.json").write_bytes(b"{")
    for folder, said in (
        (damaged, r"holds no run that can be read.*trainer_state.json.*completions_00001"),
        (empty, "log_completions=True"),
        (tmp_path / "none", "there is no folder"),
        (file, "there is no folder"),
    ):
        with pytest.raises(RewardError, match=said):
            audit_run(folder)


def test_golds_that_nothing_can_read_are_named_and_the_model_is_not_blamed(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    for step in range(1, LAST + 1):
        rows = {
            "step": [step] * 4,
            "prompt": ["a", "a", "b", "b"],
            "completion": ["\\boxed{4}"] * 4,
            "boxed_answer": [None] * 4,
            "boxed_answer/reason": ["bad_answer"] * 4,
            "boxed_answer/answer": ["??"] * 4,
            "advantage": [0.0] * 4,
        }
        pandas.DataFrame(rows).to_parquet(tmp_path / "completions" / f"completions_{step:05d}.parquet")
    told = {one.rule: one for one in audit_run(tmp_path).alerts}
    assert "could not read the gold of 100.0% of the rows" in told["unreadable golds"].message
    assert "nearly always none could be scored (100% of the groups)" in told["no signal"].message
    assert "a gold that it cannot read" in told["no signal"].remedy
    assert not any("wrong" in f"{one.message} {one.remedy}" for one in told.values())


def test_the_tables_that_an_evaluation_wrote_over_are_left_out(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=True)
    state = tmp_path / "checkpoint-20" / "trainer_state.json"
    held = json.loads(state.read_text())
    held["log_history"] += [{"step": at, "eval_reward": 1.0} for at in (5, 20)]
    state.write_text(json.dumps(held))
    found = audit_run(tmp_path)
    assert (found.steps, found.tables, found.passed_over) == (20, 18, [])


def test_a_total_of_unknown_weights_is_not_shown(tmp_path: Path) -> None:
    left(tmp_path, checkpoint=False)
    assert "reward" not in {trend.name for trend in audit_run(tmp_path).trends}
