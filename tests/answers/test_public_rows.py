"""The rows that come with this repository: well formed, and judged as docs/answers.md says."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import grpo_rewards as gr

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
]
BOXED = [row for row in ROWS if not row["kind"].startswith("final/")]
PROSE = [row for row in ROWS if row["kind"].startswith("final/")]


def test_there_are_enough_rows_of_both_sorts_and_each_has_an_id_of_its_own() -> None:
    assert len(ROWS) >= 1_500
    assert {"id", "kind", "gold", "completion", "expected", "reason"} <= set.intersection(*map(set, ROWS))
    assert max(Counter(row["id"] for row in ROWS).values()) == 1
    assert all(0.3 < sum(row["expected"] for row in some) / len(some) < 0.7 for some in (BOXED, PROSE))


@pytest.mark.parametrize(
    ("rows", "reward", "most_missed", "most_paid"),
    [(BOXED, gr.boxed_answer, 0.10, 0.002), (PROSE, gr.final_answer, 0.10, 0.02)],
    ids=["boxed", "prose"],
)
def test_few_right_answers_are_missed_and_hardly_any_wrong_ones_are_rewarded(
    rows: list[dict[str, Any]], reward: gr.Reward, most_missed: float, most_paid: float
) -> None:
    scores = reward(completions=[row["completion"] for row in rows], answer=[row["gold"] for row in rows])
    missed = [row["id"] for row, score in zip(rows, scores, strict=True) if row["expected"] and score != 1.0]
    paid = [row["id"] for row, score in zip(rows, scores, strict=True) if not row["expected"] and score == 1.0]
    right = sum(row["expected"] for row in rows)
    assert len(missed) <= most_missed * right, missed
    assert len(paid) <= most_paid * (len(rows) - right), paid
