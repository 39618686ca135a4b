"""Problems are read from files of four kinds, and a damaged one is told by its line."""

import json

import pytest
from datasets import Dataset
from gsm8k import problems, user_turn
from tables import each_row, tables_beside
from training.arguments import ScriptArguments
from training.data import LINE, as_prompts, read_file
from training.evaluation import Answer, scored
from transformers import TrainerState

import grpo_rewards as gr

TABLES = tables_beside(__file__)

ROWS = [{"question": f"What is {n} + 1?", "answer": f"{n + 1}"} for n in range(5)]


def written(path, text):
    path.write_text(text)
    return path


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
def test_four_kinds_of_files_give_the_same_rows(kind, tmp_path):
    path = tmp_path / f"data.{kind}"
    if kind == "csv":
        Dataset.from_list(ROWS).to_csv(path)
    elif kind == "parquet":
        Dataset.from_list(ROWS).to_parquet(path)
    else:
        path.write_text(json.dumps(ROWS) if kind == "json" else lines(ROWS))
    read = read_file(path)
    assert [{name: row[name] for name in ("question", "answer")} for row in read] == ROWS
    assert (LINE in read.column_names) == (kind in ("jsonl", "csv"))


def test_golds_of_a_csv_stay_as_they_are_written(tmp_path):
    path = written(tmp_path / "data.csv", 'question,answer\na,007\nb,1.50\nc,NA\n"d,e","1,000"\n')
    assert read_file(path)["answer"][:] == ["007", "1.50", "NA", "1,000"]


def test_lines_are_counted_as_an_editor_does(tmp_path):
    path = written(tmp_path / "data.jsonl", "\n" + lines(ROWS[:2]) + "\n\n" + lines(ROWS[2:]))
    assert read_file(path)[LINE][:] == [2, 3, 6, 7, 8]
    own = read_file(written(tmp_path / "own.jsonl", lines([{"line": "a"}])))  # a column of the data's own
    assert (own["line"][:], own[LINE][:]) == (["a"], [1])


@each_row("name, text, says", TABLES["a_file_that_cannot_be_read_is_told_in_one_line"])
def test_a_file_that_cannot_be_read_is_reported_in_one_line(name, text, says, tmp_path):
    with pytest.raises(SystemExit) as stopped:
        read_file(written(tmp_path / name, text))
    assert says in str(stopped.value)
    assert str(stopped.value).startswith(f"error: --dataset_path {tmp_path / name}")
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("golds", ["numbers", "some of both"])
@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_golds_that_are_numbers_are_trained_on_and_examined_as_their_texts_are(kind, golds, tmp_path):
    def verdicts(name, rows):
        path = written(tmp_path / f"{name}.{kind}", lines(rows) if kind == "jsonl" else json.dumps(rows))
        script = ScriptArguments(dataset_path=str(path), eval_size=4)
        _, held_out = as_prompts(problems(script, 0), user_turn, None, ["answer"])
        said = [
            [Answer([1], [{"role": "assistant", "content": f"\\boxed{{{n}}}"}]) for n in (int(gold), 99)]
            for gold in held_out["answer"]
        ]
        table = scored(held_out, said, [gr.boxed_answer], "boxed_answer", TrainerState())
        table.to_parquet(tmp_path / "evaluation.parquet")  # as an evaluation is kept
        return table[["boxed_answer", "boxed_answer/reason"]].to_dict()

    rows = [{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(12)]
    mixed = [{**row, "answer": str(row["answer"])} if n % 2 else row for n, row in enumerate(rows)]
    texts = [{**row, "answer": str(row["answer"])} for row in rows]
    expected = verdicts("texts", texts)
    assert verdicts("numbers", rows if golds == "numbers" else mixed) == expected
    assert list(expected["boxed_answer"].values()) == [1.0, 0.0] * 4
