"""The file: whole or not at all, small enough, and with nothing in it that a model wrote as anything but text."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tables import each_row, tables_beside

pytest.importorskip("jinja2", reason="jinja2, of the extra [report], is not installed")
pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

import pandas
from reported_runs import HOSTILE, hostile, leave, leave_evaluations, row

import grpo_rewards.report.page as page_module
from grpo_rewards.checks.run.files import alert_of
from grpo_rewards.report import report_html, write_report
from grpo_rewards.report.evaluation_answers import evaluations_in, kept_steps, read_answers
from grpo_rewards.report.reading import read
from grpo_rewards.report.rows import Rows, packed_json
from grpo_rewards.report.shown import formulas_in, shown_text

TABLES = tables_beside(__file__)


def unpacked(page: str, name: str) -> Any:
    found = re.search(rf'<script type="application/gzip" id="packed-{name}">([A-Za-z0-9+/=]*)</script>', page)
    assert found, name
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_every_completion_is_in_the_file_with_its_group(tmp_path: Path) -> None:
    page = report_html([leave(tmp_path / "run")])
    index, chunk = unpacked(page, "index"), unpacked(page, "chunk-0")
    assert (index["rows"], index["rewards"]) == (32, ["right", "short"])
    columns, at = index["columns"], 4  # the first of the second group of step 1, which is right
    assert chunk["texts"][at] == "step 1 sample 0"
    assert (columns["step"][at], columns["total"][at], columns["advantage"][at]) == (1, 1.1, 1.0)
    assert columns["group"][:9] == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert index["codes"]["reason right"][columns["reason right"][at]] == "correct"
    assert index["codes"]["prompt"][columns["prompt"][at]] == "3 + 1?"
    assert chunk["cells"]["right/answer"][at] == "4"


@pytest.mark.parametrize("folder", ["evaluation", "exam"])  # the second in runs of earlier versions
def test_answers_of_evaluations_are_in_the_file_by_problem(folder: str, tmp_path: Path) -> None:
    page = report_html([leave_evaluations(leave(tmp_path / "run"), steps=(0, 4), name=folder)])
    index = unpacked(page, "index")
    columns = index["columns"]
    of = [index["codes"]["of"][one] for one in columns["of"]]
    assert (index["rows"], of[:32]) == (32 + 18, ["training"] * 32)
    first = (of[32:38], columns["step"][32:38], columns["total"][32:38])  # a problem: one greedy, two samples, twice
    ways = ["evaluation, greedy", "evaluation, sampled", "evaluation, sampled"]
    assert first == (ways * 2, [0] * 3 + [4] * 3, [0.1] * 3 + [1.1] * 3)
    assert columns["group"][31:39] == [7, *[8] * 6, 9]
    chunk = unpacked(page, "chunk-0")
    assert chunk["texts"][33] == "sampled at 0 to 0, 0"
    shown = {name: cells[33] for name, cells in chunk["cells"].items() if cells[33:34] not in ([], [None])}
    assert shown == {"right/answer": "4", "nums": "[3, 0]"}  # which parquet gives back as an array
    assert "32 completions, and 18 answers of evaluations" in page


def test_of_many_answers_those_before_and_after_are_kept(tmp_path: Path) -> None:
    folder = leave_evaluations(leave(tmp_path / "run"), steps=range(10), problems=10, samples=1)
    assert len(read_answers(evaluations_in(folder), 200)["completion"]) == 200
    few = read_answers(evaluations_in(folder), 10)  # two evaluations of twenty answers: those to every fourth problem
    assert ({*few["step"]}, {*few["problem"]}) == ({0, 9}, {0, 4, 8})
    (folder / "evaluation" / "step-000009.parquet").write_bytes(b"PAR1 and not yet more")
    assert {*read_answers(evaluations_in(folder), 10)["step"]} == {0, 8}


def test_a_run_that_recorded_no_settings_differs_in_none_and_no_page_says_where_it_lies(tmp_path: Path) -> None:
    page = report_html([leave(tmp_path / "one"), leave(tmp_path / "other", weights=None)])
    assert "Settings that differ" not in page
    assert "(as the log adds up)" in page
    assert str(tmp_path) not in page


def test_what_a_model_wrote_is_never_markup(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run", hostile)
    alert = alert_of("health", "r", 1, HOSTILE[0], f"{HOSTILE[3]} \ud800").as_dict()
    (folder / "alerts.jsonl").write_text(f"{json.dumps({'gold': ['right']})}\n{json.dumps(alert)}\n")
    evaluation = {"after": {HOSTILE[1]: {HOSTILE[0]: {"mean": 0.5, "interval": [0.4, float("nan")]}}}}
    (folder / "eval.json").write_text(json.dumps(evaluation))
    page = report_html([folder])
    page.encode("utf-8")
    # the page's own: the data, and one that runs
    without = re.sub(r"<script>\n?\"use strict\".*?</script>", "", page, flags=re.DOTALL)
    assert without.count("<script") == page.count('<script type="application/gzip"')
    assert "<img" not in page.partition("<script")[0]
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert {*unpacked(page, "chunk-0")["texts"]} == {*HOSTILE}


@each_row(
    "message, shown",
    [
        ({"reasoning_content": "I think", "content": "4"}, "<think>I think</think>\n4"),
        ({"thinking": "I think", "content": None}, "<think>I think</think>"),
        ({"reasoning_content": None, "reasoning": "", "content": "4"}, "4"),
        (
            {"content": [{"type": "thinking", "thinking": "I think"}, {"type": "text", "text": "4"}]},
            "<think>I think</think>\n4",
        ),
        ({"content": [{"type": "image"}, {"type": "redacted_thinking", "data": "x"}]}, "[image]\n[redacted_thinking]"),
    ],
)
def test_reasoning_that_a_parser_took_out_is_shown(message: dict[str, Any], shown: str) -> None:
    said = {"role": "assistant", **message}
    assert shown_text([said]) == shown
    assert shown_text([said, {"role": "tool", "content": "5"}]) == f"[assistant]\n{shown}\n\n[tool]\n5"


def test_half_a_surrogate_pair_and_odd_numbers_travel(tmp_path: Path) -> None:
    packed = packed_json({"text": "a\ud800b", "number": [float("nan"), float("inf"), 1.5, 10**5_000]})
    found = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert found == {"text": "a\ud800b", "number": [None, None, 1.5, "int with an integer of thousands of digits"]}


def test_runs_with_other_rewards_stand_side_by_side(tmp_path: Path) -> None:
    one = leave(tmp_path / "one" / "out")
    other = leave(tmp_path / "other" / "out", weights=(1.0, 0.5))
    for path in (other / "completions").iterdir():
        frame = pandas.read_parquet(path)
        frame.rename(columns={"short": "brief"}).to_parquet(path)
    state = (other / "trainer_state.json").read_text().replace("rewards/short", "rewards/brief")
    (other / "trainer_state.json").write_text(state)
    page = report_html([one, other])
    index = unpacked(page, "index")
    assert index["codes"]["run"] == ["one/out", "other/out"]
    assert {len(values) for values in index["columns"].values()} == {64}
    assert (index["columns"]["reward brief"][0], index["columns"]["reward brief"][-1]) == (None, 0.5)
    assert (index["columns"]["reward short"][0], index["columns"]["reward short"][-1]) == (0.5, None)
    assert '<th scope="row">reward_weights</th><td>[1.0, 0.2]</td><td>[1.0, 0.5]</td>' in page


def test_long_completions_are_cut_until_they_fit(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    rows = Rows()
    read(folder, "run", rows.add)
    assert rows.packed_chunks()
    assert rows.limit is None
    noise = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(40_000))  # which does not get smaller
    rows.texts = [noise[at * 100 :] for at in range(len(rows))]
    chunks = rows.packed_chunks(300_000)
    assert rows.limit is not None
    assert sum(map(len, chunks)) <= 300_000
    text = json.loads(gzip.decompress(base64.b64decode(chunks[0])))["texts"][0]
    assert text.startswith(noise[: rows.limit // 2])
    assert text.endswith(noise[-rows.limit // 2 :])
    assert "characters left out" in text


def test_long_prompts_are_cut_until_they_fit(tmp_path: Path) -> None:
    rows = Rows()
    noise = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(10_000))
    read(leave(tmp_path / "run", lambda step: [row(noise[step * 500 :], "t", 0.0, 0.0, "r")]), "run", rows.add)
    whole = len(rows.packed_index())
    assert whole // 2 > len(rows.packed_index(whole // 2)) > 100


def test_of_a_long_run_whole_steps_are_kept(tmp_path: Path) -> None:
    sizes = dict.fromkeys(range(1, 1001), 64)
    kept = kept_steps(sizes, 6_400)
    assert (min(kept), max(kept), len(kept)) == (1, 1000, 100)
    assert kept_steps({1: 500, 2: 1}, 10) == {1}


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, path = leave(tmp_path / "run"), tmp_path / "out" / "report.html"
    write_report([folder], path)
    before = path.read_text()
    assert path.stat().st_mode & 0o044
    monkeypatch.setattr(page_module, "report_html", lambda folders, on_damaged: "half \ud800")
    with pytest.raises(UnicodeEncodeError):
        write_report([folder], path)
    assert path.read_text() == before
    assert [one.name for one in path.parent.iterdir()] == ["report.html"]


@each_row("latex, tree", TABLES["formulas"])
def test_formulas_are_trees_of_presentation_alone(latex: str, tree: Any) -> None:
    assert formulas_in([latex, None]) == ({} if tree is None else {latex: tree})


def test_a_report_names_the_versions_and_the_temperature_of_its_run(tmp_path: Path) -> None:
    folder = leave(tmp_path / "run")
    record = {"settings": {"temperature": 0.7}, "versions": {"trl": "1.16.0"}, "commit": "abc1234"}
    (folder / "run.json").write_text(json.dumps(record))
    page = report_html([folder])
    for name, value in (("temperature", "0.7"), ("trl", "1.16.0"), ("commit of the script", "abc1234")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page
