"""What a report reads: whole runs, half ones and those of plain TRL, with figures worked by hand."""

import json
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from reported_runs import learnt, leave, leave_evaluations, row

from grpo_rewards.completion_tables import Tables
from grpo_rewards.report.figures import figures_of
from grpo_rewards.report.figures.drawing import Look, curve
from grpo_rewards.report.figures.reasons import OTHERS, reason_figures
from grpo_rewards.report.reading import Run, read
from grpo_rewards.report.shown import shown_text


def test_a_run_is_counted(tmp_path: Path) -> None:
    run = read(leave(tmp_path / "run"), "run")
    assert (run.rewards, run.weights, run.last_step) == (["right", "short"], {"right": 1.0, "short": 0.2}, 4)
    first = run.steps[0]
    assert first.reasons["right"] == Counter(wrong=4, correct=1, no_box=3)
    # 0.2 · 0.5 for being short, and 1 for one of the four of the second group: a mean of 0.35, a spread of √3/4
    assert [(group.prompt, group.size) for group in first.groups] == [("2 + 2?", 4), ("3 + 1?", 4)]
    assert [group.mean for group in first.groups] == pytest.approx([0.1, 0.35])
    assert [group.spread for group in first.groups] == pytest.approx([0, 3**0.5 / 4])


def test_weights_that_no_file_says_are_1_where_the_log_adds_up_so(tmp_path: Path) -> None:
    run = read(leave(tmp_path / "plain", weights=None), "plain")
    assert run.weights == {"right": 1.0, "short": 1.0}
    weighted = leave(tmp_path / "weighted", weights=(1.0, 3.0))
    (weighted / "run.json").unlink()
    assert read(weighted, "weighted").weights is None
    (weighted / "trainer_state.json").unlink()
    assert read(weighted, "weighted").weights is None  # tables do not say


def test_evaluations_of_a_run_that_goes_on_have_their_means(tmp_path: Path) -> None:
    folder = leave_evaluations(leave(tmp_path / "run"), steps=(0, 2, 4))
    figures = {figure.name: figure for figure in figures_of([read(folder, "run")])}
    # of each evaluation one greedy answer to each of three problems, right from the first on as the steps go by
    assert figures["evaluations"].data[0]["y"] == pytest.approx([0, 2 / 3, 1])
    assert [trace["name"] for trace in figures["evaluation"].data] == ["before"]


def test_tables_alone_tell_what_they_can(tmp_path: Path) -> None:
    run = read(leave(tmp_path / "run", log=False), "run")
    assert run.rewards == ["right", "short"]
    assert [log["rewards/right/mean"] for log in run.logs] == [1 / 8, 2 / 8, 7 / 8, 8 / 8]
    assert [log["reward"] for log in run.logs] == pytest.approx([1 / 8 + 0.1, 2 / 8 + 0.1, 7 / 8 + 0.1, 1.1])


