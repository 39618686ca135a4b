"""The rewards of the catalogue give the public rows what their labels say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from labelled_files import rows_in
from places import ROOT

import grpo_rewards as gr

pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
SCRIPT = Path(__file__).parent / "catalogue.py"
ROWS = ROOT / "tests" / "data" / "catalogue"
LETTERS = "ABCDEFGHIJ"
# what is known to be missed: unusual answers to multiple-choice questions, and a unit that is one letter
LEAST = {"`choices`, right": 98.0, "`choices`, wrong": 99.5, "`scripts`, `arithmetic_steps`": 95.0}


def test_the_public_rows_get_what_their_labels_say() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True, encoding="utf-8")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    shares = {what: float(share.removesuffix(" %")) for what, _, _, share in lines}
    assert len(shares) == 19
    too_low = {
        what: share
        for what, share in shares.items()
        if share < next((least for start, least in LEAST.items() if what.startswith(start)), 100.0)
    }
    assert too_low == {}


def test_other_rows_are_judged_and_shown(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    rows = (
        '{"id": "1", "gold": "B", "completion": "The answer is B.", "expected": true, "confidence": "firm"}\n'
        '{"id": "2", "gold": "B", "completion": "The answer is B.", "expected": false, "confidence": "firm"}\n'
    )
    (tmp_path / "answers" / "choices.jsonl").write_text(rows)
    command = [sys.executable, str(SCRIPT), "--data", str(tmp_path), "--show"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    assert "| `choices`, right ones, `multiple_choice` | 1 | 1 | 100.00 % |" in done.stdout
    assert "| `choices`, wrong ones, `multiple_choice` | 1 | 0 | 0.00 % |" in done.stdout
    assert "`multiple_choice`: 2: " in done.stdout


def test_a_right_choice_pays_for_no_other_letter() -> None:
    paid = []
    for row in rows_in(ROWS, "answers/choices"):
        gold, choices = str(row["gold"]).strip("()"), row["choices"]
        if not row["expected"] or gold not in LETTERS or isinstance(choices, dict):
            continue
        if choices and not set(LETTERS).isdisjoint(choices):
            continue  # the text of an option is a letter
        others = [letter for letter in LETTERS[: len(choices or "ABCD")] if letter != gold]
        given = {"answer": others} | ({} if choices is None else {"choices": [choices] * len(others)})
        rewards = gr.multiple_choice(completions=[row["completion"]] * len(others), **given)
        paid += [(row["id"], letter) for letter, reward in zip(others, rewards, strict=True) if reward]
    assert paid == []
