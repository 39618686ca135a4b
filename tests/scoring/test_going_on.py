"""What was kept before and is not as it was left: begun anew where it is gone, and else told, never grown or lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_rewards import mine  # noqa: F401  # a fixture

import grpo_rewards as gr
from grpo_rewards.scoring import Summary, kept, score_files

ROWS = 60
LINES = "".join(
    json.dumps({"id": at, "completion": f"\\boxed{{{at % 3}}}", "answer": str(at % 2)}) + "\n" for at in range(ROWS)
)


@pytest.fixture(params=["out.jsonl", "out"])
def scored(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Callable[[], Summary]]:
    """(where the verdicts of 60 rows and of one that is none lie, the call that wrote them)."""
    if request.param == "out":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.setattr(kept, "PART_ROWS", 1)  # so that a part is written of each piece
    for at in range(3):
        (tmp_path / f"rows-{at}.jsonl").write_text(LINES + "no json\n", encoding="utf-8")

    def score() -> Summary:
        return score_files(["boxed_answer"], [str(tmp_path / "rows-*.jsonl")], output=tmp_path / request.param)

    score()
    return tmp_path / request.param, score


def held(path: Path) -> dict[str, bytes]:
    """What lies there, by name."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {one.name: one.read_bytes() for one in files}


def first_file(path: Path) -> Path:
    return path / "part-00000.parquet" if path.is_dir() else path


def test_an_output_that_is_gone_is_begun_anew(scored: tuple[Path, Callable[[], Summary]]) -> None:
    path, score = scored
    before = held(path)
    for one in path.iterdir() if path.is_dir() else [path]:
        one.unlink()
    summary = score()
    assert (summary.tally.rows, summary.tally.malformed, held(path)) == (3 * ROWS, 3, before)
    if path.is_dir():
        for one in path.iterdir():
            one.unlink()
        path.rmdir()
        assert (score().tally.rows, held(path)) == (3 * ROWS, before)


@pytest.mark.parametrize("is_whole", [True, False])
def test_an_output_of_which_something_is_missing_is_reported_and_left(
    is_whole: bool, scored: tuple[Path, Callable[[], Summary]]
) -> None:
    path, score = scored
    place = path.with_name(path.name + ".place.json")
    place.write_text(json.dumps(json.loads(place.read_text()) | {"done": is_whole}))
    if path.is_dir():
        first_file(path).unlink()
    else:
        path.write_bytes(path.read_bytes()[:-500])
    before, malformed = held(path), path.with_name(path.name + ".malformed.jsonl").read_bytes()
    with pytest.raises(gr.RewardError, match=rf"{path.name}.* is not as it was left: .*back.* --overwrite"):
        score()
    assert held(path) == before
    assert path.with_name(path.name + ".malformed.jsonl").read_bytes() == malformed


def test_what_was_added_to_a_finished_output_is_not_thrown_away(scored: tuple[Path, Callable[[], Summary]]) -> None:
    path, score = scored
    if path.is_dir():
        (path / "part-00003.parquet").write_bytes(b"another's")
    else:
        path.write_bytes(path.read_bytes() + b'{"added": "by hand"}\n')
    before = held(path)
    with pytest.raises(gr.RewardError, match="is not as it was left: "):
        score()
    assert held(path) == before


@pytest.mark.parametrize("left", [0, 10, None])
def test_what_could_not_be_read_is_not_grown_nor_forgotten(
    left: int | None, scored: tuple[Path, Callable[[], Summary]]
) -> None:
    path, score = scored
    malformed = path.with_name(path.name + ".malformed.jsonl")
    if left is None:
        malformed.unlink()
    else:
        malformed.write_bytes(malformed.read_bytes()[:left])
    before = held(path)
    with pytest.raises(gr.RewardError, match=r"\.malformed\.jsonl is not as it was left: .*--overwrite"):
        score()
    assert held(path) == before
    assert malformed.read_bytes() if left else not malformed.exists()


def test_an_output_that_was_written_over_is_reported(scored: tuple[Path, Callable[[], Summary]]) -> None:
    path, score = scored
    first = first_file(path)
    first.write_bytes(b"\xff" * first.stat().st_size)
    with pytest.raises(gr.RewardError, match=rf"{first.name} is not as it was left: .*--overwrite"):
        score()


def test_what_lies_before_a_place_is_on_the_disk_before_the_place_is(
    scored: tuple[Path, Callable[[], Summary]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, score = scored
    place = path.with_name(path.name + ".place.json")
    for one in (*([*path.iterdir()] if path.is_dir() else [path]), place):
        one.unlink()
    done: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def flushed(file: int) -> None:
        fsync(file)
        done.append(("on disk", Path(f"/proc/self/fd/{file}").resolve().name))

    def named(old: Path, new: Path) -> None:
        replace(old, new)
        done.append(("named", Path(new).name))

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", named)
    score()
    of_data = [("on disk", path.name)]
    if path.is_dir():  # its last part, and then the folder, which holds the name of that
        of_data = [("on disk", "part-00002.parquet.new"), ("named", "part-00002.parquet"), *of_data]
    of_place = [("on disk", f"{place.name}.new"), ("named", place.name), ("on disk", path.parent.name)]
    ends = [len(done) - done[::-1].index(one) for one in (*of_data, ("on disk", f"{path.name}.malformed.jsonl"))]
    assert ends == sorted(ends)
    assert done[-3:] == of_place
    assert ends[-1] == len(done) - 3


@pytest.mark.parametrize("said", ["{}", "[1]", '{"settings": {}, "place": 3}', ""])
def test_a_damaged_note_of_the_place_is_as_good_as_none(said: str, scored: tuple[Path, Callable[[], Summary]]) -> None:
    path, score = scored
    path.with_name(path.name + ".place.json").write_text(said)
    before = held(path)
    with pytest.raises(gr.RewardError, match=rf"{path.name} is there already\. .*--overwrite"):
        score()
    assert held(path) == before


@pytest.mark.parametrize("inside", [False, True])
def test_a_reward_whose_code_has_changed_is_not_resumed(inside: bool, mine: Any, tmp_path: Path) -> None:  # noqa: F811
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    rows.write_text(LINES, encoding="utf-8")

    def mean(body: str) -> float | None:
        reward = mine(body)
        reward = gr.gated(reward, by=gr.boxed_answer, above=-1.0) if inside else reward
        return score_files([reward], [str(rows)], output=out).tally.summaries()[0].mean

    assert mean("return 1.0") == 1.0
    assert mean("# the same\n    return (1.0)") == 1.0
    with pytest.raises(gr.RewardError, match=r"other settings: the code of mine was '\w+' and is '\w+'.*--overwrite"):
        mean("return 0.0")