def test_steps_behind_the_last_checkpoint_come_from_their_tables(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    state = json.loads((folder / "trainer_state.json").read_text())
    (folder / "checkpoint-2").mkdir()
    (folder / "checkpoint-2" / "trainer_state.json").write_text(json.dumps({"log_history": state["log_history"][:2]}))
    (folder / "trainer_state.json").write_text('{"log_hist')  # cut off while it is written
    (folder / "completions" / "completions_00004.parquet").write_bytes(b"PAR1 and not yet more")
    run = read(folder, "run")
    assert [(log["step"], "entropy" in log) for log in run.logs] == [(1, True), (2, True), (3, False)]
    assert [Path(one.path).name for one in run.passed_over] == ["trainer_state.json", "completions_00004.parquet"]


def test_a_log_alone_is_a_run(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    for path in (folder / "completions").iterdir():
        path.unlink()
    run = read(folder, "run")
    assert (len(run.steps), run.last_step) == (0, 4)
    names = {figure.name: figure.title for figure in figures_of([run])}
    assert {"reward", "parts", "entropy", "kl"} <= {*names}
    assert "other/thing" in names.values()
    assert not {*names} & {"groups-mean-0", "length-reward"}


def test_texts_of_a_trainer_without_chats_and_odd_columns(tmp_path: Path) -> None:
    def rows(step: int) -> list[dict[str, object]]:
        texts = {"prompt": "say", "completion": f"text {step}", "note": "n"}
        return [{"right": 0.0, **texts, "mine": float(step), "advantage": None}] * 2

    run = read(leave(tmp_path / "run", rows, log=False), "run")
    assert run.rewards == ["right", "mine"]
    assert run.steps[0].groups[0].prompt == "say"
    assert list(figures_of([run]))


def test_the_figures_are_plotlys(tmp_path: Path) -> None:
    drawn = pytest.importorskip("plotly.graph_objects", reason="plotly, of the extra [report], is not installed")
    runs = [read(leave(tmp_path / name), name) for name in ("one", "other")]
    for figures in (figures_of(runs), figures_of(runs[:1])):
        assert len({figure.name for figure in figures}) == len(figures)
        for figure in figures:
            drawn.Figure({"data": figure.data, "layout": figure.layout})  # raises for what plotly does not know


def test_areas_are_the_shares_of_reasons_and_add_up(tmp_path: Path) -> None:
    def many(step: int) -> list[dict[str, object]]:
        return [row("q", "t", 0.0, 0.0, f"reason{min(at, 14)}") for at in range(16)]

    (figure,) = [one for one in figures_of([read(leave(tmp_path / "run", many), "run")]) if one.section == "reasons"]
    assert len(figure.data) == 11
    assert figure.data[-1]["name"] == OTHERS
    assert sum(trace["y"][0] for trace in figure.data) == pytest.approx(1)
    (figure,) = [one for one in figures_of([read(leave(tmp_path / "b", learnt), "b")]) if one.section == "reasons"]
    assert {one["name"]: one["y"][0] * 8 for one in figure.data} == {"correct": 1, "wrong": 4, "no_box": 3}


def test_zero_variance_groups_are_counted_where_the_trainer_missed_them(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    state = json.loads((folder / "trainer_state.json").read_text())
    for log in state["log_history"]:
        log["frac_reward_zero_std"] = 0.0
    (folder / "trainer_state.json").write_text(json.dumps(state))
    (figure,) = [one for one in figures_of([read(folder, "run")]) if one.name == "zero-variance"]
    # the first group is always all right or all wrong, the second one at the last step too
    assert [trace["y"] for trace in figure.data] == [[0.5, 0.5, 0.5, 1.0]]


def test_messages_become_a_text() -> None:
    calls = [{"role": "assistant", "content": None, "tool_calls": [{"name": "add"}]}, {"role": "tool", "content": "4"}]
    assert shown_text(calls) == '[assistant]\n[{"name": "add"}]\n\n[tool]\n4'
    assert (
        shown_text([{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "what?"}]}])
        == "[image]\nwhat?"
    )
    assert (shown_text(None), shown_text("as it is"), shown_text([])) == ("", "as it is", "")


def test_long_curves_are_smooth_in_front_of_themselves() -> None:
    ys = [float(at % 2) for at in range(300)]
    (short,) = curve(Look("short", 0), dict(enumerate(ys[:30])))
    assert short["y"] == ys[:30]
    behind, smooth = curve(Look("long", 0), dict(enumerate(ys)))
    assert behind["y"] == ys
    assert behind["opacity"] < 1
    assert smooth["hoverinfo"] == "skip"
    # the mean of the values is 0.5; over a fifteenth of 300, a value of 1 moves it by a twentieth
    assert all(abs(one - 0.5) < 0.06 for one in smooth["y"][100:])


def test_the_means_of_the_parts_of_a_composite_are_no_reasons() -> None:
    log = {"step": 1, "reward": 0.1, "rewards/points/mean": 0.1, "points/boxed_answer": 0.1, "boxed_answer/no_box": 0.9}
    both = [log, {**log, "step": 2, "rewards/right/mean": 0.3, "right/correct": 0.3, "right/no_box": 0.7}]
    run = Run("run", Path(), both, {}, {}, ["points", "right"], None, Tables([]))
    drawn = {figure.title: figure for figure in reason_figures([run])}
    assert [*drawn] == ["right"]
