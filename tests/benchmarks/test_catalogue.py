"""The rewards of the catalogue give labelled rows what their labels say."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from labelled_files import rows_in
from places import DATA, ROOT, labelled

import grpo_rewards as gr

pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")
ROWS = ROOT / "tests" / "data" / "catalogue"
LETTERS = "ABCDEFGHIJ"
CHOICES = "answers/choices"  # 1,700 of the 2,100 rows that anyone has
# For each set of rows: which it is that only some are read of before each change, and every how many; and the least
# share of a line, where not all get what their labels say. Most of the choices that anyone has are unusual on purpose,
# and the rule does not name their wording; a unit may be one letter.
SETS = [
    pytest.param(
        *(ROWS, {CHOICES: 12}),
        {"`choices`, right": 60.0, "`choices`, wrong": 98.0, "`scripts`, `arithmetic_steps`": 95.0},
        id="the public ones",
    ),
    pytest.param(
        *(DATA, {"transcripts/transcripts": 3}, {"`transcripts`": 99.5, "`instructions`": 99.0}),
        id="those beside the repository",
        marks=labelled,
    ),
]
DISPUTED = {"scr-0232"}  # 5 - 5 = 0 is labelled a step, and only undoes itself


@pytest.mark.parametrize("in_part", [True, pytest.param(False, marks=pytest.mark.full)], ids=["in part", "whole"])
@pytest.mark.parametrize(("data", "every", "least"), SETS)
def test_labelled_rows_get_what_their_labels_say(
    data: Path,
    every: dict[str, int],
    least: dict[str, float],
    in_part: bool,
    script: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    catalogue = script("catalogue")
    monkeypatch.setattr(
        catalogue, "rows_in", lambda data, name: rows_in(data, name)[:: every.get(name, 1) if in_part else 1]
    )
    lines = list(catalogue.table(data))
    assert len(lines) == 19
    for line in lines:
        wrong = [row["id"] for row in line.wrong if row["id"] not in DISPUTED]
        share = next((share for start, share in least.items() if line.what.startswith(start)), 100.0)
        assert len(wrong) <= (1 - share / 100) * len(line.judged), (line.what, wrong)


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


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.full)])
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
