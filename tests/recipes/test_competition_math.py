"""The recipe for answers in LaTeX: MATH's own rows, and what is said where they are not as they should be."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import competition_math
from competition_math import boxed
from places import RECIPES

TABLES = tables_beside(__file__)

# The rows are made for this test, in the columns of MATH: {"problem", "level", "type", "solution"}.
ROW = {"problem": "What is $n + 1$ if $n = {n}$?", "level": "Level 1", "type": "Algebra"}


def rows(count, solution="Adding, $n + 1 = \\boxed{{{m}}}$.", **more):
    return [
        {**ROW, "problem": ROW["problem"].format(n=n), "solution": solution.format(m=n + 1), **more}
        for n in range(count)
    ]


def written(folder, data):
    path = folder / "math.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in data))
    return path


@each_row("solution, answer", TABLES["the_answer_of_a_solution_is_what_its_last_box_holds"])
def test_the_answer_of_a_solution_is_what_its_last_box_holds(solution, answer):
    assert boxed(solution) == answer


def test_an_answer_of_its_own_is_read_rather_than_the_solution():
    from datasets import Dataset
    from training.arguments import ScriptArguments
    from training.data import with_columns

    def answers(data):
        made = {"answer": ("solution", boxed)}
        return with_columns(Dataset.from_list(data), competition_math.COLUMNS, made, ScriptArguments())["answer"]

    assert answers(rows(3, answer="\\frac{1}{2}")) == ["\\frac{1}{2}"] * 3
    assert answers(rows(3)) == ["1", "2", "3"]


@pytest.mark.full
def test_it_trains_on_rows_of_math(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, rows(64))
    quick = "--max_steps 2 --eval_size 4 --eval_samples 2 --max_completion_length 8 --per_device_train_batch_size 16"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "argv", ["competition_math.py", "--dataset_path", str(path), *quick.split()])
    runpy.run_path(str(RECIPES / "competition_math.py"), run_name="__main__")
    folder = tmp_path / "outputs" / "tiny-math"
    results = json.loads((folder / "eval.json").read_text())
    assert results["steps"] == 2
    assert 0.0 <= results["after"]["sampled"]["boxed_answer"]["mean"] <= 1.0
    assert "algebra" not in capsys.readouterr().out  # what the default shows is not said of other data
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    first = next(log for log in history if "reward" in log)  # the evaluation before training is logged as well
    assert first["boxed_answer/bad_answer"] == 0.0
    assert Path(folder / "model.safetensors").exists()
