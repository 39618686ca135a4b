"""Files as a stream: nothing is lost, whatever a file looks like, and each row keeps its number."""

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from row_files import KINDS, written

from grpo_rewards.registry import RewardError
from grpo_rewards.scoring import rows as reading
from grpo_rewards.scoring.rows import Chunk, Source, matching_files

ROWS: list[dict[str, Any]] = [{"completion": f"text {at} \u2028 é", "number": at} for at in range(700)]


PACKED = gzip.compress("".join(json.dumps({"completion": str(at * 7919)}) + "\n" for at in range(200)).encode())


def chunks(path: Path, size: int = 64) -> list[Chunk]:
    return [*Source([path], size).chunks()]


def read(path: Path, size: int = 64) -> tuple[list[tuple[int, dict[str, Any]]], list[tuple[int, str]]]:
    """(rows with their numbers, numbers of what is malformed with the reason)."""
    found = [chunk.rows() for chunk in chunks(path, size)]
    return (
        [row for rows, _ in found for row in rows],
        [(one.line, one.why) for _, malformed in found for one in malformed],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_all_rows_with_their_numbers(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"rows{kind}", ROWS)
    expected = [{**row, "number": str(row["number"])} for row in ROWS] if kind == ".csv" else ROWS
    first = {".csv": 2, ".json": 0, ".parquet": 0}.get(kind, 1)  # lines from 1, rows from 0
    assert read(path) == (list(enumerate(expected, first)), [])
    far = [chunk.read for chunk in chunks(path)]
    assert far == sorted(far)
    assert (min(far) > 0, far[-1]) == (True, path.stat().st_size)


@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz"])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_lines_have_their_numbers_wherever_they_are_cut(kind: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / f"rows{kind}"
    text = [b"\xef\xbb\xbf{", b"", b'{"a": 1}', b"   ", b"[" + b"1, " * 300, b"", b'{"a": 2}', b"x", b"", b'{"a": 3}']
    for ending in (b"", b"\n", b"\n\n"):
        path.write_bytes((gzip.compress if kind.endswith("gz") else bytes)(b"\n".join(text) + ending))
        rows, malformed = read(path, size=size)
        assert rows == [(3, {"a": 1}), (7, {"a": 2}), (10, {"a": 3})]
        assert [number for number, _ in malformed] == [1, 5, 8]


def test_damaged_lines_are_named_by_their_numbers_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    deep = b'{"completion": ' + b"[" * 100_000 + b"}"
    written = [b'\xef\xbb\xbf{"completion": "a"}', b"", b'{"completion": "b"', b"[1]", b'{"completion": "\xff"}', deep]
    path.write_bytes(b"\r\n".join([*written, b'{"completion": "z"}']))
    rows, malformed = read(path)
    assert rows == [(1, {"completion": "a"}), (7, {"completion": "z"})]
    assert [number for number, _ in malformed] == [3, 4, 5, 6]
    whys = ("it is no JSON", "it is no object in braces", "it is no UTF-8 at byte 17", "it is no JSON")
    for (_, why), expected in zip(malformed, whys, strict=True):
        assert expected in why


def test_a_table_with_a_wrong_number_of_cells_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b'completion,answer\n"a\nb",007\nshort\n\xff,1\nc,NA\n')
    rows, malformed = read(path)
    assert rows == [(2, {"completion": "a\nb", "answer": "007"}), (6, {"completion": "c", "answer": "NA"})]
    assert malformed == [(4, "it has 1 cells, and there are 2 columns"), (5, "it is no UTF-8")]


