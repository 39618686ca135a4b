"""What was kept before and is not as it was left: begun anew where it is gone, else reported, never grown or lost."""

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


SETTINGS = ".settings.json"
LEFT, ANEW = (
    r"differs from the row recorded in .*out.jsonl\. Restore it, .*--overwrite",
    r"out.jsonl is there already\. .*--overwrite",
)


@pytest.mark.parametrize(
    ("ending", "changed", "said"),
    [
        ("", lambda held: held + b'{"added": "by hand"}\n', "out.jsonl has verdicts on more rows than are read"),
        ("", lambda held: held[held.index(b"\n") + 1 :], LEFT),
        ("", lambda held: b"\xff" * (len(held) - 1) + b"\n", LEFT),
        ("", lambda held: held.replace(b"boxed_answer/reason", b"boxed_answer/broken"), LEFT),
        (SETTINGS, lambda held: b"{}", r"different settings \(rewards, columns, version"),
        (SETTINGS, lambda held: b"[1]", ANEW),
        (SETTINGS, lambda held: b"", ANEW),
    ],
)
def test_what_is_not_as_it_was_left_is_reported_and_stays_so(
    ending: str, changed: Callable[[bytes], bytes], said: str, scored: tuple[Path, Callable[[], Summary]]
) -> None:
    out, score = scored
    path = out.with_name(out.name + ending)
    path.write_bytes(changed(path.read_bytes()))
    held = {one: one.read_bytes() for one in (out, out.with_name(out.name + SETTINGS))}
    with pytest.raises(gr.RewardError, match=said):
        score()
    assert {one: one.read_bytes() for one in held} == held


@pytest.mark.parametrize("cut", [1, 500, 7000])
def test_lines_that_were_lost_are_written_again(cut: int, scored: tuple[Path, Callable[[], Summary]]) -> None:
    out, score = scored
    before = out.read_bytes()
    out.write_bytes(before[:-cut])
    out.with_name(f"{out.name}.malformed.jsonl").unlink()
    summary = score()
    assert (summary.tally.rows, summary.tally.malformed, out.read_bytes()) == (3 * ROWS, 3, before)


def test_files_that_were_copied_or_have_grown_are_resumed(scored: tuple[Path, Callable[[], Summary]]) -> None:
    out, score = scored
    last = out.with_name("rows-2.jsonl")
    held, before = last.read_bytes(), out.read_bytes()
    last.unlink()
    last.write_bytes(held + LINES.encode())
    os.utime(last, (1, 1))
    assert score().tally.rows == 4 * ROWS
    assert out.read_bytes().startswith(before)


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
    with pytest.raises(gr.RewardError, match=r"different settings \(the code of mine\) and cannot .*--overwrite"):
        mean("return 0.0")
