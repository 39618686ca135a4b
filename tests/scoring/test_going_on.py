"""What was kept before and is not as it was left: begun anew where it is gone, else reported, never grown or lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_rewards import mine  # noqa: F401  # a fixture

import grpo_rewards as gr
from grpo_rewards.scoring import Summary, score_files

ROWS = 60
LINES = "".join(
    json.dumps({"id": at, "completion": f"\\boxed{{{at % 3}}}", "answer": str(at % 2)}) + "\n" for at in range(ROWS)
)


@pytest.fixture
def scored(tmp_path: Path) -> tuple[Path, Callable[[], Summary]]:
    """(where the verdicts of 60 rows and of one that is none lie, the call that wrote them)."""
    for at in range(3):
        (tmp_path / f"rows-{at}.jsonl").write_text(LINES + "no json\n", encoding="utf-8")

    def score() -> Summary:
        return score_files(["boxed_answer"], [str(tmp_path / "rows-*.jsonl")], output=tmp_path / "out.jsonl")

    score()
    return tmp_path / "out.jsonl", score


def test_an_output_that_is_gone_is_begun_anew(scored: tuple[Path, Callable[[], Summary]]) -> None:
    path, score = scored
    before = path.read_bytes()
    path.unlink()
    summary = score()
    assert (summary.tally.rows, summary.tally.malformed, path.read_bytes()) == (3 * ROWS, 3, before)


PLACE, MALFORMED = ".place.json", ".malformed.jsonl"
LEFT, ANEW = r" is not as it was left: .*--overwrite", r"out.jsonl is there already\. .*--overwrite"


@pytest.mark.parametrize(
    ("is_whole", "ending", "changed", "said"),
    [
        (True, "", lambda held: held[:-500], "out.jsonl" + LEFT),
        (False, "", lambda held: held[:-500], "out.jsonl" + LEFT),
        (True, "", lambda held: held + b'{"added": "by hand"}\n', "out.jsonl" + LEFT),
        (True, "", lambda held: b"\xff" * len(held), "out.jsonl" + LEFT),
        (True, MALFORMED, lambda held: b"", MALFORMED + LEFT),
        (True, MALFORMED, lambda held: held[:10], MALFORMED + LEFT),
        (True, PLACE, lambda held: b"{}", ANEW),
        (True, PLACE, lambda held: b"[1]", ANEW),
        (True, PLACE, lambda held: b'{"settings": {}, "place": 3}', ANEW),
        (True, PLACE, lambda held: b"", ANEW),
    ],
)
def test_what_is_not_as_it_was_left_is_reported_and_stays_so(
    is_whole: bool,
    ending: str,
    changed: Callable[[bytes], bytes],
    said: str,
    scored: tuple[Path, Callable[[], Summary]],
) -> None:
    out, score = scored
    place, path = out.with_name(out.name + PLACE), out.with_name(out.name + ending)
    place.write_text(json.dumps(json.loads(place.read_text()) | {"done": is_whole}))
    path.write_bytes(changed(path.read_bytes()))
    held = {one: one.read_bytes() for one in out.parent.iterdir() if one.stat().st_size}
    with pytest.raises(gr.RewardError, match=said):
        score()
    assert {one: one.read_bytes() for one in out.parent.iterdir() if one.stat().st_size} == held


def test_what_lies_before_a_place_is_on_the_disk_before_the_place_is(
    scored: tuple[Path, Callable[[], Summary]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, score = scored
    place = path.with_name(path.name + ".place.json")
    path.unlink()
    place.unlink()
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
    of_place = [("on disk", f"{place.name}.new"), ("named", place.name), ("on disk", path.parent.name)]
    ends = [len(done) - done[::-1].index(one) for one in (*of_data, ("on disk", f"{path.name}.malformed.jsonl"))]
    assert ends == sorted(ends)
    assert done[-3:] == of_place
    assert ends[-1] == len(done) - 3


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