@pytest.mark.parametrize(
    "text", ['{"data": [{"a": 1}, {"a": 2}]}', '{"a": [1, 2]}', '[{"a": 1},{"a": 2}]', '  [ {"a":1} , {"a":2} ] \n']
)
def test_json_may_be_a_list_or_columns(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(text, encoding="utf-8")
    assert read(path)[0] == [(0, {"a": 1}), (1, {"a": 2})]


def test_patterns_give_files_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("run_10.jsonl", "run_9.jsonl", "run_1.jsonl", "other.txt"):
        (tmp_path / name).touch()
    names = [path.name for path in matching_files([str(tmp_path / "run_*.jsonl")])]
    assert names == ["run_1.jsonl", "run_9.jsonl", "run_10.jsonl"]
    assert [path.name for path in matching_files([str(tmp_path)])] == names
    with pytest.raises(RewardError, match=r"no file matches '.*none\*'"):
        matching_files([str(tmp_path / "none*")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RewardError, match=r"no file matches .*empty.* Of a folder, .*_\*\.parquet, .* \.jsonl, "):
        matching_files([str(tmp_path / "empty")])
    with pytest.raises(RewardError, match=r"other.txt: its name must end with .jsonl"):
        matching_files([str(tmp_path / "other.txt")])


def test_the_folder_of_a_run_stands_for_its_tables(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    (tmp_path / "completions" / "completions_00002.parquet").touch()
    (tmp_path / "log.jsonl").touch()
    assert [path.name for path in matching_files([str(tmp_path)])] == ["completions_00002.parquet"]


def test_standard_input_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(RewardError, match="there is no standard input"):
        list(Source([reading.STDIN]).chunks())


@pytest.mark.parametrize("first", ["completion;answer", "\ufeffcompletion;answer"])
@pytest.mark.parametrize("separator", [";", "\t"])
def test_cells_are_apart_as_the_first_line_has_them(first: str, separator: str, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    text = f'{first}\r\n5,0;7\r\n"a;b";8\r\n'.replace('"a;b"', "\0").replace(";", separator).replace("\0", '"a;b"')
    path.write_bytes(text.encode())
    rows, malformed = read(path)
    assert rows == [(2, {"completion": "5,0", "answer": "7"}), (3, {"completion": "a;b", "answer": "8"})]
    assert malformed == []


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("some.csv", b"completion,completion,answer\n4,5,4\n", r"two columns 'completion'\. Rename one"),
        ("some.csv", b'completion,answer\n4,4\n"\\boxed{4},4\n5,5\n', "some.csv, line 3: it is no CSV, .* Mend it"),
        ("some.csv", b"compl\xe9tion,answer\n4,4\n", r"first line is no UTF-8\. .* iconv -f WINDOWS-1252"),
        ("some.json", b'[{"a": 1}, {"a"', "it is no JSON: .*line 1 column 16"),
        ("some.json", b'[{"a": 1}', "it is no JSON: .*line 1 column 10"),
        ("some.json", b'{"a": 1}', "a list of objects"),
        ("some.json", b"", "some.json is empty"),
        ("some.parquet", b"", "some.parquet is empty"),
        ("some.json", b'[{"a": "\xff"}]', "it is no JSON: 'utf-8' codec"),
        ("some.parquet", b"PAR1", "cannot be read as parquet|to read parquet, pip install pyarrow"),
        ("rows.jsonl.gz", PACKED[:-40], r"rows.jsonl.gz: it is damaged, or ends early: .* gzip -dc"),
        ("rows.jsonl.gz", PACKED[:90] + b"x" * 60 + PACKED[150:], "it is damaged, or ends early"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported_with_what_to_do(
    name: str, held: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(held)
    with pytest.raises(RewardError, match=said):
        read(tmp_path / name)


def test_dates_and_bytes_of_parquet_are_texts_as_in_the_scored_copy(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow

    day, noon = datetime(2024, 1, 5), datetime(2024, 1, 5, 12, 30)
    row = {"day": day.date(), "stamp": day, "noon": noon, "time": noon.time(), "text": "é".encode(), "bytes": b"\xff"}
    texts = {"day": "2024-01-05", "stamp": "2024-01-05", "noon": "2024-01-05 12:30:00", "time": "12:30:00", "text": "é"}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "rows.parquet")
    assert read(tmp_path / "rows.parquet")[0] == [(0, {**texts, "bytes": b"\xff"})]


def test_a_parquet_file_with_two_columns_of_one_name_is_refused_as_csv_is(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow

    path = tmp_path / "rows.parquet"
    table = pyarrow.table({"completion": ["4"], "answer": ["4"]})
    parquet.write_table(table.append_column("answer", pyarrow.array(["5"])), path)
    with pytest.raises(RewardError, match=r"two columns 'answer'\. Write it again with one of them renamed\."):
        read(path)
