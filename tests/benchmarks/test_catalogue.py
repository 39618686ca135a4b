"""The rewards of the catalogue give the public rows what their labels say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from labelled_files import rows_in
from places import ROOT

import grpo_rewards as gr

pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
ROWS = ROOT / "tests" / "data" / "catalogue"
LETTERS = "ABCDEFGHIJ"
# What is known to be missed: most of the choices are unusual on purpose, and the rule does not name their wording; a
# unit that is one letter.
LEAST = {"`choices`, right": 60.0, "`choices`, wrong": 98.0, "`scripts`, `arithmetic_steps`": 95.0}


CHOICES = "answers/choices"  # 1,700 of the 2,100 rows
some_choices = pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.full)])


@some_choices
def test_the_public_rows_get_what_their_labels_say(
    every: int,
    script: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    catalogue = script("catalogue")
    monkeypatch.setattr(
        catalogue, "rows_in", lambda data, name: rows_in(data, name)[:: every if name == CHOICES else 1]
    )
    catalogue.main([])
    table, _, _ = capsys.readouterr().out.partition("\n\n")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    shares = {what: float(share.removesuffix(" %")) for what, _, _, share in lines}
    assert len(shares) == 19
    too_low = {
        what: share
        for what, share in shares.items()
        if share < next((least for start, least in LEAST.items() if what.startswith(start)), 100.0)
    }
    assert too_low == {}


def test_other_rows_are_judged_and_shown(
    tmp_path: Path, script: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answers").mkdir()
    rows = (
        '{"id": "1", "gold": "B", "completion": "The answer is B.", "expected": true, "confidence": "firm"}\n'
        '{"id": "2", "gold": "B", "completion": "The answer is B.", "expected": false, "confidence": "firm"}\n'
    )
    (tmp_path / "answers" / "choices.jsonl").write_text(rows)
    script("catalogue").main(["--data", str(tmp_path), "--show"])
    printed = capsys.readouterr().out
    assert "| `choices`, right ones, `multiple_choice` | 1 | 1 | 100.00 % |" in printed
    assert "| `choices`, wrong ones, `multiple_choice` | 1 | 0 | 0.00 % |" in printed
    assert "`multiple_choice`: 2: " in printed


@some_choices
def test_a_right_choice_rewards_for_no_other_letter(every: int) -> None:
    paid = []
    for row in rows_in(ROWS, CHOICES)[::every]:
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
