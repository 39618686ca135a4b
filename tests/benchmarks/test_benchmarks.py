"""The measurements run, and count what they say they count; on a few made-up rows."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from places import ROOT

pytest.importorskip("trl", reason="trl is not installed")


def row(number: int, gold: str, completion: str, expected: bool, kind: str = "made up", **more: Any) -> dict[str, Any]:
    return {"id": f"row-{number}", "kind": kind, "gold": gold, "completion": completion, "expected": expected, **more}


ANSWERS = {
    "gsm8k_real": [
        row(1, "3", r"so \boxed{3}", True, "boxed"),
        row(2, "3", r"so \boxed{4}", False, "boxed"),
        row(3, "3", "so\nA: 3", True, "raw"),
    ],
    "long_real": [row(4, "3", "<think>" + "2 + 1 < 4 " * 800 + r"</think>\boxed{3}", True)],
    "math_cot_real": [row(5, r"\frac{1}{2}", r"\boxed{0.5}", True)],
    "math_real": [
        row(6, "7", r"\boxed{7}", True, "sp/plain"),
        row(7, "7", r"\boxed{7}", False, "wrong/mislabelled"),
        row(8, "7", r"\boxed{8}", True, "policy/not counted"),
    ],
    "peer_tests": [row(9, "7", "7.0", True, "fair/number"), row(10, "7", "8", True, "other/not counted")],
}
ATTACKS = [
    {"id": "A1", "class": "D", "target": "accuracy", "gold": "5", "completion": r"\boxed{6}", "expect": {"verdict": 0}},
    {"id": "A2", "class": "D", "target": "accuracy", "gold": "5", "completion": "\ud800", "expect": {"verdict": 1}},
    {"id": "A3", "class": "C", "target": "accuracy", "gold": "5", "completion_obj": None, "expect": {"verdict": 0}},
    {"id": "A4", "class": "D", "target": "accuracy", "gold": "5", "completion": "", "expect": {"policy": "any"}},
    {"id": "A5", "class": "E", "target": "think_format", "gold": "5", "completion": "", "expect": {"verdict": 0}},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, some in {
        **{f"answers/{name}": some for name, some in ANSWERS.items()},
        "attacks/attacks": ATTACKS,
    }.items():
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir(exist_ok=True)
        with gzip.open(path, "wt") as file:
            file.writelines(json.dumps(one) + "\n" for one in some)
    return tmp_path


Script, Printed = Callable[[str], ModuleType], Callable[..., str]  # of conftest.py


def test_the_speed_of_both_is_measured_on_every_kind_of_work(
    data: Path, script: Script, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = script("answers")
    monkeypatch.setattr(answers, "RUNS", 3)
    table = printed(answers, "--data", data, "--quick")
    work = ("gsm8k_real, boxed, distinct golds | 1", "gsm8k_real, boxed, all | 2", "long_real | 1", "math_real | 3")
    for beginning in (*work, "ours, 3 items"):
        assert f"\n| {beginning} |" in table
    assert "trl 1." in table


def test_accuracy_counts_the_rows_of_each_column(data: Path, script: Script, printed: Printed) -> None:
    table = printed(script("accuracy"), "--data", data, "--show")
    cells = "| 100.00 % of 1 | 100.00 % of 2 | 100.00 % of 1 | 50.00 % of 2 | 100.00 % of 1 | 1 |"
    # the hack of class C is given to ours alone
    assert f"\n| boxed_answer {cells} 0 of 2 | 1 of 1 |\n" in table
    assert "\n| TRL accuracy_reward | 100.00 % of 1 | 100.00 % of 2 |" in table
    assert "\n| math-verify | 100.00 % of 1 | 100.00 % of 2 |" in table
    assert table.count("| 0 of 1 | 1 of 1 |\n") == 2
    assert "boxed_answer: math_real: row-7:" in table
    assert "boxed_answer: unrewarded: A2:" in table


def test_the_others_can_be_left_out(data: Path, script: Script, printed: Printed) -> None:
    alone = printed(script("accuracy"), "--data", data, "--only", "ours")
    assert "boxed_answer" in alone
    assert "TRL" not in alone
    assert "math-verify" not in alone


def test_what_padding_earns_is_measured_under_three_tokenizers(data: Path, script: Script, printed: Printed) -> None:
    (data / "gsm8k").mkdir()
    lines = [json.dumps({"answer": f"Ana has {n} pens and {n * 7} books, {n * 8} things."}) + "\n" for n in range(40)]
    (data / "gsm8k" / "train.jsonl").write_text("".join(lines), encoding="utf-8")
    (data / "texts").mkdir()
    honest = "The keeper wrote down every ship that passed, with its flag and the hour of the day."
    texts = [
        {"kind": "honest/prose", "text": honest, "honest_share": 1.0, "hard": False},
        {"kind": "honest/gsm8k", "text": None, "gsm8k_lines": [1, 2], "honest_share": 1.0, "hard": False},
        {"kind": "padded/loop", "text": honest + " and so on" * 76, "honest_share": 0.1, "hard": False},
        {"kind": "padded/noise", "text": honest[:42] + "qzxv jkwp", "honest_share": 0.8, "hard": True},
    ]
    with gzip.open(data / "texts" / "texts.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(one) + "\n" for one in texts)
    table = printed(script("padding"), "--data", data)
    assert table.count("padded                 1 of 1 earn under 10% of their padding") == 3
    assert table.count("padded (hard)          0 of 1 earn") == 3
    assert table.count("honest                 0.00% discounted on average, 0.00% of 2 lose over 5%") == 3


def test_a_difference_without_a_name_is_a_failure(
    script: Script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    peers = script("peers")
    (pair,) = peers.of_boxes()
    monkeypatch.setattr(peers, "pairs", lambda: [pair._replace(names={})])
    monkeypatch.setattr(peers, "of_boxes", list)
    monkeypatch.setattr(peers, "made_up", peers.made_up_boxes)
    assert peers.main(["--made"]) == 1
    assert "NOT NAMED" in capsys.readouterr().out


def test_windows_of_files_are_measured_by_kind(tmp_path: Path, script: Script, printed: Printed) -> None:
    (tmp_path / "loop.txt").write_text("and so on, and so forth\n" * 400)
    words = (ROOT / "README.md").read_text(encoding="utf-8")[:3000]
    (tmp_path / "honest.md").write_text(words, encoding="utf-8")
    (tmp_path / "short.md").write_text("too short to say much")
    table = printed(script("file_windows"), tmp_path)
    assert "| `*.md` | 1 | 0.00 % | 0.0 % |" in table
    assert "| `*.txt` | 1 | 100.00 % | 100.0 % |" in table
    assert "| all | 2 | 50.00 % | 50.0 % |" in table


def test_the_usual_rewards_are_timed_beside_trl_on_the_same_tokens(script: Script) -> None:
    module = script("usual_rewards")
    texts, ids = module.batch_of("so 4\nor 5\n" * 20, lambda line: [*map(ord, line)], 12)
    assert (texts[0], len(texts), len(ids[0])) == ("so 4\nor 5\nso 4\n", 13, 15)  # whole lines, of 12 tokens or more
    first, *rows = module.report("made up", [(texts, ids)] * 2, 3, 12)
    assert first == "made up: 13 completions of 15 tokens, 15 characters, as 2,048"
    named = ["repetition(ngram=3)", "cosine_length(max_tokens=12)", "think_format", "boxed_answer", "the", "TRL's"]
    assert [row.split()[0] for row in rows] == named
    assert rows[-1].endswith("1.00 of TRL's")
