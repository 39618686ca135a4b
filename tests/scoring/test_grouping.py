"""Rewards that compare the completions of a group, over files whose groups lie next to each other."""

import json
from pathlib import Path
from typing import Any

import pytest
from forked_scoring import forked_scoring  # noqa: F401  # a fixture
from row_files import lines_of, written

import grpo_rewards as gr
from grpo_rewards.scoring import score_files, work
from grpo_rewards.scoring.changes import changes_in

SHORTEST = "gated(relative_length, by=boxed_answer)"


@gr.batch_reward(name="score_files_together")
def together(completions: list[str]) -> list[float]:
    """How many completions there are in the call."""
    return [float(len(completions))] * len(completions)


def group(prompt: str, *lengths: int) -> list[dict[str, Any]]:
    """Right answers with so many tokens."""
    return [
        {"prompt": prompt, "completion": "\\boxed{4}", "answer": "4", "completion_ids": list(range(length))}
        for length in lengths
    ]


ROWS = [row for at in range(60) for row in group(f"p{at}", *range(10, 10 + 5 * (1 + at % 4), 5))]
# the shortest gets 0.5 and the longest -0.5, linear between; one alone 0
EXPECTED = [[0.0], [0.5, -0.5], [0.5, 0.0, -0.5], [0.5, 0.5 - 1 / 3, 0.5 - 2 / 3, -0.5]] * 15


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(work, "CALL_ROWS", 7)  # so that groups lie in several chunks
    return written(tmp_path / "rows.jsonl", ROWS)


def rewards_in(path: Path, name: str) -> list[float]:
    return [row[name] for row in lines_of(path)]


@pytest.mark.usefixtures("forked_scoring")
@pytest.mark.parametrize("processes", [1, 2])
def test_the_rows_of_a_prompt_are_compared_with_each_other(processes: int, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    summary = score_files(["relative_length", SHORTEST], [str(path)], output=out, processes=processes)
    assert rewards_in(out, "relative_length") == pytest.approx([one for its in EXPECTED for one in its])
    assert rewards_in(out, summary.tally.names[1]) == rewards_in(out, "relative_length")
    assert summary.tally.summaries()[0].groups == 45


def test_any_reward_is_called_about_a_group_if_that_is_wanted(path: Path, tmp_path: Path) -> None:
    score_files([together], [str(path)], output=tmp_path / "out.jsonl", by_group=True)
    assert rewards_in(tmp_path / "out.jsonl", "score_files_together") == [len(its) for its in EXPECTED for _ in its]
    with pytest.raises(gr.RewardError, match=r"different settings \(by_group\)"):
        score_files([together], [str(path)], output=tmp_path / "out.jsonl")


def test_groups_of_two_files_are_two_and_what_is_malformed_is_named(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "second.jsonl"
    other.write_text("no json\n" + "".join(json.dumps(row) + "\n" for row in group("p59", 20, 10)), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    summary = score_files(["relative_length"], [str(path), str(other)], output=out)
    assert rewards_in(out, "relative_length")[-2:] == [-0.5, 0.5]
    assert [(one.path, one.line) for one in summary.malformed] == [(str(other), 1)]


class Stop(Exception):
    pass


def test_going_on_does_not_part_a_group(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"

    def stop(read: int, size: int, tally: Any) -> None:
        raise Stop

    for _ in range(2):
        with pytest.raises(Stop):
            score_files(["relative_length"], [str(path)], output=out, progress=stop)
    assert 7 <= len(rewards_in(out, "relative_length")) < len(ROWS)
    score_files(["relative_length"], [str(path)], output=out)
    assert rewards_in(out, "relative_length") == pytest.approx([one for its in EXPECTED for one in its])


def test_rows_of_a_group_that_are_apart_are_an_error_that_says_what_to_do(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(group("p3", 10)[0]) + "\n")
    with pytest.raises(gr.RewardError, match=r"line 151: 'p3' was there before, .* sort the file by 'prompt'"):
        score_files(["relative_length"], [str(path)])


def test_groups_that_are_not_known_are_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"completion": "4", "answer": "4", "completion_ids": [1]}])
    with pytest.raises(gr.RewardError, match=r"'relative_length' compares .* no column shows .* --prompt NAME"):
        changes_in("boxed_answer", "relative_length", [str(path)])
    with pytest.raises(gr.RewardError, match="no column shows which rows are one"):
        score_files(["boxed_answer"], [str(path)], by_group=True)


@pytest.mark.usefixtures("forked_scoring")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_difference_is_of_whole_groups_as_the_scores_are(processes: int, path: Path) -> None:
    found = changes_in("boxed_answer", "relative_length", [str(path)], processes=processes)
    # every completion is right and earned 1, and none is that much shorter than the others
    expected = [one for its in EXPECTED for one in its]
    assert (found.rows, found.changed, found.lowered) == (150, 150, 150)
    assert sum(found.kinds.values()) == 150
    shown = [one.after[0] for kind in found.examples.values() for one in kind]
    places = [int(one.place.rpartition(" ")[2]) for kind in found.examples.values() for one in kind]
    assert shown == pytest.approx([expected[place - 1] for place in places])
    other = changes_in(together, together, [str(path)], by_group=True, processes=processes)
    assert (other.rows, other.changed) == (150, 0)


def test_groups_of_a_difference_are_distinguished_by_a_column_that_is_named(tmp_path: Path) -> None:
    rows = [{**row, "half": at // 2, "prompt": "p", "old": 1.0} for at, row in enumerate(group("p", 10, 20, 30, 40))]
    path = written(tmp_path / "rows.jsonl", rows)
    assert changes_in("column:old", together, [str(path)], by_group=True).changed == 4  # four in the call
    found = changes_in("column:old", together, [str(path)], by_group=True, prompt="half")
    assert [one.after[0] for kind in found.examples.values() for one in kind] == [2.0, 2.0, 2.0]  # of four, three shown
