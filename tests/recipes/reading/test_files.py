"""Problems are read from files of four kinds, and a damaged one is told by its line."""

import json

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from datasets import Dataset
from running.reading.files import read_file

ROWS = [{"question": f"What is {n} + 1?", "answer": f"{n + 1}"} for n in range(5)]


def written(path, text):
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("kind", ["jsonl", "json", "json array", "csv", "parquet"])
def test_four_kinds_of_files_give_the_same_rows(kind, tmp_path):
    path = tmp_path / f"data.{kind.split()[0]}"
    if kind == "csv":
        Dataset.from_list(ROWS).to_csv(path)
    elif kind == "parquet":
        Dataset.from_list(ROWS).to_parquet(path)
    else:
        path.write_text(json.dumps(ROWS) if kind == "json array" else lines(ROWS))
    read = read_file(path)
    assert [{name: row[name] for name in ("question", "answer")} for row in read] == ROWS
    assert ("line" in read.column_names) == (kind == "jsonl")


def test_golds_of_a_csv_stay_as_they_are_written(tmp_path):
    path = written(tmp_path / "data.csv", 'question,answer\na,007\nb,1.50\nc,NA\n"d,e","1,000"\n')
    assert read_file(path)["answer"][:] == ["007", "1.50", "NA", "1,000"]


def test_lines_are_counted_as_an_editor_does(tmp_path):
    path = written(tmp_path / "data.jsonl", "\n" + lines(ROWS[:2]) + "\n\n" + lines(ROWS[2:]))
    assert read_file(path)["line"][:] == [2, 3, 6, 7, 8]
    assert read_file(written(tmp_path / "own.jsonl", lines([{"line": "a"}])))["line"][:] == ["a"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.jsonl", '{"question": "?"}\n\n{"question": \n', "line 3 is no JSON"),
        ("b.jsonl", '{"question": "?"}\n[1, 2]\n', "line 2 is no JSON object in braces"),
        ("d.json", '[{"question": "?"}', "d.json: it cannot be read as json: "),
        ("e.csv", "question,answer\na,1\nb,2,3\n", "Expected 2 fields in line 3, saw 3"),
        ("f.parquet", "no parquet", "f.parquet: it cannot be read as parquet: "),
        ("g.jsonl", "", "g.jsonl is empty"),
        ("h.txt", "1 + 1", "h.txt: its name must end with .jsonl, .json, .csv, .parquet"),
        ("i", "1 + 1", "its name must end with"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_line(name, text, says, tmp_path):
    with pytest.raises(SystemExit) as stopped:
        read_file(written(tmp_path / name, text))
    assert says in str(stopped.value)
    assert str(stopped.value).startswith(f"error: --dataset_path {tmp_path / name}")
    assert "\n" not in str(stopped.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SystemExit, match=r"none\.jsonl: there is no such file \(in "):
        read_file(tmp_path / "none.jsonl")
